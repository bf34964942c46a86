//! Why a graph or a table could not be written.

use std::path::PathBuf;

use thiserror::Error;

use crate::io::Format;

/// A graph that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A file name that belongs to no format.
    #[error("{}: the name does not show the format; end it in {expected}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The suffixes that belong to a format.
        expected: &'static str,
    },
    /// A format that can only be read, or that this build leaves out.
    #[error("{}: cannot write {}", path.display(), format.name())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// A compression that this build leaves out.
    #[error("{}: writing {what} needs the feature `{what}`", path.display())]
    Feature {
        /// The file.
        path: PathBuf,
        /// The name of the feature and of what it writes.
        what: &'static str,
    },
    /// Names, where the format has only numbers.
    #[error("{}: the vertices have names, which {} cannot hold; write an edge list or a snapshot",
            path.display(), format.name())]
    Names {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// A name that would not be read back unchanged.
    #[error("{}: the name «{name}» would not be read back unchanged; write a snapshot",
            path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A weight that no format can hold.
    #[error("{}: edge {edge} has a weight that is infinite or not a number", path.display())]
    Weight {
        /// The file.
        path: PathBuf,
        /// The index of the edge in the rows.
        edge: u64,
    },
    /// The reader of a pipe closed it before everything was written.
    #[error("{}: the reader left before everything was written", path.display())]
    ReaderLeft {
        /// The pipe.
        path: PathBuf,
    },
    /// An error of the system.
    #[error("cannot write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
}

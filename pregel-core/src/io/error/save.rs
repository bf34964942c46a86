//! Why a graph or a table could not be written.

use std::path::PathBuf;

use thiserror::Error;

use crate::io::Format;

/// A graph that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A name of which no format is known.
    #[error("{}: cannot tell the format by the name; end it in {expected}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What would be known.
        expected: &'static str,
    },
    /// A format that is only read, or that this build leaves out.
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
    /// Names, where the format has numbers only.
    #[error("{}: the vertices have names, which {} cannot hold; write an edge list or a snapshot",
            path.display(), format.name())]
    Names {
        /// The file.
        path: PathBuf,
        /// The format.
        format: Format,
    },
    /// A name that would not be read back as it is.
    #[error("{}: the name «{name}» cannot stand in an edge list; write a snapshot",
            path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Ids and values of a table that are not equally many.
    #[error("{}: {ids} ids, but {values} values", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// Number of ids.
        ids: u64,
        /// Number of values.
        values: u64,
    },
    /// The system refused.
    #[error("cannot write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

//! What can be wrong with a file.

mod binary;
mod line;
mod save;

use std::path::PathBuf;

use thiserror::Error;

pub use binary::{ArchiveError, BvGraphError, ParquetError, SnapshotError};
pub use line::{LineError, PropertyError};
pub use save::SaveError;

use super::{ColumnsError, Format};
use crate::graph::{BuildError, IdError};

/// A file that could not be read as a graph.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// An error of the system.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
    /// The compressed data is damaged or cut short.
    #[error("{}: the {kind} data is damaged or cut short", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        kind: &'static str,
        /// The error of the decompressor.
        source: std::io::Error,
    },
    /// More came out of a compressed file than is allowed.
    #[error(
        "{}: more than {limit} bytes came out of this compressed file; \
         raise the limit if that is right", path.display()
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A format or compression that this build leaves out.
    #[error("{}: reading {what} needs the feature `{what}`", path.display())]
    Feature {
        /// The file.
        path: PathBuf,
        /// The name of the feature and of what it reads.
        what: &'static str,
    },
    /// An archive without a member that is clearly the graph.
    #[error("{}: {problem}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// What was expected and what was found.
        problem: ArchiveError,
    },
    /// Bytes that are neither text nor a known binary format.
    #[error("{}: expected {expected}, found binary data", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// What can be read.
        expected: &'static str,
    },
    /// Only comments and blank lines.
    #[error("{}: expected {expected}, found an empty file", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        expected: &'static str,
    },
    /// A wrong line.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line; the first is 1.
        line: u64,
        /// What was expected and what was found.
        problem: LineError,
    },
    /// A header that does not agree with the rest of the file.
    #[error("{}, line {line}: the header promises {promised} {what}, the file has {found}",
            path.display())]
    Count {
        /// The file.
        path: PathBuf,
        /// The line of the header.
        line: u64,
        /// What is counted.
        what: &'static str,
        /// The number in the header.
        promised: u64,
        /// The number of lines in the body.
        found: u64,
    },
    /// An undirected edge that only one of its ends lists, or with two weights.
    #[error("{}: vertex {from} lists the edge to {to} {there} times, {to} lists it {back} times \
             with the same weight", path.display())]
    OneSided {
        /// The file.
        path: PathBuf,
        /// One end, as the file calls it.
        from: u64,
        /// The other end, as the file calls it.
        to: u64,
        /// How often `from` lists the edge.
        there: u64,
        /// How often `to` lists it.
        back: u64,
    },
    /// More vertices than are allowed or than the edges make plausible.
    #[error("{}: {vertices} vertices are more than the {limit} allowed here", path.display())]
    TooManyVertices {
        /// The file.
        path: PathBuf,
        /// Number of vertices.
        vertices: u64,
        /// The most that are allowed.
        limit: u64,
    },
    /// A file that holds a graph already, where a list of edges is wanted.
    #[error("{}: expected a list of edges, found a finished graph", path.display())]
    NoEdgeList {
        /// The file.
        path: PathBuf,
    },
    /// One file of a graph that consists of several.
    #[error("{}: this format needs several files", path.display())]
    SeveralFiles {
        /// The file.
        path: PathBuf,
    },
    /// A `.properties` file that does not describe a graph.
    #[error("{}: {problem}", path.display())]
    Property {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: PropertyError,
    },
    /// A damaged BVGraph.
    #[error("{}, {problem}", path.display())]
    BvGraph {
        /// The file.
        path: PathBuf,
        /// What was expected and what was found.
        problem: BvGraphError,
    },
    /// A file that is damaged or not a snapshot.
    #[error("{}: {problem}", path.display())]
    Snapshot {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: SnapshotError,
    },
    /// A Parquet file that is damaged or not a table of edges.
    #[error("{}: {problem}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: ParquetError,
    },
    /// Columns that the file does not have.
    #[error("{}: {problem}", path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// What was expected and what was found.
        problem: ColumnsError,
    },
    /// An option that means nothing for the format of the file.
    #[error("{}: {} files have no {option} to choose", path.display(), format.name())]
    NoChoice {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// `columns` or `header`.
        option: &'static str,
    },
    /// Ids that cannot name vertices.
    #[error("{}: the vertex ids are damaged", path.display())]
    Ids {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        source: IdError,
    },
    /// Edges that do not make a graph.
    #[error("{}: the edges do not make a graph", path.display())]
    Build {
        /// The file.
        path: PathBuf,
        /// The error of the builder.
        source: BuildError,
    },
}

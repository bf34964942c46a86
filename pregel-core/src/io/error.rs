//! What can be wrong with a file.

use std::path::PathBuf;

use thiserror::Error;

use crate::graph::{BuildError, IdError};

/// A file that could not be read as a graph.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system refused.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The compressed data is damaged or cut short.
    #[error("{}: the {kind} data is damaged or cut short", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        kind: &'static str,
        /// What the decompressor said.
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
    /// Bytes that are neither text nor a known binary format.
    #[error("{}: expected {expected}, found binary data", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// What could be read in its place.
        expected: &'static str,
    },
    /// Nothing but comments and blank lines.
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
    /// A header that disagrees with the body.
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
    /// Several files make one graph, and bytes alone are not enough.
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
    /// Ids that cannot name vertices.
    #[error("{}: the vertex ids are damaged", path.display())]
    Ids {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        source: IdError,
    },
    /// Edges that make no graph.
    #[error("{}: the edges make no graph", path.display())]
    Build {
        /// The file.
        path: PathBuf,
        /// What the builder said.
        source: BuildError,
    },
}

/// What is wrong with a line of text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line ends too early.
    #[error("expected {expected}, found the end of the line")]
    Missing {
        /// What was expected.
        expected: &'static str,
    },
    /// Something else than an integer.
    #[error("expected {expected}, a non-negative integer, found «{found}»")]
    NotAnInteger {
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A negative integer.
    #[error("expected {expected}, a non-negative integer, found the negative «{found}»")]
    Negative {
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// An integer beyond 64 bits.
    #[error("{expected} is at most 18446744073709551615, found «{found}»")]
    TooLarge {
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// An id outside of what the header allows.
    #[error("expected a vertex id from {first} to {last}, as the header says, found {found}")]
    OutOfRange {
        /// The smallest id.
        first: u64,
        /// The largest id.
        last: u64,
        /// What stands there.
        found: u64,
    },
    /// A vertex that the vertex list does not have.
    #[error("vertex {found} is not in the vertex list")]
    UnknownVertex {
        /// The id.
        found: String,
    },
    /// A vertex that stands twice in the vertex list.
    #[error("vertex {found} stands twice in the vertex list")]
    Repeated {
        /// The id.
        found: String,
    },
    /// No weight, although the first edge or the header has one.
    #[error("expected a weight, as the first edge or the header has one")]
    MissingWeight,
    /// A weight, although the first edge or the header has none.
    #[error("found the weight «{found}», but the first edge or the header has none")]
    UnexpectedWeight {
        /// What stands there.
        found: String,
    },
    /// A weight that is no number.
    #[error("expected a weight, found «{found}»")]
    NotANumber {
        /// What stands there.
        found: String,
    },
    /// A weight that is infinite or not a number.
    #[error("expected a finite weight, found «{found}»")]
    NotFinite {
        /// What stands there.
        found: String,
    },
    /// More on the line than belongs there.
    #[error("expected the end of the line, found «{found}»")]
    Trailing {
        /// What stands there.
        found: String,
    },
    /// A wrong header.
    #[error("expected {expected}, found «{found}»")]
    Header {
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A valid file of a kind that is no graph.
    #[error("{what} are not supported; {instead}")]
    Unsupported {
        /// What the file holds.
        what: String,
        /// What would be read.
        instead: &'static str,
    },
    /// A line of an unknown kind.
    #[error("expected {expected}, found a line that begins with «{found}»")]
    Kind {
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A name that is not UTF-8 or holds control characters.
    #[error("expected a name in UTF-8 without control characters, found «{found}»")]
    Name {
        /// What stands there.
        found: String,
    },
    /// A carriage return that is not before a line feed.
    #[error("found a carriage return inside the line; lines end in LF or CR LF")]
    CarriageReturn,
}

/// What is wrong with a `.properties` file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PropertyError {
    /// No line `graph.NAME.…`.
    #[error("expected a line «graph.NAME.directed = …», found none")]
    NoGraph,
    /// A property that must be there.
    #[error("expected the property «{key}», found none")]
    Missing {
        /// Its name.
        key: String,
    },
    /// A property of a wrong value.
    #[error("line {line}: expected {expected} for «{key}», found «{found}»")]
    Value {
        /// The line; the first is 1.
        line: u64,
        /// The property.
        key: String,
        /// What was expected.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
}

/// A graph that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The system refused.
    #[error("cannot write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

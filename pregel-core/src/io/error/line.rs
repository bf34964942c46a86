//! What can be wrong with text.

use thiserror::Error;

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
    /// Something other than an integer.
    #[error("expected {expected}, a non-negative integer, found «{found}»")]
    NotAnInteger {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A negative integer.
    #[error("expected {expected}, a non-negative integer, found the negative «{found}»")]
    Negative {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// An integer beyond 64 bits.
    #[error("{expected} is at most 18446744073709551615, found «{found}»")]
    TooLarge {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// An id outside the range in the header.
    #[error("expected a vertex id from {first} to {last}, as the header says, found {found}")]
    OutOfRange {
        /// The smallest id.
        first: u64,
        /// The largest id.
        last: u64,
        /// What was found.
        found: u64,
    },
    /// An edge from a vertex to itself where the format has none.
    #[error("vertex {vertex} lists itself; this format has no self-loops")]
    SelfLoop {
        /// The vertex, as the file calls it.
        vertex: u64,
    },
    /// A vertex that is not in the vertex list.
    #[error("vertex {found} is not in the vertex list")]
    UnknownVertex {
        /// The id.
        found: String,
    },
    /// A vertex that occurs twice in the vertex list.
    #[error("vertex {found} occurs twice in the vertex list")]
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
        /// What was found.
        found: String,
    },
    /// A weight that is not a number.
    #[error(
        "expected a weight, found «{found}»; if this column does not hold weights, choose the \
         columns"
    )]
    NotANumber {
        /// What was found.
        found: String,
    },
    /// A weight that is infinite or not a number.
    #[error("expected a finite weight, found «{found}»")]
    NotFinite {
        /// What was found.
        found: String,
    },
    /// More fields on the line than expected.
    #[error("expected the end of the line, found «{found}»")]
    Trailing {
        /// What was found.
        found: String,
    },
    /// A wrong header.
    #[error("expected {expected}, found «{found}»")]
    Header {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A valid file of a kind that is not a graph.
    #[error("{what} are not supported; {instead}")]
    Unsupported {
        /// What the file holds.
        what: String,
        /// What can be read.
        instead: &'static str,
    },
    /// A line of an unknown kind.
    #[error("expected {expected}, found a line that begins with «{found}»")]
    Kind {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A name that is not UTF-8 or holds control characters.
    #[error("expected a name in UTF-8 without control characters, found «{found}»")]
    Name {
        /// What was found.
        found: String,
    },
    /// A quoted field that does not end, or ends too early.
    #[error("expected quotes around a whole field, and two quotes for one inside, found «{found}»")]
    Quote {
        /// The line.
        found: String,
    },
    /// Two separators with nothing between them.
    #[error("expected {expected}, found an empty field")]
    EmptyField {
        /// What was expected.
        expected: &'static str,
    },
    /// A carriage return that no line feed follows.
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
    /// A required property is missing.
    #[error("expected the property «{key}», found none")]
    Missing {
        /// Its name.
        key: String,
    },
    /// A labelled graph of WebGraph.
    #[error("labels of arcs are not read; read the graph «{underlying}» instead, without them")]
    Labelled {
        /// The graph that has the labels, as the file calls it.
        underlying: String,
    },
    /// A number that disagrees with the data.
    #[error("«{key}» promises {promised}, the data has {found}")]
    Count {
        /// Its name.
        key: String,
        /// In the file.
        promised: u64,
        /// In the data.
        found: u64,
    },
    /// A property with a wrong value.
    #[error("line {line}: expected {expected} for «{key}», found «{found}»")]
    Value {
        /// The line; the first is 1.
        line: u64,
        /// The property.
        key: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
}

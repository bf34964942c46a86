//! What can be wrong with binary files.

use thiserror::Error;

use crate::graph::{CsrError, IdError};
use crate::io::ColumnsError;

/// Why no member of an archive is read. Both list the members.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// No Matrix Market file.
    #[error("expected a Matrix Market file NAME.mtx in the archive, found {members}")]
    NoMatrix {
        /// The names of its files.
        members: String,
    },
    /// Several Matrix Market files.
    #[error(
        "expected one .mtx file with the name of its folder or of the archive, or only one at all, \
         found {members}; unpack the one that you need"
    )]
    Ambiguous {
        /// The names of its files.
        members: String,
    },
}

/// What is wrong with a BVGraph. Bits are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BvGraphError {
    /// More nodes than bits.
    #[error("expected at least one bit for each of the {nodes} nodes, found {bits}")]
    Short {
        /// Number of nodes.
        nodes: u64,
        /// Number of bits.
        bits: u64,
    },
    /// The file ends too early.
    #[error("node {node}, bit {bit}: expected {expected}, found the end of the file")]
    End {
        /// The node whose successors are read.
        node: u32,
        /// Where the number begins.
        bit: u64,
        /// What was expected.
        expected: &'static str,
    },
    /// A number of more than 64 bits.
    #[error("node {node}, bit {bit}: expected {expected}, found a number of more than 64 bits")]
    Code {
        /// The node whose successors are read.
        node: u32,
        /// Where the number begins.
        bit: u64,
        /// What was expected.
        expected: &'static str,
    },
    /// A number that is too large for its place.
    #[error("node {node}, bit {bit}: expected {expected} of at most {most}, found {found}")]
    Number {
        /// The node whose successors are read.
        node: u32,
        /// Where the number begins.
        bit: u64,
        /// What was expected.
        expected: &'static str,
        /// The most that it can be.
        most: u64,
        /// What was found.
        found: u64,
    },
    /// A successor that is no node.
    #[error("node {node}, bit {bit}: expected a successor below {nodes}, found {found}")]
    Successor {
        /// The node whose successors are read.
        node: u32,
        /// Where the successor begins.
        bit: u64,
        /// Number of nodes.
        nodes: u32,
        /// The successor.
        found: i64,
    },
    /// A successor that a list names twice.
    #[error("node {node}, bit {bit}: the list names successor {found} twice")]
    Repeated {
        /// The node.
        node: u32,
        /// Where its list begins.
        bit: u64,
        /// The successor.
        found: u32,
    },
    /// More arcs than the `.properties` file promises.
    #[error("node {node}, bit {bit}: expected {promised} arcs in all, found more")]
    Arcs {
        /// The node whose list is one too many.
        node: u32,
        /// Where its list begins.
        bit: u64,
        /// The number that is promised.
        promised: u64,
    },
}

/// What is wrong with a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The magic bytes are not there.
    #[error("expected a snapshot, found other data")]
    Magic,
    /// Shorter than its header and its table.
    #[error("expected at least {expected} bytes, the file has {found}")]
    Short {
        /// Length of header and table, as far as known.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// Written with, or read on a machine of, another byte order.
    #[error("snapshots are little-endian, but this file or this machine is not")]
    ByteOrder,
    /// A version that this build does not know.
    #[error("expected version {known}, found version {found}")]
    Version {
        /// The version that this build reads.
        known: u32,
        /// The version of the file.
        found: u32,
    },
    /// Not as long as the header says: cut short, or with more at the end.
    #[error("the header promises {promised} bytes, the file has {found}")]
    Length {
        /// In the header.
        promised: u64,
        /// Length of the file.
        found: u64,
    },
    /// A header whose fields contradict each other.
    #[error("the header is wrong: expected {expected}, found {found}")]
    Header {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: u64,
    },
    /// A checksum that is not that of the bytes.
    #[error("the {section} are damaged: their checksum is {found:#010x}, not {promised:#010x}")]
    Checksum {
        /// Which part of the file.
        section: &'static str,
        /// In the file.
        promised: u32,
        /// Of the bytes.
        found: u32,
    },
    /// A required section is missing, or there is one too many.
    #[error("expected the sections {expected:?}, found {found:?}")]
    Sections {
        /// Their kinds.
        expected: Vec<u32>,
        /// Their kinds.
        found: Vec<u32>,
    },
    /// A section in the wrong place or with the wrong length.
    #[error("the {section} cannot be at byte {start} and {length} bytes long")]
    Place {
        /// Which section.
        section: &'static str,
        /// Where it begins.
        start: u64,
        /// Its length in bytes.
        length: u64,
    },
    /// A weight that is infinite or not a number.
    #[error("expected finite weights, but that of edge {edge} is not")]
    Weight {
        /// The index of the edge in the rows.
        edge: u64,
    },
    /// Rows that contradict each other.
    #[error("the rows are damaged: {0}")]
    Rows(CsrError),
    /// Ids that cannot name vertices.
    #[error("the ids are damaged: {0}")]
    Ids(IdError),
}

/// What is wrong with a Parquet file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParquetError {
    /// The file is damaged or uses what this build does not read.
    #[error("cannot read the file: {0}")]
    Damaged(String),
    /// More values than the limit for compressed files allows.
    #[error(
        "more than {limit} bytes came out of column «{column}»; \
             raise the limit if that is right"
    )]
    TooLong {
        /// The column.
        column: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// Fewer than two columns.
    #[error("expected columns «source» and «target», found {found:?}")]
    Columns {
        /// The names of the columns.
        found: Vec<String>,
    },
    /// Columns that the table does not have.
    #[error("{0}")]
    Chosen(ColumnsError),
    /// A column of the wrong type.
    #[error("expected {expected} in column «{column}», found {found}")]
    Type {
        /// The column.
        column: String,
        /// What was expected.
        expected: &'static str,
        /// Its type.
        found: String,
    },
    /// A null where a value is needed.
    #[error("column «{column}», row {row}: expected a value, found null")]
    Null {
        /// The column.
        column: String,
        /// The row; the first is 1.
        row: u64,
    },
    /// A negative id.
    #[error("column «{column}», row {row}: expected a non-negative id, found {found}")]
    Negative {
        /// The column.
        column: String,
        /// The row; the first is 1.
        row: u64,
        /// The id.
        found: i64,
    },
    /// A weight that is infinite or not a number.
    #[error("column «{column}», row {row}: expected a finite weight")]
    NotFinite {
        /// The column.
        column: String,
        /// The row; the first is 1.
        row: u64,
    },
    /// A name that is empty, not UTF-8 or holds control characters.
    #[error("column «{column}», row {row}: expected a name in UTF-8, found «{found}»")]
    Name {
        /// The column.
        column: String,
        /// The row; the first is 1.
        row: u64,
        /// What was found.
        found: String,
    },
}

//! What a user should hear about a file that was read or written.

use std::fmt;

/// Something that a user may not expect about a file that was read or
/// written without an error. [`Display`](fmt::Display) gives a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Note {
    /// A line was taken as a header without being asked for.
    Header {
        /// The line; the first is 1.
        line: u64,
        /// The line itself.
        text: String,
    },
    /// The first line was taken as an edge, but its names occur nowhere else.
    PossibleHeader {
        /// The line; the first is 1.
        line: u64,
        /// The line itself.
        text: String,
    },
    /// A header has more columns than an edge needs; these were read.
    ColumnsByName {
        /// The name of the column of the sources.
        from: String,
        /// The name of the column of the targets.
        to: String,
        /// The name of the column of the weights.
        weight: Option<String>,
    },
    /// Some columns were not read.
    IgnoredColumns {
        /// The line that has them; the first is 1.
        line: u64,
        /// The number of columns on that line.
        columns: usize,
    },
    /// A DIMACS file without a `p` line.
    NoProblemLine,
    /// A Graphalytics data set without a `.properties` file.
    NoProperties,
    /// A `.properties` file that names its vertex file as its edge file.
    EdgeFileIsVertexFile,
    /// One of several Matrix Market files of an archive was read.
    Member {
        /// The name of the file that was read.
        member: String,
        /// Number of Matrix Market files in the archive.
        matrices: u64,
    },
    /// The written file counts vertices from 1: their ids are lost.
    Renumbered,
    /// The written file lists edges only: vertices without any are lost.
    Isolated {
        /// How many they are.
        vertices: u64,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { line, text } => {
                write!(f, "line {line} («{text}») was taken as a header, not as an edge")
            }
            Self::PossibleHeader { line, text } => write!(
                f,
                "line {line} («{text}») was taken as an edge, but its names occur nowhere else; \
                 if it names columns, say that the file has a header"
            ),
            Self::ColumnsByName { from, to, weight } => {
                write!(f, "edges lead from column «{from}» to column «{to}»")?;
                match weight {
                    Some(weight) => write!(f, ", weights are in column «{weight}»"),
                    None => write!(f, ", no column has weights"),
                }
            }
            Self::IgnoredColumns { line, columns } => {
                write!(f, "line {line} has {columns} columns; all after the third are ignored")
            }
            Self::NoProblemLine => {
                f.write_str("there is no «p» line: the vertices are the ids that occur")
            }
            Self::NoProperties => {
                f.write_str("there is no .properties file: edges were taken as directed")
            }
            Self::EdgeFileIsVertexFile => f.write_str(
                "the .properties file names the vertex file as the edge file; .e was read",
            ),
            Self::Member { member, matrices } => {
                write!(f, "{member} was read, one of {matrices} .mtx files in the archive")
            }
            Self::Renumbered => {
                f.write_str("vertices are numbered from 1 in the order of their ids")
            }
            Self::Isolated { vertices: 1 } => {
                f.write_str("one vertex without edges is not in the table of edges")
            }
            Self::Isolated { vertices } => {
                write!(f, "{vertices} vertices without edges are not in the table of edges")
            }
        }
    }
}

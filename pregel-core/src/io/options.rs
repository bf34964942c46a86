//! How to read a graph, and the result.

use std::path::PathBuf;

use super::{Columns, Header, Note};
use crate::graph::{BuildReport, Duplicates, Graph, Ids, SelfLoops};

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
    /// WebGraph's compressed `.graph`, with its `.properties`.
    BvGraph,
    /// Parquet columns.
    Parquet,
    /// This project's binary snapshot.
    Snapshot,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::EdgeList,
        Self::MatrixMarket,
        Self::Dimacs,
        Self::Metis,
        Self::Graphalytics,
        Self::BvGraph,
        Self::Parquet,
        Self::Snapshot,
    ];

    /// The name that a command line uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge-list",
            Self::MatrixMarket => "matrix-market",
            Self::Dimacs => "dimacs",
            Self::Metis => "metis",
            Self::Graphalytics => "graphalytics",
            Self::BvGraph => "bvgraph",
            Self::Parquet => "parquet",
            Self::Snapshot => "snapshot",
        }
    }

    /// The format of this [`name`](Format::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
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

/// What happens to the weights of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weights {
    /// Read if there are any.
    #[default]
    Auto,
    /// Ignored.
    None,
    /// Ignored; every edge has weight 1.
    Unit,
}

/// How to read a graph. By default the file itself decides.
///
/// ```
/// use pregel_core::io::{LoadOptions, Weights};
///
/// let options = LoadOptions::default().with_directed(false).with_weights(Weights::None);
/// # assert_eq!(options.directed, Some(false));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The format; found by content and name if `None`.
    pub format: Option<Format>,
    /// Whether edges have a direction. If `None`, the format decides; edges are
    /// directed where it does not. An undirected file read as directed holds every
    /// edge in both directions.
    pub directed: Option<bool>,
    /// How user ids are read.
    pub ids: IdKind,
    /// What happens to weights.
    pub weights: Weights,
    /// Whether the first line of an edge list names its columns.
    pub header: Header,
    /// Which columns of an edge list or a Parquet table hold the edges; if
    /// `None`, those whose names say so, otherwise the first two and the
    /// weight after them. Other formats have no columns to choose from.
    pub columns: Option<Columns>,
    /// What happens to duplicate edges.
    pub duplicates: Duplicates,
    /// What happens to self-loops.
    pub self_loops: SelfLoops,
    /// The most bytes that may come out of a compressed file; if `None`,
    /// 64 MiB and 256 times its size. An arc of a BVGraph counts as 8 bytes.
    pub max_decompressed: Option<u64>,
    /// The most vertices a graph may have. If `None`, what memory and 32-bit
    /// ids can hold; but a header that promises more than 16,777,216 vertices
    /// needs one edge for every 64 of them.
    pub max_vertices: Option<u32>,
    /// Opens a snapshot without verifying the checksums of its sections; its
    /// header and its rows are checked all the same.
    pub skip_checksums: bool,
}

impl LoadOptions {
    /// Sets the [`format`](Self::format).
    #[must_use]
    pub fn with_format(self, format: impl Into<Option<Format>>) -> Self {
        Self { format: format.into(), ..self }
    }

    /// Sets whether edges are [`directed`](Self::directed).
    #[must_use]
    pub fn with_directed(self, directed: impl Into<Option<bool>>) -> Self {
        Self { directed: directed.into(), ..self }
    }

    /// Sets how user [`ids`](Self::ids) are read.
    #[must_use]
    pub fn with_ids(self, ids: IdKind) -> Self {
        Self { ids, ..self }
    }

    /// Sets what happens to [`weights`](Self::weights).
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// Sets whether there is a [`header`](Self::header).
    #[must_use]
    pub fn with_header(self, header: Header) -> Self {
        Self { header, ..self }
    }

    /// Sets the [`columns`](Self::columns) that hold the edges.
    #[must_use]
    pub fn with_columns(self, columns: impl Into<Option<Columns>>) -> Self {
        Self { columns: columns.into(), ..self }
    }

    /// Sets what happens to [`duplicates`](Self::duplicates).
    #[must_use]
    pub fn with_duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }

    /// Sets what happens to [`self_loops`](Self::self_loops).
    #[must_use]
    pub fn with_self_loops(self, self_loops: SelfLoops) -> Self {
        Self { self_loops, ..self }
    }

    /// Sets the limit [`max_decompressed`](Self::max_decompressed).
    #[must_use]
    pub fn with_max_decompressed(self, bytes: impl Into<Option<u64>>) -> Self {
        Self { max_decompressed: bytes.into(), ..self }
    }

    /// Sets the limit [`max_vertices`](Self::max_vertices).
    #[must_use]
    pub fn with_max_vertices(self, vertices: impl Into<Option<u32>>) -> Self {
        Self { max_vertices: vertices.into(), ..self }
    }

    /// Sets whether to [`skip_checksums`](Self::skip_checksums).
    #[must_use]
    pub fn with_skip_checksums(self, skip: bool) -> Self {
        Self { skip_checksums: skip, ..self }
    }
}

/// A graph with or without weights, as it comes from a file.
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

    /// Number of vertices.
    pub fn vertex_count(&self) -> u32 {
        match self {
            Self::Plain(graph) => graph.vertex_count(),
            Self::Weighted(graph) => graph.vertex_count(),
        }
    }

    /// Number of edges in the rows, as [`Graph::edge_count`] counts them.
    pub fn edge_count(&self) -> u64 {
        match self {
            Self::Plain(graph) => graph.edge_count(),
            Self::Weighted(graph) => graph.edge_count(),
        }
    }

    /// Whether an edge has a direction.
    pub fn directed(&self) -> bool {
        match self {
            Self::Plain(graph) => graph.directed(),
            Self::Weighted(graph) => graph.directed(),
        }
    }

    /// The user's ids of the vertices.
    pub fn ids(&self) -> &Ids {
        match self {
            Self::Plain(graph) => graph.ids(),
            Self::Weighted(graph) => graph.ids(),
        }
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
    /// Every file that was read; more than one for LDBC Graphalytics and
    /// BVGraphs.
    pub files: Vec<PathBuf>,
    /// What the user should hear about the file.
    pub notes: Vec<Note>,
}

/// What [`save`](crate::io::save) did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// What the user should hear about the file.
    pub notes: Vec<Note>,
}

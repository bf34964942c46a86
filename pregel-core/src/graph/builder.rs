//! From a list of edges to a graph.

use rayon::prelude::*;
use thiserror::Error;

use super::{Csr, CsrError, EdgeValue, Graph, Ids};
use crate::program::VertexId;

/// Edges in the order in which they came, between dense vertices.
#[derive(Clone, Debug, Default)]
pub struct EdgeList<E> {
    /// Number of vertices; every end point is below.
    pub vertex_count: u32,
    /// Source and target of every edge.
    pub edges: Vec<[VertexId; 2]>,
    /// One value an edge; empty for `E = ()`.
    pub values: Vec<E>,
}

/// What becomes of several edges between the same two vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Duplicates {
    /// All stay: a multigraph.
    #[default]
    Keep,
    /// The first in the list stays.
    First,
    /// One stays, with the smallest value.
    Smallest,
    /// One stays, with the sum of the values.
    Sum,
}

/// What becomes of edges from a vertex to itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelfLoops {
    /// They stay.
    #[default]
    Keep,
    /// They go.
    Drop,
}

/// What a [`GraphBuilder`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildReport {
    /// Edges in the list.
    pub read: u64,
    /// Edges added to make the graph symmetric.
    pub mirrored: u64,
    /// Self-loops dropped.
    pub self_loops: u64,
    /// Duplicates dropped.
    pub duplicates: u64,
}

/// A list of edges that makes no graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An end point is not a vertex.
    #[error("edge {edge} names vertex {vertex}, but there are {vertices} vertices")]
    Vertex {
        /// Place in the list.
        edge: u64,
        /// The end point.
        vertex: VertexId,
        /// Number of vertices.
        vertices: u32,
    },
    /// Values, ids and edges do not match.
    #[error(transparent)]
    Csr(#[from] CsrError),
}

/// Makes a [`Graph`] of an [`EdgeList`] by stated policies.
///
/// By default the graph is directed and every edge stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphBuilder {
    undirected: bool,
    duplicates: Duplicates,
    self_loops: SelfLoops,
}

impl GraphBuilder {
    /// A directed graph of every edge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the graph undirected: every edge is stored both ways, a
    /// self-loop once.
    #[must_use]
    pub fn undirected(mut self, undirected: bool) -> Self {
        self.undirected = undirected;
        self
    }

    /// What becomes of several edges between the same two vertices.
    #[must_use]
    pub fn duplicates(mut self, duplicates: Duplicates) -> Self {
        self.duplicates = duplicates;
        self
    }

    /// What becomes of edges from a vertex to itself.
    #[must_use]
    pub fn self_loops(mut self, self_loops: SelfLoops) -> Self {
        self.self_loops = self_loops;
        self
    }

    /// Builds the graph; `ids` are the user's ids of `0..list.vertex_count`.
    ///
    /// # Errors
    /// [`BuildError`] when an end point is not a vertex, or values or ids do
    /// not match the edges.
    pub fn build<E: EdgeValue>(
        self,
        list: EdgeList<E>,
        ids: Ids,
    ) -> Result<(Graph<E>, BuildReport), BuildError> {
        let mut report = BuildReport { read: list.edges.len() as u64, ..Default::default() };
        let mut rows = Vec::new();
        for (i, &[u, v]) in list.edges.iter().enumerate() {
            let value = list.values.get(i).copied().unwrap_or(E::zeroed());
            if u == v && self.self_loops == SelfLoops::Drop {
                report.self_loops += 1;
                continue;
            }
            rows.push((u, v, value));
            if self.undirected && u != v {
                rows.push((v, u, value));
                report.mirrored += 1;
            }
        }
        rows.sort_by_key(|(u, v, _)| (*u, *v));
        if self.duplicates != Duplicates::Keep {
            let before = rows.len();
            rows.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                if same {
                    kept.2 = match self.duplicates {
                        Duplicates::Smallest => kept.2.smaller(next.2),
                        Duplicates::Sum => kept.2.sum(next.2),
                        _ => kept.2,
                    };
                }
                same
            });
            report.duplicates = (before - rows.len()) as u64;
        }
        let mut offsets = vec![0u64; list.vertex_count as usize + 1];
        for (u, _, _) in &rows {
            offsets[*u as usize + 1] += 1;
        }
        for v in 0..list.vertex_count as usize {
            offsets[v + 1] += offsets[v];
        }
        let targets: Vec<VertexId> = rows.iter().map(|(_, v, _)| *v).collect();
        let values: Vec<E> = match size_of::<E>() {
            0 => Vec::new(),
            _ => rows.iter().map(|(_, _, value)| *value).collect(),
        };
        let csr = Csr::new(offsets.into(), targets.into())?;
        Ok((Graph::new(!self.undirected, ids, csr, values.into())?, report))
    }
}

//! From a list of edges to a graph.

use thiserror::Error;

use super::csr::first_where;
use super::rows::{Division, Policy, Rows};
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
    /// The rows do not fit in memory.
    #[error("no memory for {bytes} bytes of the graph")]
    Memory {
        /// What was asked for in vain.
        bytes: u128,
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
    /// Rows come out sorted by target; duplicates that stay, or are summed,
    /// keep the order of the list. The result does not depend on the number
    /// of threads. O(E log D) work for rows of at most D edges, parallel. The
    /// list is given up as soon as it can be: at its peak the memory, list
    /// and result among it, is about three times that of the graph of all
    /// edges listed.
    ///
    /// # Errors
    /// [`BuildError`] when an end point is not a vertex, values or ids do not
    /// match the edges, or memory is short.
    pub fn build<E: EdgeValue>(
        self,
        list: EdgeList<E>,
        ids: Ids,
    ) -> Result<(Graph<E>, BuildReport), BuildError> {
        check(&list, &ids)?;
        let policy = Policy {
            mirror: self.undirected,
            drop_loops: self.self_loops == SelfLoops::Drop,
            duplicates: self.duplicates,
        };
        let division = Division::of(&list, policy);
        let (rows, report) = Rows::sort(list, policy, division)?;
        let csr = Csr::new(rows.offsets.into(), rows.targets.into())?;
        let (directed, values) = (!self.undirected, rows.values.into());
        // An undirected edge was put into both rows.
        let graph = Graph::symmetric_by_construction(directed, ids, csr, values)?;
        Ok((graph, report))
    }
}

/// Refuses what cannot make a graph before any work. O(E), parallel.
fn check<E: EdgeValue>(list: &EdgeList<E>, ids: &Ids) -> Result<(), BuildError> {
    let (edges, values) = (list.edges.len() as u64, list.values.len() as u64);
    if size_of::<E>() != 0 && values != edges {
        return Err(CsrError::Values { edges, values }.into());
    }
    let vertices = list.vertex_count;
    if ids.len() != vertices {
        return Err(CsrError::Ids { vertices, ids: ids.len() }.into());
    }
    let stray = |ends: &[VertexId; 2]| ends[0].max(ends[1]) >= vertices;
    match first_where(&list.edges, stray) {
        None => Ok(()),
        Some(edge) => {
            let [u, v] = list.edges[edge];
            let vertex = if u >= vertices { u } else { v };
            Err(BuildError::Vertex { edge: edge as u64, vertex, vertices })
        }
    }
}

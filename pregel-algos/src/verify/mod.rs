//! Verifiers: properties of every correct result, stated independently of the
//! programs and engines that made it.
//!
//! Each takes the graph and the result and returns the first [`Violation`], with
//! the user's vertex ids, sequentially, in O(V + E) unless it says otherwise. Except for
//! CDLP, a verifier does not compute the result again; it checks facts that together
//! leave no other result (or, for a tree, only others that are as good). [`expected`] compares a
//! result with one that is known.

pub mod apsp;
pub mod bfs;
pub mod cdlp;
pub mod colouring;
pub mod eigenvector;
pub mod expected;
pub mod hcc;
pub mod katz;
pub mod kcore;
pub mod lcc;
pub mod mis;
pub mod pagerank;
pub mod scc;
pub mod sssp;
pub mod triangles;
pub mod widest;

use std::string::{String, ToString};

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};
use thiserror::Error;

use crate::sssp::in_graph;

/// A property that the result lacks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// The number of values is not that of the vertices.
    #[error("the graph has {vertices} vertices, but the result has {found} values")]
    Length {
        /// Number of vertices.
        vertices: u32,
        /// Number of values.
        found: usize,
    },
    /// A value that cannot be correct.
    #[error("vertex {vertex}: {fact}")]
    Vertex {
        /// User id of the vertex.
        vertex: String,
        /// What is wrong.
        fact: String,
    },
    /// Two values that cannot both be correct, given the edge between them.
    #[error("edge {source_id} → {target_id}: {fact}")]
    Edge {
        /// User id of the edge's source.
        source_id: String,
        /// User id of the edge's target.
        target_id: String,
        /// What is wrong.
        fact: String,
    },
    /// The values cannot all be correct.
    #[error("{0}")]
    Whole(String),
}

impl Violation {
    fn vertex<E: Value>(graph: &Graph<E>, vertex: VertexId, fact: impl Into<String>) -> Self {
        Self::Vertex { vertex: graph.ids().get(vertex).to_string(), fact: fact.into() }
    }

    fn edge<E: Value>(
        graph: &Graph<E>,
        source: VertexId,
        target: VertexId,
        fact: impl Into<String>,
    ) -> Self {
        let id = |vertex| graph.ids().get(vertex).to_string();
        Self::Edge { source_id: id(source), target_id: id(target), fact: fact.into() }
    }
}

/// Refuses any number of values but one per vertex.
fn one_each<E: Value, T>(graph: &Graph<E>, values: &[T]) -> Result<(), Violation> {
    let (vertices, found) = (graph.vertex_count(), values.len());
    if found == vertices as usize { Ok(()) } else { Err(Violation::Length { vertices, found }) }
}

/// Refuses a source that is not a vertex.
fn a_vertex<E: Value>(graph: &Graph<E>, source: VertexId) -> Result<(), Violation> {
    let refusal = |reason: &str| Violation::Whole(reason.into());
    in_graph(source, graph.vertex_count()).map_err(refusal)
}

/// Source, target and value of every edge, by source.
fn edges<E: Value>(graph: &Graph<E>) -> impl Iterator<Item = (VertexId, VertexId, E)> + '_ {
    let (rows, values) = (graph.out(), graph.out_values());
    (0..graph.vertex_count()).flat_map(move |source| {
        rows.range(source).map(move |edge| {
            let value = values.get(edge).copied().unwrap_or(E::zeroed());
            (source, rows.targets()[edge], value)
        })
    })
}

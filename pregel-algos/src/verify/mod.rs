//! Verifiers: properties that every right result has, stated apart from the
//! programs and the engines that made it.
//!
//! Each takes the graph and the result and answers in O(V + E), sequentially,
//! with the first [`Violation`] in the user's own vertex ids. A verifier does
//! not compute the result again; it checks facts that together leave no other
//! result (or, for a tree, none that is not as good).

pub mod bfs;
pub mod cdlp;
pub mod hcc;
pub mod pagerank;
pub mod sssp;

use std::string::{String, ToString};

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};
use thiserror::Error;

/// A property that a result does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// Not one value a vertex.
    #[error("the graph has {vertices} vertices, but the result has {found} values")]
    Length {
        /// Number of vertices.
        vertices: u32,
        /// Number of values.
        found: usize,
    },
    /// A value that cannot be right.
    #[error("vertex {vertex}: {fact}")]
    Vertex {
        /// User id of the vertex.
        vertex: String,
        /// What is wrong.
        fact: String,
    },
    /// Two values that cannot both be right, given the edge between them.
    #[error("edge {source_id} → {target_id}: {fact}")]
    Edge {
        /// User id of the edge's source.
        source_id: String,
        /// User id of the edge's target.
        target_id: String,
        /// What is wrong.
        fact: String,
    },
    /// The values together cannot be right.
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

/// Whether there is one value a vertex.
fn one_each<E: Value, T>(graph: &Graph<E>, values: &[T]) -> Result<(), Violation> {
    match values.len() == graph.vertex_count() as usize {
        true => Ok(()),
        false => Err(Violation::Length { vertices: graph.vertex_count(), found: values.len() }),
    }
}

/// Whether `source` is a vertex.
fn a_vertex<E: Value>(graph: &Graph<E>, source: VertexId) -> Result<(), Violation> {
    match source < graph.vertex_count() {
        true => Ok(()),
        false => Err(Violation::Whole("the source vertex is not in the graph".into())),
    }
}

/// Every edge as source, target, value, by source.
fn edges<E: Value>(graph: &Graph<E>) -> impl Iterator<Item = (VertexId, VertexId, E)> + '_ {
    let (rows, values) = (graph.out(), graph.out_values());
    (0..graph.vertex_count()).flat_map(move |source| {
        rows.range(source).map(move |edge| {
            let value = values.get(edge).copied().unwrap_or(E::zeroed());
            (source, rows.targets()[edge], value)
        })
    })
}

//! Graphs of other crates: `petgraph` and `graph_builder`, each behind the feature of its name.
//!
//! | From | To |
//! |---|---|
#![cfg_attr(
    feature = "petgraph",
    doc = "| [`Graph::from_petgraph`](super::Graph::from_petgraph) | [`Graph::to_petgraph`](super::Graph::to_petgraph) |"
)]
#![cfg_attr(
    feature = "graph_builder",
    doc = "| `Graph::try_from(&other)` | `DirectedCsrGraph::try_from(&graph)`, `UndirectedCsrGraph::try_from(&graph)` |"
)]
//!
//! Every vertex and every edge is kept, parallel edges and self-loops included. The crates
//! count differently. An undirected edge between two vertices is one edge there, and one entry
//! in each of two rows of a [`Graph`](super::Graph), which counts it twice. An undirected
//! self-loop is one entry in a row of a `Graph`, and two in a row of `graph_builder`.
//!
//! A graph that is converted to the other kind gains or loses directions: an undirected graph
//! becomes two directed edges for each edge, and one for each self-loop; a directed graph
//! becomes one undirected edge for each edge, so that two opposite edges become parallel ones.

#[cfg(feature = "graph_builder")]
mod graph_builder;
#[cfg(feature = "petgraph")]
mod petgraph;

use rayon::prelude::*;
use thiserror::Error;

use super::Graph;
use crate::program::{Value, VertexId};

/// Why a graph cannot become one of another crate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The other graph has an index type that is too small for the vertices.
    #[error("{vertices} vertices are more than indices of the type {index} can name")]
    Vertices {
        /// Number of vertices.
        vertices: u32,
        /// Name of the type.
        index: &'static str,
    },
    /// The other graph has an index type that is too small for the edges.
    #[error("{edges} edges are more than indices of the type {index} can name")]
    Edges {
        /// Number of edges, as the other graph stores them.
        edges: u64,
        /// Name of the type.
        index: &'static str,
    },
    /// The other crate has no graphs without vertices.
    #[error("the graph has no vertex, and graphs of the other crate have at least one")]
    Empty,
}

/// The targets and values of row `v`, in order. If each edge is to come only `once`, an
/// undirected edge comes from its smaller end alone.
fn entries<E: Value>(
    graph: &Graph<E>,
    v: VertexId,
    once: bool,
) -> impl Iterator<Item = (VertexId, E)> + '_ {
    let skip_mirrored = once && !graph.directed();
    let row = graph.out().range(v);
    let targets = row.clone().zip(&graph.out().targets()[row]);
    targets.filter(move |(_, target)| !skip_mirrored || v <= **target).map(|(edge, target)| {
        (*target, graph.out_values().get(edge).copied().unwrap_or(E::zeroed()))
    })
}

/// How many [`entries`] there are in all rows. O(E), parallel, unless all of them count.
fn entry_count<E: Value>(graph: &Graph<E>, once: bool) -> u64 {
    if !once || graph.directed() {
        return graph.edge_count();
    }
    let in_row = |v| graph.out().row(v).iter().filter(|target| v <= **target).count() as u64;
    (0..graph.vertex_count()).into_par_iter().with_min_len(1024).map(in_row).sum()
}

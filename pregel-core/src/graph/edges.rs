//! Edges in memory, before they are a graph, and the user ids of their ends.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rayon::prelude::*;

use super::{IdError, Ids};
use crate::program::VertexId;

/// Edges in the order in which they came, between dense vertices.
#[derive(Clone, Debug, Default)]
pub struct EdgeList<E = ()> {
    /// Number of vertices; every end point is below it.
    pub vertex_count: u32,
    /// Source and target of every edge.
    pub edges: Vec<[VertexId; 2]>,
    /// One value per edge; empty for `E = ()`.
    pub values: Vec<E>,
}

impl EdgeList {
    /// These edges, and as many vertices as the largest end point asks for.
    pub(super) fn plain(edges: impl IntoIterator<Item = (VertexId, VertexId)>) -> Self {
        Self::of_largest(edges.into_iter().map(<[_; 2]>::from).collect(), Vec::new())
    }
}

impl<E> EdgeList<E> {
    /// The same for edges with values.
    pub(super) fn weighted(edges: impl IntoIterator<Item = (VertexId, VertexId, E)>) -> Self {
        let (edges, values) = edges.into_iter().map(|(u, v, value)| ([u, v], value)).unzip();
        Self::of_largest(edges, values)
    }

    /// An end point of 2³² − 1, which no vertex has, is left for the builder to refuse.
    fn of_largest(edges: Vec<[VertexId; 2]>, values: Vec<E>) -> Self {
        let largest = edges.par_iter().map(|[u, v]| *u.max(v)).max();
        let vertex_count = largest.map_or(0, |v| v.saturating_add(1));
        Self { vertex_count, edges, values }
    }
}

/// What a user may call a vertex in
/// [`GraphBuilder::with_edges_by_id`](super::GraphBuilder::with_edges_by_id):
/// a 64-bit integer, a `&str` or a `String`.
pub trait UserId: Sized + private::Number {}

impl UserId for u64 {}
impl UserId for &str {}
impl UserId for String {}

/// Keeps [`UserId`] to the types of this file.
pub(super) mod private {
    use super::{IdError, Ids, VertexId};

    pub trait Number: Sized {
        /// The distinct ids, and every edge between their dense numbers.
        fn number(edges: Vec<[Self; 2]>) -> Result<(Ids, Vec<[VertexId; 2]>), IdError>;
    }
}

impl private::Number for u64 {
    fn number(edges: Vec<[Self; 2]>) -> Result<(Ids, Vec<[VertexId; 2]>), IdError> {
        let mut distinct = edges.as_flattened().to_vec();
        distinct.par_sort_unstable();
        distinct.dedup();
        let ids = Ids::integers(distinct.into())?;
        // Every end point is among the ids.
        let dense = |id: u64| ids.find_integer(id).unwrap_or_default();
        let edges = edges.into_par_iter().map(|ends| ends.map(dense)).collect();
        Ok((ids, edges))
    }
}

impl private::Number for &str {
    fn number(edges: Vec<[Self; 2]>) -> Result<(Ids, Vec<[VertexId; 2]>), IdError> {
        let (mut text, mut name_ends) = (Vec::new(), Vec::new());
        let mut known = HashMap::new();
        let mut numbered = Vec::with_capacity(edges.len());
        for ends in edges {
            let dense = ends.map(|name| match known.entry(name) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    text.extend_from_slice(name.as_bytes());
                    name_ends.push(text.len() as u64);
                    // Too many names are refused below, when they become ids.
                    *entry.insert((name_ends.len() - 1) as VertexId)
                }
            });
            numbered.push(dense);
        }
        Ok((Ids::names(text.into(), name_ends.into())?, numbered))
    }
}

impl private::Number for String {
    fn number(edges: Vec<[Self; 2]>) -> Result<(Ids, Vec<[VertexId; 2]>), IdError> {
        private::Number::number(
            edges.iter().map(|ends| ends.each_ref().map(String::as_str)).collect(),
        )
    }
}

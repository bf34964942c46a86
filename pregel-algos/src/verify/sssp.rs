//! Properties of shortest distances and shortest-path trees.
//!
//! Lengths are compared bit for bit: a distance is a sum of `f32` from the
//! source on, rounded after every edge, and rounding keeps the order of sums.
//! A sum that is too large for `f32` is infinite, and so is the distance of its
//! vertex unless there is another path.

use std::format;
use std::vec;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::VertexId;

use super::{Violation, a_vertex, edges, one_each};
use crate::sssp::{NO_PARENT, Step};

/// Whether `distances` are the lengths of the shortest paths from `source`.
///
/// No edge can still relax, so no distance is too large. Tight edges, those that
/// relax to equality, lead from the source to every reached vertex, so none is
/// too small. (A tight in-edge alone would not be enough: a cycle of length 0
/// supports itself.)
///
/// # Errors
/// The first [`Violation`].
pub fn distances(graph: &Graph<f32>, source: VertexId, distances: &[f32]) -> Result<(), Violation> {
    one_each(graph, distances)?;
    a_vertex(graph, source)?;
    if distances[source as usize] != 0.0 {
        let fact = format!("the source has distance {}", distances[source as usize]);
        return Err(Violation::vertex(graph, source, fact));
    }
    for (from, to, length) in edges(graph) {
        let (offer, has) = (distances[from as usize] + length, distances[to as usize]);
        let relaxed = has <= offer; // false for a NaN
        if !relaxed {
            let fact = format!("it still relaxes the distance {has} to {offer}");
            return Err(Violation::edge(graph, from, to, fact));
        }
    }
    let supported = along_tight_edges(graph, source, distances);
    for (vertex, &distance) in (0..).zip(distances) {
        if !supported[vertex as usize] && distance != f32::INFINITY {
            let fact = format!("no path from the source is as short as {distance}");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    Ok(())
}

/// The vertices that edges of `distance + length == distance` join to `source`.
fn along_tight_edges(graph: &Graph<f32>, source: VertexId, distances: &[f32]) -> Vec<bool> {
    let (rows, values) = (graph.out(), graph.out_values());
    let mut found = vec![false; distances.len()];
    found[source as usize] = true;
    let mut open = vec![source];
    while let Some(from) = open.pop() {
        for edge in rows.range(from) {
            let to = rows.targets()[edge] as usize;
            let tight = distances[from as usize] + values[edge] == distances[to];
            if tight && !found[to] {
                found[to] = true;
                open.push(to as VertexId);
            }
        }
    }
    found
}

/// Whether `tree` holds the shortest distances from `source`, and parents that
/// lead back to it along edges of `distance + length == distance`.
///
/// # Errors
/// The first [`Violation`].
pub fn tree(graph: &Graph<f32>, source: VertexId, tree: &[Step]) -> Result<(), Violation> {
    one_each(graph, tree)?;
    let lengths: Vec<f32> = tree.iter().map(|step| step.distance).collect();
    distances(graph, source, &lengths)?;
    let mut tight = vec![false; tree.len()];
    for (from, to, length) in edges(graph) {
        let is_parent = tree[to as usize].parent == from;
        tight[to as usize] |= is_parent && lengths[from as usize] + length == lengths[to as usize];
    }
    for (vertex, step) in (0..).zip(tree) {
        let orphan = vertex == source || step.distance == f32::INFINITY;
        let fact = match (orphan, step.parent) {
            (true, NO_PARENT) => continue,
            (true, _) => "it has a parent, but is the source or unreached",
            (false, _) if tight[vertex as usize] => continue,
            (false, _) => "no edge from its parent is as long as their distances differ",
        };
        return Err(Violation::vertex(graph, vertex, fact));
    }
    match on_a_cycle(tree) {
        None => Ok(()),
        Some(vertex) => {
            Err(Violation::vertex(graph, vertex, "its parents do not lead back to the source"))
        }
    }
}

/// A vertex whose chain of parents never ends, if there is one. O(V): every
/// chain is followed only to the first vertex seen before.
fn on_a_cycle(tree: &[Step]) -> Option<VertexId> {
    const UNSEEN: VertexId = VertexId::MAX;
    let mut seen_from = vec![UNSEEN; tree.len()];
    for start in 0..tree.len() as VertexId {
        let mut vertex = start;
        while vertex != NO_PARENT && seen_from[vertex as usize] == UNSEEN {
            seen_from[vertex as usize] = start;
            vertex = tree[vertex as usize].parent;
        }
        if vertex != NO_PARENT && seen_from[vertex as usize] == start {
            return Some(vertex);
        }
    }
    None
}

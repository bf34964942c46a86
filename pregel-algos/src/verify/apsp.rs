//! Properties of the distances between all pairs of vertices.
//!
//! Sums of `f32` are rounded in an order that depends on how the paths were found, so
//! lengths are compared with a tolerance.

use std::format;
use std::vec;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::VertexId;

use super::{Violation, a_vertex, edges, one_each};

/// Whether `distances` are the lengths of the shortest paths from `source`, up to rounding.
///
/// No edge can still relax by more than the tolerance, so no distance is too large. Edges
/// that relax to equality lead from the source to every reached vertex, so none is too small.
/// Lengths may be negative. O(V + E).
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
    let largest = distances.iter().filter(|d| d.is_finite()).fold(0.0, |a: f32, d| a.max(d.abs()));
    for (from, to, length) in edges(graph) {
        let (offer, has) = (distances[from as usize] + length, distances[to as usize]);
        // A comparison with a NaN is false.
        let relaxed = has <= offer + tolerance(graph, largest);
        if !relaxed {
            let fact = format!("it still relaxes the distance {has} to {offer}");
            return Err(Violation::edge(graph, from, to, fact));
        }
    }
    let supported = along_tight_edges(graph, source, distances, tolerance(graph, largest));
    for (vertex, &distance) in (0..).zip(distances) {
        if !supported[vertex as usize] && distance != f32::INFINITY {
            let fact = format!("no path from {source} is as short as {distance}");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    Ok(())
}

/// How far rounding can lead: every sum of a path is off by half a unit in the last place of
/// the largest at most, and a path has fewer edges than there are vertices. More than 64
/// roundings in one direction are unlikely beyond measure.
fn tolerance(graph: &Graph<f32>, largest: f32) -> f32 {
    graph.vertex_count().min(64) as f32 * f32::EPSILON * largest
}

/// The vertices that edges of `distance + length ≈ distance` join to `source`.
fn along_tight_edges(
    graph: &Graph<f32>,
    source: VertexId,
    distances: &[f32],
    tolerance: f32,
) -> Vec<bool> {
    let (rows, values) = (graph.out(), graph.out_values());
    let mut found = vec![false; distances.len()];
    found[source as usize] = true;
    let mut open = vec![source];
    while let Some(from) = open.pop() {
        for edge in rows.range(from) {
            let to = rows.targets()[edge] as usize;
            let offer = distances[from as usize] + values[edge];
            let tight = (offer - distances[to]).abs() <= tolerance;
            if tight && !found[to] {
                found[to] = true;
                open.push(to as VertexId);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use pregel_core::graph::GraphBuilder;

    #[test]
    fn wrong_distances_are_noticed() {
        let edges = [(0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.25), (0, 2, 0.9)];
        let graph = GraphBuilder::new().with_weighted_edges(edges).build().unwrap();
        assert_eq!(distances(&graph, 0, &[0.0, 0.1, 0.3]), Ok(()));
        assert_eq!(distances(&graph, 0, &[0.0, 0.1, 0.300_000_04]), Ok(()));
        for wrong in [[0.0, 0.1, 0.31], [0.0, 0.1, 0.29], [0.0, 0.1, f32::INFINITY], [0.1; 3]] {
            assert!(distances(&graph, 0, &wrong).is_err(), "{wrong:?}");
        }
    }
}

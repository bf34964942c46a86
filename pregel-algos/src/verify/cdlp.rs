//! Properties of synchronous label propagation.

use std::format;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};

use super::{Violation, one_each};

/// Whether every label in `after` is the most frequent one among the neighbours
/// in `before`, and the smallest of those that are equally frequent; a vertex
/// without neighbours keeps its label. O(E log d) for degree d.
///
/// The labels of a run that converged are both: `step(graph, &l, &l)`.
///
/// # Errors
/// The first [`Violation`].
pub fn step<E: Value>(
    graph: &Graph<E>,
    before: &[VertexId],
    after: &[VertexId],
) -> Result<(), Violation> {
    one_each(graph, before)?;
    one_each(graph, after)?;
    for (vertex, &label) in (0..).zip(after) {
        let expected = next_label(graph, before, vertex);
        if label != expected {
            let fact = format!("its label is number {label}, its neighbours say {expected}");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    Ok(())
}

/// Whether `labels` are those after this many supersteps. Repeats all of them:
/// O(supersteps · E log d).
///
/// # Errors
/// The first [`Violation`].
pub fn labels<E: Value>(
    graph: &Graph<E>,
    supersteps: u32,
    labels: &[VertexId],
) -> Result<(), Violation> {
    one_each(graph, labels)?;
    let mut current: Vec<VertexId> = (0..graph.vertex_count()).collect();
    for _ in 1..supersteps {
        let next = (0..graph.vertex_count()).map(|v| next_label(graph, &current, v)).collect();
        current = next;
    }
    if supersteps > 0 {
        step(graph, &current, labels)
    } else if current == labels {
        Ok(())
    } else {
        Err(Violation::Whole("the labels are not the vertices themselves".into()))
    }
}

/// The label that `vertex` takes from its neighbours.
fn next_label<E: Value>(graph: &Graph<E>, labels: &[VertexId], vertex: VertexId) -> VertexId {
    let label = |v: &VertexId| labels[*v as usize];
    let mut heard: Vec<VertexId> = graph.out().row(vertex).iter().map(label).collect();
    if graph.directed() {
        heard.extend(graph.incoming().row(vertex).iter().map(label));
    }
    heard.sort_unstable();
    let runs = heard.chunk_by(|a, b| a == b);
    // `max_by_key` keeps the last of equals, so this goes from the largest label
    // to the smallest.
    let most = runs.rev().max_by_key(|run| run.len());
    most.map_or(labels[vertex as usize], |run| run[0])
}

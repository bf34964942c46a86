//! Properties of weakly connected components.

use std::format;
use std::vec;

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};

use super::{Violation, edges, one_each};

/// Whether two vertices have the same label if and only if a path joins them,
/// whatever the direction of its edges, and the label is the smallest id in the
/// component.
///
/// If the labels at both ends of every edge are equal, no component has two. If a
/// search from the vertices that are their own labels meets every vertex, no
/// label names two components.
///
/// # Errors
/// The first [`Violation`].
pub fn labels<E: Value>(graph: &Graph<E>, labels: &[VertexId]) -> Result<(), Violation> {
    one_each(graph, labels)?;
    for (from, to, _) in edges(graph) {
        let (a, b) = (labels[from as usize], labels[to as usize]);
        if a != b {
            let fact = format!("it joins the labels {} and {}", name(graph, a), name(graph, b));
            return Err(Violation::edge(graph, from, to, fact));
        }
    }
    for (vertex, &label) in (0..).zip(labels) {
        if label > vertex {
            let fact = format!("its label {} is not the smallest id", name(graph, label));
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    let mut met = vec![false; labels.len()];
    let mut open = vec![];
    for (vertex, &label) in (0..).zip(labels) {
        if label == vertex {
            met[vertex as usize] = true;
            open.push(vertex);
        }
    }
    while let Some(vertex) = open.pop() {
        for &other in graph.out().row(vertex).iter().chain(graph.incoming().row(vertex)) {
            if !met[other as usize] {
                met[other as usize] = true;
                open.push(other);
            }
        }
    }
    match met.iter().position(|met| !met) {
        None => Ok(()),
        Some(vertex) => {
            let fact = format!("no path joins it to its label {}", name(graph, labels[vertex]));
            Err(Violation::vertex(graph, vertex as VertexId, fact))
        }
    }
}

/// The user's id of a label, or the label itself if it is no vertex.
fn name<E: Value>(graph: &Graph<E>, label: VertexId) -> std::string::String {
    if label < graph.vertex_count() {
        format!("{}", graph.ids().get(label))
    } else {
        format!("{label} (no vertex)")
    }
}

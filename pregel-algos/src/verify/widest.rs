//! Properties of widest paths.

use std::format;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::VertexId;

use super::{Violation, a_vertex, edges, one_each};
use crate::gallery::widest::UNREACHED;

/// Whether these are the widths of the widest paths from `source`.
///
/// They are not too small if no edge offers more. They are not too large if each reached vertex
/// is at the end of a path from the source whose edges offer exactly the width of their ends.
///
/// # Errors
/// The first [`Violation`].
pub fn widths(graph: &Graph<f32>, source: VertexId, widths: &[f32]) -> Result<(), Violation> {
    one_each(graph, widths)?;
    a_vertex(graph, source)?;
    let width = |v: VertexId| widths[v as usize];
    for (u, v, edge) in edges(graph) {
        let offer = width(u).min(edge);
        // A NaN must not pass.
        let wide_enough = offer <= width(v);
        if !wide_enough {
            let fact = format!("it offers a width of {offer}, but its end has {}", width(v));
            return Err(Violation::edge(graph, u, v, fact));
        }
    }
    if width(source) != f32::INFINITY {
        return Err(Violation::vertex(graph, source, "the source is not infinitely wide"));
    }
    let mut proven = std::vec![false; widths.len()];
    proven[source as usize] = true;
    let mut open: Vec<VertexId> = std::vec![source];
    while let Some(u) = open.pop() {
        for edge in graph.out().range(u) {
            let v = graph.out().targets()[edge];
            let offer = width(u).min(graph.out_values()[edge]);
            if !proven[v as usize] && offer == width(v) {
                proven[v as usize] = true;
                open.push(v);
            }
        }
    }
    let unproven = |v: &VertexId| width(*v) != UNREACHED && !proven[*v as usize];
    match (0..graph.vertex_count()).find(unproven) {
        None => Ok(()),
        Some(vertex) => {
            let fact = format!("it has width {}, but no path offers that", width(vertex));
            Err(Violation::vertex(graph, vertex, fact))
        }
    }
}

//! Properties of maximal independent sets.

use pregel_core::graph::Graph;
use pregel_core::program::Value;

use super::{Violation, edges, one_each};
use crate::gallery::mis::{IN, OUT};

/// Whether the vertices in state [`IN`] are a maximal independent set, directions and self-loops
/// ignored: every other vertex is [`OUT`] and has a neighbour in the set, and no two of the set
/// are neighbours.
///
/// # Errors
/// The first [`Violation`].
pub fn set<E: Value>(graph: &Graph<E>, states: &[u32]) -> Result<(), Violation> {
    one_each(graph, states)?;
    let is_in = |v: u32| states[v as usize] == IN;
    let mut covered: std::vec::Vec<bool> = states.iter().map(|state| *state == IN).collect();
    for (u, v, _) in edges(graph).filter(|(u, v, _)| u != v) {
        if is_in(u) && is_in(v) {
            return Err(Violation::edge(graph, u, v, "both ends are in the set"));
        }
        covered[u as usize] |= is_in(v);
        covered[v as usize] |= is_in(u);
    }
    for vertex in 0..graph.vertex_count() {
        if ![IN, OUT].contains(&states[vertex as usize]) {
            return Err(Violation::vertex(graph, vertex, "it is neither in nor out"));
        }
        if !covered[vertex as usize] {
            let fact = "neither it nor a neighbour is in the set";
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    Ok(())
}

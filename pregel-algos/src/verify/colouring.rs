//! Properties of greedy colourings.

use std::format;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::Value;

use super::{Violation, edges, one_each};
use crate::gallery::colouring::NO_COLOUR;

/// Whether neighbours have different colours, and no vertex could have a smaller colour,
/// directions and self-loops ignored. O(V + E + colours of all vertices).
///
/// # Errors
/// The first [`Violation`].
pub fn colours<E: Value>(graph: &Graph<E>, colours: &[u32]) -> Result<(), Violation> {
    one_each(graph, colours)?;
    if let Some(vertex) = (0..).zip(colours).find(|(_, colour)| **colour == NO_COLOUR) {
        return Err(Violation::vertex(graph, vertex.0, "it has no colour"));
    }
    let colour = |v: u32| colours[v as usize];
    // Pairs of a vertex and a smaller colour that a neighbour has.
    let mut smaller: Vec<(u32, u32)> = Vec::new();
    for (u, v, _) in edges(graph).filter(|(u, v, _)| u != v) {
        match colour(u).cmp(&colour(v)) {
            std::cmp::Ordering::Equal => {
                let fact = format!("both ends have colour {}", colour(u));
                return Err(Violation::edge(graph, u, v, fact));
            }
            std::cmp::Ordering::Less => smaller.push((v, colour(u))),
            std::cmp::Ordering::Greater => smaller.push((u, colour(v))),
        }
    }
    smaller.sort_unstable();
    smaller.dedup();
    let mut counts = std::vec![0u32; colours.len()];
    smaller.iter().for_each(|(vertex, _)| counts[*vertex as usize] += 1);
    match (0..).zip(&counts).find(|(vertex, count)| **count < colour(*vertex)) {
        None => Ok(()),
        Some((vertex, _)) => {
            let fact = format!("it has colour {}, but a smaller one is free", colour(vertex));
            Err(Violation::vertex(graph, vertex, fact))
        }
    }
}

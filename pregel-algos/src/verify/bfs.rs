//! Properties of breadth-first levels and trees.

use std::format;
use std::vec;

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};

use super::{Violation, a_vertex, edges, one_each};
use crate::bfs::{UNREACHED, Visit};

/// Whether `levels` are the numbers of edges from `source`.
///
/// Only the source has level 0, an edge from a reached vertex leads down by at
/// most one level, and every other reached vertex has an in-neighbour one level
/// up. So no level is too large or too small.
///
/// # Errors
/// The first [`Violation`].
pub fn levels<E: Value>(
    graph: &Graph<E>,
    source: VertexId,
    levels: &[u32],
) -> Result<(), Violation> {
    one_each(graph, levels)?;
    a_vertex(graph, source)?;
    let mut supported = vec![false; levels.len()];
    for (from, to, _) in edges(graph) {
        let (above, below) = (levels[from as usize], levels[to as usize]);
        if above == UNREACHED {
            continue;
        }
        if below == UNREACHED {
            let fact = format!("it leads from level {above} to a vertex called unreached");
            return Err(Violation::edge(graph, from, to, fact));
        }
        if below > above + 1 {
            let fact = format!("it leads from level {above} to level {below}");
            return Err(Violation::edge(graph, from, to, fact));
        }
        supported[to as usize] |= below == above + 1;
    }
    for (vertex, &level) in (0..).zip(levels) {
        let fact = match (vertex == source, level) {
            (true, 0) | (false, UNREACHED) => continue,
            (true, _) => format!("the source has level {level}"),
            (false, 0) => "it has level 0, but is not the source".into(),
            (false, _) if supported[vertex as usize] => continue,
            (false, _) => format!("no edge leads from level {} to it, at level {level}", level - 1),
        };
        return Err(Violation::vertex(graph, vertex, fact));
    }
    Ok(())
}

/// Whether `tree` holds the levels from `source`, and parents that are one level
/// up and have an edge to their children.
///
/// # Errors
/// The first [`Violation`].
pub fn tree<E: Value>(graph: &Graph<E>, source: VertexId, tree: &[Visit]) -> Result<(), Violation> {
    one_each(graph, tree)?;
    let only: vec::Vec<u32> = tree.iter().map(|visit| visit.level).collect();
    levels(graph, source, &only)?;
    let mut joined = vec![false; tree.len()];
    for (from, to, _) in edges(graph) {
        joined[to as usize] |= tree[to as usize].parent == from;
    }
    for (vertex, visit) in (0..).zip(tree) {
        let orphan = vertex == source || visit.level == UNREACHED;
        let fact = match (orphan, visit.parent) {
            (true, UNREACHED) => continue,
            (true, _) => "it has a parent, but is the source or unreached".into(),
            (false, _) if !joined[vertex as usize] => "no edge leads from its parent to it".into(),
            (false, parent) => match only[parent as usize] {
                level if level + 1 == visit.level => continue,
                level => format!("it has level {}, its parent {level}", visit.level),
            },
        };
        return Err(Violation::vertex(graph, vertex, fact));
    }
    Ok(())
}

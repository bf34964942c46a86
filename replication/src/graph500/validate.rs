//! The Graph500's rules for the result of a search.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use pregel_core::program::VertexId;
use rayon::prelude::*;
use thiserror::Error;

use super::bitmap::Bitmap;
use super::layout::{NONE, WORD};

/// Vertices of which a thread finds the levels one after the other.
const CHUNK: usize = 1 << 14;

/// A rule of the benchmark that a search broke.
///
/// Its second rule, that each tree edge joins vertices one level apart, cannot be broken where
/// levels are counted along parents, as here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Broken {
    /// The source is not its own parent, or a parent is not in the tree, or parents lead in a
    /// circle (rule 1).
    #[error("its parents do not lead from vertex {vertex} to the source")]
    NoTree {
        /// The vertex.
        vertex: VertexId,
    },
    /// An edge joins vertices more than one level apart (rule 3).
    #[error("the edge {from}–{to} joins levels {above} and {below}")]
    Levels {
        /// One end.
        from: VertexId,
        /// The other.
        to: VertexId,
        /// Level of the first.
        above: u32,
        /// Level of the second.
        below: u32,
    },
    /// An edge leads out of the tree (rule 4).
    #[error("the edge {from}–{to} leads from the tree to a vertex outside")]
    LeftOut {
        /// The end in the tree.
        from: VertexId,
        /// The other.
        to: VertexId,
    },
    /// A vertex has no edge to its parent (rule 5).
    #[error("there is no edge between vertex {vertex} and its parent {parent}")]
    NoEdge {
        /// The vertex.
        vertex: VertexId,
        /// What should be its neighbour.
        parent: VertexId,
    },
    /// There are not as many parents as vertices.
    #[error("there are {parents} parents for {vertices} vertices")]
    Length {
        /// Parents given.
        parents: usize,
        /// Vertices of the graph.
        vertices: usize,
    },
}

/// Checks the parents that a search from `source` gave against the edges as they were
/// generated, duplicates and self-loops included. Returns the number of these edges in the
/// tree's component: what a search is taken to have traversed. O(V + E).
///
/// # Errors
/// The first rule found broken.
pub fn validate(
    vertex_count: u32,
    edges: &[[VertexId; 2]],
    source: VertexId,
    parents: &[VertexId],
) -> Result<u64, Broken> {
    if parents.len() != vertex_count as usize {
        return Err(Broken::Length { parents: parents.len(), vertices: vertex_count as usize });
    }
    let levels = levels(source, parents)?;
    let joined = Bitmap::new(parents.len().div_ceil(WORD));
    let traversed = AtomicU64::new(0);
    edges.par_chunks(1 << 14).try_for_each(|edges| {
        let mut inside = 0;
        for &[from, to] in edges {
            let (above, below) = (levels[from as usize], levels[to as usize]);
            match (above, below) {
                (NONE, NONE) => continue,
                (NONE, _) => return Err(Broken::LeftOut { from: to, to: from }),
                (_, NONE) => return Err(Broken::LeftOut { from, to }),
                _ if above.abs_diff(below) > 1 => {
                    return Err(Broken::Levels { from, to, above, below });
                }
                _ => inside += 1,
            }
            for (vertex, other) in [(from, to), (to, from)] {
                if parents[vertex as usize] == other && !joined.get(vertex as usize) {
                    joined.claim(vertex as usize);
                }
            }
        }
        traversed.fetch_add(inside, Relaxed);
        Ok(())
    })?;
    let orphan = |(vertex, &parent): (usize, &VertexId)| {
        let excused = parent == NONE || vertex as VertexId == source;
        (!excused && !joined.get(vertex))
            .then_some(Broken::NoEdge { vertex: vertex as VertexId, parent })
    };
    match parents.par_iter().enumerate().find_map_first(orphan) {
        Some(broken) => Err(broken),
        None => Ok(traversed.into_inner()),
    }
}

/// The level of every vertex, counted along parents; [`NONE`] outside the tree.
fn levels(source: VertexId, parents: &[VertexId]) -> Result<Vec<u32>, Broken> {
    if parents.get(source as usize) != Some(&source) {
        return Err(Broken::NoTree { vertex: source });
    }
    let levels: Vec<AtomicU32> = parents.par_iter().map(|_| AtomicU32::new(NONE)).collect();
    levels[source as usize].store(0, Relaxed);
    let level_of = |vertex: VertexId| levels[vertex as usize].load(Relaxed);
    let chunks = parents.len().div_ceil(CHUNK);
    (0..chunks).into_par_iter().try_for_each(|chunk| {
        let mut path = Vec::new();
        let end = ((chunk + 1) * CHUNK).min(parents.len());
        for vertex in chunk * CHUNK..end {
            let vertex = vertex as VertexId;
            if parents[vertex as usize] == NONE {
                continue;
            }
            // Climbs to the next vertex whose level is known, and numbers the path behind it.
            // Threads that climb the same path give it the same numbers.
            let mut above = vertex;
            let mut level = level_of(above);
            while level == NONE {
                path.push(above);
                let parent = parents[above as usize];
                if parent as usize >= parents.len() || path.len() > parents.len() {
                    return Err(Broken::NoTree { vertex });
                }
                above = parent;
                level = level_of(above);
            }
            for below in path.drain(..).rev() {
                level += 1;
                levels[below as usize].store(level, Relaxed);
            }
        }
        Ok(())
    })?;
    Ok(levels.into_par_iter().map(AtomicU32::into_inner).collect())
}

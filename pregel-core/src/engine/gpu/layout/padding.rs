//! How many slots columns will have, counted on the host.

use super::{Parts, WARP_SHIFT};
use crate::engine::gpu::policy::Sort;
use crate::graph::Graph;
use crate::program::{Direction, VertexCompute};

/// The slots of the columns of a run: for each group of vertices, as many for every vertex as
/// the one with the most messages has. 0 if the run needs no columns, or if they are rows, which
/// have no padding. After an approximate sort a few more or fewer. O(V log V), or
/// O(V log V + E) on a directed graph without rows by target.
pub(in crate::engine::gpu) fn slots<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    parts: &Parts,
) -> u64 {
    let shift = match (parts.pull, parts.mailbox) {
        (true, _) => WARP_SHIFT,
        (false, true) => parts.group_shift,
        (false, false) => return 0,
    };
    let mut degrees = receive_degrees::<P>(graph);
    let least = degrees.iter().copied().min().unwrap_or(0);
    let most = degrees.iter().copied().max().unwrap_or(0);
    match parts.sort {
        Sort::None => {}
        Sort::Exact => degrees.sort_unstable_by_key(|degree| std::cmp::Reverse(*degree)),
        Sort::Approximate { mapping, regions } | Sort::Stable { mapping, regions } => {
            degrees.sort_by_key(|degree| mapping.region(*degree, least, most, regions.max(1)));
        }
    }
    let groups = degrees.chunks(1 << shift);
    groups.map(|group| u64::from(group.iter().copied().max().unwrap_or(0)) << shift).sum()
}

/// How many messages each vertex may receive.
fn receive_degrees<P: VertexCompute>(graph: &Graph<P::Edge>) -> Vec<u32> {
    let out = |v| graph.out().degree(v);
    let own = |degree: u64| u32::try_from(degree).unwrap_or(u32::MAX);
    let vertices = 0..graph.vertex_count();
    if !graph.directed() || P::DIRECTION == Direction::In {
        return vertices.map(|v| own(out(v))).collect();
    }
    let both = P::DIRECTION == Direction::Both;
    let into = graph.in_degrees();
    vertices.zip(into).map(|(v, into)| own(into + if both { out(v) } else { 0 })).collect()
}

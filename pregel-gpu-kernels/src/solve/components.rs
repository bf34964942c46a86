//! Weakly connected components by union-find, in the manner of Afforest and
//! ECL-CC: the same steps as on the CPU (`pregel-core`, `engine/shortcut`).
//!
//! Every vertex has a parent, itself or a smaller vertex of its component. An
//! edge joins two trees by hanging the larger root under a smaller vertex of the
//! other tree, by compare-and-swap; so the root of a finished tree is the
//! smallest vertex of its component, whatever the schedule. Walks halve the
//! paths that they go (Jaiganesh and Burtscher, *A High-Performance Connected
//! Components Implementation for GPUs*, HPDC 2018).
//!
//! `plant` and `join_two` join the first two edges of every row. Most vertices
//! are then in one tree, whose root `frequent` finds; an edge with both ends in
//! it joins nothing, so `join_rest` and `join_pieces` read the rows of the other
//! vertices only (Sutton, Ben-Nun, Barak, *Optimizing Parallel Graph
//! Connectivity Computation via Subgraph Sampling*, IPDPS 2018).
//!
//! A parent that is read too late is as good as the newest: it was an ancestor,
//! and ancestors stay ancestors. So the parents that many threads read, those
//! of the roots, may come from a block's own cache. What is no root never
//! becomes one.

use pregel_core::device::components::{Forest, PIECE_EDGES, SAMPLED_EDGES, SEEN, pieces};
use pregel_core::device::{BLOCK, COUNTS, WARP};

use crate::collective::{block_reduce, warp_scan_u64, warp_sum_u64};
use crate::simt::{
    add_u32, add_u64, ballot, blocks, compare_exchange_relaxed_u32, index, lane, load, load_const,
    load_once, match_any, read_u32, shuffle, store, thread, warp, write_u32,
};

/// A vertex's parent, perhaps an old one.
///
/// # Safety
/// `a` is whole, and `v` one of its vertices.
#[inline(always)]
unsafe fn glance(a: &Forest, v: u32) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { load(a.parents, v.into()) }
}

/// A vertex's parent.
///
/// # Safety
/// `a` is whole, and `v` one of its vertices.
#[inline(always)]
unsafe fn parent(a: &Forest, v: u32) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { read_u32(a.parents.element(v.into())) }
}

/// Makes one tree of the trees of `u` and `v`; gives back a vertex above both.
/// In each step the larger of two vertices, one above each of them, is hung under
/// the smaller if it is a root, else replaced by its grandparent, under which it
/// then hangs.
///
/// # Safety
/// `a` is whole, and both are its vertices.
#[inline(always)]
unsafe fn join(a: &Forest, u: u32, v: u32) -> u32 {
    let (mut high, mut low) = (u, v);
    // SAFETY: as the caller promises; a parent is a vertex.
    unsafe {
        while high != low {
            if high < low {
                (high, low) = (low, high);
            }
            let mut above = parent(a, high);
            if above == high {
                above = compare_exchange_relaxed_u32(a.parents.element(high.into()), high, low);
                if above == high {
                    return low;
                }
            }
            // `high` is no root, and never will be again.
            if above != low {
                let top = parent(a, above);
                if top != above {
                    write_u32(a.parents.element(high.into()), top);
                }
                above = top;
            }
            high = above;
        }
    }
    low
}

/// `plant`, a thread a vertex: hangs it under its first neighbour if that is
/// smaller. Nobody reads parents yet, so nothing need be swapped. Nothing has
/// been seen, either.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn plant(a: &Forest) {
    let v = index();
    // SAFETY: the vertex exists, and its edges; `a.seen` has `SEEN` values,
    // `a.found` two.
    unsafe {
        if v < SEEN {
            store(a.seen, v, 0);
        }
        if v == 0 {
            store(a.found, 1, 0);
        }
        if v < a.vertices.into() {
            let (begin, end) = (load_const(a.offsets, v), load_const(a.offsets, v + 1));
            let own = v as u32;
            let first = if begin < end { load_const(a.targets, begin) } else { own };
            store(a.parents, v, first.min(own));
        }
    }
}

/// `flatten`, a thread a vertex: hangs it directly under its root. All threads
/// climb at a time, each over what others have climbed already, so that a path
/// takes about the logarithm of its length.
///
/// # Safety
/// `a` is whole; nothing joins trees meanwhile.
#[inline(always)]
pub unsafe fn flatten(a: &Forest) {
    let v = index();
    if v >= a.vertices.into() {
        return;
    }
    // SAFETY: the vertex exists, and a parent is a vertex. Roots stay what they
    // are, so whoever is seen to be one is one.
    unsafe {
        let mut root = glance(a, v as u32);
        let mut above = glance(a, root);
        while above != root {
            root = above;
            write_u32(a.parents.element(v), root);
            // Vertex 0 is a root, often of most vertices: not all need ask it.
            if root != 0 {
                above = parent(a, root);
            }
        }
    }
}

/// `join_two`, a thread a vertex: joins it with its first two neighbours, as far
/// as `plant` has not.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn join_two(a: &Forest) {
    const { assert!(SAMPLED_EDGES == 2) };
    let v = index();
    if v >= a.vertices.into() {
        return;
    }
    // SAFETY: the vertex exists, and its edges.
    unsafe {
        let (begin, end) = (load_const(a.offsets, v), load_const(a.offsets, v + 1));
        if begin == end {
            return;
        }
        let first = load_const(a.targets, begin);
        let second = load_const(a.targets, (begin + 1).min(end - 1));
        let v = v as u32;
        let mut above = glance(a, v);
        if first > v {
            above = join(a, above, glance(a, first));
        }
        if second != first {
            join(a, above, glance(a, second));
        }
    }
}

/// `frequent`, one block: the root that is most frequent in a sample. It is
/// sought among 32 vertices at a time, and the clearest finding counts.
///
/// # Safety
/// `a` is whole, has a vertex, and every vertex hangs under its root.
#[inline(always)]
pub unsafe fn frequent(a: &Forest) {
    const SAMPLE: u32 = 1 << 10;
    // Multiples of this number spread evenly and without a pattern that a
    // graph might share (Knuth's multiplicative hashing).
    const SPREAD: u32 = 0x9e37_79b9;
    let mut best = 0;
    let mut i = thread();
    while i < SAMPLE {
        let place = (u64::from(i.wrapping_mul(SPREAD)) * u64::from(a.vertices)) >> 32;
        // SAFETY: the place is below the number of vertices.
        let root: u32 = unsafe { load_const(a.parents, place) };
        let times = match_any(root).count_ones();
        best = best.max(u64::from(times) << 32 | u64::from(!root));
        i += BLOCK;
    }
    let best = block_reduce(best, 0, u64::max);
    if thread() == 0 {
        // SAFETY: `a.found` has two values.
        unsafe { store(a.found, 0, !(best as u32)) };
    }
}

/// `join_rest`, a thread a vertex: joins it with the rest of its neighbours, or
/// lists the pieces of its row if they are many.
///
/// A vertex under the frequent root is skipped. If it came there while this
/// kernel ran, that is as well: of an undirected edge whose ends are both
/// skipped, both hang under that root.
///
/// # Safety
/// `a` is whole; every vertex hung under its root before; `a.pieces` has room
/// for all [`pieces`].
#[inline(always)]
pub unsafe fn join_rest(a: &Forest) {
    let v = index();
    // SAFETY: the vertex exists, and its edges. The lanes of a warp take
    // neighbouring pieces, which nobody else has.
    unsafe {
        let (mut next, mut end, mut above) = (0, 0, 0);
        if v < a.vertices.into() {
            above = glance(a, v as u32);
            if a.skip == 0 || above != load_const(a.found, 0) {
                next = load_const(a.offsets, v) + SAMPLED_EDGES;
                end = load_const(a.offsets, v + 1);
            }
        }
        let own = if next < end { pieces(end - next + SAMPLED_EDGES) } else { 0 };
        see(a, end.saturating_sub(next));
        if ballot(own > 0) != 0 {
            let up_to_here = warp_scan_u64(own.into()) as u32;
            let all = shuffle(up_to_here, WARP - 1);
            let mut first = 0;
            if lane() == 0 {
                first = add_u32(a.found.element(1), all);
            }
            let first = shuffle(first, 0) + up_to_here - own;
            for piece in 0..own {
                store(a.pieces, u64::from(first + piece), [v as u32, piece]);
            }
        }
        while own == 0 && next < end {
            // Not once: the next edges of the row lie beside this one.
            above = join(a, above, glance(a, load_const(a.targets, next)));
            next += 1;
        }
    }
}

/// Counts the vertices of a warp that have edges left, and those edges.
///
/// # Safety
/// `a` is whole; all lanes take part.
#[inline(always)]
unsafe fn see(a: &Forest, edges: u64) {
    let vertices = ballot(edges > 0).count_ones();
    if vertices > 0 {
        let edges = warp_sum_u64(edges);
        if lane() == 0 {
            let part = warp() % u64::from(COUNTS);
            // SAFETY: there are so many parts, of vertices and of edges.
            unsafe {
                add_u64(a.seen.element(part), vertices.into());
                add_u64(a.seen.element(part + u64::from(COUNTS)), edges);
            }
        }
    }
}

/// `join_pieces`, any number of warps: joins the rows' vertices with the
/// neighbours in the pieces listed, a lane an edge.
///
/// # Safety
/// `a` is whole; `join_rest` has listed the pieces.
#[inline(always)]
pub unsafe fn join_pieces(a: &Forest) {
    let warps = u64::from(blocks()) * u64::from(BLOCK / WARP);
    let mut i = warp();
    // SAFETY: so many pieces are listed, of rows that exist.
    unsafe {
        let count: u32 = load_const(a.found, 1);
        while i < count.into() {
            let [row, piece]: [u32; 2] = load_const(a.pieces, i);
            let first =
                load_const(a.offsets, row.into()) + SAMPLED_EDGES + u64::from(piece) * PIECE_EDGES;
            let end = load_const(a.offsets, u64::from(row) + 1).min(first + PIECE_EDGES);
            let mut edge = first + u64::from(lane());
            let mut above = glance(a, row);
            while edge < end {
                above = join(a, above, glance(a, load_once(a.targets, edge)));
                edge += u64::from(WARP);
            }
            i += warps;
        }
    }
}

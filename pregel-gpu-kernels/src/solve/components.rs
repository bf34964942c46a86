//! Weakly connected components by union-find, as in Afforest and ECL-CC: the same steps as
//! on the CPU (`pregel-core`, `engine/solve/components.rs`).
//!
//! Every vertex has a parent, itself or a smaller vertex of its component. An edge joins
//! two trees by hanging the larger root under a smaller vertex of the other tree, by
//! compare-and-swap; so the root of a finished tree is the smallest vertex of its
//! component, whatever the schedule. Walks halve the paths that they take (Jaiganesh and
//! Burtscher, *A High-Performance Connected Components Implementation for GPUs*, HPDC 2018).
//!
//! `plant` and `join_two` join the first two edges of every row. Most vertices
//! are then in one tree, whose root `frequent` finds; an edge with both ends in
//! it joins nothing, so `join_rest` and `join_pieces` read the rows of the other
//! vertices only (Sutton, Ben-Nun, Barak, *Optimizing Parallel Graph
//! Connectivity Computation via Subgraph Sampling*, IPDPS 2018).
//!
//! An old parent is as good as the newest: it was an ancestor, and ancestors stay
//! ancestors. So the parents that many threads read, those of the roots, may come from the
//! L1 cache. A vertex that is not a root never becomes one.
//!
//! All parents are contended words (I8) that hold vertices (I2).

use pregel_core::device::solve::{Forest, PIECE_EDGES, SAMPLED_EDGES, SEEN, pieces};
use pregel_core::device::{BLOCK, COUNTS, WARP};

use crate::collective::{block_reduce, warp_scan_u64, warp_sum_u64};
use crate::simt::{
    add_u32, add_u64, ballot, blocks, compare_exchange_u32, index, lane, load, load_const,
    load_once, load_pair, load_relaxed_u32, match_any, shuffle, store, store_relaxed_u32, thread,
    warp,
};

/// A vertex's parent, perhaps an old one.
///
/// # Safety
/// `a` is whole (I1), and `v` is below `a.vertices` (I2).
#[inline(always)]
unsafe fn old_parent(a: &Forest, v: u32) -> u32 {
    // SAFETY: the caller's promise; I8: an old value is as good.
    unsafe { load(a.parents, v.into()) }
}

/// The root above a vertex, perhaps one that has been hung under another since.
///
/// # Safety
/// `a` is whole (I1), and `v` is below `a.vertices` (I2).
#[inline(always)]
unsafe fn old_root(a: &Forest, v: u32) -> u32 {
    // SAFETY: the caller's promise; I2: a parent is a vertex.
    unsafe {
        let mut root = v;
        loop {
            let above = old_parent(a, root);
            if above == root {
                return root;
            }
            root = above;
        }
    }
}

/// A vertex's parent.
///
/// # Safety
/// `a` is whole (I1), and `v` is below `a.vertices` (I2).
#[inline(always)]
unsafe fn parent(a: &Forest, v: u32) -> u32 {
    // SAFETY: the caller's promise; I8.
    unsafe { load_relaxed_u32(a.parents.element(v.into())) }
}

/// Makes one tree of the trees of `u` and `v`; returns a vertex above both. Each step takes
/// the larger of two vertices, one above each of them. If it is a root, it is hung under
/// the smaller; otherwise it is hung under its grandparent, which replaces it.
///
/// # Safety
/// `a` is whole (I1), and both are below `a.vertices` (I2).
#[inline(always)]
unsafe fn join(a: &Forest, u: u32, v: u32) -> u32 {
    let (mut high, mut low) = (u, v);
    // SAFETY: the caller's promise; I2: a parent is a vertex; I8.
    unsafe {
        while high != low {
            if high < low {
                (high, low) = (low, high);
            }
            let mut above = parent(a, high);
            if above == high {
                above = compare_exchange_u32(a.parents.element(high.into()), high, low);
                if above == high {
                    return low;
                }
            }
            // `high` is not a root, and never becomes one again.
            if above != low {
                let top = parent(a, above);
                if top != above {
                    store_relaxed_u32(a.parents.element(high.into()), top);
                }
                above = top;
            }
            high = above;
        }
    }
    low
}

/// `plant`, one thread per vertex: hangs it under its first neighbour if that is smaller.
/// No thread reads parents yet, so nothing needs to be swapped. Also writes down the first two
/// neighbours, for which `join_two` would have to read all rows once more, and sets the counts
/// of what has been seen to 0.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn plant(a: &Forest) {
    let v = index();
    // SAFETY: I2: the vertex exists, and its edges; `a.seen` has `SEEN` values, `a.found`
    // two; I6: only this thread has them; I7.
    unsafe {
        if v < SEEN {
            store(a.seen, v, 0);
        }
        if v == 0 {
            store(a.found, 1, 0);
        }
        if v < a.vertices.into() {
            let [begin, end] = load_pair(a.offsets, v);
            let own = v as u32;
            let mut sampled = [own; SAMPLED_EDGES as usize];
            if begin < end {
                let second = (begin + 1).min(end - 1);
                sampled = [load_const(a.targets, begin), load_const(a.targets, second)];
            }
            store(a.sampled, v, sampled);
            store(a.parents, v, sampled[0].min(own));
        }
    }
}

/// `flatten`, one thread per vertex: hangs it directly under its root. Most paths are short, and
/// the upper ends of them are in the L1 cache. Over longer ones all threads climb at the same
/// time, each over what others have climbed already, so that a path takes about the logarithm of
/// its length.
///
/// # Safety
/// `a` is whole (I1); nothing joins trees meanwhile.
#[inline(always)]
pub unsafe fn flatten(a: &Forest) {
    /// Steps that are taken through the cache.
    const CACHED: u32 = 8;
    let v = index();
    if v >= a.vertices.into() {
        return;
    }
    // SAFETY: I2: the vertex exists, and a parent is a vertex; I8. Roots stay roots, so a
    // vertex that looks like one is one.
    unsafe {
        let hung = old_parent(a, v as u32);
        let mut root = hung;
        for _ in 0..CACHED {
            let above = old_parent(a, root);
            if above == root {
                if root != hung {
                    store_relaxed_u32(a.parents.element(v), root);
                }
                return;
            }
            root = above;
        }
        loop {
            store_relaxed_u32(a.parents.element(v), root);
            let above = parent(a, root);
            if above == root {
                return;
            }
            root = above;
        }
    }
}

/// `join_two`, one thread for every `a.stride`-th vertex: joins it with its first two
/// neighbours, except where `plant` has.
///
/// # Safety
/// `a` is whole (I1); `plant` has run.
#[inline(always)]
pub unsafe fn join_two(a: &Forest) {
    let v = index() * a.stride;
    if v >= a.vertices.into() {
        return;
    }
    // SAFETY: I2: the vertex exists, and its neighbours; I7, I8.
    unsafe {
        let [first, second]: [u32; 2] = load_const(a.sampled, v);
        let v = v as u32;
        let mut above = old_root(a, v);
        if first > v {
            above = join(a, above, old_root(a, first));
        }
        if second != first {
            join(a, above, old_root(a, second));
        }
    }
}

/// `frequent`, one block: the root that is most frequent in a sample. Each warp counts among
/// 32 vertices at a time, and the highest count wins.
///
/// # Safety
/// `a` is whole (I1) and has a vertex; every vertex hangs under its root.
#[inline(always)]
pub unsafe fn frequent(a: &Forest) {
    const SAMPLE: u32 = 1 << 10;
    // Multiples of this number spread evenly, and without a pattern that a graph might
    // share (Knuth's multiplicative hashing).
    const SPREAD: u32 = 0x9e37_79b9;
    let mut best = 0;
    let mut i = thread();
    while i < SAMPLE {
        let place = (u64::from(i.wrapping_mul(SPREAD)) * u64::from(a.vertices)) >> 32;
        // SAFETY: I2: the place is below the number of vertices; I7.
        let root: u32 = unsafe { load_const(a.parents, place) };
        let times = match_any(root).count_ones();
        best = best.max(u64::from(times) << 32 | u64::from(!root));
        i += BLOCK;
    }
    let best = block_reduce(best, 0, u64::max);
    if thread() == 0 {
        // SAFETY: I1: `a.found` has two values; I6: only this thread writes them.
        unsafe { store(a.found, 0, !(best as u32)) };
    }
}

/// `join_rest`, one thread per vertex: joins it with the rest of its neighbours, or lists
/// the pieces of its row if it is long.
///
/// A vertex under the frequent root is skipped, even if it came there while this kernel
/// ran: if both ends of an undirected edge are skipped, both hang under that root.
///
/// # Safety
/// `a` is whole (I1); every vertex hung under its root before; `a.pieces` has room for all
/// [`pieces`] (I2).
#[inline(always)]
pub unsafe fn join_rest(a: &Forest) {
    let v = index();
    // SAFETY: I2: the vertex exists, its edges and their ends; I5: all lanes arrive at the
    // warp functions; I6: the warp reserves its entries of the list; I7, I8.
    unsafe {
        let (mut next, mut end, mut above) = (0, 0, 0);
        if v < a.vertices.into() {
            above = old_parent(a, v as u32);
            if a.skip == 0 || above != load_const(a.found, 0) {
                next = load_const(a.offsets, v) + SAMPLED_EDGES;
                end = load_const(a.offsets, v + 1);
            }
        }
        let own = if next < end { pieces(end - next + SAMPLED_EDGES) } else { 0 };
        count_seen(a, end.saturating_sub(next));
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
            // Not `load_once`: the next edges of the row lie next to this one.
            above = join(a, above, old_parent(a, load_const(a.targets, next)));
            next += 1;
        }
    }
}

/// Counts the vertices of a warp that have edges left, and those edges.
///
/// # Safety
/// `a` is whole (I1); all lanes of the warp take part (I5).
#[inline(always)]
unsafe fn count_seen(a: &Forest, edges: u64) {
    let vertices = ballot(edges > 0).count_ones();
    if vertices > 0 {
        let edges = warp_sum_u64(edges);
        if lane() == 0 {
            let part = warp() % u64::from(COUNTS);
            // SAFETY: I2: there are `COUNTS` parts of vertices and of edges; I8.
            unsafe {
                add_u64(a.seen.element(part), vertices.into());
                add_u64(a.seen.element(part + u64::from(COUNTS)), edges);
            }
        }
    }
}

/// `join_pieces`, on any number of blocks: joins vertices with the neighbours in the pieces
/// that are listed, one lane per edge.
///
/// # Safety
/// `a` is whole (I1); `join_rest` has listed the pieces.
#[inline(always)]
pub unsafe fn join_pieces(a: &Forest) {
    let warps = u64::from(blocks()) * u64::from(BLOCK / WARP);
    let mut i = warp();
    // SAFETY: I2: `count` pieces are listed, of rows that exist; I7, I8.
    unsafe {
        let count: u32 = load_const(a.found, 1);
        while i < count.into() {
            let [row, piece]: [u32; 2] = load_const(a.pieces, i);
            let first =
                load_const(a.offsets, row.into()) + SAMPLED_EDGES + u64::from(piece) * PIECE_EDGES;
            let end = load_const(a.offsets, u64::from(row) + 1).min(first + PIECE_EDGES);
            let mut edge = first + u64::from(lane());
            let mut above = old_parent(a, row);
            while edge < end {
                above = join(a, above, old_parent(a, load_once(a.targets, edge)));
                edge += u64::from(WARP);
            }
            i += warps;
        }
    }
}

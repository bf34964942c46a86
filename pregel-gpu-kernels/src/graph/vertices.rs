//! A thread a vertex, or an edge, and no more.

use pregel_core::device::prepare::{
    Count, Degrees, FindFrontier, GroupRows, Identity, Permute, Restore, TakeFrontier,
};
use pregel_core::device::{PUSH_EDGES, WARP, columns};
use pregel_core::program::Vote;

use super::edges::copy;
use crate::collective::warp_scan_u64;
use crate::simt::{add_u32, index, lane, load, load_const, load_once, shuffle, store};

/// `count`, a thread an edge.
///
/// # Safety
/// `a` is whole; the counts are 0.
#[inline(always)]
pub unsafe fn count(a: &Count) {
    if index() < a.edges {
        // SAFETY: the edge exists, and its target is a vertex.
        unsafe { add_u32(a.counts.element(load_once(a.targets, index()).into()), 1) };
    }
}

/// `degrees`, a thread a row.
///
/// # Safety
/// `a` is whole; no row has 2³² edges.
#[inline(always)]
pub unsafe fn degrees(a: &Degrees) {
    let row = index();
    if row < a.vertices.into() {
        // SAFETY: the row exists.
        unsafe {
            let (begin, end) = (load_const(a.offsets, row), load_const(a.offsets, row + 1));
            store(a.degrees, row, (end - begin) as u32);
        }
    }
}

/// `identity`, a thread a vertex.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn identity(a: &Identity) {
    if index() < a.count.into() {
        // SAFETY: the vertex exists.
        unsafe {
            store(a.place_of, index(), index() as u32);
            store(a.vertex_at, index(), index() as u32);
        }
    }
}

/// `permute`, a thread a value.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn permute(a: &Permute) {
    if index() < a.count.into() {
        // SAFETY: the value exists, and places differ.
        unsafe {
            let place: u32 = load_const(a.place_of, index());
            store(a.to, place.into(), load_const(a.from, index()));
        }
    }
}

/// `restore`, a thread a value.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn restore(a: &Restore) {
    if index() < a.count.into() {
        // SAFETY: the value exists.
        unsafe {
            let place: u32 = load_const(a.place_of, index());
            copy(a.width, (a.from, place.into()), (a.to, index()));
        }
    }
}

/// `group_rows`, a thread a group.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn group_rows(a: &GroupRows) {
    let groups = columns::groups(a.vertices, a.shift);
    if index() >= groups.into() {
        return;
    }
    let first = index() << a.shift;
    let end = u64::from(a.vertices).min(first + (1 << a.shift));
    let mut rows: u32 = 0;
    for place in first..end {
        // SAFETY: the place is that of a vertex.
        rows = rows.max(unsafe { load_const(a.degrees, place) });
    }
    // SAFETY: the group exists.
    unsafe { store(a.rows, index(), rows) };
}

/// `frontier`, a thread a vertex: lists the pieces of the rows of those that
/// scatter, in any order.
///
/// # Safety
/// `a` is whole; the list has room for one piece a vertex and one more for
/// every [`PUSH_EDGES`] edges.
#[inline(always)]
pub unsafe fn frontier(a: &FindFrontier) {
    let place = index();
    let mut pieces = 0;
    // SAFETY: the place is that of a vertex; the lanes of a warp take
    // neighbouring items, which nobody else has.
    unsafe {
        if place < a.vertices.into() && load_const(a.votes, place) & Vote::Scatter as u8 != 0 {
            let (begin, end) = (load_const(a.offsets, place), load_const(a.offsets, place + 1));
            pieces = (end - begin).div_ceil(PUSH_EDGES.into()) as u32;
        }
        let up_to_here = warp_scan_u64(pieces.into()) as u32;
        let all = shuffle(up_to_here, WARP - 1);
        let mut first = 0;
        if lane() == 0 && all > 0 {
            first = add_u32(a.frontier.count.element(0), all);
        }
        let first = shuffle(first, 0) + up_to_here - pieces;
        for piece in 0..pieces {
            store(a.frontier.items, u64::from(first + piece), [place as u32, piece]);
        }
    }
}

/// `vote`, a thread an item: the vertices of a frontier vote to scatter, beside
/// what they voted.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn vote(a: &TakeFrontier) {
    // SAFETY: the item exists, its place is that of a vertex, and all items of
    // a vertex write the same.
    unsafe {
        if index() < load_const(a.frontier.count, 0).into() {
            let [place, _] = load_const(a.frontier.items, index());
            let vote: u8 = load(a.votes, place.into());
            store(a.votes, place.into(), vote | Vote::Scatter as u8);
        }
    }
}

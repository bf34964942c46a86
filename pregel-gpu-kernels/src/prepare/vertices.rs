//! A thread a vertex, or an edge, and no more.

use pregel_core::device::prepare::{
    Count, Degrees, FindFrontier, GroupRows, Identity, Permute, Restore, TakeFrontier,
};
use pregel_core::device::{PUSH_EDGES, WARP, columns};
use pregel_core::program::Vote;

use super::edges::copy;
use crate::collective::warp_scan_u64;
use crate::simt::{
    add_u32, ballot, four_votes, index, lane, load, load_const, load_once, places, shuffle, store,
};

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

/// `frontier`, a thread a vertex, or [four](pregel_core::device::FOUR): lists the pieces
/// of the rows of those that scatter, in any order.
///
/// # Safety
/// `a` is whole; the list has room for one piece a vertex and one more for
/// every [`PUSH_EDGES`] edges.
#[inline(always)]
pub unsafe fn frontier(a: &FindFrontier) {
    let (first, end) = places(a.vertices);
    // SAFETY: the places are those of vertices; the lanes of a warp take
    // neighbouring items, which nobody else has.
    unsafe {
        let pieces = |place| {
            if load_const(a.votes, place) & Vote::Scatter as u8 == 0 {
                return 0;
            }
            let (begin, end) = (load_const(a.offsets, place), load_const(a.offsets, place + 1));
            (end - begin).div_ceil(PUSH_EDGES.into()) as u32
        };
        let scatter = u32::from_ne_bytes([Vote::Scatter as u8; 4]);
        let quiet = four_votes(a.votes, (first, end)).is_some_and(|votes| votes & scatter == 0);
        let mut own = 0;
        if !quiet {
            (first..end).for_each(|place| own += pieces(place));
        }
        if ballot(own > 0) == 0 {
            return;
        }
        let up_to_here = warp_scan_u64(own.into()) as u32;
        let all = shuffle(up_to_here, WARP - 1);
        let mut at = 0;
        if lane() == 0 {
            at = add_u32(a.frontier.count.element(0), all);
        }
        at = shuffle(at, 0) + up_to_here - own;
        let mut place = first;
        while own > 0 && place < end {
            for piece in 0..pieces(place) {
                store(a.frontier.items, at.into(), [place as u32, piece]);
                at += 1;
            }
            place += 1;
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

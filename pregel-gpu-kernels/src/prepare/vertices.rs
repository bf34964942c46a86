//! Kernels that take one thread per vertex or edge and little more.

use core::ops::Range;

use pregel_core::device::prepare::{
    Count, Degrees, FindFrontier, GroupRows, Identity, PackVotes, Permute, Restore, TakeFrontier,
};
use pregel_core::device::{Global, Piece, Profile, Row, WARP, columns};
use pregel_core::program::Vote;

use super::edges::{Bytes, copy};
use crate::collective::warp_scan_u64;
use crate::rows;
use crate::simt::{
    add_u32, ballot, index, lane, load, load_const, load_once, load_pair, own_places, packed_votes,
    shuffle, store,
};

/// `count`, one thread per edge: how often each vertex is a target.
///
/// # Safety
/// `a` is whole (I1); the counts are 0.
#[inline(always)]
pub unsafe fn count(a: &Count) {
    if index() < a.edges {
        // SAFETY: I2: the edge exists, and its target is a vertex; I7, I8.
        unsafe { add_u32(a.counts.element(load_once(a.targets, index()).into()), 1) };
    }
}

/// `degrees`, one thread per row.
///
/// # Safety
/// `a` is whole (I1); no row has 2³² edges.
#[inline(always)]
pub unsafe fn degrees(a: &Degrees) {
    let row = index();
    if row < a.vertices.into() {
        // SAFETY: I2: the row exists, and has an end; I6: only this thread has it; I7.
        unsafe {
            let [begin, end] = load_pair(a.offsets, row);
            store(a.degrees, row, (end - begin) as u32);
        }
    }
}

/// `identity`, one thread per vertex.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn identity(a: &Identity) {
    if index() < a.count.into() {
        // SAFETY: I2: the vertex exists; I6: only this thread has it.
        unsafe {
            store(a.place_of, index(), index() as u32);
            store(a.vertex_at, index(), index() as u32);
        }
    }
}

/// `permute`, one thread per value.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn permute(a: &Permute) {
    if index() < a.count.into() {
        // SAFETY: I2: the value exists, and its place is one of a value; I6: no other value
        // has the place; I7.
        unsafe {
            let place: u32 = load_const(a.place_of, index());
            store(a.to, place.into(), load_const(a.from, index()));
        }
    }
}

/// `restore`, one thread per value.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn restore(a: &Restore) {
    if index() < a.count.into() {
        // SAFETY: I2: the value exists, and its place is one of a value; I6: only this thread
        // writes it; I7.
        unsafe {
            let place: u32 = load_const(a.place_of, index());
            copy(a.width, Bytes::of(a.from, place.into()), Bytes::of(a.to, index()));
        }
    }
}

/// `group_rows`, one thread per group: how many layers it has, and its profile.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn group_rows(a: &GroupRows) {
    let groups = columns::groups(a.vertices, a.shift);
    if index() >= groups.into() {
        return;
    }
    let first = index() << a.shift;
    let end = u64::from(a.vertices).min(first + (1 << a.shift));
    let (mut fewest, mut rows) = (u32::MAX, 0);
    for place in first..end {
        // SAFETY: I2: the place is below `vertices`; I7.
        let degree: u32 = unsafe { load_const(a.degrees, place) };
        (fewest, rows) = (fewest.min(degree), rows.max(degree));
    }
    // SAFETY: I2: the group exists; I6: only this thread has it.
    unsafe {
        store(a.rows, index(), rows);
        store(a.profiles, index(), Profile::new(fewest, rows));
    }
}

/// `frontier`, one thread per vertex, or per
/// [four](pregel_core::device::VERTICES_PER_THREAD): lists the pieces of the rows of those
/// that scatter, in any order.
///
/// # Safety
/// `a` is whole (I1); the list has room for one piece per vertex and one more for every
/// [`PUSH_EDGES`](pregel_core::device::PUSH_EDGES) edges (I2).
#[inline(always)]
pub unsafe fn frontier(a: &FindFrontier) {
    let Range { start: first, end } = own_places(a.vertices);
    // A row without edges if the vertex does not scatter.
    let row = |place| {
        // SAFETY: I2: only called with places below `vertices`, whose rows have an end; I7.
        unsafe {
            if load_const(a.votes, place) & Vote::Scatter as u8 == 0 {
                return Row::default();
            }
            rows::row(a.offsets, place)
        }
    };
    let scatter = u32::from_ne_bytes([Vote::Scatter as u8; 4]);
    // SAFETY: I1, I7: there is a vote for every vertex, which no thread writes.
    let votes = unsafe { packed_votes(a.votes, &(first..end)) };
    let none_scatters = votes.is_some_and(|votes| votes & scatter == 0);
    let mut own = 0;
    if !none_scatters {
        (first..end).for_each(|place| own += row(place).pieces());
    }
    // I5: the whole warp returns, or no lane of it.
    if ballot(own > 0) == 0 {
        return;
    }
    let up_to_here = warp_scan_u64(own.into()) as u32;
    let all = shuffle(up_to_here, WARP - 1);
    let mut at = 0;
    if lane() == 0 {
        // SAFETY: I1: the count is one value; I8.
        at = unsafe { add_u32(a.frontier.count.element(0), all) };
    }
    at = shuffle(at, 0) + up_to_here - own;
    let mut place = first;
    while own > 0 && place < end {
        let row = row(place);
        for number in 0..row.pieces() {
            // SAFETY: I2: the list has room; I6: the warp reserved these items, and this lane
            // has `own` of them from `at` on.
            unsafe { store(a.frontier.items, at.into(), row.piece(place as u32, number)) };
            at += 1;
        }
        place += 1;
    }
}

/// `vote`, one thread per item: adds scattering to the votes of the vertices of a frontier.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn vote(a: &TakeFrontier) {
    // SAFETY: I2: the item exists, and its place is that of a vertex; I7; I8: all items of a
    // vertex write the same.
    unsafe {
        if index() < load_const(a.frontier.count, 0).into() {
            let Piece { place, .. } = load_const(a.frontier.items, index());
            let vote: u8 = load(a.votes, place.into());
            store(a.votes, place.into(), vote | Vote::Scatter as u8);
        }
    }
}

/// `pack_votes`, one thread per eight vertices: a bit for each, 1 if it scatters.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn pack_votes(a: &PackVotes) {
    let (first, n) = (8 * index(), u64::from(a.vertices));
    if first >= n {
        return;
    }
    let mut votes = 0;
    if first + 8 <= n {
        // SAFETY: I3: eight votes from a multiple of eight on are one aligned word; I7.
        votes = unsafe { load_once(Global::<u64>::at(a.votes.address()), index()) };
    } else {
        for place in first..n {
            // SAFETY: I2: the place is below `vertices`; I7.
            let vote: u8 = unsafe { load_const(a.votes, place) };
            votes |= u64::from(vote) << (8 * (place - first));
        }
    }
    // SAFETY: I1: there is a byte for every eight vertices, or fewer; I6: this thread owns it.
    unsafe { store(a.bits, index(), lowest_bits(votes)) };
}

/// The lowest bit of each byte, that of the first byte lowest.
#[inline(always)]
fn lowest_bits(bytes: u64) -> u8 {
    // Byte `i` holds 2^(8 i), which is wanted at bit 56 + i: the factor has a 2^(56 - 7 i) for
    // each. No two of the products meet, so that nothing is carried.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    ((bytes & 0x0101_0101_0101_0101).wrapping_mul(GATHER) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_bits_of_eight_bytes_make_one() {
        for expected in 0..=u8::MAX {
            let votes = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| 0xfe | expected >> i & 1);
            assert_eq!(lowest_bits(u64::from_le_bytes(votes)), expected);
        }
    }
}

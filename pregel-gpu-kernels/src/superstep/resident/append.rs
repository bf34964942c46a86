//! Lists that grow while others are worked off.

use core::array;

use pregel_core::device::{Control, ResidentArguments, Row, WARP};
use pregel_core::program::Program;

use super::worklist::{self, control, list_of_turn};
use crate::collective::warp_scan_u32;
use crate::simt::{add_u32, ballot, lane, lanes_before, opaque, shuffle, store};

/// Appends to a list whose length is the word at `length`: an entry for each lane that has
/// one. `put` writes the entry of the lane to its index, which is its own (I6).
///
/// # Safety
/// The word exists, and is only added to until the next barrier of the grid (I8). All
/// lanes of the warp take part (I5).
#[inline(always)]
pub(super) unsafe fn append(length: u64, has_entry: bool, put: impl FnOnce(u64)) {
    let some = ballot(has_entry);
    if some == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let [first] = unsafe { reserve([length], [some.count_ones()]) };
    if has_entry {
        put(u64::from(first + (some & lanes_before()).count_ones()));
    }
}

/// Makes room for more entries in each of some lists whose lengths are the words at `lengths`,
/// in all of them at once. Returns the indices of the first ones, in every lane.
///
/// # Safety
/// As [`append`], for each word; all lanes bring the same numbers, and no more than there are
/// lanes.
#[inline(always)]
pub(super) unsafe fn reserve<const LISTS: usize>(
    lengths: [u64; LISTS],
    entries: [u32; LISTS],
) -> [u32; LISTS] {
    let (mut length, mut more) = (lengths[0], 0);
    for list in 0..LISTS {
        if lane() == list as u32 {
            (length, more) = (lengths[list], entries[list]);
        }
    }
    let mut first = 0;
    if more > 0 {
        // SAFETY: the caller's promise.
        first = unsafe { add_u32(length, more) };
    }
    array::from_fn(|list| shuffle(first, list as u32))
}

/// The pieces of the rows of a warp, of which each lane has one, in the order of the lanes.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    /// How many this lane's row has.
    own: u32,
    /// How many the rows of the lanes before it have.
    before: u32,
    /// The lanes whose rows have more than one.
    long: u32,
}

impl Pieces {
    /// The pieces of these rows, and how many they are in all. All lanes of the warp take part (I5).
    #[inline(always)]
    fn of(row: Row) -> (Self, u32) {
        let own = row.pieces();
        let long = ballot(own > 1);
        if long == 0 {
            let some = ballot(own > 0);
            let before = (some & lanes_before()).count_ones();
            return (Self { own, before, long }, some.count_ones());
        }
        let up_to_here = warp_scan_u32(own);
        (Self { own, before: up_to_here - own, long }, shuffle(up_to_here, WARP - 1))
    }

    /// The pieces of this lane's row, which has this many `before` it. All lanes of the warp take part
    /// (I5).
    #[inline(always)]
    pub(super) fn from(row: Row, before: u32) -> Self {
        let own = row.pieces();
        Self { own, before, long: ballot(own > 1) }
    }

    /// Writes them to the items of a superstep, from index `first` on.
    ///
    /// # Safety
    /// `rows` and `work` are whole (I1), these are the pieces of the row of `place` (I2), and the
    /// list has room for them, which no other warp writes to (I2, I6). All lanes of the warp take
    /// part (I5).
    #[inline(always)]
    pub(super) unsafe fn store<P: Program>(
        self,
        a: &ResidentArguments<P>,
        superstep: u32,
        first: u32,
        place: u32,
        row: Row,
    ) {
        let items = list_of_turn(a.work.items, superstep);
        let first = first + self.before;
        if self.own == 1 {
            // SAFETY: the caller's promise.
            unsafe { store(items, first.into(), row.piece(place, 0)) };
        }
        // A hub has thousands of pieces, so all lanes write those of a long row: a warp that
        // appended them one by one would keep the grid waiting.
        let mut long = self.long;
        while long != 0 {
            let from = long.trailing_zeros();
            let (first, place) = (shuffle(first, from), shuffle(place, from));
            // Read once more: few rows are long, and registers are short.
            // SAFETY: the caller's promise: it is the place of a row.
            let row = unsafe { worklist::row(a, place) };
            let mut number = lane();
            while number < opaque(row.pieces()) {
                // SAFETY: the caller's promise; I6: each lane writes entries of its own.
                unsafe { store(items, u64::from(first + number), row.piece(place, number)) };
                number += WARP;
            }
            long &= long - 1;
        }
    }
}

/// Appends the pieces of a row, that of `place`, to the items of a superstep: for each lane
/// whose row has edges.
///
/// # Safety
/// `rows` and `work` are whole (I1), it is the row of this place (I2), and no lane appends it to
/// this superstep again, so that the list has room (I2). All lanes of the warp take part (I5).
#[inline(always)]
pub(super) unsafe fn append_row<P: Program>(
    a: &ResidentArguments<P>,
    superstep: u32,
    place: u32,
    row: Row,
) -> bool {
    let (pieces, all) = Pieces::of(row);
    if all == 0 {
        return false;
    }
    let length = control(a, Control::Items, superstep % 3);
    // SAFETY: the caller's promise: the list has room for every piece of every row once.
    unsafe {
        let [first] = reserve([length], [all]);
        pieces.store(a, superstep, first, place, row);
    }
    true
}

/// Appends the pieces of a row as [`append_row`] does, and to those that wait in a turn the
/// vertex of each lane whose vertex `waits`. A lane has one vertex at most.
///
/// # Safety
/// As [`append_row`]; a vertex waits once, so that the list has room (I2).
#[inline(always)]
pub(super) unsafe fn append_row_or_waiting<P: Program>(
    a: &ResidentArguments<P>,
    round: u32,
    turn: u32,
    listed: Option<(u32, Row)>,
    waits: Option<u32>,
) {
    let (own, row) = listed.unwrap_or_default();
    let (pieces, all) = Pieces::of(row);
    let waiting = ballot(waits.is_some());
    if all == 0 && waiting == 0 {
        return;
    }
    let items = control(a, Control::Items, round % 3);
    let vertices = control(a, Control::Vertices, turn % 2);
    // SAFETY: the caller's promise: the lists have room for every piece of every row, and for
    // every vertex, once.
    unsafe {
        let [first, first_waiting] = reserve([items, vertices], [all, waiting.count_ones()]);
        pieces.store(a, round, first, own, row);
        if let Some(place) = waits {
            let at = first_waiting + (waiting & lanes_before()).count_ones();
            store(list_of_turn(a.work.vertices, turn), at.into(), place);
        }
    }
}

//! What a warp is going to list, gathered in shared memory.
//!
//! All warps add to the length of a list, one word, and the device makes some 450 such additions
//! in a microsecond. When a search spreads, millions of vertices change in a round, so a warp makes
//! one addition for many of them.

use core::cell::Cell;

use pregel_core::device::shared::{Counter, NEAR, Region, WAITING, near};
use pregel_core::device::{Control, ResidentArguments, Row, WARP};
use pregel_core::program::Program;

use super::append::{Pieces, reserve};
use super::worklist::{control, list_of_turn, row};
use crate::collective::warp_scan_u32;
use crate::simt::{
    ballot, counter_load, counter_store, lane, lanes_before, opaque, shared_load, shared_store,
    shuffle, store, thread, warp_barrier, warp_sum,
};

/// The near vertices of this warp.
#[inline(always)]
fn nears() -> Region<u32> {
    near(thread() / WARP)
}

/// The counter that holds waiting vertex `i` of this warp.
#[inline(always)]
fn counter(i: u32) -> Counter {
    Counter::of_waiting(thread() / WARP, i)
}

/// How many lanes before this one have an entry, and how many in all. All lanes of the warp take part
/// (I5).
#[inline(always)]
fn count(has: bool) -> (u32, u32) {
    let some = ballot(has);
    ((some & lanes_before()).count_ones(), some.count_ones())
}

/// What a waiting vertex adds to the length of what was gathered.
const WAITS: u32 = 1 << 16;

/// The vertices that a warp lists: those whose rows become items of a round, and those that wait in a
/// turn.
pub(super) struct Listing {
    round: u32,
    turn: u32,
    /// How many were gathered, the same in every lane: near vertices, and [`WAITS`] for each that
    /// waits. Registers are short.
    len: Cell<u32>,
}

impl Listing {
    /// None yet.
    #[inline(always)]
    pub(super) fn new(round: u32, turn: u32) -> Self {
        Self { round, turn, len: Cell::new(0) }
    }

    /// Adds the vertices of the lanes that have any.
    ///
    /// # Safety
    /// It was [flushed](Self::flush) since the last vertices. The places are below
    /// `vertices.count`; none becomes an item of the round twice, and none waits twice in the turn
    /// (I2). Blocks have [`BLOCK`](pregel_core::device::BLOCK) threads (I4), and nothing else
    /// touches what the warp has gathered (I9). All lanes of the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn push(&self, near: Option<u32>, waits: Option<u32>) {
        let (near_before, near_count) = count(near.is_some());
        let (waiting_before, waiting) = count(waits.is_some());
        let len = self.len.get();
        // SAFETY: the caller's promise: there is room, I9; I6: no other lane has these entries.
        unsafe {
            if let Some(place) = near {
                shared_store(nears(), len % WAITS + near_before, place);
            }
            if let Some(place) = waits {
                counter_store(counter(len / WAITS + waiting_before), place);
            }
        }
        self.len.set(len + near_count + WAITS * waiting);
    }

    /// Lists what was gathered, if one of the lists might have no room for the next vertices or if
    /// these were the last.
    ///
    /// # Safety
    /// As [`push`](Self::push); `rows` and `work` are whole (I1).
    #[inline(always)]
    pub(super) unsafe fn flush<P: Program>(&self, a: &ResidentArguments<P>, were_last: bool) {
        let len = self.len.get();
        let (near, waiting) = (len % WAITS, len / WAITS);
        let has_room = near <= NEAR - WARP && waiting <= WAITING - WARP;
        if has_room && !were_last || len == 0 {
            return;
        }
        warp_barrier();
        let row_of = |i: u32| {
            // SAFETY: I9: stored before the barrier; I1, I2: it is the place of a row.
            if i < near { unsafe { row(a, shared_load(nears(), i)) } } else { Row::default() }
        };
        let [one, two] = [row_of(lane()), row_of(lane() + WARP)];
        let (own, edges) = (one.pieces() + two.pieces(), warp_sum(one.edges + two.edges));
        let up_to_here = warp_scan_u32(own);
        let lengths = [
            control(a, Control::Items, self.round % 3),
            control(a, Control::Vertices, self.turn % 2),
            control(a, Control::Edges, self.round % 3),
        ];
        let more = [shuffle(up_to_here, WARP - 1), waiting, edges];
        // SAFETY: the caller's promise: the lists have room for every piece of every row, and for
        // every vertex, once; I9: stored before the barrier; I6: the entries are this warp's.
        unsafe {
            let [first, first_waiting, _] = reserve(lengths, more);
            let (mut before, mut i) = (up_to_here - own, lane());
            // Rows are read again, since registers are short.
            while i - lane() < opaque(near) {
                let row = row_of(i);
                let place = shared_load(nears(), i);
                Pieces::from(row, before).store(a, self.round, first, place, row);
                before += row.pieces();
                i += WARP;
            }
            let list = list_of_turn(a.work.vertices, self.turn);
            let mut i = lane();
            while i < opaque(waiting) {
                store(list, (first_waiting + i).into(), counter_load(counter(i)));
                i += WARP;
            }
        }
        warp_barrier();
        self.len.set(0);
    }
}

const _: () = assert!(NEAR == 2 * WARP, "two for each lane");

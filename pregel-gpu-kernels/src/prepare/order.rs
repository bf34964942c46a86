//! Orders long columns by range, so that few chunks have messages from many ranges.

use pregel_core::device::prepare::BinEdges;
use pregel_core::device::{BIN_LAYERS, CHUNK_LAYERS, Chunk, ORDERED_CHUNKS, WARP, columns};

use super::bins::Column;
use crate::simt::{lane, load_const, store, warp};

/// A number of 16 bits for each of eight ranges.
#[derive(Clone, Copy, Default)]
struct Numbers {
    low: u64,
    high: u64,
}

impl Numbers {
    /// The number of a range below 8.
    #[inline(always)]
    fn of(self, range: u32) -> u32 {
        let word = if range < 4 { self.low } else { self.high };
        (word >> (16 * (range % 4))) as u32 & 0xffff
    }

    /// Adds to the number of a range below 8.
    #[inline(always)]
    fn add(&mut self, range: u32, more: u32) {
        let more = u64::from(more) << (16 * (range % 4));
        if range < 4 {
            self.low += more;
        } else {
            self.high += more;
        }
    }
}

/// Calls `visit` with the senders of a column, one after the other.
///
/// # Safety
/// The column is one of a whole block of arguments (I1).
#[inline(always)]
unsafe fn each(column: &Column, mut visit: impl FnMut(u32)) {
    let mut layer = column.layers.start;
    while layer < column.layers.end {
        // SAFETY: the caller's promise.
        let read = |k: u32| unsafe { column.sender(layer + k) };
        let (s0, s1, s2, s3) = (read(0), read(1), read(2), read(3));
        let mut one = |sender: Option<u32>| {
            if let Some(sender) = sender {
                visit(sender);
            }
        };
        one(s0);
        one(s1);
        one(s2);
        one(s3);
        layer += BIN_LAYERS;
    }
}

/// `bin_order`, one warp per chunk: the first of every [`ORDERED_CHUNKS`] chunks of a group
/// copies the senders of all of them, for each column first those from the first range, then
/// from the second, and so on for the ranges that may be handled separately, then all others.
/// Within a range they keep their order.
///
/// # Safety
/// `a` is whole (I1), `ordered` with a sender per slot; there are at most 8 ranges that may be
/// handled separately.
#[inline(always)]
pub unsafe fn bin_order(a: &BinEdges) {
    if warp() >= u64::from(a.chunk_count) {
        return;
    }
    // SAFETY: I2: checked: the chunk exists; I7.
    let Chunk { group, layer: first } = unsafe { load_const(a.chunks, warp()) };
    let together = ORDERED_CHUNKS * CHUNK_LAYERS;
    if !first.is_multiple_of(together) {
        return;
    }
    let place = group * WARP + lane();
    if place >= a.vertices {
        return;
    }
    // SAFETY: I2: the place is below `vertices`, and its group has a base; I7.
    let (degree, base): (u32, u64) =
        unsafe { (load_const(a.degrees, place.into()), load_const(a.bases, group.into())) };
    let layers = first..degree.min(first.saturating_add(together));
    let column = Column { place, base, layers, senders: a.senders };
    let mut counts = Numbers::default();
    // SAFETY: I1.
    unsafe {
        each(&column, |sender| {
            let range = sender / a.range;
            if range < a.apart_ranges {
                counts.add(range, 1);
            }
        });
    }
    let (mut next, mut others, mut range) = (Numbers::default(), 0, 0);
    while range < a.apart_ranges {
        next.add(range, others);
        others += counts.of(range);
        range += 1;
    }
    // SAFETY: I1; I2: as many senders as were counted are placed, so `at` is below the number
    // of layers; I6: only this lane has the column between these layers.
    unsafe {
        each(&column, |sender| {
            let range = sender / a.range;
            let at = if range < a.apart_ranges {
                let at = next.of(range);
                next.add(range, 1);
                at
            } else {
                others += 1;
                others - 1
            };
            let layer = u64::from(first + at);
            store(a.ordered, columns::slot(base, place, layer, WARP.trailing_zeros()), sender);
        });
    }
}

//! Binned messages: see [`Bins`].
//!
//! [`send`] stages the signals of a range and writes messages into bins; [`apart`] combines
//! what the hubs send; [`pull`] stages the messages of a bin and computes its vertices; [`exchange`]
//! does both at the same time; [`rest`] reads the signals of others where they are and computes all
//! vertices.

mod apart;
mod exchange;
mod part;
mod pull;
mod rest;
mod send;

use pregel_core::device::{BIN_LAYERS, BinArguments, Bins, Global, WARP};
use pregel_core::program::VertexCompute;

pub use apart::bin_apart;
pub use exchange::bin_exchange;
pub use pull::bin_pull;
pub use rest::pull_rest;
pub use send::bin_send;

use crate::simt::{
    ballot, barrier, lane, load, load_const, load_once, prefetch, stage_16_bytes,
    store_relaxed_u32, thread, threads, wait_for_staged,
};

/// Granules that a block prefetches while it stages signals: up to 160 KiB.
const PREFETCHED: u64 = 1 << 13;

/// Whether an edge kept silent, so that bins are of no use. Not for `bin_send`: its
/// threads could see the word change at different times.
///
/// # Safety
/// `bins` is whole (I1), and no thread of this launch writes `bins.silent` (I6).
#[inline(always)]
unsafe fn has_silent_edge<P: VertexCompute>(a: &BinArguments<P>) -> bool {
    // SAFETY: the caller's promise: one value.
    unsafe { load(a.bins.silent, 0) != 0 }
}

/// Copies `bytes`, rounded up to 16, to the block's memory, from offset `first` on, once all its
/// threads are done with what was there.
///
/// # Safety
/// The address and the offset are multiples of 16, and the bytes begin in an array (I3) that no thread
/// writes meanwhile (I7); the launch gave the block room for them (I4). All threads of the
/// block take part (I5).
#[inline(always)]
unsafe fn stage(first: u32, address: u64, bytes: u32, meanwhile: impl FnOnce()) {
    barrier();
    let mut offset = thread() * 16;
    while offset < bytes {
        // SAFETY: the caller's promise; I9: no thread reads staged memory between the two
        // barriers.
        unsafe { stage_16_bytes(first + offset, address + u64::from(offset)) };
        offset += threads() * 16;
    }
    meanwhile();
    wait_for_staged();
    barrier();
}

/// Prefetches what lies between two addresses, one line per thread of the block.
///
/// # Safety
/// All of it lies in one allocation (I2, I3).
#[inline(always)]
unsafe fn prefetch_between(from: u64, to: u64) {
    /// Bytes of one prefetch.
    const LINE: u64 = 128;
    let mut address = from + u64::from(thread()) * LINE;
    while address < to {
        // SAFETY: the caller's promise.
        unsafe { prefetch(address) };
        address += u64::from(threads()) * LINE;
    }
}

/// First granule of a range, in the order of `bin_send`.
///
/// # Safety
/// `b` is whole (I1), and `range` is at most `b.ranges` (I2).
#[inline(always)]
unsafe fn first_of_range<P: VertexCompute>(b: &Bins<P>, range: u32) -> u64 {
    // SAFETY: the caller's promise: there is one for each cell, and the end; I7.
    unsafe { load_const(b.by_range, u64::from(range) * u64::from(b.bins)) }
}

/// Says that an edge kept silent, if one did in any lane. All lanes of the warp take part
/// (I5).
///
/// # Safety
/// `b` is whole (I1).
#[inline(always)]
unsafe fn report_silent<P: VertexCompute>(b: &Bins<P>, all_sent: bool) {
    if ballot(!all_sent) != 0 && lane() == 0 {
        // SAFETY: I1: one value; I8: every writer writes 1.
        unsafe { store_relaxed_u32(b.silent.address(), 1) };
    }
}

/// Numbers of 16 bits, in rows of a warp: four rows of a lane to an element.
#[derive(Clone, Copy)]
struct Packed {
    numbers: Global<u64>,
    /// The first element, in elements of each lane.
    first: u32,
    /// How many rows this lane has.
    rows: u32,
}

/// Calls `one` with what `load` reads for each number of this lane. Numbers are read in groups; those
/// that fill up the last group are 0, and for them `one` is told that there is no such number.
///
/// # Safety
/// The lane has these rows (I2), and no thread writes them (I7).
#[inline(always)]
unsafe fn gather<T: Copy>(packed: Packed, load: impl Fn(u32) -> T, mut one: impl FnMut(bool, T)) {
    /// Rows in four reads.
    const BATCH: u32 = 4 * BIN_LAYERS;
    let mut at = u64::from(packed.first) * u64::from(WARP) + u64::from(lane());
    let mut left = packed.rows;
    while left > 0 {
        let read = |k: u32| {
            if left > k * BIN_LAYERS {
                // SAFETY: the caller's promise: rows are left there.
                unsafe { load_once(packed.numbers, at + u64::from(k * WARP)) }
            } else {
                0
            }
        };
        let (p0, p1, p2, p3): (u64, u64, u64, u64) = (read(0), read(1), read(2), read(3));
        // Eight are read, even if there are fewer, before the first is added, so that none
        // waits for another.
        let mut take = |p: u64, q: u64, before: u32| {
            let value = |numbers: u64, k: u32| load((numbers >> (16 * k)) as u32 & 0xffff);
            let of_p = (value(p, 0), value(p, 1), value(p, 2), value(p, 3));
            let of_q = (value(q, 0), value(q, 1), value(q, 2), value(q, 3));
            let exists = |k: u32| left > before + k;
            one(exists(0), of_p.0);
            one(exists(1), of_p.1);
            one(exists(2), of_p.2);
            one(exists(3), of_p.3);
            one(exists(4), of_q.0);
            one(exists(5), of_q.1);
            one(exists(6), of_q.2);
            one(exists(7), of_q.3);
        };
        take(p0, p1, 0);
        if left > 2 * BIN_LAYERS {
            take(p2, p3, 2 * BIN_LAYERS);
        }
        left = left.saturating_sub(BATCH);
        at += u64::from(4 * WARP);
    }
}

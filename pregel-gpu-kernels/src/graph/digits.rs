//! The stable sort: by counting, one digit of the keys' ranks at a time, the
//! lowest first.
//!
//! A pass is three steps. `digit_counts` counts, block by block, the keys with
//! each digit. The prefix sums of those counts, digit by digit, are the first
//! place of each digit in each block. `digit_places` counts once more, warp by
//! warp, and puts every key behind those with its digit that came before: in
//! earlier blocks, in earlier warps of its block, in earlier lanes. So nothing
//! depends on which block or warp runs first, and equal keys stay in order.

use pregel_core::device::prepare::{DIGITS, Digits, KEY_TILE};
use pregel_core::device::{BLOCK, WARP};

use crate::simt::{
    barrier, block, counter_add, counter_load, counter_store, lane, lanes_before, load_const,
    match_any, shuffle, store, thread,
};

/// Warps of a block.
const WARPS: u32 = BLOCK / WARP;

/// Neighbouring keys that one warp walks through.
const WARP_KEYS: u32 = KEY_TILE / WARPS;

/// Keys that a lane loads before it looks at the first.
const BATCH: usize = 4;

// A thread of the block for each value, to sum the counters of its warps; and
// no warp ends within a batch unless the keys do.
const _: () = assert!(DIGITS == BLOCK && WARP_KEYS.is_multiple_of(WARP * BATCH as u32));

/// One key, as a lane sees it.
#[derive(Clone, Copy)]
struct Key {
    vertex: u32,
    rank: u32,
    /// [`DIGITS`] if there is no such key.
    digit: u32,
}

/// Shows each lane of a warp its keys: 32 neighbours at a time, in order. All
/// lanes see equally many.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
unsafe fn walk(a: &Digits, mut visit: impl FnMut(Key)) {
    let (mut least, mut most) = (0, u32::MAX);
    if a.rank.needs_extremes() {
        // SAFETY: there are two values.
        unsafe { (least, most) = (load_const(a.extremes, 0), load_const(a.extremes, 1)) };
    }
    let warp = u64::from(block()) * u64::from(WARPS) + u64::from(thread() / WARP);
    let mut first = warp * u64::from(WARP_KEYS);
    let end = (first + u64::from(WARP_KEYS)).min(a.count.into());
    while first < end {
        let keys: [Key; BATCH] = core::array::from_fn(|k| {
            let index = first + u64::from(k as u32 * WARP + lane());
            if index >= end {
                return Key { vertex: 0, rank: 0, digit: DIGITS };
            }
            // SAFETY: the key exists, and so does its vertex if any does.
            let (key, vertex) = unsafe {
                let own = a.vertices.is_none();
                let vertex = if own { index as u32 } else { load_const(a.vertices, index) };
                (load_const(a.keys, index), vertex)
            };
            let rank = a.rank.of(key, least, most, a.regions);
            Key { vertex, rank, digit: rank >> a.shift & (DIGITS - 1) }
        });
        for key in keys {
            visit(key);
        }
        first += u64::from(WARP * BATCH as u32);
    }
}

/// Counts the digits of each warp's keys, in counters of its own.
///
/// # Safety
/// `a` is whole; all threads of the block take part.
#[inline(always)]
unsafe fn count(a: &Digits) {
    let own = thread() / WARP * DIGITS;
    // SAFETY: there are counters for each value and warp.
    unsafe {
        for warp in 0..WARPS {
            counter_store(warp * DIGITS + thread(), 0);
        }
        barrier();
        walk(a, |key| {
            let peers = match_any(key.digit);
            if key.digit < DIGITS && lane() == peers.trailing_zeros() {
                counter_add(own + key.digit, peers.count_ones());
            }
        });
    }
    barrier();
}

/// Where the count of the digit that is this thread's number stands, for this
/// block.
#[inline(always)]
fn own_count(a: &Digits) -> u64 {
    let blocks = u64::from(a.count.div_ceil(KEY_TILE));
    u64::from(thread()) * blocks + u64::from(block())
}

/// `digit_counts`.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn digit_counts(a: &Digits) {
    // SAFETY: as the caller promises; there are counters for each value and
    // warp, and a count for each value and block.
    unsafe {
        count(a);
        let mut sum = 0;
        for warp in 0..WARPS {
            sum += counter_load(warp * DIGITS + thread());
        }
        store(a.counts, own_count(a), sum);
    }
}

/// `digit_places`.
///
/// # Safety
/// `a` is whole, its starts are the prefix sums of its counts.
#[inline(always)]
pub unsafe fn digit_places(a: &Digits) {
    let own = thread() / WARP * DIGITS;
    // SAFETY: as the caller promises; there are counters for each value and
    // warp, and every key has a place of its own.
    unsafe {
        count(a);
        let start: u64 = load_const(a.starts, own_count(a));
        let mut next = start as u32;
        for warp in 0..WARPS {
            let counter = warp * DIGITS + thread();
            let here = counter_load(counter);
            counter_store(counter, next);
            next += here;
        }
        barrier();
        walk(a, |key| {
            let within = key.digit < DIGITS;
            let peers = match_any(key.digit);
            let leader = peers.trailing_zeros();
            let mut first = 0;
            if within && lane() == leader {
                first = counter_add(own + key.digit, peers.count_ones());
            }
            let place = shuffle(first, leader) + (peers & lanes_before()).count_ones();
            if within {
                store(a.new_vertices, place.into(), key.vertex);
                if !a.new_keys.is_none() {
                    store(a.new_keys, place.into(), key.rank);
                }
                if !a.place_of.is_none() {
                    store(a.place_of, key.vertex.into(), place);
                }
            }
        });
    }
}

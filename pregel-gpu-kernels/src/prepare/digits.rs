//! The stable sort: by counting, one digit of the keys at a time, the lowest
//! first.
//!
//! A pass is three steps. `digit_counts` counts, block by block, the keys with
//! each digit. The prefix sums of those counts, digit by digit, are the first
//! place of each digit in each block. `digit_places` counts once more, warp by
//! warp, and puts every key behind those with its digit that came before: in
//! earlier blocks, in earlier warps of its block, in earlier lanes. So nothing
//! depends on which block or warp runs first, and equal keys stay in order.
//!
//! `region_counts` and `region_places` do the same for logarithmic regions,
//! straight from the degrees: the regions fit one digit, so one pass is all.

use pregel_core::device::prepare::{DIGITS, Digits, KEY_TILE, LOGARITHMIC_REGIONS, Mapping};
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
const BATCH: u32 = 4;

// A thread of the block for each value, to sum the counters of its warps; and
// no warp's keys end within a batch unless all do.
const _: () = assert!(DIGITS == BLOCK && WARP_KEYS.is_multiple_of(WARP * BATCH));

/// One key, as a lane sees it.
#[derive(Clone, Copy)]
struct Key {
    key: u32,
    vertex: u32,
    /// [`DIGITS`] if there is no such key.
    digit: u32,
}

/// Shows each lane of a warp its keys: 32 neighbours at a time, in order. All
/// lanes see equally many. The digit is one of `rank` of the key.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
unsafe fn walk(a: &Digits, rank: impl Fn(u32) -> u32, visit: impl Fn(Key)) {
    let warp = u64::from(block()) * u64::from(WARPS) + u64::from(thread() / WARP);
    let mut first = warp * u64::from(WARP_KEYS);
    let end = (first + u64::from(WARP_KEYS)).min(a.count.into());
    while first < end {
        let index = |k: u32| first + u64::from(k * WARP + lane());
        // Behind the end the last key is loaded, rather than none: no branch.
        let at = [0, 1, 2, 3].map(|k| index(k).min(end - 1));
        // SAFETY: the keys exist.
        let keys = at.map(|i| unsafe { load_const(a.keys, i) });
        let vertices = match a.vertices.is_none() {
            true => at.map(|i| i as u32),
            // SAFETY: the keys have vertices.
            false => at.map(|i| unsafe { load_const(a.vertices, i) }),
        };
        let see = |k: u32| {
            let (key, vertex) = (keys[k as usize], vertices[k as usize]);
            let digit = rank(key) >> a.shift & (DIGITS - 1);
            visit(Key { key, vertex, digit: if index(k) < end { digit } else { DIGITS } });
        };
        // Not a loop: an index that is not constant would put the keys into
        // memory.
        see(0);
        see(1);
        see(2);
        see(3);
        first += u64::from(WARP * BATCH);
    }
}

/// Counts the digits of each warp's keys, in counters of its own.
///
/// # Safety
/// `a` is whole; all threads of the block take part.
#[inline(always)]
unsafe fn count(a: &Digits, rank: impl Fn(u32) -> u32) {
    let own = thread() / WARP * DIGITS;
    // SAFETY: there are counters for each value and warp.
    unsafe {
        for warp in 0..WARPS {
            counter_store(warp * DIGITS + thread(), 0);
        }
        barrier();
        walk(a, rank, |key| {
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

/// Counts the digits of the block's keys.
///
/// # Safety
/// `a` is whole; all threads of the block take part.
#[inline(always)]
unsafe fn counts(a: &Digits, rank: impl Fn(u32) -> u32) {
    // SAFETY: as the caller promises; there are counters for each value and
    // warp, and a count for each value and block.
    unsafe {
        count(a, rank);
        let mut sum = 0;
        for warp in 0..WARPS {
            sum += counter_load(warp * DIGITS + thread());
        }
        store(a.counts, own_count(a), sum);
    }
}

/// Puts the block's keys where they belong.
///
/// # Safety
/// `a` is whole, its starts are the prefix sums of its counts; all threads of
/// the block take part.
#[inline(always)]
unsafe fn places(a: &Digits, rank: impl Fn(u32) -> u32 + Copy) {
    let own = thread() / WARP * DIGITS;
    // SAFETY: as the caller promises; there are counters for each value and
    // warp, and every key has a place of its own.
    unsafe {
        count(a, rank);
        let start: u64 = load_const(a.starts, own_count(a));
        let mut next = start as u32;
        for warp in 0..WARPS {
            let counter = warp * DIGITS + thread();
            let here = counter_load(counter);
            counter_store(counter, next);
            next += here;
        }
        barrier();
        walk(a, rank, |key| {
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
                    store(a.new_keys, place.into(), key.key);
                }
                if !a.place_of.is_none() {
                    store(a.place_of, key.vertex.into(), place);
                }
            }
        });
    }
}

/// The logarithmic region of a degree: one digit.
#[inline(always)]
fn region(degree: u32) -> u32 {
    Mapping::Logarithmic.region(degree, 0, u32::MAX, LOGARITHMIC_REGIONS)
}

const _: () = assert!(LOGARITHMIC_REGIONS <= DIGITS);

/// `digit_counts`: keys by one of their own digits.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn digit_counts(a: &Digits) {
    // SAFETY: as the caller promises.
    unsafe { counts(a, |key| key ^ a.flip) }
}

/// `digit_places`: keys by one of their own digits.
///
/// # Safety
/// `a` is whole, its starts are the prefix sums of its counts.
#[inline(always)]
pub unsafe fn digit_places(a: &Digits) {
    // SAFETY: as the caller promises.
    unsafe { places(a, |key| key ^ a.flip) }
}

/// `region_counts`: degrees by their logarithmic regions.
///
/// # Safety
/// `a` is whole; the shift is 0.
#[inline(always)]
pub unsafe fn region_counts(a: &Digits) {
    // SAFETY: as the caller promises.
    unsafe { counts(a, region) }
}

/// `region_places`: degrees by their logarithmic regions.
///
/// # Safety
/// `a` is whole, its starts are the prefix sums of its counts; the shift is 0.
#[inline(always)]
pub unsafe fn region_places(a: &Digits) {
    // SAFETY: as the caller promises.
    unsafe { places(a, region) }
}

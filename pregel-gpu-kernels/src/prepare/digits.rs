//! The stable sort: by counting, one digit of the keys at a time, the lowest first.
//!
//! A pass has three steps. `digit_counts` counts the keys with each digit, block by block.
//! The prefix sums of those counts, digit by digit, are the first place of each digit in
//! each block. `digit_places` counts again, warp by warp, and puts every key behind those
//! with its digit that came before: in earlier blocks, in earlier warps of its block, in
//! earlier lanes. So nothing depends on which block or warp runs first, and equal keys stay
//! in order.
//!
//! `region_counts` and `region_places` do the same for logarithmic regions, straight from
//! the degrees: the regions fit one digit, so one pass is enough.

use pregel_core::device::prepare::{DIGITS, Digits, KEY_TILE, LOGARITHMIC_REGIONS, Mapping};
use pregel_core::device::shared::Counter;
use pregel_core::device::{BLOCK, WARP};

use crate::simt::{
    barrier, block, counter_add, counter_load, counter_store, lane, lanes_before, load_const,
    match_any, shuffle, store, thread,
};

/// Warps of a block.
const WARPS: u32 = BLOCK / WARP;

/// Neighbouring keys that one warp walks through.
const WARP_KEYS: u32 = KEY_TILE / WARPS;

/// Keys that a lane loads before it uses the first.
const BATCH: u32 = 4;

// The block has a thread for each digit, to sum the counters of its warps; and no warp's
// keys end within a batch, except at the end of all keys.
const _: () = assert!(DIGITS == BLOCK && WARP_KEYS.is_multiple_of(WARP * BATCH));

/// One key, as a lane sees it.
#[derive(Clone, Copy)]
struct Key {
    key: u32,
    vertex: u32,
    /// [`DIGITS`] if there is no such key.
    digit: u32,
}

/// Calls `visit` with each key of a lane: 32 neighbours of a warp at a time, in order, and
/// equally often in all lanes. The digit is one of `rank` of the key.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
unsafe fn walk(a: &Digits, rank: impl Fn(u32) -> u32, visit: impl Fn(Key)) {
    let warp = u64::from(block()) * u64::from(WARPS) + u64::from(thread() / WARP);
    let mut first = warp * u64::from(WARP_KEYS);
    let end = (first + u64::from(WARP_KEYS)).min(a.count.into());
    while first < end {
        let index = |k: u32| first + u64::from(k * WARP + lane());
        // After the end the last key is loaded again, to avoid a branch.
        let at = [0, 1, 2, 3].map(|k| index(k).min(end - 1));
        // SAFETY: I2: the keys exist; I7.
        let keys = at.map(|i| unsafe { load_const(a.keys, i) });
        let vertices = if a.vertices.is_none() {
            at.map(|i| i as u32)
        } else {
            // SAFETY: I2: the keys have vertices; I7.
            at.map(|i| unsafe { load_const(a.vertices, i) })
        };
        let visit_key = |k: u32| {
            let (key, vertex) = (keys[k as usize], vertices[k as usize]);
            let digit = rank(key) >> a.shift & (DIGITS - 1);
            visit(Key { key, vertex, digit: if index(k) < end { digit } else { DIGITS } });
        };
        // Not a loop: an index that is not constant would put the keys into local memory.
        visit_key(0);
        visit_key(1);
        visit_key(2);
        visit_key(3);
        first += u64::from(WARP * BATCH);
    }
}

/// Counts the digits of each warp's keys, in counters of its own.
///
/// # Safety
/// `a` is whole (I1); all threads of the block take part (I5), and the counters are not in
/// use (I9).
#[inline(always)]
unsafe fn count(a: &Digits, rank: impl Fn(u32) -> u32) {
    let own = Counter::of_digit(thread() / WARP, 0);
    for warp in 0..WARPS {
        // SAFETY: I9: there are counters for each digit and warp; I6: only this thread has
        // the digit until the barrier.
        unsafe { counter_store(Counter::of_digit(warp, thread()), 0) };
    }
    barrier();
    let visit = |key: Key| {
        let peers = match_any(key.digit);
        if key.digit < DIGITS && lane() == peers.trailing_zeros() {
            // SAFETY: I9: the digit is below `DIGITS`; I8.
            unsafe { counter_add(own.plus(key.digit), peers.count_ones()) };
        }
    };
    // SAFETY: I1.
    unsafe { walk(a, rank, visit) };
    barrier();
}

/// Where the count of the digit with this thread's number is, for this block.
#[inline(always)]
fn own_count(a: &Digits) -> u64 {
    let blocks = u64::from(a.count.div_ceil(KEY_TILE));
    u64::from(thread()) * blocks + u64::from(block())
}

/// Counts the digits of the block's keys.
///
/// # Safety
/// As [`count`].
#[inline(always)]
unsafe fn counts(a: &Digits, rank: impl Fn(u32) -> u32) {
    // SAFETY: the caller's promise.
    unsafe { count(a, rank) };
    let mut sum = 0;
    for warp in 0..WARPS {
        // SAFETY: I9: there are counters for each digit and warp, written before a barrier.
        sum += unsafe { counter_load(Counter::of_digit(warp, thread())) };
    }
    // SAFETY: I2: there is a count for each digit and block; I6: only this thread has it.
    unsafe { store(a.counts, own_count(a), sum) };
}

/// Puts the block's keys where they belong.
///
/// # Safety
/// As [`count`]; the starts are the prefix sums of the counts.
#[inline(always)]
unsafe fn places(a: &Digits, rank: impl Fn(u32) -> u32 + Copy) {
    let own = Counter::of_digit(thread() / WARP, 0);
    // SAFETY: the caller's promise.
    unsafe { count(a, rank) };
    // SAFETY: I2: there is a start for each digit and block; I7.
    let start: u64 = unsafe { load_const(a.starts, own_count(a)) };
    let mut next = start as u32;
    for warp in 0..WARPS {
        let counter = Counter::of_digit(warp, thread());
        // SAFETY: I9: there are counters for each digit and warp; I6: only this thread has
        // the digit between the two barriers.
        unsafe {
            let here = counter_load(counter);
            counter_store(counter, next);
            next += here;
        }
    }
    barrier();
    let visit = |key: Key| {
        let within = key.digit < DIGITS;
        let peers = match_any(key.digit);
        let leader = peers.trailing_zeros();
        let mut first = 0;
        if within && lane() == leader {
            // SAFETY: I9: the digit is below `DIGITS`; I8.
            first = unsafe { counter_add(own.plus(key.digit), peers.count_ones()) };
        }
        let place = shuffle(first, leader) + (peers & lanes_before()).count_ones();
        if within {
            // SAFETY: I2: the place is below the number of keys, and the vertex exists; I6:
            // no other key has them.
            unsafe {
                store(a.new_vertices, place.into(), key.vertex);
                if !a.new_keys.is_none() {
                    store(a.new_keys, place.into(), key.key);
                }
                if !a.place_of.is_none() {
                    store(a.place_of, key.vertex.into(), place);
                }
            }
        }
    };
    // SAFETY: I1.
    unsafe { walk(a, rank, visit) };
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
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn digit_counts(a: &Digits) {
    // SAFETY: the caller's promise; I5: every thread of the block arrives here.
    unsafe { counts(a, |key| key ^ a.flip) }
}

/// `digit_places`: keys by one of their own digits.
///
/// # Safety
/// `a` is whole (I1); its starts are the prefix sums of its counts.
#[inline(always)]
pub unsafe fn digit_places(a: &Digits) {
    // SAFETY: the caller's promise; I5: every thread of the block arrives here.
    unsafe { places(a, |key| key ^ a.flip) }
}

/// `region_counts`: degrees by their logarithmic regions.
///
/// # Safety
/// `a` is whole (I1); the shift is 0.
#[inline(always)]
pub unsafe fn region_counts(a: &Digits) {
    // SAFETY: the caller's promise; I5: every thread of the block arrives here.
    unsafe { counts(a, region) }
}

/// `region_places`: degrees by their logarithmic regions.
///
/// # Safety
/// `a` is whole (I1); its starts are the prefix sums of its counts; the shift is 0.
#[inline(always)]
pub unsafe fn region_places(a: &Digits) {
    // SAFETY: the caller's promise; I5: every thread of the block arrives here.
    unsafe { places(a, region) }
}

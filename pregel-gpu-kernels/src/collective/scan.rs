//! Scans: every lane gets the combined values of the lanes before it.

use bytemuck::Pod;
use pregel_core::device::shared::warp_values;
use pregel_core::device::{BLOCK, WARP};

use crate::simt::{
    ballot, barrier, lane, lanes_before, opaque, shared_load, shared_store, shuffle, shuffle_value,
    thread,
};

/// The sum of the values of this lane and of those before it.
///
/// * Participants: all 32 lanes (I5).
/// * Result: valid in every lane; lane 31 has the sum of all.
/// * Shared memory: none.
///
/// With value 1 everywhere, lane `i` gets `i + 1`.
#[inline(always)]
pub fn warp_scan_u64(value: u64) -> u64 {
    warp_scan(value, u64::wrapping_add)
}

/// As [`warp_scan_u64`], in half as many instructions.
#[inline(always)]
pub fn warp_scan_u32(value: u32) -> u32 {
    warp_scan(value, u32::wrapping_add)
}

#[inline(always)]
fn warp_scan<T: Pod>(mut value: T, add: impl Fn(T, T) -> T) -> T {
    let mut distance = opaque(1);
    while distance < WARP {
        let other = shuffle_value(value, lane().wrapping_sub(distance) % WARP);
        if lane() >= distance {
            value = add(value, other);
        }
        distance *= 2;
    }
    value
}

/// The sum of the values of the threads before this one, and of all.
///
/// * Participants: all threads of a block of [`BLOCK`] (I4, I5).
/// * Result: valid in every thread.
/// * Shared memory: [`warp_values`]; free again when it returns.
///
/// With value 2 everywhere, thread `i` of 256 gets `(2 i, 512)`.
#[inline(always)]
pub fn block_scan_u64(value: u64) -> (u64, u64) {
    let inclusive = warp_scan_u64(value);
    if lane() == WARP - 1 {
        // SAFETY: I9: a block has at most 32 warps; I6: each has a value of its own.
        unsafe { shared_store(warp_values(), thread() / WARP, inclusive) };
    }
    barrier();
    let (mut before, mut total) = (0u64, 0u64);
    for warp in 0..opaque(BLOCK / WARP) {
        // SAFETY: I9: the warp of this number stored its sum before the barrier.
        let sum: u64 = unsafe { shared_load(warp_values(), warp) };
        if warp < thread() / WARP {
            before = before.wrapping_add(sum);
        }
        total = total.wrapping_add(sum);
    }
    barrier();
    (before + (inclusive - value), total)
}

/// One lane's part in [`warp_segments`].
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "lives in registers")]
pub struct Segment<T> {
    /// The combined values of the segment's lanes up to this one; `None` if none of them
    /// has a value.
    pub value: Option<T>,
    /// Whether the segment began in this warp.
    pub begun: bool,
    /// Whether this is the last lane before one that begins another segment.
    pub closed: bool,
}

/// Combines neighbouring lanes that belong together. A segment begins at every lane with
/// `head`; the lanes before the first head continue an earlier segment.
///
/// * Participants: all 32 lanes (I5).
/// * Result: valid in every lane.
/// * Shared memory: none.
///
/// With additions, value 1 everywhere, and heads at lanes 4 and 6, lane 3 gets
/// 4 (not begun, closed), lane 5 gets 2 (closed), and lane 31 gets 26.
#[inline(always)]
pub fn warp_segments<T: Pod>(
    value: Option<T>,
    head: bool,
    combine: impl Fn(T, T) -> T,
) -> Segment<T> {
    let heads = ballot(head);
    let up_to_here = heads & (lanes_before() | 1 << lane());
    let begun = up_to_here != 0;
    // The first lane of this segment in this warp.
    let first = if begun { 31 - up_to_here.leading_zeros() } else { 0 };
    let closed = lane() < 31 && heads >> (lane() + 1) & 1 != 0;
    let mut sum = value.unwrap_or(T::zeroed());
    let mut present = value.is_some();
    let mut distance = opaque(1);
    while distance < WARP {
        let from = lane().wrapping_sub(distance) % WARP;
        let other = shuffle_value(sum, from);
        let other_present = shuffle(u32::from(present), from) != 0;
        if lane() >= first + distance && other_present {
            sum = if present { combine(other, sum) } else { other };
            present = true;
        }
        distance *= 2;
    }
    Segment { value: present.then_some(sum), begun, closed }
}

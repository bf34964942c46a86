//! Reductions: many values become one, in an order that never changes.

use bytemuck::Pod;
use pregel_core::device::WARP;
use pregel_core::device::shared::warp_values;

use crate::simt::{
    barrier, lane, opaque, shared_load, shared_store, shuffle_value, thread, threads,
};

/// Combines the values of a warp's 32 lanes, as a tree: lane 0 with 16, 1 with 17, …, then
/// halves of that.
///
/// * Participants: all 32 lanes (I5).
/// * Result: valid in lane 0.
/// * Shared memory: none. Five shuffles per 4 bytes.
///
/// With `combine` an addition and value `i` in lane `i`, lane 0 gets 496.
#[inline(always)]
pub fn warp_reduce<T: Pod>(mut value: T, combine: impl Fn(T, T) -> T) -> T {
    let mut distance = opaque(WARP / 2);
    while distance > 0 {
        let other = shuffle_value(value, (lane() + distance) % WARP);
        value = combine(value, other);
        distance /= 2;
    }
    value
}

/// The sum of a warp's values, modulo 2⁶⁴; valid in lane 0.
///
/// * Participants: all 32 lanes (I5).
#[inline(always)]
pub fn warp_sum_u64(value: u64) -> u64 {
    warp_reduce(value, u64::wrapping_add)
}

/// Combines the values of a block's threads: first in each warp, then the results of the
/// warps.
///
/// * Participants: all threads of the block (I5).
/// * Result: valid in thread 0.
/// * Shared memory: [`warp_values`]; free again after the next barrier.
///
/// With 256 threads, an addition, and value 1 everywhere, thread 0 gets 256.
#[inline(always)]
pub fn block_reduce<T: Pod>(value: T, identity: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let value = warp_reduce(value, combine);
    if lane() == 0 {
        // SAFETY: I4, I9: a block has at most 32 warps; I6: each has a value of its own.
        unsafe { shared_store(warp_values(), thread() / WARP, value) };
    }
    barrier();
    let warps = threads() / WARP;
    let mut result = identity;
    if thread() < WARP {
        if lane() < warps {
            // SAFETY: I9: the warp of this number stored its result before the barrier.
            result = unsafe { shared_load(warp_values(), lane()) };
        }
        result = warp_reduce(result, combine);
    }
    result
}

//! The approximate sort by degree, in its three steps.

use pregel_core::device::BLOCK;
use pregel_core::device::prepare::{AssignRegion, Extremes, KEY_TILE, Order};

use crate::collective::block_reduce;
use crate::simt::{
    add_u32, block, index, lane, lanes_before, load_const, match_any, max_u32, min_u32, shuffle,
    store, thread,
};

/// `extremes`, one block per [`KEY_TILE`] keys, so that few blocks add to the two results.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn extremes(a: &Extremes) {
    let first = u64::from(block()) * u64::from(KEY_TILE);
    let end = (first + u64::from(KEY_TILE)).min(a.count.into());
    let mut own = [u32::MAX, 0];
    let mut i = first + u64::from(thread());
    while i < end {
        // SAFETY: I2: `i` is below the number of keys; I7.
        let key: u32 = unsafe { load_const(a.keys, i) };
        own = [own[0].min(key), own[1].max(key)];
        i += u64::from(BLOCK);
    }
    let both = |a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    let [least, most] = block_reduce(own, [u32::MAX, 0], both);
    if thread() == 0 {
        // SAFETY: I1: there are two values; I8.
        unsafe {
            min_u32(a.extremes.element(0), least);
            max_u32(a.extremes.element(1), most);
        }
    }
}

/// The region of key `i`.
///
/// # Safety
/// `a` is whole (I1), and `i` is below `a.count` (I2).
#[inline(always)]
unsafe fn region(a: &AssignRegion, i: u64) -> u32 {
    // SAFETY: the caller's promise; there are two extremes, or none; I7.
    unsafe {
        let (least, most) = if a.extremes.is_none() {
            (0, u32::MAX)
        } else {
            (load_const(a.extremes, 0), load_const(a.extremes, 1))
        };
        a.mapping.region(load_const(a.keys, i), least, most, a.regions)
    }
}

/// `find_region`, one thread per key.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn find_region(a: &AssignRegion) {
    if index() < a.count.into() {
        // SAFETY: I2: the index is below the number of keys; I6: only this thread has it.
        unsafe { store(a.region_index, index(), region(a, index())) };
    }
}

/// `assign_region`, one thread per key: its region, and its rank in the region in the order
/// in which keys come (*PregelGPU*, algorithm 4.1.1). The lanes of a warp whose keys fall
/// into one region take their ranks by one atomic addition, unless `singly` says otherwise.
///
/// # Safety
/// `a` is whole (I1); the counts are 0.
#[inline(always)]
pub unsafe fn assign_region(a: &AssignRegion) {
    const NOWHERE: u32 = u32::MAX;
    let within = index() < a.count.into();
    // SAFETY: I2: the index is below the number of keys.
    let region = if within { unsafe { region(a, index()) } } else { NOWHERE };
    // I5: all lanes of the warp go the same way.
    let peers = if a.singly == 0 { match_any(region) } else { 1 << lane() };
    let leader = peers.trailing_zeros();
    let mut first = 0;
    if within && lane() == leader {
        // SAFETY: I2: the region is below the number of regions; I8.
        first = unsafe { add_u32(a.region_count.element(region.into()), peers.count_ones()) };
    }
    let rank = shuffle(first, leader) + (peers & lanes_before()).count_ones();
    if within {
        // SAFETY: I2: the index is below the number of keys; I6: only this thread has it.
        unsafe {
            store(a.region_index, index(), region);
            store(a.offset, index(), rank);
        }
    }
}

/// `order`, one thread per vertex: its place (*PregelGPU*, algorithm 4.1.2).
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn order(a: &Order) {
    let vertex = index();
    if vertex >= a.count.into() {
        return;
    }
    // SAFETY: I2: the vertex and its region exist, and places are below the number of
    // vertices; I6: no other vertex has the place; I7.
    unsafe {
        let start = load_const(a.region_start, load_const(a.region_index, vertex).into());
        let place = start as u32 + load_const(a.offset, vertex);
        store(a.place_of, vertex, place);
        store(a.vertex_at, place.into(), vertex as u32);
    }
}

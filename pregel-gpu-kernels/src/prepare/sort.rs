//! The approximate sort by degree, in its three steps.

use pregel_core::device::BLOCK;
use pregel_core::device::prepare::{AssignRegion, Extremes, KEY_TILE, Order};

use crate::collective::block_reduce;
use crate::simt::{
    add_u32, block, index, lane, lanes_before, load_const, match_any, max_u32, min_u32, shuffle,
    store, thread,
};

/// `extremes`, a block for each [`KEY_TILE`] keys, so that few of them meet at
/// the two results.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn extremes(a: &Extremes) {
    let first = u64::from(block()) * u64::from(KEY_TILE);
    let end = (first + u64::from(KEY_TILE)).min(a.count.into());
    let mut own = [u32::MAX, 0];
    let mut i = first + u64::from(thread());
    while i < end {
        // SAFETY: the key exists.
        let key: u32 = unsafe { load_const(a.keys, i) };
        own = [own[0].min(key), own[1].max(key)];
        i += u64::from(BLOCK);
    }
    let both = |a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    let [least, most] = block_reduce(own, [u32::MAX, 0], both);
    if thread() == 0 {
        // SAFETY: there are two values.
        unsafe {
            min_u32(a.extremes.element(0), least);
            max_u32(a.extremes.element(1), most);
        }
    }
}

/// The region of a key.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
unsafe fn region(a: &AssignRegion, i: u64) -> u32 {
    // SAFETY: the key exists, and there are two extremes.
    unsafe {
        let (least, most) = match a.extremes.is_none() {
            true => (0, u32::MAX),
            false => (load_const(a.extremes, 0), load_const(a.extremes, 1)),
        };
        a.mapping.region(load_const(a.keys, i), least, most, a.regions)
    }
}

/// `find_region`, a thread a key.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn find_region(a: &AssignRegion) {
    if index() < a.count.into() {
        // SAFETY: the key exists.
        unsafe { store(a.region_index, index(), region(a, index())) };
    }
}

/// `assign_region`, a thread a key: its region, and its rank in the region in
/// the order in which they come (*PregelGPU*, algorithm 4.1.1). The lanes of a
/// warp that fall into one region take their ranks by one atomic addition.
///
/// # Safety
/// `a` is whole; the counts are 0.
#[inline(always)]
pub unsafe fn assign_region(a: &AssignRegion) {
    const NOWHERE: u32 = u32::MAX;
    let within = index() < a.count.into();
    // SAFETY: the key exists; a region is below the number of regions.
    unsafe {
        let region = if within { region(a, index()) } else { NOWHERE };
        let peers = match_any(region);
        let leader = peers.trailing_zeros();
        let mut first = 0;
        if within && lane() == leader {
            first = add_u32(a.region_count.element(region.into()), peers.count_ones());
        }
        let rank = shuffle(first, leader) + (peers & lanes_before()).count_ones();
        if within {
            store(a.region_index, index(), region);
            store(a.offset, index(), rank);
        }
    }
}

/// `order`, a thread a vertex: its place (*PregelGPU*, algorithm 4.1.2).
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn order(a: &Order) {
    let vertex = index();
    if vertex >= a.count.into() {
        return;
    }
    // SAFETY: the vertex exists, and places are below the number of vertices.
    unsafe {
        let start = load_const(a.region_start, load_const(a.region_index, vertex).into());
        let place = start as u32 + load_const(a.offset, vertex);
        store(a.place_of, vertex, place);
        store(a.vertex_at, place.into(), vertex as u32);
    }
}

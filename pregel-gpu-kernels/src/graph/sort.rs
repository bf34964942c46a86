//! The approximate sort by degree, in its three steps.

use pregel_core::device::prepare::{AssignRegion, Extremes, Mapping, Order};

use crate::collective::warp_reduce;
use crate::simt::{
    add_u32, index, lane, lanes_before, load_const, match_any, max_u32, min_u32, shuffle, store,
};

/// `extremes`, a thread a key.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn extremes(a: &Extremes) {
    let within = index() < a.count.into();
    // SAFETY: the key exists.
    let key: Option<u32> = within.then(|| unsafe { load_const(a.keys, index()) });
    let least = warp_reduce(key.unwrap_or(u32::MAX), u32::min);
    let most = warp_reduce(key.unwrap_or(0), u32::max);
    if lane() == 0 && least <= most {
        // SAFETY: there are two values.
        unsafe {
            min_u32(a.extremes.element(0), least);
            max_u32(a.extremes.element(1), most);
        }
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
        let mut region = NOWHERE;
        if within {
            let key = load_const(a.keys, index());
            let mapping = if a.logarithmic != 0 { Mapping::Logarithmic } else { Mapping::Linear };
            let (least, most) = (load_const(a.extremes, 0), load_const(a.extremes, 1));
            region = mapping.region(key, least, most, a.regions);
        }
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

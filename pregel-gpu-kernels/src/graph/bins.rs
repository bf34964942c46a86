//! Messages find their bins.

use pregel_core::device::prepare::BinEdges;
use pregel_core::device::{BIN_ROWS, BLOCK, CHUNK_ROWS, Chunk, GRANULE, WARP, columns};

use crate::simt::{
    ballot, barrier, block, counter_add, counter_load, counter_store, lane, lanes_before,
    load_const, load_once, shuffle, store, store_u16, thread,
};

/// Warps of a block.
const WARPS: u32 = BLOCK / WARP;

/// Sets the block's counters to 0.
#[inline(always)]
unsafe fn begin(a: &BinEdges) {
    let mut range = thread();
    while range < a.ranges {
        // SAFETY: there are counters for each range.
        unsafe { counter_store(range, 0) };
        range += BLOCK;
    }
    barrier();
}

/// Counts the message of each lane that has one, from this range; how many of the
/// same range were counted before. All lanes of the warp take part.
#[inline(always)]
unsafe fn rank(range: Option<u32>) -> u32 {
    // Most come from the first range, the hubs, and would wait for each other.
    let near = ballot(range == Some(0));
    let mut before = 0;
    // SAFETY: there are counters for each range.
    unsafe {
        if near != 0 {
            if lane() == 0 {
                before = counter_add(0, near.count_ones());
            }
            before = shuffle(before, 0) + (near & lanes_before()).count_ones();
        }
        if let Some(range) = range
            && range != 0
        {
            before = counter_add(range, 1);
        }
    }
    before
}

/// Shows each lane the senders of its bin, [`BIN_ROWS`] rows of an item at a time, and
/// how many fours of rows lie before. All lanes of the warp take part.
#[inline(always)]
unsafe fn walk(a: &BinEdges, visit: impl Fn(u64, [Option<u32>; BIN_ROWS as usize])) {
    // SAFETY: the items of the bin exist, and so do the vertices of their groups.
    unsafe {
        let end: u32 = load_const(a.firsts, u64::from(block()) + 1);
        let mut item = load_const(a.firsts, block().into()) + thread() / WARP;
        while item < end {
            let (group, first, last) = match item < a.chunk_count {
                true => {
                    let Chunk { group, row } = load_const(a.chunks, item.into());
                    (group, row, row + CHUNK_ROWS)
                }
                false => (item - a.chunk_count + a.heavy, 0, u32::MAX),
            };
            let place = group * WARP + lane();
            let mut degree = 0;
            if place < a.vertices {
                degree = load_const(a.degrees, place.into());
            }
            let rows = degree.min(last);
            let base = load_const(a.bases, group.into());
            let mut at = u64::from(load_const::<u32>(a.rows, item.into()));
            let mut row = first;
            while ballot(row < rows) != 0 {
                let sender = |k: u32| {
                    let slot = columns::slot(base, place, (row + k).into(), WARP.trailing_zeros());
                    (row + k < rows).then(|| load_once(a.senders, slot))
                };
                visit(at, [sender(0), sender(1), sender(2), sender(3)]);
                at += 1;
                row += BIN_ROWS;
            }
            item += WARPS;
        }
    }
}

/// `bin_count`, a block a bin: how many granules each range fills.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn bin_count(a: &BinEdges) {
    // SAFETY: there are counters for each range, and counts for each tile.
    unsafe {
        begin(a);
        walk(a, |_, senders| {
            // Written out, since a loop over them would put them into memory.
            let [s0, s1, s2, s3] = senders.map(|sender| sender.map(|sender| sender / a.range));
            rank(s0);
            rank(s1);
            rank(s2);
            rank(s3);
        });
        barrier();
        let mut range = thread();
        while range < a.ranges {
            let granules = counter_load(range).div_ceil(GRANULE);
            let (range_at, bin_at) = (u64::from(range), u64::from(block()));
            store(a.bin_counts, bin_at * u64::from(a.ranges) + range_at, granules);
            store(a.range_counts, range_at * u64::from(a.bins) + bin_at, granules);
            range += BLOCK;
        }
    }
}

/// `bin_place`, a block a bin, after `bin_count` and the prefix sums: a place for each
/// message, and where its receiver finds it.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn bin_place(a: &BinEdges) {
    let bin = u64::from(block());
    let ranges = u64::from(a.ranges);
    // SAFETY: each tile has room for its granules, and every message a place of its
    // own.
    unsafe {
        begin(a);
        let of_bin = load_const(a.by_bin, bin * ranges);
        let tile = |range: u32| bin * ranges + u64::from(range);
        let listed = |range: u32| u64::from(range) * u64::from(a.bins) + bin;
        let place = |sender: Option<u32>| {
            let range = sender.map(|sender| sender / a.range);
            let rank = u64::from(rank(range));
            let (Some(sender), Some(range)) = (sender, range) else { return 0 };
            let list = load_const(a.by_range, listed(range)) * u64::from(GRANULE) + rank;
            store_u16(a.local, list, (sender - range * a.range) as u16);
            (load_const(a.by_bin, tile(range)) - of_bin) * u64::from(GRANULE) + rank
        };
        walk(a, |at, [s0, s1, s2, s3]| {
            let positions = place(s0) | place(s1) << 16 | place(s2) << 32 | place(s3) << 48;
            store(a.positions, at * u64::from(WARP) + u64::from(lane()), positions);
        });
        let mut range = thread();
        while range < a.ranges {
            let granule = load_const(a.by_range, listed(range));
            let first = load_const(a.by_bin, tile(range));
            let end = load_const(a.by_bin, tile(range) + 1);
            for k in 0..end - first {
                store(a.targets, granule + k, (first + k) as u32);
            }
            range += BLOCK;
        }
    }
}

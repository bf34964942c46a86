//! Exclusive prefix sums of a whole array, in three kernels: sum every tile,
//! scan the sums, scan every tile from there.

use pregel_core::device::BLOCK;
use pregel_core::device::prepare::{SCAN_TILE, Scan};

use crate::collective::block_scan_u64;
use crate::simt::{block, load, load_const, store, thread};

/// Values that one thread scans.
const EACH: u64 = SCAN_TILE / BLOCK as u64;

/// The values of this thread, in the tile of this block; 0 behind the end.
#[inline(always)]
unsafe fn own(a: &Scan) -> (u64, [u64; EACH as usize]) {
    let first = u64::from(block()) * SCAN_TILE + u64::from(thread()) * EACH;
    let values = core::array::from_fn(|k| {
        let i = first + k as u64;
        // SAFETY: `i` is below the number of values.
        if i < a.count { u64::from(unsafe { load_const(a.values, i) }) * a.factor } else { 0 }
    });
    (first, values)
}

/// `scan_sums`, a block a tile.
///
/// # Safety
/// `a.tiles` has room for each block.
#[inline(always)]
pub unsafe fn scan_sums(a: &Scan) {
    // SAFETY: as the caller promises.
    unsafe {
        let (_, values) = own(a);
        let (_, total) = block_scan_u64(values.into_iter().sum());
        if thread() == 0 {
            store(a.tiles, block().into(), total);
        }
    }
}

/// `scan_tops`, one block: turns the sums of the tiles into what comes before
/// each.
///
/// # Safety
/// `a.tiles` holds the sum of each tile.
#[inline(always)]
pub unsafe fn scan_tops(a: &Scan) {
    let tiles = a.count.div_ceil(SCAN_TILE);
    let mut before = 0;
    let mut first = 0;
    while first < tiles {
        let i = first + u64::from(thread());
        // SAFETY: `i` is below the number of tiles.
        let value = if i < tiles { unsafe { load(a.tiles, i) } } else { 0 };
        let (here, total) = block_scan_u64(value);
        if i < tiles {
            // SAFETY: only this thread has this tile.
            unsafe { store(a.tiles, i, before + here) };
        }
        before += total;
        first += u64::from(BLOCK);
    }
}

/// `scan_places`, a block a tile: the sums before each value, and of all.
///
/// # Safety
/// `scan_tops` has run; `a.sums` has room for one more than the values.
#[inline(always)]
pub unsafe fn scan_places(a: &Scan) {
    // SAFETY: as the caller promises.
    unsafe {
        let (first, values) = own(a);
        let (before, _) = block_scan_u64(values.into_iter().sum());
        let mut sum = load_const(a.tiles, block().into()) + before;
        for (k, value) in values.into_iter().enumerate() {
            let i = first + k as u64;
            if i < a.count {
                store(a.sums, i, sum);
            }
            sum += value;
            if i + 1 == a.count {
                store(a.sums, a.count, sum);
            }
        }
    }
}

//! Exclusive prefix sums of a whole array, in three kernels: sum each tile, scan the sums,
//! scan each tile from there.

use pregel_core::device::BLOCK;
use pregel_core::device::prepare::{SCAN_TILE, Scan};

use crate::collective::block_scan_u64;
use crate::simt::{block, load, load_const, store, thread};

/// Values that one thread scans.
const EACH: u64 = SCAN_TILE / BLOCK as u64;

/// The first of this thread's values in the tile of this block, and the values; 0 after the
/// end.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
unsafe fn own_values(a: &Scan) -> (u64, [u64; EACH as usize]) {
    let first = u64::from(block()) * SCAN_TILE + u64::from(thread()) * EACH;
    let values = core::array::from_fn(|k| {
        let i = first + k as u64;
        // SAFETY: I2: `i` is below the number of values; I7.
        if i < a.count { u64::from(unsafe { load_const(a.values, i) }) * a.factor } else { 0 }
    });
    (first, values)
}

/// `scan_sums`, one block per tile: the sum of each tile.
///
/// # Safety
/// `a` is whole (I1), with a tile for each block.
#[inline(always)]
pub unsafe fn scan_sums(a: &Scan) {
    // SAFETY: I1.
    let (_, values) = unsafe { own_values(a) };
    let (_, total) = block_scan_u64(values.into_iter().sum());
    if thread() == 0 {
        // SAFETY: I2: there is a tile for each block; I6: this thread alone writes its sum.
        unsafe { store(a.tiles, block().into(), total) };
    }
}

/// `scan_tops`, one block: turns the sums of the tiles into the sums of the tiles before
/// each.
///
/// # Safety
/// `a` is whole (I1); `scan_sums` has run; this is the only block.
#[inline(always)]
pub unsafe fn scan_tops(a: &Scan) {
    let tiles = a.count.div_ceil(SCAN_TILE);
    let mut before = 0;
    let mut first = 0;
    while first < tiles {
        let i = first + u64::from(thread());
        // SAFETY: I2: `i` is below the number of tiles; I6: this thread alone has tile `i`.
        let value = if i < tiles { unsafe { load(a.tiles, i) } } else { 0 };
        let (here, total) = block_scan_u64(value);
        if i < tiles {
            // SAFETY: I2, I6, as above.
            unsafe { store(a.tiles, i, before + here) };
        }
        before += total;
        first += u64::from(BLOCK);
    }
}

/// `scan_places`, one block per tile: the sum of the values before each, and of all.
///
/// # Safety
/// `a` is whole (I1), with a tile for each block; `scan_tops` has run.
#[inline(always)]
pub unsafe fn scan_places(a: &Scan) {
    // SAFETY: I1.
    let (first, values) = unsafe { own_values(a) };
    let (before, _) = block_scan_u64(values.into_iter().sum());
    // SAFETY: I2: there is a tile for each block; I7.
    let mut sum = unsafe { load_const(a.tiles, block().into()) } + before;
    for (k, value) in values.into_iter().enumerate() {
        let i = first + k as u64;
        if i < a.count {
            // SAFETY: I2: `i` is below the number of values; I6: only this thread has it.
            unsafe { store(a.sums, i, sum) };
        }
        sum += value;
        if i + 1 == a.count {
            // SAFETY: I1: there is one sum more than values; I6: only the last value's
            // thread writes it.
            unsafe { store(a.sums, a.count, sum) };
        }
    }
}

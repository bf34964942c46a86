//! Squares a matrix in the min-plus algebra, in tiles, as OCL_SP does (Xiao Han and others,
//! on shortest paths between all pairs with OpenCL).
//!
//! One thread per value. A block copies a tile of the row and a tile of the column to shared
//! memory, each thread one value of both; then each thread reads a row and a column of them.

use pregel_core::device::solve::Square;

use super::length::Length;
use super::paths::note;
use crate::simt::{
    barrier, block, load_const, load_staged, store, store_relaxed_u32, store_staged, thread,
};

/// `paths_square`, one block of `TILE`² threads per tile of the square.
///
/// # Safety
/// `a` is whole (I1). The launch gave the block room for two tiles (I4).
#[inline(always)]
unsafe fn square<T: Length, const TILE: u32>(a: &Square) {
    let (tile_row, tile_column) = (block() / a.tiles, block() % a.tiles);
    let (y, x) = (thread() / TILE, thread() % TILE);
    let (row, column) = (tile_row * TILE + y, tile_column * TILE + x);
    let at = |row: u32, column: u32| u64::from(row) * u64::from(a.side) + u64::from(column);
    // SAFETY: I2: `side` is a multiple of `TILE`, and there are `tiles` in a row; I7: `from` is
    // only read; I6: one thread per value of both tiles, and of the square; I9: barriers lie
    // between writing a tile and reading it; I8: all threads store the same.
    unsafe {
        let old: u32 = load_const(a.from, at(row, column));
        let mut shortest = T::from_bits(old);
        let mut tile = 0;
        while tile < a.tiles {
            store_staged(4 * thread(), load_const(a.from, at(row, tile * TILE + x)));
            let from = at(tile * TILE + y, column);
            store_staged(4 * (TILE * TILE + thread()), load_const(a.from, from));
            barrier();
            for k in 0..TILE {
                let left = T::from_bits(load_staged(y * TILE + k));
                let right = T::from_bits(load_staged(TILE * TILE + k * TILE + x));
                shortest = left.plus(right).shorter(shortest);
            }
            barrier();
            tile += 1;
        }
        store(a.to, at(row, column), shortest.to_bits());
        if shortest.to_bits() != old {
            store_relaxed_u32(a.found.address(), 1);
        }
        if row == column && shortest.is_negative() {
            note(pregel_core::device::Global::at(a.found.element(1)), row);
        }
    }
}

macro_rules! kernels {
    ($($name:ident: $t:ty, $tile:literal;)+) => {$(
        #[doc = concat!("`", stringify!($name), "`")]
        ///
        /// # Safety
        /// As the kernel for any type of length, above.
        #[inline(always)]
        pub unsafe fn $name(a: &Square) {
            // SAFETY: the caller's promise.
            unsafe { square::<$t, $tile>(a) }
        }
    )+};
}

kernels! {
    paths_square_4_f32: f32, 4;
    paths_square_8_f32: f32, 8;
    paths_square_16_f32: f32, 16;
    paths_square_32_f32: f32, 32;
    paths_square_4_i32: i32, 4;
    paths_square_8_i32: i32, 8;
    paths_square_16_i32: i32, 16;
    paths_square_32_i32: i32, 32;
}

//! A matrix whose tiles lie one after another.
//!
//! A tile is contiguous, so that it takes few pages and its rows do not compete for the same
//! lines of a cache, as rows whose distance is a power of two do. The matrix is rearranged
//! in place: the rows of a row of tiles take the same memory as the tiles.

use rayon::prelude::*;

use super::Matrix;
use super::tile::{AREA, TILE};
use crate::program::Value;

/// Arranges a matrix in tiles.
pub(super) fn arrange<T: Value>(matrix: &mut Matrix<T>) {
    rearrange(matrix, |rows, copy, side| {
        for (i, row) in copy.chunks(side).enumerate() {
            for (j, part) in row.chunks(TILE).enumerate() {
                rows[j * AREA + i * TILE..][..TILE].copy_from_slice(part);
            }
        }
    });
}

/// Arranges a matrix in rows again.
pub(super) fn arrange_back<T: Value>(matrix: &mut Matrix<T>) {
    rearrange(matrix, |rows, copy, side| {
        for (i, row) in rows.chunks_mut(side).enumerate() {
            for (j, part) in row.chunks_mut(TILE).enumerate() {
                part.copy_from_slice(&copy[j * AREA + i * TILE..][..TILE]);
            }
        }
    });
}

/// Calls `f` for every row of tiles: with its memory, a copy of that, and the length of a row.
fn rearrange<T: Value>(matrix: &mut Matrix<T>, f: impl Fn(&mut [T], &[T], usize) + Sync) {
    let side = matrix.side();
    // An empty matrix has no chunks.
    matrix.values_mut().par_chunks_mut((TILE * side).max(1)).for_each_init(
        Vec::new,
        |copy, rows| {
            copy.clear();
            copy.extend_from_slice(rows);
            f(rows, copy, side);
        },
    );
}

/// The tiles of a row of tiles.
pub(super) fn tiles<T>(row: &mut [T]) -> &mut [[T; AREA]] {
    row.as_chunks_mut().0
}

//! Repeated squaring in the min-plus algebra, on all cores.
//!
//! After `s` squarings, the matrix has the distances over at most 2ˢ edges. A path has at
//! most n − 1 and a cycle n, so ⌈log₂ n⌉ are enough; none is needed after one that has changed
//! nothing.

use rayon::prelude::*;

use super::floyd::{has_negative, negative};
use super::tile::{TILE, Vectors, product};
use super::tiled::{arrange, arrange_back, tiles};
use super::{Length, Matrix, PathOptions, PathsError};

/// The most squarings that a graph of this size needs.
pub(crate) fn most_squarings(n: u32) -> u32 {
    n.max(1).next_power_of_two().ilog2()
}

/// Distances from lengths, and the number of squarings.
pub(super) fn square_until_done<T: Length>(
    mut lengths: Matrix<T>,
    options: &PathOptions,
) -> Result<(Matrix<T>, u32), PathsError> {
    let n = lengths.vertex_count();
    let signed = has_negative(&lengths);
    let mut result = Matrix::filled(n, T::INFINITE)?;
    arrange(&mut lengths);
    let mut squarings = 0;
    while squarings < most_squarings(n) {
        let changed = square(&mut lengths, &mut result, options);
        options.check(squarings)?;
        squarings += 1;
        std::mem::swap(&mut lengths, &mut result);
        if signed && let Some(vertex) = negative(&mut lengths, n as usize) {
            return Err(PathsError::NegativeCycle { vertex });
        }
        if !changed {
            break;
        }
    }
    arrange_back(&mut lengths);
    Ok((lengths, squarings))
}

/// Writes the square of `from` to `to`, but not all of it if that is cancelled; returns whether
/// they differ.
fn square<T: Length>(from: &mut Matrix<T>, to: &mut Matrix<T>, options: &PathOptions) -> bool {
    let vectors = Vectors::find();
    let blocks = (from.vertex_count() as usize).div_ceil(TILE);
    let row_of_tiles = TILE * from.side();
    let rows: Vec<_> = from.values_mut().chunks_mut(row_of_tiles).take(blocks).map(tiles).collect();
    let out = to.values_mut().par_chunks_mut(row_of_tiles).take(blocks).map(tiles).enumerate();
    let changed = out.map(|(i, out)| {
        let tiles = out[..blocks].par_iter_mut().enumerate();
        let changed = tiles.map(|(j, tile)| {
            if options.cancelled() {
                return false;
            }
            *tile = rows[i][j];
            for (left, row) in rows[i].iter().zip(&rows) {
                product(vectors, tile, left, &row[j]);
            }
            *tile != rows[i][j]
        });
        changed.reduce(|| false, |a, b| a | b)
    });
    changed.reduce(|| false, |a, b| a | b)
}

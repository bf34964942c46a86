//! Floyd–Warshall in blocks of vertices, on all cores.
//!
//! For each block of vertices, the tile in the diagonal is closed first: it then has the
//! distances over vertices of the block. Walks through the block lead in by a tile of its
//! column and out by a tile of its row; both take the closed tile once. Every other tile is
//! then shortened by the product of the two, independently of all others. Almost all
//! time goes there.

use rayon::prelude::*;

use super::tile::{AREA, TILE, Vectors, close, product, product_with_between};
use super::tiled::{arrange, arrange_back, tiles};
use super::{Length, Links, Matrix, NO_VERTEX, PathOptions, Paths, PathsError};

/// Distances from lengths, with a vertex between every two if successors are wanted, and the
/// number of blocks.
pub(super) fn floyd_warshall<T: Length>(
    mut distances: Matrix<T>,
    options: &PathOptions,
) -> Result<(Paths<T>, u32), PathsError> {
    let count = distances.vertex_count();
    let mut between = options.successors.then(|| Matrix::filled(count, NO_VERTEX)).transpose()?;
    let n = distances.vertex_count() as usize;
    let blocks = n.div_ceil(TILE);
    arrange(&mut distances);
    let signed = has_negative(&distances);
    for block in 0..blocks {
        step(&mut distances, between.as_mut(), block, blocks, options);
        options.check(block as u32)?;
        if signed && let Some(vertex) = negative(&mut distances, n) {
            return Err(PathsError::NegativeCycle { vertex });
        }
    }
    arrange_back(&mut distances);
    between.iter_mut().for_each(arrange_back);
    Ok((Paths { distances, links: between.map(Links::Between) }, blocks as u32))
}

/// Whether any length is negative.
pub(super) fn has_negative<T: Length>(lengths: &Matrix<T>) -> bool {
    lengths.values().par_iter().any(|length| *length < T::ZERO)
}

/// A vertex at a negative distance from itself, in a matrix that is arranged in tiles.
pub(super) fn negative<T: Length>(distances: &mut Matrix<T>, n: usize) -> Option<u32> {
    let side = distances.side();
    let values = distances.values();
    let own = |v: usize| {
        let (block, i) = (v / TILE, v % TILE);
        values[block * TILE * side + block * AREA + i * TILE + i]
    };
    (0..n).find(|&v| own(v) < T::ZERO).map(|v| v as u32)
}

/// A row of tiles: distances, and vertices between if they are wanted.
struct Row<'a, T> {
    distances: &'a mut [[T; AREA]],
    between: Option<&'a mut [[u32; AREA]]>,
}

/// Walks over the vertices of one block; not to the end if that is cancelled.
fn step<T: Length>(
    distances: &mut Matrix<T>,
    between: Option<&mut Matrix<u32>>,
    block: usize,
    blocks: usize,
    options: &PathOptions,
) {
    let vectors = Vectors::find();
    let row_of_tiles = TILE * distances.side();
    let mut rows: Vec<Row<'_, T>> = distances
        .values_mut()
        .chunks_mut(row_of_tiles)
        .take(blocks)
        .map(|row| Row { distances: &mut tiles(row)[..blocks], between: None })
        .collect();
    if let Some(between) = between {
        let chunks = between.values_mut().chunks_mut(row_of_tiles);
        for (row, chunk) in rows.iter_mut().zip(chunks) {
            row.between = Some(&mut tiles(chunk)[..blocks]);
        }
    }
    let mut own = rows.swap_remove(block);
    own_row(vectors, &mut own, block);
    rows.into_par_iter().for_each(|row| {
        if !options.cancelled() {
            other_row(vectors, row, &own, block);
        }
    });
}

/// The row of the block itself.
fn own_row<T: Length>(vectors: Vectors, row: &mut Row<'_, T>, block: usize) {
    let first = (block * TILE) as u32;
    let between = row.between.as_mut().map(|between| &mut between[block]);
    close(vectors, &mut row.distances[block], between, first);
    let closed = row.distances[block];
    let Some(between) = &mut row.between else {
        let others = row.distances.par_iter_mut().enumerate().filter(|(j, _)| *j != block);
        return others.for_each(|(_, tile)| {
            let old = *tile;
            product(vectors, tile, &closed, &old);
        });
    };
    let both = row.distances.par_iter_mut().zip(between.par_iter_mut()).enumerate();
    both.filter(|(j, _)| *j != block).for_each(|(_, (tile, between))| {
        let old = *tile;
        product_with_between(vectors, tile, between, &closed, &old, first);
    });
}

/// Another row, given that of the block.
fn other_row<T: Length>(vectors: Vectors, row: Row<'_, T>, own: &Row<'_, T>, block: usize) {
    let first = (block * TILE) as u32;
    let (old, closed) = (row.distances[block], &own.distances[block]);
    let lead_in = &mut row.distances[block];
    let Some(between) = row.between else {
        product(vectors, lead_in, &old, closed);
        let lead_in = *lead_in;
        let tiles = row.distances.par_iter_mut().zip(own.distances.par_iter()).enumerate();
        return tiles
            .filter(|(j, _)| *j != block)
            .for_each(|(_, (tile, lead_out))| product(vectors, tile, &lead_in, lead_out));
    };
    product_with_between(vectors, lead_in, &mut between[block], &old, closed, first);
    let lead_in = *lead_in;
    let tiles = row.distances.par_iter_mut().zip(own.distances.par_iter());
    let tiles = tiles.zip(between.par_iter_mut()).enumerate();
    tiles.filter(|(j, _)| *j != block).for_each(|(_, ((tile, lead_out), between))| {
        product_with_between(vectors, tile, between, &lead_in, lead_out, first);
    });
}

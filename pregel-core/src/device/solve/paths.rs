//! The argument blocks of the kernels that find the paths between all pairs of vertices.

use crate::device::Global;

/// Rows and columns of a tile, which one block of threads computes.
pub const PATH_TILE: u32 = 128;

/// How many terms of a product are in shared memory at a time.
pub const PANEL: u32 = 16;

/// Words from one row of the left panel to the next. Four more than the row has, so that
/// four rows, which a warp reads at a time, lie in different banks.
const LEFT_STRIDE: u32 = PANEL + 4;

/// Bytes of the left panel, then of both.
const LEFT_BYTES: u32 = 4 * LEFT_STRIDE * PATH_TILE;
const STAGE_BYTES: u32 = LEFT_BYTES + 4 * PANEL * PATH_TILE;

/// Bytes of shared memory that a block needs for a product: both panels, twice, so that one
/// pair is filled while the other is used.
pub const STAGED: u32 = 2 * STAGE_BYTES;

/// Byte offset of an element of a left panel, row by row.
#[inline(always)]
pub const fn left_offset(stage: u32, row: u32, term: u32) -> u32 {
    stage * STAGE_BYTES + 4 * (row * LEFT_STRIDE + term)
}

/// Byte offset of an element of a right panel, term by term.
#[inline(always)]
pub const fn right_offset(stage: u32, term: u32, column: u32) -> u32 {
    stage * STAGE_BYTES + LEFT_BYTES + 4 * (term * PATH_TILE + column)
}

/// The argument block of the kernels of Floyd–Warshall, `paths_close_…`, `paths_cross_…`
/// and `paths_rest_…`, and of those with `between` in their name, for one block of vertices.
///
/// The matrix has `side` rows and columns, a multiple of [`PATH_TILE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Rows and columns of the matrix.
    pub side: u32,
    /// The block of vertices: the walks lead through it.
    pub block: u32,
    /// Not 0 if a length is negative, so that there may be a negative cycle.
    pub signed: u32,
    /// Distances, row by row, as their bits.
    pub distances: Global<u32>,
    /// One value: 0, or a vertex on a negative cycle, plus 1.
    pub negative: Global<u32>,
    /// In the place of each distance a vertex on the way, or what was there before: the kernels
    /// `paths_between_…` note it where the distance gets shorter.
    pub between: Global<u32>,
}

/// The argument block of the kernels that square a matrix, `paths_square_…`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Square {
    /// Rows and columns of both matrices, a multiple of the largest tile.
    pub side: u32,
    /// Tiles in a row that are computed.
    pub tiles: u32,
    /// The matrix to square.
    pub from: Global<u32>,
    /// The square.
    pub to: Global<u32>,
    /// Two values. The first is set to 1 if the square differs. The second is 0, or a vertex
    /// on a negative cycle, plus 1.
    pub found: Global<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_do_not_overlap() {
        assert!(left_offset(0, PATH_TILE - 1, PANEL - 1) < right_offset(0, 0, 0));
        assert_eq!(right_offset(0, PANEL - 1, PATH_TILE - 1) + 4, left_offset(1, 0, 0));
        assert_eq!(right_offset(1, PANEL - 1, PATH_TILE - 1) + 4, STAGED);
        let bank = |row| left_offset(0, row, 0) / 4 % 32;
        let mut banks = [0, 1, 2, 3].map(bank);
        banks.sort_unstable();
        assert!(banks.windows(2).all(|pair| pair[1] - pair[0] >= 4), "{banks:?}");
    }
}

//! Grids with holes: long paths and small degrees, like road networks.

use std::fmt;

use rayon::prelude::*;

use super::options::Options;
use super::parse::rows_and_cols;
use super::random::{Stream, scaled};
use crate::program::VertexId;

/// `rows` times `cols` vertices, each joined to the next in its row and in
/// its column; vertex `r * cols + c` stands in row r and column c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Grid {
    /// Number of rows.
    rows: u32,
    /// Number of columns; `rows * cols` is a 32-bit number.
    cols: u32,
    /// Thousandths of the edges that are left out.
    drop: u32,
}

impl Grid {
    pub(super) const OPTIONS: [&str; 3] = ["rows", "cols", "drop"];

    pub(super) fn read(options: &Options<'_>) -> Result<Self, String> {
        let (rows, cols) = rows_and_cols(options)?;
        let drop = options.number("drop", 0..=1000)?.unwrap_or(0) as u32;
        Ok(Self { rows, cols, drop })
    }

    pub(super) fn vertex_count(self) -> u32 {
        self.rows.saturating_mul(self.cols)
    }

    /// First the edges along rows, then those along columns.
    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        let n = self.vertex_count();
        let deletions = Stream::new(seed, 4);
        let stays = |number| scaled(deletions.get(number), 1000) >= u64::from(self.drop);
        let mut edges = Vec::new();
        let most = usize::try_from(2 * u64::from(n)).unwrap_or(usize::MAX);
        edges.try_reserve_exact(most).map_err(|_| format!("no memory for {most} edges"))?;
        let along = (0..n)
            .into_par_iter()
            .filter(|x| (x + 1) % self.cols != 0 && stays(u64::from(*x)))
            .map(|x| [x, x + 1]);
        edges.par_extend(along);
        let down = (0..n - self.cols.min(n))
            .into_par_iter()
            .filter(|x| stays(u64::from(n) + u64::from(*x)))
            .map(|x| [x, x + self.cols]);
        edges.par_extend(down);
        Ok(edges)
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grid:rows={},cols={}", self.rows, self.cols)?;
        if self.drop != 0 {
            write!(f, ",drop={}", self.drop)?;
        }
        Ok(())
    }
}

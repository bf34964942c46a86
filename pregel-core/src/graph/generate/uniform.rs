//! Uniform random graphs (Erdős and Rényi's G(n, m), with repetition).

use std::fmt;

use super::collect_edges;
use super::options::Options;
use super::random::{Stream, scaled};
use crate::program::VertexId;

/// Draws `m` edges, both ends uniform among `n` vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Uniform {
    /// Number of vertices.
    n: u32,
    /// Number of edges drawn.
    m: u64,
}

impl Uniform {
    pub(super) const OPTIONS: [&str; 2] = ["n", "m"];

    pub(super) fn read(options: &Options<'_>) -> Result<Self, String> {
        let n = options.needed("n", 0..=u32::MAX.into())? as u32;
        let m = options.needed("m", 0..=u64::MAX / 2)?;
        Ok(Self { n, m })
    }

    pub(super) fn vertex_count(self) -> u32 {
        self.n
    }

    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        if self.n == 0 && self.m > 0 {
            return Err(format!("{} edges need a vertex", self.m));
        }
        let draws = Stream::new(seed, 0);
        let end = |i| scaled(draws.get(i), u64::from(self.n)) as VertexId;
        collect_edges(self.m, |i| [end(2 * i), end(2 * i + 1)])
    }
}

impl fmt::Display for Uniform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "uniform:n={},m={}", self.n, self.m)
    }
}

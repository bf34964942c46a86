//! Uniform random graphs (Erdős and Rényi's G(n, m), with repetition).

use super::collect_edges;
use super::random::{Stream, scaled};
use crate::program::VertexId;

/// Draws `m` edges, both ends uniform among `n` vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Uniform {
    /// Number of vertices.
    pub(super) n: u32,
    /// Number of edges drawn.
    pub(super) m: u64,
}

impl Uniform {
    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        if self.n == 0 && self.m > 0 {
            return Err(format!("{} edges need a vertex", self.m));
        }
        let draws = Stream::new(seed, 0);
        let end = |i| scaled(draws.get(i), u64::from(self.n)) as VertexId;
        collect_edges(self.m, |i| [end(2 * i), end(2 * i + 1)])
    }
}

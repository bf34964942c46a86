//! Recursive-matrix graphs (Chakrabarti, Zhan, Faloutsos 2004) with the
//! probabilities of Graph500: a = .57, b = c = .19, d = .05.

use super::collect_edges;
use super::random::{Stream, top32};
use crate::program::VertexId;

/// Draws `ef * 2^scale` edges among `2^scale` vertices, each by choosing a
/// quadrant of the adjacency matrix `scale` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rmat {
    /// Binary logarithm of the number of vertices, at most 31.
    pub(super) scale: u32,
    /// Edges drawn for each vertex.
    pub(super) ef: u64,
    /// Whether vertex ids are shuffled.
    pub(super) perm: bool,
}

impl Rmat {
    /// Largest `scale`: vertex counts are 32-bit.
    pub(super) const MAX_SCALE: u32 = 31;
    // Cumulative probabilities of the quadrants, times 2^32.
    const A: u64 = 2_448_131_358;
    const AB: u64 = 3_264_175_144;
    const ABC: u64 = 4_080_218_931;

    pub(super) fn vertex_count(self) -> u32 {
        1 << self.scale
    }

    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        let draws = Stream::new(seed, 0);
        let shuffle = Shuffle::new(self.scale, seed);
        let count = self.ef.checked_mul(1 << self.scale).filter(|count| *count < 1 << 58);
        let count = count.ok_or_else(|| format!("{} edges per vertex are too many", self.ef))?;
        collect_edges(count, |i| {
            let [u, v] = self.edge(draws, i);
            if self.perm { [shuffle.place(u), shuffle.place(v)] } else { [u, v] }
        })
    }

    /// The ends of draw `i`, before shuffling.
    #[inline(always)]
    fn edge(self, draws: Stream, i: u64) -> [VertexId; 2] {
        let (mut u, mut v) = (0, 0);
        for level in 0..u64::from(self.scale) {
            let r = top32(draws.get(64 * i + level));
            // Without branches: each bit follows from the thresholds that r has
            // passed.
            let (b, c, d) = (r >= Self::A, r >= Self::AB, r >= Self::ABC);
            u = u << 1 | u32::from(c);
            v = v << 1 | u32::from(b ^ c ^ d);
        }
        [u, v]
    }
}

/// A bijection of `0..2^scale`: three rounds of an odd multiple plus an offset,
/// with the high bits folded onto the low ones.
struct Shuffle {
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); 3],
}

impl Shuffle {
    fn new(scale: u32, seed: u64) -> Self {
        let mask = (1u64 << scale) - 1;
        let keys = Stream::new(seed, 1);
        let rounds = [0, 1, 2].map(|t| ((keys.get(2 * t) | 1) & mask, keys.get(2 * t + 1) & mask));
        Self { mask, shift: scale.div_ceil(2).max(1), rounds }
    }

    #[inline(always)]
    fn place(&self, v: VertexId) -> VertexId {
        let mut x = u64::from(v);
        for (factor, offset) in self.rounds {
            // Below 2^62: both factors are below 2^31.
            x = (x * factor + offset) & self.mask;
            x ^= x >> self.shift;
        }
        x as VertexId
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_are_bijections() {
        for scale in [0, 1, 2, 5, 10, 11] {
            let shuffle = Shuffle::new(scale, 3);
            let mut seen = vec![false; 1 << scale];
            for v in 0..1u32 << scale {
                let place = shuffle.place(v) as usize;
                assert!(!seen[place], "scale {scale}: {place} twice");
                seen[place] = true;
            }
        }
    }
}

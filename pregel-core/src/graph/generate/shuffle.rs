//! A bijection that takes the meaning out of vertex ids.

use super::random::Stream;
use crate::program::VertexId;

/// A bijection of `0..n`: three rounds of an odd multiple plus an offset, with the high
/// bits folded onto the low ones. These permute `0..2^bits`, the next power of two. Where n
/// is smaller, a place beyond it is mapped again until one is below n: less than twice on
/// average.
pub(super) struct Shuffle {
    n: u64,
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); 3],
}

impl Shuffle {
    pub(super) fn new(n: u32, seed: u64) -> Self {
        let bits = u32::BITS - n.saturating_sub(1).leading_zeros();
        let mask = (1u64 << bits) - 1;
        let keys = Stream::new(seed, 1);
        let rounds = [0, 1, 2].map(|t| ((keys.get(2 * t) | 1) & mask, keys.get(2 * t + 1) & mask));
        Self { n: n.into(), mask, shift: bits.div_ceil(2).max(1), rounds }
    }

    /// Where `v`, below n, goes.
    #[inline(always)]
    pub(super) fn place(&self, v: VertexId) -> VertexId {
        let mut x = u64::from(v);
        loop {
            for (factor, offset) in self.rounds {
                // Below 2^64: all three are below 2^32.
                x = (x * factor + offset) & self.mask;
                x ^= x >> self.shift;
            }
            // Ends, since the cycle that v is on leads back to v.
            if x < self.n {
                return x as VertexId;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_are_bijections() {
        for n in [1, 2, 3, 4, 5, 31, 32, 33, 1000, 1024, 1025, 2047, 2048] {
            for seed in [0, 3] {
                let shuffle = Shuffle::new(n, seed);
                let mut seen = vec![false; n as usize];
                for v in 0..n {
                    let place = shuffle.place(v) as usize;
                    assert!(!seen[place], "{n} vertices: {place} twice");
                    seen[place] = true;
                }
            }
        }
    }

    #[test]
    fn the_largest_ids_do_not_overflow() {
        for n in [u32::MAX, (1 << 31) + 1] {
            let shuffle = Shuffle::new(n, 1);
            assert!((0..1000).all(|i| shuffle.place(n - 1 - i) < n));
        }
    }
}

//! Random numbers that are functions of their index.

pub(super) use crate::graph::stats::mix64;

/// 2^64 over the golden ratio: the step of splitmix64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Output `counter` of splitmix64 with state `key`.
#[inline(always)]
fn hash(key: u64, counter: u64) -> u64 {
    mix64(key.wrapping_add(counter.wrapping_add(1).wrapping_mul(STEP)))
}

/// One of the independent streams of a seed: 0 edges, 1 vertex permutation (and lattice hubs),
/// 2 weights, 3 sources, 4 grid deletions.
#[derive(Clone, Copy)]
pub(super) struct Stream(u64);

impl Stream {
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Self(hash(hash(seed, 0), stream))
    }

    /// Number `i` of the stream.
    #[inline(always)]
    pub(super) fn get(self, i: u64) -> u64 {
        hash(self.0, i)
    }

    /// The state of the generator.
    pub(super) fn key(self) -> u64 {
        self.0
    }
}

/// The high half of `x`.
#[inline(always)]
pub(super) fn top32(x: u64) -> u64 {
    x >> 32
}

/// `x` scaled down to `0..n`, for n up to 2^32.
#[inline(always)]
pub(super) fn scaled(x: u64, n: u64) -> u64 {
    (top32(x) * n) >> 32
}

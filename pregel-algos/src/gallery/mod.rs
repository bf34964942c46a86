//! A gallery: short programs to learn from and to begin with.
//!
//! Each file is one program with what it computes, an example, and nothing else. The chapter
//! "Gallery" of the book lists them by the idiom that they show. All are tested on every engine
//! and under every strategy against an oracle.

#[cfg(feature = "std")]
pub mod closeness;
pub mod colouring;
pub mod eigenvector;
pub mod friends;
pub mod hits;
pub mod in_degree;
pub mod katz;
pub mod labels;
pub mod matching;
pub mod maximum;
pub mod mis;
pub mod nearest;
pub mod semi_clusters;
pub mod walks;
pub mod widest;

use pregel_core::program::VertexId;

/// A number for each vertex, in an order that looks random: different for different vertices,
/// and the same on every engine. Random choices of a program come from such numbers, since a
/// generator with a state would depend on the order of calls.
#[inline]
pub fn shuffled(seed: u32, vertex: VertexId) -> u32 {
    // Each step can be undone, so no two vertices get the same number (the finaliser of
    // MurmurHash3, by A. Appleby).
    let mut x = vertex ^ seed.wrapping_mul(0x9e37_79b9);
    x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

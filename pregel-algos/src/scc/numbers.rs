//! The numbers that vertices compete with: another permutation of the ids in each round.

use pregel_core::program::VertexId;

/// The number of a vertex in this round. No two vertices have the same, and none has 0.
#[inline(always)]
pub fn number(vertex: VertexId, round: u32) -> u32 {
    // Both steps take 0 to 0 and nothing else to it.
    mix(vertex.wrapping_add(1).rotate_left(round % 32))
}

/// The vertex that has this number in this round.
#[inline(always)]
pub fn vertex(number: u32, round: u32) -> VertexId {
    unmix(number).rotate_right(round % 32).wrapping_sub(1)
}

/// A permutation of words in which close values end up far apart: `lowbias32` of
/// Wellons' hash prospector (<https://github.com/skeeto/hash-prospector>).
#[inline(always)]
fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The inverse of [`mix`].
#[inline(always)]
fn unmix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(inverse(0x846c_a68b));
    x ^= (x >> 15) ^ (x >> 30);
    x = x.wrapping_mul(inverse(0x7feb_352d));
    x ^ (x >> 16)
}

/// The inverse of an odd number modulo 2³², by Newton's method: each step doubles the number of
/// correct bits, of which the number itself has three.
#[inline(always)]
const fn inverse(odd: u32) -> u32 {
    let (mut x, mut step) = (odd, 0);
    while step < 4 {
        x = x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x)));
        step += 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_vertices() {
        for round in [0, 1, 7, 31, 32, 1000] {
            for v in (0..1000).chain((1..32).map(|bit| 1 << bit)).chain([u32::MAX - 1]) {
                assert_ne!(number(v, round), 0);
                assert_eq!(vertex(number(v, round), round), v, "round {round}");
            }
        }
        assert_ne!(number(5, 0), number(5, 1));
    }
}

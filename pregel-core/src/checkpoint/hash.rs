//! Hashes that tell graphs and inputs apart: fast, independent of the number of threads, and
//! no protection against forgery.

use rayon::prelude::*;

use crate::graph::{Graph, IdParts, mix64};
use crate::program::Value;

/// Bytes that one task hashes. Part of the format: the hash depends on it.
const TOGETHER: usize = 1 << 18;
/// Odd, so that different words have different products.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of the rows by source. O(V + E), parallel.
pub(super) fn edges<E: Value>(graph: &Graph<E>) -> u64 {
    let rows = graph.out();
    join(values(rows.offsets()), values(rows.targets()))
}

/// The hash of the user's ids. O(V), parallel.
pub(super) fn ids<E: Value>(graph: &Graph<E>) -> u64 {
    match graph.ids().parts() {
        IdParts::Range { first } => join(1, first),
        IdParts::Integers(ids) => join(2, values(ids)),
        IdParts::Names { text, ends } => join(3, join(values(text), values(ends))),
    }
}

/// The hash of the bytes of plain values; 0 if they are zero-sized. Parallel.
pub(super) fn values<T: Value>(values: &[T]) -> u64 {
    match size_of::<T>() {
        0 => 0,
        _ => bytes(bytemuck::cast_slice(values)),
    }
}

fn bytes(bytes: &[u8]) -> u64 {
    let parts: Vec<u64> = bytes.par_chunks(TOGETHER).map(part).collect();
    parts.into_iter().fold(bytes.len() as u64, join)
}

/// Hashes one chunk. Four independent sums let the processor overlap their multiplications.
fn part(bytes: &[u8]) -> u64 {
    let mut sums = [1, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut last = [0; 32];
    last[..rest.len()].copy_from_slice(rest);
    for block in blocks.iter().chain([&last]) {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks().0) {
            *sum = (*sum ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
            *sum ^= *sum >> 32;
        }
    }
    sums.into_iter().fold(0, join)
}

/// Combines two hashes; the order matters.
fn join(one: u64, other: u64) -> u64 {
    mix64(mix64(one).wrapping_add(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_depends_on_every_byte_and_the_length() {
        let zeros = vec![0u8; 3 * TOGETHER + 5];
        let hash = bytes(&zeros);
        for place in [0, 7, 8, 31, 32, TOGETHER - 1, TOGETHER, 2 * TOGETHER, 3 * TOGETHER + 4] {
            let mut other = zeros.clone();
            other[place] = 1;
            assert_ne!(bytes(&other), hash, "byte {place}");
        }
        assert_ne!(bytes(&zeros[1..]), hash);
        assert_ne!(bytes(&[]), bytes(&[0]));
    }

    #[test]
    fn the_hash_depends_on_the_order_of_parts() {
        let mut one = vec![0u8; 2 * TOGETHER];
        one[..TOGETHER].fill(7);
        let mut other = vec![0u8; 2 * TOGETHER];
        other[TOGETHER..].fill(7);
        assert_ne!(bytes(&one), bytes(&other));
    }

    #[test]
    fn the_hash_does_not_depend_on_the_number_of_threads() {
        let bytes_of: Vec<u8> = (0..5 * TOGETHER).map(|i| (i * i % 251) as u8).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        assert_eq!(pool.map(|pool| pool.install(|| bytes(&bytes_of))).ok(), Some(bytes(&bytes_of)));
    }
}

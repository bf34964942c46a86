//! Dijkstra's algorithm with a binary heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::lists::Lists;

/// Length of the shortest path from `source` to each vertex, infinite without a path.
/// Sums are rounded to `f32` after each edge, as in the programs, so that results can
/// be compared bit for bit.
pub fn distances(lists: &Lists, source: usize) -> Vec<f32> {
    let mut distances = vec![f32::INFINITY; lists.len()];
    distances[source] = 0.0;
    // Non-negative floats order as their bits do.
    let mut heap = BinaryHeap::from([Reverse((0.0f32.to_bits(), source))]);
    while let Some(Reverse((bits, u))) = heap.pop() {
        if f32::from_bits(bits) > distances[u] {
            continue;
        }
        for &(v, length) in &lists.out[u] {
            let offer = distances[u] + length as f32;
            if offer < distances[v] {
                distances[v] = offer;
                heap.push(Reverse((offer.to_bits(), v)));
            }
        }
    }
    distances
}

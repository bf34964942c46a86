//! Compares results with those that the CPU engine found.

use pregel_core::graph::Graph;
use pregel_core::program::Value;
use rayon::prelude::*;

/// A number that a program computes for a vertex.
pub trait Number: Copy + Sync {
    /// As a float, exactly.
    fn number(self) -> f64;
}

impl Number for f32 {
    fn number(self) -> f64 {
        self.into()
    }
}

impl Number for u32 {
    fn number(self) -> f64 {
        self.into()
    }
}

/// How many results are wrong; a missing one is. `tolerance` is relative.
pub fn wrong<S: Number>(expected: &[S], found: &[S], tolerance: f64) -> u64 {
    let differs = |(a, b): &(&S, &S)| {
        let (a, b) = (a.number(), b.number());
        // Equal infinities have no difference. False of a NaN.
        let same = a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs());
        !same
    };
    let pairs = expected.par_iter().zip(found);
    expected.len().abs_diff(found.len()) as u64 + pairs.filter(differs).count() as u64
}

/// The most in-edges of a vertex.
pub fn largest_in_degree<E: Value>(graph: &Graph<E>) -> u32 {
    let mut received = vec![0_u32; graph.vertex_count() as usize];
    graph.out().targets().iter().for_each(|target| received[*target as usize] += 1);
    received.into_iter().max().unwrap_or(0)
}

/// The most out-edges of a vertex.
pub fn largest_out_degree<E: Value>(graph: &Graph<E>) -> u64 {
    let rows = graph.out();
    (0..rows.vertex_count()).map(|v| rows.degree(v)).max().unwrap_or(0)
}

/// By how much two sums of the messages of one vertex may differ in `f32`, relative to them,
/// if they are added in different orders: half of the last digit for each addition.
pub fn tolerance(graph: &Graph<()>) -> f64 {
    let terms = largest_in_degree(graph);
    (f64::from(terms) * f64::from(f32::EPSILON) / 2.0).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_results_are_counted() {
        assert_eq!(wrong(&[1.0_f32, f32::INFINITY], &[1.0, f32::INFINITY], 0.0), 0);
        assert_eq!(wrong(&[1.0_f32, 2.0], &[1.0, f32::NAN], 1e-3), 1);
        assert_eq!(wrong(&[1.0_f32, 2.0], &[1.0005, 2.1], 1e-3), 1);
        assert_eq!(wrong(&[1_u32, 2, 3], &[1, 2], 0.0), 1);
        assert_eq!(wrong(&[u32::MAX], &[u32::MAX - 1], 0.0), 1);
    }
}

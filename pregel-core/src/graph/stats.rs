//! Figures that describe a graph, or show that two graphs are the same.

use rayon::prelude::*;

use super::{Csr, Graph};
use crate::program::Value;

/// The finaliser of splitmix64: the hash of generators and edge hashes.
#[inline(always)]
pub(crate) fn mix64(mut z: u64) -> u64 {
    z ^= z >> 30;
    z = z.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^= z >> 27;
    z = z.wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// Sum over all edges (u, v) of `mix64(u << 32 | v)`, wrapping: equal for two
/// graphs with the same edges in any order. O(E), parallel.
pub fn edge_hash<E: Value>(graph: &Graph<E>) -> u64 {
    let rows = graph.held_out();
    (0..graph.vertex_count())
        .into_par_iter()
        .with_min_len(1024)
        .map(|u| {
            let edge = |edge| mix64(u64::from(u) << 32 | u64::from(rows.target(edge)));
            rows.range(u).map(edge).fold(0, u64::wrapping_add)
        })
        .reduce(|| 0, u64::wrapping_add)
}

/// Sum of integer edge weights held as `f32`, wrapping. O(E), parallel.
pub fn weight_sum(graph: &Graph<f32>) -> u64 {
    graph.out_values().par_iter().map(|w| *w as u64).reduce(|| 0, u64::wrapping_add)
}

/// The distribution of the degrees of a set of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct DegreeStats {
    /// Smallest degree.
    pub min: u64,
    /// Largest degree.
    pub max: u64,
    /// Edges over vertices; 0 without vertices.
    pub mean: f64,
    /// Half the vertices have at most this degree.
    pub median: u64,
    /// Vertices of degree 0.
    pub isolated: u64,
    /// `histogram[0]` counts degree 0, `histogram[k]` degrees
    /// `2^(k-1)..2^k`.
    pub histogram: Vec<u64>,
}

impl DegreeStats {
    /// Counts the out-degrees of a graph. O(V).
    pub fn of_out<E: Value>(graph: &Graph<E>) -> Self {
        Self::of(graph.held_out().rows())
    }

    /// Counts the in-degrees of a graph. O(V), and as [`Graph::incoming`].
    pub fn of_incoming<E: Value>(graph: &Graph<E>) -> Self {
        Self::of(graph.held_incoming().rows())
    }

    /// Counts the degrees of `rows`. O(V).
    pub fn of(rows: &Csr) -> Self {
        let mut degrees: Vec<u64> = rows.offsets().windows(2).map(|w| w[1] - w[0]).collect();
        let mut histogram = Vec::new();
        for degree in &degrees {
            let bin = (u64::BITS - degree.leading_zeros()) as usize;
            if histogram.len() <= bin {
                histogram.resize(bin + 1, 0);
            }
            histogram[bin] += 1;
        }
        let n = degrees.len();
        let median = match n {
            0 => 0,
            _ => *degrees.select_nth_unstable((n - 1) / 2).1,
        };
        Self {
            min: degrees.iter().copied().min().unwrap_or(0),
            max: degrees.iter().copied().max().unwrap_or(0),
            mean: if n == 0 { 0.0 } else { rows.edge_count() as f64 / n as f64 },
            median,
            isolated: histogram.first().copied().unwrap_or(0),
            histogram,
        }
    }

    /// Vertices of degree 2 or more.
    pub fn above_one(&self) -> u64 {
        self.histogram.iter().skip(2).sum()
    }
}

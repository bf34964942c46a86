//! PageRank by residuals beside the bundled PageRank, for the same accuracy.

use pregel_algos::pagerank::PageRank;
use pregel_core::program::VertexCompute;
use pregel_replication_programs::{ResidualPageRank, Standing, share, total};
use rayon::prelude::*;

use super::task::Judged;

pub const DAMPING: f32 = 0.85;
/// The change of all ranks (L1) at which the exact ranks are taken.
pub const EXACT: f64 = 1e-7;
/// What the rounding of sums in `f32` may add to the distance from the exact ranks in total (L1).
pub const ROUNDING: f64 = 1e-3;
/// The change of all ranks (L1) below which the bundled program ends, for each point of the
/// curve. The second is timed.
pub const CHANGES: [f32; 4] = [1e-2, 1e-3, 1e-4, 1e-5];
/// The tolerances of the program of residuals. With the second, which is timed, it is about as
/// near to the exact ranks as the other with its second.
pub const TOLERANCES: [f32; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
/// Which of them is timed.
pub const TIMED: usize = 1;

/// The bundled program.
pub fn bundled(change: f32) -> PageRank<f32> {
    PageRank::new(DAMPING, change)
}

/// The program of residuals.
pub fn residual(tolerance: f32) -> ResidualPageRank {
    ResidualPageRank::new(DAMPING, tolerance)
}

/// A program that computes ranks.
pub trait Ranks: VertexCompute<Input = (), Edge = ()> {
    /// The distribution, and how far it may be from the exact one in total, for a tolerance.
    fn distribution(states: &[Self::State], tolerance: f32) -> (Vec<f64>, f64);
}

impl Ranks for PageRank<f32> {
    /// The changes to come sum to at most `d / (1 − d)` times the last one.
    fn distribution(states: &[f32], change: f32) -> (Vec<f64>, f64) {
        let damping = f64::from(DAMPING);
        let allowed = f64::from(change) * damping / (1.0 - damping) + ROUNDING;
        (states.iter().map(|rank| f64::from(*rank)).collect(), allowed)
    }
}

impl Ranks for ResidualPageRank {
    /// As its documentation promises.
    fn distribution(states: &[Standing], tolerance: f32) -> (Vec<f64>, f64) {
        let total = total(states);
        let allowed = 2.0 * f64::from(DAMPING * tolerance) / total + ROUNDING;
        (states.iter().map(|standing| share(*standing, total)).collect(), allowed)
    }
}

/// Judges ranks by the sum of all differences.
pub fn near<P: Ranks>(exact: &[f64], tolerance: f32) -> impl Fn(&[P::State]) -> Judged {
    move |found| {
        let (ranks, allowed) = P::distribution(found, tolerance);
        let error = exact.par_iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum::<f64>();
        // A missing rank is wrong. False of a NaN.
        let right = error <= allowed && exact.len() == ranks.len();
        Judged { wrong: if right { 0 } else { exact.len() as u64 }, error }
    }
}

/// How many messages it takes to come near to the exact ranks.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: &'static str,
    pub points: Vec<Point>,
}

/// A run with one tolerance.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub tolerance: f64,
    /// The distance from the exact ranks.
    pub error: f64,
    pub steps: u64,
    pub messages: u64,
}

impl Curve {
    /// The messages that it takes to come this near: on the line through two neighbouring points,
    /// with a logarithmic error. `None` if there are no two.
    pub fn messages_at(&self, error: f64) -> Option<f64> {
        let mut points: Vec<(f64, f64)> =
            self.points.iter().map(|point| (point.error.ln(), point.messages as f64)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 == b.0);
        let at = error.ln();
        let above = points.partition_point(|point| point.0 < at);
        let begin = above.clamp(1, points.len().max(2) - 1) - 1;
        let [(x0, y0), (x1, y1)] = *points.get(begin..begin + 2)? else { return None };
        Some(y0 + (y1 - y0) * (at - x0) / (x1 - x0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_interpolated_by_the_logarithm_of_the_error() {
        let point = |error, messages| Point { tolerance: error, error, steps: 1, messages };
        let curve =
            Curve { name: "it", points: vec![point(1e-1, 10), point(1e-3, 30), point(1e-5, 70)] };
        for (error, expected) in [(1e-1, 10.0), (1e-2, 20.0), (1e-4, 50.0), (1e-6, 90.0)] {
            let found = curve.messages_at(error).unwrap();
            assert!((found - expected).abs() < 1e-6, "{found} at {error}, not {expected}");
        }
        let short = Curve { name: "it", points: vec![point(1e-1, 10)] };
        assert_eq!(short.messages_at(0.1), None);
    }
}

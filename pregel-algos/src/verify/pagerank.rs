//! Properties of PageRank.

use std::format;
use std::vec;
use std::vec::Vec;

use pregel_core::graph::Graph;

use super::{Violation, edges, one_each};
use crate::pagerank::{PageRank, Real, Teleport, Transition};

/// Whether `ranks` are a distribution that one more superstep changes by at most
/// `bound` in total (L1).
///
/// `bound` also limits how far their sum may be from 1; see [`rounding`] for
/// what the number type alone explains. After a
/// run that converged with tolerance `t`, `t + rounding` is enough. `inputs`
/// are those of the run; empty if the surfer teleports evenly. Sums are
/// taken in `f64`.
///
/// # Errors
/// The first [`Violation`].
pub fn ranks<F: Real, W: Transition<F>, T: Teleport<F>>(
    graph: &Graph<W>,
    program: &PageRank<F, W, T>,
    inputs: &[T],
    ranks: &[F],
    bound: f64,
) -> Result<(), Violation> {
    one_each(graph, ranks)?;
    if ranks.is_empty() {
        return Ok(());
    }
    let real = |x: F| x.to_f64().unwrap_or(f64::NAN);
    for (vertex, &rank) in (0..).zip(ranks) {
        let is_rank = rank >= F::zero(); // false for a NaN
        if !is_rank {
            let fact = format!("its rank is {}", real(rank));
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    let sum: f64 = ranks.iter().map(|rank| real(*rank)).sum();
    let adds_up = (sum - 1.0).abs() <= bound; // false for a NaN
    if !adds_up {
        let fact = format!("the ranks sum to {sum}, which is farther from 1 than {bound:e}");
        return Err(Violation::Whole(fact));
    }
    let rows = graph.out();
    let share = |(from, &rank)| W::share(rank, rows.degree(from));
    let shares: Vec<F> = (0..).zip(ranks).map(share).collect();
    let mut arrived = vec![0.0; ranks.len()];
    for (from, to, value) in edges(graph) {
        arrived[to as usize] += real(value.carry(shares[from as usize]));
    }
    let without_edges = (0..).zip(ranks).filter(|(v, _)| rows.degree(*v) == 0);
    let dangling: f64 = without_edges.map(|(_, rank)| real(*rank)).sum();
    let damping = real(program.damping());
    let mut moved = 0.0;
    for (vertex, rank) in ranks.iter().enumerate() {
        let input = inputs.get(vertex).copied().unwrap_or(T::zeroed());
        let teleport = real(input.probability(graph.vertex_count()));
        let next = teleport * (1.0 - damping + damping * dangling) + damping * arrived[vertex];
        moved += (next - real(*rank)).abs();
    }
    if moved <= bound {
        return Ok(());
    }
    let fact = format!("one more superstep changes the ranks by {moved:e}, more than {bound:e}");
    Err(Violation::Whole(fact))
}

/// How far rounding may move the ranks of `vertex_count` vertices of type `F`:
/// the spacing of the numbers around 1 times the square root of how many are
/// summed, with room to spare.
pub fn rounding<F: Real>(vertex_count: u32) -> f64 {
    let spacing = F::epsilon().to_f64().unwrap_or(f64::NAN);
    spacing * (16.0 + f64::from(vertex_count).sqrt())
}

//! Properties of Katz centralities.

use std::format;

use pregel_core::graph::Graph;
use pregel_core::program::Value;

use super::{Violation, edges, one_each};
use crate::gallery::katz::Katz;

/// Whether the values solve the equation of [`Katz`] up to `bound`, and rounding, at each
/// vertex.
///
/// # Errors
/// The first [`Violation`].
pub fn values<E: Value>(
    graph: &Graph<E>,
    program: &Katz,
    values: &[f64],
    bound: f64,
) -> Result<(), Violation> {
    one_each(graph, values)?;
    let mut sums = std::vec![0.0; values.len()];
    for (source, target, _) in edges(graph) {
        sums[target as usize] += values[source as usize];
    }
    for (vertex, (value, sum)) in (0..).zip(values.iter().zip(sums)) {
        let expected = program.base + program.attenuation * sum;
        let near = (expected - value).abs() <= bound + 1e-9 * expected.abs();
        if !near {
            let fact = format!("it has {value}, but the equation gives {expected}");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    Ok(())
}

//! Properties of eigenvector centralities.

use std::format;

use pregel_core::graph::Graph;
use pregel_core::program::Value;

use super::{Violation, edges, one_each};

/// Whether the values are those of an eigenvector: with the sums of the values of all
/// in-neighbours added, and scaled to the same sum, they change by at most `bound` of that sum,
/// all together.
///
/// # Errors
/// The first [`Violation`].
pub fn values<E: Value>(graph: &Graph<E>, values: &[f64], bound: f64) -> Result<(), Violation> {
    one_each(graph, values)?;
    if let Some((vertex, value)) =
        (0..).zip(values).find(|(_, value)| !value.is_finite() || **value < 0.0)
    {
        return Err(Violation::vertex(graph, vertex, format!("it has {value}")));
    }
    let mut next = values.to_vec();
    for (source, target, _) in edges(graph) {
        next[target as usize] += values[source as usize];
    }
    let [all, all_next]: [f64; 2] = [values, &next].map(|values| values.iter().sum());
    let change =
        values.iter().zip(&next).map(|(value, next)| (value / all - next / all_next).abs());
    let change: f64 = change.sum();
    if values.is_empty() || change <= bound {
        Ok(())
    } else {
        let fact = format!("one more superstep changes {change} of the values, more than {bound}");
        Err(Violation::Whole(fact))
    }
}

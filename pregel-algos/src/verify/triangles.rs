//! Triangles, counted again.

use std::format;

use pregel_core::graph::Graph;
use pregel_core::program::Value;

use super::lcc::check_some;
use super::{Violation, one_each};

/// Whether these are the numbers of triangles at some vertices, as
/// [`CountTriangles`](pregel_core::engine::CountTriangles) defines them, and all of them make
/// `total` triangles. Returns the number of vertices whose triangles were counted again.
///
/// The rows of all neighbours of a vertex are read and compared with the set of neighbours,
/// O(Σ d²) for all vertices. If that is more than `steps`, only every k-th vertex is
/// checked, which takes about as many steps; at least one vertex is.
///
/// # Errors
/// The first [`Violation`].
pub fn counts<E: Value>(
    graph: &Graph<E>,
    counts: &[u64],
    total: u64,
    steps: u64,
) -> Result<u32, Violation> {
    one_each(graph, counts)?;
    let corners: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    if corners != 3 * u128::from(total) {
        let fact = format!("{total} triangles have three corners each, but there are {corners}");
        return Err(Violation::Whole(fact));
    }
    check_some(graph, steps, |counter, v| {
        let (found, expected) = (counts[v as usize], counter.pairs(graph, v) / 2);
        if found == expected {
            Ok(())
        } else {
            Err(format!("it has {found} triangles, but {expected} were counted"))
        }
    })
}

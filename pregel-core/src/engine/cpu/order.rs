//! Whether the vertices should be renumbered before a run.
//!
//! A superstep reads one signal or state an edge, at random. In a graph of a
//! power law most of these reads go to few vertices. In the order of falling
//! degree these lie together, so that a cache line of them is read many times
//! over (Faldu, Diamond, Grot, *A Closer Look at Lightweight Graph
//! Reordering*, IISWC 2019), rows of equal length follow one another, and the
//! most likely parent of a breadth-first search comes first in every row. In
//! other graphs the order given is often one of place, and a better one.

use crate::engine::VertexOrder;
use crate::graph::Graph;
use crate::graph::renumber::Order;
use crate::program::VertexCompute;

/// Fewer vertices than this fit the nearest caches in any order.
const MANY: u32 = 1 << 17;
/// Edges of an average vertex that make a renumbering pay.
const DENSE: u64 = 8;
/// The skewed graphs are those in which one vertex of this many ...
const FEW: u32 = 16;
/// ... has more than one edge of this many.
const MOST: u64 = 2;

/// The order to run in, `None` for the given one.
pub(super) fn choose<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    wanted: VertexOrder,
) -> Option<Order> {
    let n = graph.vertex_count();
    let large = n >= MANY && graph.edge_count() / u64::from(n) >= DENSE;
    match wanted {
        VertexOrder::Given => return None,
        VertexOrder::Auto if !large => return None,
        _ => {}
    }
    let (out, incoming) = (graph.out(), graph.incoming());
    let degree =
        |v| if graph.directed() { out.degree(v) + incoming.degree(v) } else { out.degree(v) };
    let order = Order::by_degree(n, degree);
    let few = &order.vertex_at[..(n / FEW) as usize];
    let theirs: u64 = few.iter().map(|v| degree(*v)).sum();
    let all = graph.edge_count() * if graph.directed() { 2 } else { 1 };
    (wanted == VertexOrder::Degree || theirs * MOST > all).then_some(order)
}

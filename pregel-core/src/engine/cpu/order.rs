//! Whether the vertices should be renumbered before a run.
//!
//! A superstep reads one signal or state per edge, at random. In a power-law graph
//! most of these reads go to few vertices. In the order of falling degree these
//! lie together, so that each of their cache lines is read many times (Faldu,
//! Diamond, Grot, *A Closer Look at Lightweight Graph Reordering*, IISWC 2019),
//! rows of equal length follow one another, and the likely parents in a
//! breadth-first search come first in every row. In other graphs neighbours are
//! often close in the given order, which is then the better one.

use crate::engine::VertexOrder;
use crate::graph::Graph;
use crate::graph::renumber::Order;
use crate::program::{Delivery, Law, VertexCompute, VertexId};

/// The fewest vertices for which the order matters: fewer fit the caches.
const MANY: u32 = 1 << 17;
/// The fewest edges per vertex for which renumbering pays.
const DENSE: u64 = 8;
/// A graph is skewed if 1 / `FEW` of the vertices have more than 1 / `MOST` of the
/// edges.
const FEW: u32 = 16;
/// See [`FEW`].
const MOST: u64 = 2;

/// 1 / `FRONT` of the vertices come first in the rows of the others.
const FRONT: u32 = 64;

/// The order in which to run; `None` for the given one.
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

/// The vertices at places below this come first in every row. If one message is enough, these
/// are the few with the highest degrees, from which it most likely comes; otherwise all.
pub(super) fn front<P: VertexCompute>(vertices: u32) -> VertexId {
    match P::Combiner::MERGE_LAW {
        Law::Arbitrary => vertices / FRONT,
        _ => vertices,
    }
}

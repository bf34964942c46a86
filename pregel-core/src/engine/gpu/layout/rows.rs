//! Which edges of a graph carry messages, as rows by sender or by receiver on the host.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::graph::{Csr, Graph};
use crate::memory;
use crate::program::{Direction, Program, Value, VertexId};
use crate::shared::SharedSlice;

/// Rows of edges with their values, in host memory.
#[derive(Debug)]
pub(crate) struct Rows<'g, E: Clone> {
    pub(crate) offsets: Cow<'g, [u64]>,
    pub(crate) others: Cow<'g, [VertexId]>,
    pub(crate) values: Cow<'g, [E]>,
}

impl<'g, E: Value> Rows<'g, E> {
    fn of(csr: &'g Csr, values: &'g [E]) -> Self {
        Self {
            offsets: Cow::Borrowed(csr.offsets()),
            others: Cow::Borrowed(csr.targets()),
            values: Cow::Borrowed(values),
        }
    }

    pub(crate) fn degree(&self, v: VertexId) -> u64 {
        self.offsets[v as usize + 1] - self.offsets[v as usize]
    }

    /// Edges of the longest row.
    pub(crate) fn longest(&self) -> u64 {
        self.offsets.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }
}

/// Whether rows by sender are rows by receiver too, because the two ends of every edge
/// send to each other.
pub(crate) fn symmetric<P: Program>(graph: &Graph<P::Edge>) -> bool {
    !graph.directed() || P::DIRECTION == Direction::Both
}

/// Number of edges that carry messages.
pub(crate) fn edges<P: Program>(graph: &Graph<P::Edge>) -> u64 {
    let both = graph.directed() && P::DIRECTION == Direction::Both;
    graph.edge_count() * if both { 2 } else { 1 }
}

/// Rows by sender: the receivers of each vertex.
pub(crate) fn by_sender<P: Program>(graph: &Graph<P::Edge>) -> Rows<'_, P::Edge> {
    match P::DIRECTION {
        Direction::Out => Rows::of(graph.out(), graph.out_values()),
        Direction::In => Rows::of(graph.incoming(), graph.incoming_values()),
        Direction::Both => both(graph),
    }
}

/// Rows by receiver: the senders of each vertex.
pub(crate) fn by_receiver<P: Program>(graph: &Graph<P::Edge>) -> Rows<'_, P::Edge> {
    match P::DIRECTION {
        Direction::Out => Rows::of(graph.incoming(), graph.incoming_values()),
        Direction::In => Rows::of(graph.out(), graph.out_values()),
        Direction::Both => both(graph),
    }
}

/// The out-edges and in-edges of every vertex in one row. O(V + E), parallel.
fn both<E: Value>(graph: &Graph<E>) -> Rows<'_, E> {
    if !graph.directed() {
        return Rows::of(graph.out(), graph.out_values());
    }
    let parts = [(graph.out(), graph.out_values()), (graph.incoming(), graph.incoming_values())];
    let n = graph.vertex_count();
    let offsets: Vec<u64> =
        (0..=n as usize).map(|v| parts.iter().map(|(rows, _)| rows.offsets()[v]).sum()).collect();
    let edges = 2 * graph.edge_count() as usize;
    let mut others: Vec<VertexId> = memory::zeroed(edges);
    let mut values: Vec<E> = memory::zeroed(if size_of::<E>() == 0 { 0 } else { edges });
    let (places, of_values) = (SharedSlice::new(&mut others), SharedSlice::new(&mut values));
    (0..n).into_par_iter().with_min_len(256).for_each(|v| {
        let mut place = offsets[v as usize] as usize;
        for (rows, row_values) in parts {
            for edge in rows.range(v) {
                // SAFETY: the row of `v` begins at `offsets[v]` and is as long as its two
                // rows in `parts` together, so rows do not overlap and end within the
                // slices; only the thread that has `v` writes its row.
                unsafe {
                    places.write(place, rows.targets()[edge]);
                    if let Some(value) = row_values.get(edge) {
                        of_values.write(place, *value);
                    }
                }
                place += 1;
            }
        }
    });
    Rows { offsets: offsets.into(), others: others.into(), values: values.into() }
}

//! What a run reads of the graph: rows to gather from, rows to send along, and
//! how the vertices are cut into spans of equal work.

use std::ops::Range;
use std::slice;

use crate::engine::Cancel;
use crate::graph::{Csr, Graph};
use crate::memory;
use crate::program::{Direction, Value, VertexId};

/// One set of rows with the values of its edges.
#[derive(Clone, Copy)]
pub(super) struct Rows<'g, E> {
    offsets: &'g [u64],
    targets: &'g [VertexId],
    values: &'g [E],
}

impl<'g, E: Value> Rows<'g, E> {
    fn new(csr: &'g Csr, values: &'g [E]) -> Self {
        Self { offsets: csr.offsets(), targets: csr.targets(), values }
    }

    /// The edges of `v`, as indices into the rows.
    #[inline(always)]
    pub(super) fn range(&self, v: VertexId) -> Range<usize> {
        self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize
    }

    /// Neighbours and edge values of the edges in `range`, a part of a row.
    /// Every neighbour is a vertex of the graph ([`Csr`]'s invariant).
    #[inline(always)]
    pub(super) fn edges(&self, range: Range<usize>) -> Edges<'g, E> {
        let values = if size_of::<E>() == 0 { &[] } else { &self.values[range.clone()] };
        Edges { targets: &self.targets[range], values }
    }

    /// Prefetches the beginning of the row of `v`.
    #[inline(always)]
    fn prefetch(&self, v: VertexId) {
        let start = self.offsets.get(v as usize).copied().unwrap_or(0);
        memory::prefetch(self.targets, start as usize);
    }

    /// The indices of about `count` edges, spread evenly over all rows.
    pub(super) fn sample(&self, count: usize) -> impl Iterator<Item = usize> + use<'g, E> {
        let edges = self.targets.len();
        (0..edges).step_by((edges / count).max(1))
    }

    /// The degree of `v`. Never panics, so that the compiler can drop it if a
    /// program does not need it.
    #[inline(always)]
    fn degree(&self, v: VertexId) -> u64 {
        let offset = |v: usize| self.offsets.get(v).copied().unwrap_or(0);
        offset(v as usize + 1).wrapping_sub(offset(v as usize))
    }
}

/// One set of rows, or two if messages travel both ways along directed edges.
///
/// Kept in place rather than in a vector, which would take one pointer more for each vertex.
#[derive(Clone, Copy)]
pub(super) struct Sides<'g, E> {
    /// The second is a copy of the first if there is only one.
    rows: [Rows<'g, E>; 2],
    two: bool,
}

impl<'g, E: Value> Sides<'g, E> {
    fn one(rows: Rows<'g, E>) -> Self {
        Self { rows: [rows; 2], two: false }
    }

    fn two(first: Rows<'g, E>, second: Rows<'g, E>) -> Self {
        Self { rows: [first, second], two: true }
    }

    #[inline(always)]
    pub(super) fn first(&self) -> &Rows<'g, E> {
        &self.rows[0]
    }

    #[inline(always)]
    pub(super) fn second(&self) -> Option<&Rows<'g, E>> {
        self.two.then_some(&self.rows[1])
    }

    #[inline(always)]
    fn prefetch(&self, v: VertexId) {
        self.first().prefetch(v);
        if let Some(rows) = self.second() {
            rows.prefetch(v);
        }
    }

    #[inline(always)]
    fn degree(&self, v: VertexId) -> u64 {
        self.first().degree(v) + self.second().map_or(0, |rows| rows.degree(v))
    }
}

impl<'a, 'g, E> IntoIterator for &'a Sides<'g, E> {
    type Item = &'a Rows<'g, E>;
    type IntoIter = slice::Iter<'a, Rows<'g, E>>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        let [first, _] = &self.rows;
        if self.two { self.rows.iter() } else { slice::from_ref(first).iter() }
    }
}

/// Some of the edges of one row.
#[derive(Clone, Copy)]
pub(super) struct Edges<'g, E> {
    pub(super) targets: &'g [VertexId],
    values: &'g [E],
}

impl<E: Value> Edges<'_, E> {
    /// Value of edge `i`; zero-sized values are not stored.
    #[inline(always)]
    pub(super) fn value(&self, i: usize) -> E {
        if size_of::<E>() == 0 { E::zeroed() } else { self.values[i] }
    }
}

/// The graph as one run sees it. Vertices are named by their place in the
/// engine's order; [`vertex`](Shape::vertex) gives the user's name.
pub(super) struct Shape<'g, E> {
    pub(super) vertex_count: u32,
    /// The vertex at each place; empty if the order is the user's.
    vertex_at: &'g [VertexId],
    /// Rows by source, for out-degrees.
    out: Rows<'g, E>,
    /// Rows by target, for in-degrees.
    incoming: Rows<'g, E>,
    /// Rows whose edges bring messages to their vertex: one set of rows, or two for
    /// both directions of a directed graph.
    pub(super) gather: Sides<'g, E>,
    /// Rows along whose edges a vertex sends: the same sets, the other way round.
    pub(super) scatter: Sides<'g, E>,
    pub(super) cut: &'g Cut,
    /// Ends the run from outside.
    cancel: Option<&'g Cancel>,
}

/// How the vertices are divided among threads. This depends on the graph alone,
/// so that sums are the same on any number of threads.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// Spans of consecutive vertices, each of about [`SPAN`] units of work. They
    /// are cut at multiples of 64, so that no two share a word of a bitmap.
    pub(super) spans: Vec<Range<VertexId>>,
    /// Vertices with more than `HUB` edges to gather, ascending.
    pub(super) hubs: Vec<VertexId>,
}

/// Units of work per span: an edge to gather along is one, a vertex is four.
const SPAN: u64 = 1 << 16;
/// The most edges of one row that one thread gathers alone.
pub(super) const HUB: u64 = 1 << 16;
/// Edges per segment of a hub's row.
pub(super) const SEGMENT: usize = 1 << 14;

impl<'g, E: Value> Shape<'g, E> {
    pub(super) fn new(
        graph: &'g Graph<E>,
        direction: Direction,
        vertex_at: &'g [VertexId],
        cut: &'g Cut,
    ) -> Self {
        let out = Rows::new(graph.out(), graph.out_values());
        let incoming = Rows::new(graph.incoming(), graph.incoming_values());
        let (gather, scatter) = match (direction, graph.directed()) {
            (_, false) => (Sides::one(out), Sides::one(out)),
            (Direction::Out, true) => (Sides::one(incoming), Sides::one(out)),
            (Direction::In, true) => (Sides::one(out), Sides::one(incoming)),
            (Direction::Both, true) => (Sides::two(incoming, out), Sides::two(out, incoming)),
        };
        let vertex_count = graph.vertex_count();
        Self { vertex_count, vertex_at, out, incoming, gather, scatter, cut, cancel: None }
    }

    /// The same for a run that may be cancelled.
    pub(super) fn with_cancel(self, cancel: Option<&'g Cancel>) -> Self {
        Self { cancel, ..self }
    }

    /// Whether the run should end: then what is left of the superstep is skipped, since
    /// nothing of it is used.
    #[inline(always)]
    pub(super) fn cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// Divides the vertices of the graph.
    pub(super) fn cut(&self) -> Cut {
        let mut cut = Cut::default();
        let (mut start, mut work) = (0, 0);
        for v in 0..self.vertex_count {
            let degree = self.gather_degree(v);
            work += degree.min(HUB) + 4;
            if degree > HUB {
                cut.hubs.push(v);
            }
            if v % 64 == 63 && work >= SPAN {
                cut.spans.push(start..v + 1);
                (start, work) = (v + 1, 0);
            }
        }
        if start < self.vertex_count {
            cut.spans.push(start..self.vertex_count);
        }
        cut
    }

    /// The user's vertex at place `v`.
    #[inline(always)]
    pub(super) fn vertex(&self, v: VertexId) -> VertexId {
        self.vertex_at.get(v as usize).copied().unwrap_or(v)
    }

    /// Number of edges that bring messages, for all vertices together.
    pub(super) fn edge_count(&self) -> u64 {
        self.gather.into_iter().map(|rows| rows.targets.len() as u64).sum()
    }

    /// Prefetches the beginning of the rows from which `v` gathers.
    #[inline(always)]
    pub(super) fn prefetch(&self, v: VertexId) {
        self.gather.prefetch(v);
    }

    /// Prefetches the beginning of the rows along which `v` sends.
    #[inline(always)]
    pub(super) fn prefetch_scatter(&self, v: VertexId) {
        self.scatter.prefetch(v);
    }

    #[inline(always)]
    pub(super) fn in_degree(&self, v: VertexId) -> u64 {
        self.incoming.degree(v)
    }

    #[inline(always)]
    pub(super) fn out_degree(&self, v: VertexId) -> u64 {
        self.out.degree(v)
    }

    /// Number of edges that bring messages to `v`.
    #[inline(always)]
    pub(super) fn gather_degree(&self, v: VertexId) -> u64 {
        self.gather.degree(v)
    }

    /// Number of edges along which `v` sends.
    #[inline(always)]
    pub(super) fn scatter_degree(&self, v: VertexId) -> u64 {
        self.scatter.degree(v)
    }
}

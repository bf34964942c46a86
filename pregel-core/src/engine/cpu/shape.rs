//! What a run reads of the graph: rows to gather from, rows to send along, and
//! how the vertices are cut into spans of equal work.

use std::ops::Range;
use std::slice;

use rayon::prelude::*;

use super::bitmap::{each_bit, full};
use crate::engine::Cancel;
use crate::graph::{Csr, Graph};
use crate::memory;
use crate::program::{Direction, InDegrees, Program, Value, VertexId};

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

    /// [`range`](Self::range) without checks.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn range_unchecked(&self, v: VertexId) -> Range<usize> {
        // SAFETY: there is an offset for every vertex and one more.
        unsafe {
            let start = *self.offsets.get_unchecked(v as usize) as usize;
            start..*self.offsets.get_unchecked(v as usize + 1) as usize
        }
    }

    /// The row of a vertex, with the invariants of [`Csr`] in place of checks.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn row(&self, v: VertexId) -> Edges<'g, E> {
        // SAFETY: the caller's promise. Offsets do not fall, and the last is the number of
        // targets, and of values where those have a size.
        unsafe { self.edges_unchecked(self.range_unchecked(v)) }
    }

    /// The value of the edge with this index; zero-sized values are not stored.
    #[inline(always)]
    pub(super) fn value(&self, edge: usize) -> E {
        if size_of::<E>() == 0 { E::zeroed() } else { self.values[edge] }
    }

    /// Copies the targets of the edges in `range` to the beginning of `to`, which has room for
    /// more. What is behind them there may be overwritten, too: a row is copied as if it had
    /// `FEW` edges, or `MORE`, so that few branches depend on how many it has.
    #[inline(always)]
    pub(super) fn copy_targets(&self, range: Range<usize>, to: &mut [VertexId]) {
        const FEW: usize = 4;
        const MORE: usize = 16;
        let (start, len) = (range.start, range.len());
        if let Some(few) = self.targets.get(start..start + FEW)
            && len <= FEW
        {
            to[..FEW].copy_from_slice(few);
        } else if let Some(more) = self.targets.get(start..start + MORE)
            && len <= MORE
        {
            to[..MORE].copy_from_slice(more);
        } else {
            to[..len].copy_from_slice(&self.targets[range]);
        }
    }

    /// [`edges`](Self::edges) without a check.
    ///
    /// # Safety
    /// `range` must lie within the rows.
    #[inline(always)]
    unsafe fn edges_unchecked(&self, range: Range<usize>) -> Edges<'g, E> {
        // SAFETY: the caller's promise; there are as many values as targets if values have a
        // size.
        unsafe {
            let values = match size_of::<E>() {
                0 => &[],
                _ => self.values.get_unchecked(range.clone()),
            };
            Edges { targets: self.targets.get_unchecked(range), values }
        }
    }

    /// Calls `f` with each of these vertices and its row. Unlike [`row`](Self::row), reads each
    /// offset once.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    #[inline(always)]
    pub(super) unsafe fn each_row(
        &self,
        vertices: Range<VertexId>,
        mut f: impl FnMut(VertexId, Edges<'g, E>),
    ) {
        // SAFETY: as in `row`.
        let offset = |v: VertexId| unsafe { *self.offsets.get_unchecked(v as usize) as usize };
        let mut start = offset(vertices.start);
        for v in vertices {
            let end = offset(v + 1);
            // SAFETY: as in `row`.
            f(v, unsafe { self.edges_unchecked(start..end) });
            start = end;
        }
    }

    /// The number of edges of these vertices together.
    #[inline(always)]
    pub(super) fn edges_of(&self, vertices: &Range<VertexId>) -> u64 {
        self.offsets[vertices.end as usize] - self.offsets[vertices.start as usize]
    }

    /// Neighbours and edge values of the edges in `range`, a part of a row.
    /// Every neighbour is a vertex of the graph ([`Csr`]'s invariant).
    #[inline(always)]
    pub(super) fn edges(&self, range: Range<usize>) -> Edges<'g, E> {
        let values = if size_of::<E>() == 0 { &[] } else { &self.values[range.clone()] };
        Edges { targets: &self.targets[range], values }
    }

    /// Prefetches where the row of `v` begins.
    #[inline(always)]
    fn prefetch_offset(&self, v: VertexId) {
        memory::prefetch(self.offsets, v as usize);
    }

    /// [`prefetch`](Self::prefetch) without a check.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn prefetch_unchecked(&self, v: VertexId) {
        // SAFETY: there is an offset for every vertex and one more.
        let start = unsafe { *self.offsets.get_unchecked(v as usize) as usize };
        memory::prefetch(self.targets, start);
        if size_of::<E>() > 0 {
            memory::prefetch(self.values, start);
        }
    }

    /// Prefetches the beginning of the row of `v`.
    #[inline(always)]
    fn prefetch(&self, v: VertexId) {
        let start = self.offsets.get(v as usize).copied().unwrap_or(0);
        memory::prefetch(self.targets, start as usize);
        if size_of::<E>() > 0 {
            memory::prefetch(self.values, start as usize);
        }
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

    /// The degree of `v`.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    unsafe fn degree_unchecked(&self, v: VertexId) -> u64 {
        // SAFETY: there is an offset for every vertex and one more.
        let [start, end] =
            unsafe { [v as usize, v as usize + 1].map(|at| *self.offsets.get_unchecked(at)) };
        end.wrapping_sub(start)
    }
}

/// One set of rows, or two if messages travel both ways along directed edges.
///
/// Kept in place rather than in a vector, which would take one pointer more for each vertex.
#[derive(Clone, Copy)]
pub(super) struct Sides<'g, P: Program> {
    /// The second is a copy of the first if there is only one.
    rows: [Rows<'g, P::Edge>; 2],
    two: bool,
}

impl<'g, P: Program> Sides<'g, P> {
    fn one(rows: Rows<'g, P::Edge>) -> Self {
        Self { rows: [rows; 2], two: false }
    }

    fn two(first: Rows<'g, P::Edge>, second: Rows<'g, P::Edge>) -> Self {
        Self { rows: [first, second], two: true }
    }

    #[inline(always)]
    pub(super) fn first(&self) -> &Rows<'g, P::Edge> {
        &self.rows[0]
    }

    /// The second set of rows, if there are two. Costs nothing for a program whose messages
    /// travel one way.
    #[inline(always)]
    pub(super) fn second(&self) -> Option<&Rows<'g, P::Edge>> {
        (P::DIRECTION == Direction::Both && self.two).then_some(&self.rows[1])
    }

    /// Calls `f` for each set of rows. Unlike a loop, this lets the compiler keep their
    /// addresses in registers.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(&Rows<'g, P::Edge>)) {
        f(self.first());
        if let Some(rows) = self.second() {
            f(rows);
        }
    }

    #[inline(always)]
    fn prefetch(&self, v: VertexId) {
        self.each(|rows| rows.prefetch(v));
    }

    #[inline(always)]
    fn degree(&self, v: VertexId) -> u64 {
        self.first().degree(v) + self.second().map_or(0, |rows| rows.degree(v))
    }

    /// [`degree`](Self::degree) without a check.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    unsafe fn degree_unchecked(&self, v: VertexId) -> u64 {
        // SAFETY: the caller's promise.
        let degree = |rows: &Rows<'g, P::Edge>| unsafe { rows.degree_unchecked(v) };
        degree(self.first()) + self.second().map_or(0, degree)
    }

    /// The number of edges of some of these vertices together: those whose bits are set in
    /// `members`. The vertices share a word of a bitmap.
    #[inline(always)]
    pub(super) fn edges_of(&self, vertices: &Range<VertexId>, members: u64) -> u64 {
        let mut edges = 0;
        if members == full(vertices) {
            self.each(|rows| edges += rows.edges_of(vertices));
        } else {
            each_bit(vertices.start as usize / 64, members, |v, _| edges += self.degree(v));
        }
        edges
    }
}

impl<'a, 'g, P: Program> IntoIterator for &'a Sides<'g, P> {
    type Item = &'a Rows<'g, P::Edge>;
    type IntoIter = slice::Iter<'a, Rows<'g, P::Edge>>;

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
#[derive(Clone, Copy)]
pub(super) struct Shape<'g, P: Program> {
    pub(super) vertex_count: u32,
    /// The vertex at each place; empty if the order is the user's.
    vertex_at: &'g [VertexId],
    /// Rows by source, for out-degrees.
    out: Rows<'g, P::Edge>,
    /// Rows by target, for in-degrees; those by source if there are none.
    incoming: Rows<'g, P::Edge>,
    /// Where in-degrees are known if there are no rows by target.
    pub(super) in_degrees: Option<&'g dyn InDegrees>,
    /// Rows whose edges bring messages to their vertex: one set of rows, or two for
    /// both directions of a directed graph. If [there are none](Self::gathers), those along
    /// which it sends, of which only the lengths are used.
    pub(super) gather: Sides<'g, P>,
    /// Rows along whose edges a vertex sends: the same sets, the other way round.
    pub(super) scatter: Sides<'g, P>,
    /// Whether each vertex sends along as many edges as it gathers from, as far as is known.
    pub(super) symmetric: bool,
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
    /// Vertices with an edge to gather, one bit each; all if that is not known.
    linked: Vec<u64>,
}

impl Cut {
    /// The vertices with an edge to gather among the 64 from vertex `64 * i` on.
    #[inline(always)]
    pub(super) fn linked(&self, i: usize) -> u64 {
        self.linked[i]
    }
}

/// Units of work per span: an edge to gather along is one, a vertex is four.
const SPAN: u64 = 1 << 16;
/// The most edges of one row that one thread gathers alone.
pub(super) const HUB: u64 = 1 << 16;
/// Edges per segment of a hub's row.
pub(super) const SEGMENT: usize = 1 << 14;

impl<'g, P: Program> Shape<'g, P> {
    /// The graph with its rows by target, which are made if there are none.
    pub(super) fn new(graph: &'g Graph<P::Edge>, vertex_at: &'g [VertexId], cut: &'g Cut) -> Self {
        let incoming = Rows::new(graph.incoming(), graph.incoming_values());
        Self::of(graph, vertex_at, cut, Some(incoming))
    }

    /// The graph without rows by target, in the user's order, for a program that sends along
    /// the rows by source and only pushes.
    pub(super) fn without_incoming(graph: &'g Graph<P::Edge>, cut: &'g Cut) -> Self {
        Self::of(graph, &[], cut, None)
    }

    fn of(
        graph: &'g Graph<P::Edge>,
        vertex_at: &'g [VertexId],
        cut: &'g Cut,
        incoming: Option<Rows<'g, P::Edge>>,
    ) -> Self {
        let out = Rows::new(graph.out(), graph.out_values());
        let in_degrees = incoming.is_none().then_some(graph as &dyn InDegrees);
        let gathers = incoming.is_some();
        let incoming = incoming.unwrap_or(out);
        let (gather, scatter) = match (P::DIRECTION, graph.directed() && gathers) {
            (_, false) => (Sides::one(out), Sides::one(out)),
            (Direction::Out, true) => (Sides::one(incoming), Sides::one(out)),
            (Direction::In, true) => (Sides::one(out), Sides::one(incoming)),
            (Direction::Both, true) => (Sides::two(incoming, out), Sides::two(out, incoming)),
        };
        let vertex_count = graph.vertex_count();
        let symmetric = !graph.directed() || P::DIRECTION == Direction::Both || !gathers;
        Self {
            vertex_count,
            vertex_at,
            out,
            incoming,
            in_degrees,
            gather,
            scatter,
            symmetric,
            cut,
            cancel: None,
        }
    }

    /// The same for a run that may be cancelled.
    pub(super) fn with_cancel(self, cancel: Option<&'g Cancel>) -> Self {
        Self { cancel, ..self }
    }

    /// Whether there are rows to gather from, so that a superstep may pull.
    pub(super) fn gathers(&self) -> bool {
        self.in_degrees.is_none()
    }

    /// Whether the run should end: then what is left of the superstep is skipped, since
    /// nothing of it is used.
    #[inline(always)]
    pub(super) fn cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// Divides the vertices of the graph. O(V), parallel.
    pub(super) fn cut(&self) -> Cut {
        let (n, unknown) = (self.vertex_count, u64::from(!self.gathers()));
        let word = |i: usize| {
            let (mut linked, mut work, mut hubs) = (0, 0, false);
            for v in vertices_of(i, n) {
                let degree = self.gather_degree(v);
                linked |= (u64::from(degree > 0) | unknown) << (v % 64);
                work += degree.min(HUB) + 4;
                hubs |= degree > HUB;
            }
            (linked, (work, hubs))
        };
        let words = (0..n.div_ceil(64) as usize).into_par_iter().with_min_len(64);
        let (linked, loads): (Vec<u64>, Vec<(u64, bool)>) = words.map(word).unzip();
        let mut cut = Cut { linked, ..Cut::default() };
        let (mut start, mut work) = (0, 0);
        for (i, (load, hubs)) in loads.into_iter().enumerate() {
            let vertices = vertices_of(i, n);
            work += load;
            if hubs {
                cut.hubs.extend(vertices.clone().filter(|v| self.gather_degree(*v) > HUB));
            }
            if work >= SPAN || vertices.end == n {
                cut.spans.push(start..vertices.end);
                (start, work) = (vertices.end, 0);
            }
        }
        cut
    }

    /// The same if the order is the user's; then the compiler knows it, too.
    #[inline(always)]
    pub(super) fn in_order(&self) -> Option<Self> {
        self.vertex_at.is_empty().then_some(Self { vertex_at: &[], ..*self })
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

    /// [`prefetch_scatter`](Self::prefetch_scatter) without a check.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn prefetch_scatter_unchecked(&self, v: VertexId) {
        // SAFETY: the caller's promise.
        self.scatter.each(|rows| unsafe { rows.prefetch_unchecked(v) });
    }

    /// Prefetches where these rows begin, which [`prefetch_scatter`](Self::prefetch_scatter)
    /// reads.
    #[inline(always)]
    pub(super) fn prefetch_scatter_offset(&self, v: VertexId) {
        self.scatter.each(|rows| rows.prefetch_offset(v));
    }

    #[inline(always)]
    pub(super) fn in_degree(&self, v: VertexId) -> u64 {
        self.incoming.degree(v)
    }

    #[inline(always)]
    pub(super) fn out_degree(&self, v: VertexId) -> u64 {
        self.out.degree(v)
    }

    /// In- and out-degree of `v`.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn degrees_unchecked(&self, v: VertexId) -> [u64; 2] {
        // SAFETY: the caller's promise.
        unsafe { [self.incoming.degree_unchecked(v), self.out.degree_unchecked(v)] }
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

    /// Numbers of edges that bring messages to `v`, and along which it sends.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn sides_unchecked(&self, v: VertexId) -> [u64; 2] {
        // SAFETY: the caller's promise.
        let scatters = unsafe { self.scatter.degree_unchecked(v) };
        if self.symmetric {
            return [scatters; 2];
        }
        // SAFETY: the caller's promise.
        [unsafe { self.gather.degree_unchecked(v) }, scatters]
    }
}

/// The vertices whose bits are in word `i` of a bitmap of `n` vertices.
fn vertices_of(i: usize, n: u32) -> Range<VertexId> {
    let start = i as VertexId * 64;
    start..n.min(start.saturating_add(64))
}

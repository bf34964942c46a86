//! What a run reads of the graph: rows to gather from, and rows to send along.

use std::ops::Range;

use super::cut::Cut;
use super::edges::{Rows, Sides};
use crate::engine::Cancel;
use crate::graph::Graph;
use crate::program::{Direction, InDegrees, Program, VertexId};

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
        Cut::of(self)
    }

    /// The user's vertices at these places; `None` if they are the same.
    #[inline(always)]
    pub(super) fn vertices_at(&self, places: &Range<VertexId>) -> Option<&'g [VertexId]> {
        let places = places.start as usize..places.end as usize;
        (!self.vertex_at.is_empty()).then(|| &self.vertex_at[places])
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

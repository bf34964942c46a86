//! Rows of edges as loops read them, most of them without checks.

use std::hint::black_box;
use std::ops::Range;
use std::slice;

use super::bitmap::{each_bit, full};
use crate::graph::Csr;
use crate::memory;
use crate::program::{Direction, Program, Value, VertexId};

/// How many edges ahead the other end of an edge is prefetched.
const LATER: usize = 64;

/// One set of rows with the values of its edges.
#[derive(Clone, Copy)]
pub(super) struct Rows<'g, E> {
    pub(super) offsets: &'g [u64],
    pub(super) targets: &'g [VertexId],
    values: &'g [E],
}

impl<'g, E: Value> Rows<'g, E> {
    pub(super) fn new(csr: &'g Csr, values: &'g [E]) -> Self {
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
        unsafe { self.edges_unchecked(self.range_unchecked(v), None) }
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
    unsafe fn edges_unchecked(&self, range: Range<usize>, step: Option<usize>) -> Edges<'g, E> {
        // SAFETY: the caller's promise; there are as many values as targets if values have a
        // size.
        unsafe {
            let values = match size_of::<E>() {
                0 => &[],
                _ => self.values.get_unchecked(range.clone()),
            };
            Edges { targets: self.targets.get_unchecked(range), values, step }
        }
    }

    /// Calls `f` with each of these vertices, its row, and the targets of as many edges [`LATER`]
    /// edges further on. Unlike [`row`](Self::row), reads each offset once.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    #[inline(always)]
    pub(super) unsafe fn each_row(
        &self,
        vertices: Range<VertexId>,
        mut f: impl FnMut(VertexId, Edges<'g, E>, &'g [VertexId]),
    ) {
        // SAFETY: as in `row`.
        let offset = |v: VertexId| unsafe { *self.offsets.get_unchecked(v as usize) as usize };
        let (mut start, step) = (offset(vertices.start), Some(one()));
        for v in vertices {
            let end = offset(v + 1);
            let later = (start + LATER).min(self.targets.len() - (end - start));
            // SAFETY: as in `row`. The later ones end with the last edge at the latest.
            unsafe {
                let later = self.targets.get_unchecked(later..later + (end - start));
                f(v, self.edges_unchecked(start..end, step), later);
            }
            start = end;
        }
    }

    /// The targets of as many edges as these vertices have, [`LATER`] edges further on.
    #[inline(always)]
    pub(super) fn later(&self, vertices: &Range<VertexId>) -> &'g [VertexId] {
        let later =
            |v: VertexId| (self.offsets[v as usize] as usize + LATER).min(self.targets.len());
        &self.targets[later(vertices.start)..later(vertices.end)]
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
        Edges { targets: &self.targets[range], values, step: None }
    }

    /// Prefetches where the row of `v` begins.
    #[inline(always)]
    pub(super) fn prefetch_offset(&self, v: VertexId) {
        memory::prefetch(self.offsets, v as usize);
    }

    /// [`prefetch`](Self::prefetch) without a check.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn prefetch_unchecked(&self, v: VertexId) {
        // SAFETY: there is an offset for every vertex and one more.
        self.prefetch_edge(unsafe { *self.offsets.get_unchecked(v as usize) });
    }

    /// Prefetches the beginning of the row of `v`.
    #[inline(always)]
    pub(super) fn prefetch(&self, v: VertexId) {
        self.prefetch_edge(self.offsets.get(v as usize).copied().unwrap_or(0));
    }

    #[inline(always)]
    fn prefetch_edge(&self, edge: u64) {
        memory::prefetch(self.targets, edge as usize);
        if size_of::<E>() > 0 {
            memory::prefetch(self.values, edge as usize);
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
    pub(super) fn degree(&self, v: VertexId) -> u64 {
        let offset = |v: usize| self.offsets.get(v).copied().unwrap_or(0);
        offset(v as usize + 1).wrapping_sub(offset(v as usize))
    }

    /// The degree of `v`.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn degree_unchecked(&self, v: VertexId) -> u64 {
        // SAFETY: the caller's promise.
        let Range { start, end } = unsafe { self.range_unchecked(v) };
        end.wrapping_sub(start) as u64
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
    pub(super) fn one(rows: Rows<'g, P::Edge>) -> Self {
        Self { rows: [rows; 2], two: false }
    }

    pub(super) fn two(first: Rows<'g, P::Edge>, second: Rows<'g, P::Edge>) -> Self {
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
    pub(super) fn each(&self, mut f: impl FnMut(&Rows<'g, P::Edge>)) {
        f(self.first());
        if let Some(rows) = self.second() {
            f(rows);
        }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, v: VertexId) {
        self.each(|rows| rows.prefetch(v));
    }

    #[inline(always)]
    pub(super) fn degree(&self, v: VertexId) -> u64 {
        self.first().degree(v) + self.second().map_or(0, |rows| rows.degree(v))
    }

    /// [`degree`](Self::degree) without a check.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn degree_unchecked(&self, v: VertexId) -> u64 {
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
    /// What [`step`](Self::step) returns, if it is at hand.
    step: Option<usize>,
}

/// 1, of which the compiler knows nothing.
#[inline(always)]
fn one() -> usize {
    black_box(1)
}

impl<E: Value> Edges<'_, E> {
    /// The step of a loop over a short row, which is 1. The compiler does not know it, and so does
    /// not unroll the loop: unrolled, it ends with two branches that are mispredicted, in place
    /// of one. It takes a store and a load, so [`Rows::each_row`] asks for it once.
    #[inline(always)]
    pub(super) fn step(&self) -> usize {
        self.step.unwrap_or_else(one)
    }

    /// Value of edge `i`; zero-sized values are not stored.
    #[inline(always)]
    pub(super) fn value(&self, i: usize) -> E {
        if size_of::<E>() == 0 { E::zeroed() } else { self.values[i] }
    }
}

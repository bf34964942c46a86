//! What a run reads of the graph: rows to gather from, rows to send along,
//! and how the vertices are cut into pieces of equal work.

use std::ops::Range;

use super::hot::HotOrder;
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

    pub(super) fn targets(&self) -> &'g [VertexId] {
        self.targets
    }

    /// The same rows with other targets, as many and below as many vertices.
    pub(super) fn with_targets<'r>(&self, targets: &'r [VertexId]) -> Rows<'r, E>
    where
        'g: 'r,
    {
        assert_eq!(targets.len(), self.targets.len());
        Rows { targets, ..*self }
    }

    /// The places of the edges of `v`.
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

    /// Places of about `count` edges, spread evenly over all rows.
    pub(super) fn sample(&self, count: usize) -> impl Iterator<Item = usize> + use<'g, E> {
        let edges = self.targets.len();
        (0..edges).step_by((edges / count).max(1))
    }

    /// The degree of `v`. Never panics, so that the compiler may drop it
    /// where a program does not ask.
    #[inline(always)]
    pub(super) fn degree(&self, v: VertexId) -> u64 {
        let offset = |v: usize| self.offsets.get(v).copied().unwrap_or(0);
        offset(v as usize + 1).wrapping_sub(offset(v as usize))
    }
}

/// Some edges of one row.
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

/// The graph as one program sees it.
pub(super) struct Shape<'g, E> {
    pub(super) vertex_count: u32,
    /// Rows by source, for out-degrees.
    out: Rows<'g, E>,
    /// Rows by target, for in-degrees.
    incoming: Rows<'g, E>,
    /// Rows whose edges bring messages to their vertex: one set, or two for
    /// both directions of a directed graph.
    pub(super) gather: Vec<Rows<'g, E>>,
    /// Rows along whose edges a vertex sends; the same sets the other way.
    pub(super) scatter: Vec<Rows<'g, E>>,
    /// Pieces of consecutive vertices, each of about `PIECE` units of work
    /// to gather for; cut at multiples of 64 so that no two share a word of
    /// a bitmap. They depend on the graph alone, never on the threads.
    pub(super) pieces: Vec<Range<VertexId>>,
    /// Vertices with more than `HUB` edges to gather, ascending.
    pub(super) hubs: Vec<VertexId>,
    /// Where signals are kept, if not in the order of the vertices.
    pub(super) hot: Option<HotOrder>,
}

/// Work units (edges, or vertices four times over) of a piece.
const PIECE: u64 = 1 << 16;
/// Bytes that random reads may cover without a thought to their order.
const NEAR_CACHE: usize = 1 << 20;
/// Reads of a signal that make its place matter, on average.
const OFTEN: u64 = 8;
/// Edges of one row that one thread may gather alone.
pub(super) const HUB: u64 = 1 << 16;
/// Edges of a hub that are gathered as one segment.
pub(super) const SEGMENT: usize = 1 << 14;

impl<'g, E: Value> Shape<'g, E> {
    pub(super) fn new(graph: &'g Graph<E>, direction: Direction) -> Self {
        let out = Rows::new(graph.out(), graph.out_values());
        let incoming = Rows::new(graph.incoming(), graph.incoming_values());
        let (gather, scatter) = match (direction, graph.directed()) {
            (_, false) => (vec![out], vec![out]),
            (Direction::Out, true) => (vec![incoming], vec![out]),
            (Direction::In, true) => (vec![out], vec![incoming]),
            (Direction::Both, true) => (vec![incoming, out], vec![out, incoming]),
        };
        let mut shape = Self {
            vertex_count: graph.vertex_count(),
            out,
            incoming,
            gather,
            scatter,
            pieces: Vec::new(),
            hubs: Vec::new(),
            hot: None,
        };
        shape.cut();
        shape
    }

    fn cut(&mut self) {
        let n = self.vertex_count;
        let (mut start, mut work) = (0, 0);
        for v in 0..n {
            let degree = self.gather_degree(v);
            work += degree.min(HUB) + 4;
            if degree > HUB {
                self.hubs.push(v);
            }
            if v % 64 == 63 && work >= PIECE {
                self.pieces.push(start..v + 1);
                (start, work) = (v + 1, 0);
            }
        }
        if start < n {
            self.pieces.push(start..n);
        }
    }

    /// Keeps signals of `size` bytes in the order of how often they are read,
    /// if they are many and read often.
    pub(super) fn order_signals(&mut self, size: usize) {
        let n = self.vertex_count;
        if n as usize * size > NEAR_CACHE && self.edge_count() / u64::from(n) >= OFTEN {
            self.hot = Some(HotOrder::new(n, &self.gather, |v| self.scatter_degree(v)));
        }
    }

    /// The place of the signal of `v`.
    #[inline(always)]
    pub(super) fn place(&self, v: VertexId) -> usize {
        match &self.hot {
            Some(hot) => hot.places[v as usize] as usize,
            None => v as usize,
        }
    }

    /// Edges that bring messages, over all vertices.
    pub(super) fn edge_count(&self) -> u64 {
        self.gather.iter().map(|rows| rows.targets.len() as u64).sum()
    }

    /// Asks for the beginning of the rows from which `v` will gather.
    #[inline(always)]
    pub(super) fn prefetch(&self, v: VertexId) {
        for rows in &self.gather {
            let start = rows.offsets.get(v as usize).copied().unwrap_or(0);
            memory::prefetch(rows.targets, start as usize);
        }
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
        self.gather.iter().map(|rows| rows.degree(v)).sum()
    }

    /// Number of edges along which `v` sends.
    #[inline(always)]
    pub(super) fn scatter_degree(&self, v: VertexId) -> u64 {
        self.scatter.iter().map(|rows| rows.degree(v)).sum()
    }
}

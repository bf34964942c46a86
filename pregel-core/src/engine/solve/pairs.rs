//! The distinct pairs of neighbours, in rows that are short however large the hubs are.
//!
//! Each pair is in the row of the end with the lower degree, and of equal degrees the one with
//! the smaller id. Every vertex in the row of `a` has at least the degree of `a`, so with P pairs
//! no row is longer than √(2P).

use std::ops::Range;

use rayon::prelude::*;

use super::neighbours::{Rows, Scratch, split};
use crate::engine::Needs;
use crate::graph::Graph;
use crate::memory;
use crate::program::{Value, VertexId};

/// The distinct pairs of neighbours, each in the row of its lower end.
#[derive(Debug)]
pub(in crate::engine) struct Pairs {
    /// Number of distinct neighbours of each vertex.
    pub(in crate::engine) degrees: Vec<u32>,
    /// Where each row begins; one more than vertices.
    pub(in crate::engine) offsets: Vec<u64>,
    /// The higher end of each pair. Rows ascend.
    pub(in crate::engine) targets: Vec<VertexId>,
    /// Edges between the two ends, 1 or 2; empty if every pair counts as one.
    pub(in crate::engine) weights: Vec<u8>,
}

impl Pairs {
    /// O(V + E), parallel, if rows are sorted. Reads the rows three times. If not `weighted`,
    /// every pair counts as one edge.
    pub(in crate::engine) fn of<E: Value>(graph: &Graph<E>, weighted: bool) -> Self {
        let rows = Rows::of(graph);
        let n = graph.vertex_count();
        let cuts = rows.cuts();
        let degrees = degrees(&rows, &cuts, n);
        let lower = |v: VertexId, u: VertexId| (degrees[v as usize], v) < (degrees[u as usize], u);
        let mut offsets: Vec<u64> = memory::zeroed(n as usize + 1);
        let parts = split(&mut offsets[1..], cuts.iter().map(|range| range.len()));
        cuts.par_iter().zip(parts).for_each_init(Scratch::default, |scratch, (range, part)| {
            for (v, length) in range.clone().zip(part) {
                rows.visit(v, scratch, |u, _| *length += u64::from(lower(v, u)));
            }
        });
        for v in 1..offsets.len() {
            offsets[v] += offsets[v - 1];
        }
        let count = offsets[n as usize] as usize;
        let mut targets: Vec<VertexId> = memory::zeroed(count);
        let mut weights: Vec<u8> = memory::zeroed(if weighted { count } else { 0 });
        let length = |range: &Range<VertexId>| {
            (offsets[range.end as usize] - offsets[range.start as usize]) as usize
        };
        let of_weights = |range| if weighted { length(range) } else { 0 };
        let parts = split(&mut targets, cuts.iter().map(length));
        let parts = parts.into_par_iter().zip(split(&mut weights, cuts.iter().map(of_weights)));
        cuts.par_iter().zip(parts).for_each_init(Scratch::default, |scratch, (range, part)| {
            let (mut targets, mut weights) = (part.0.iter_mut(), part.1.iter_mut());
            for v in range.clone() {
                rows.visit(v, scratch, |u, edges| {
                    if lower(v, u) {
                        targets.by_ref().take(1).for_each(|target| *target = u);
                        weights.by_ref().take(1).for_each(|weight| *weight = edges);
                    }
                });
            }
        });
        Self { degrees, offsets, targets, weights }
    }

    /// How many pairs a graph has. O(V + E), parallel, if rows are sorted. Reads the rows once.
    pub(in crate::engine) fn count_of<E: Value>(graph: &Graph<E>) -> u64 {
        let rows = Rows::of(graph);
        let degrees = degrees(&rows, &rows.cuts(), graph.vertex_count());
        degrees.par_iter().map(|degree| u64::from(*degree)).sum::<u64>() / 2
    }

    /// What they take, with the rows by target of a directed graph if it has none yet. These are
    /// made to count the pairs.
    pub(in crate::engine) fn needs<E: Value>(graph: &Graph<E>, weighted: bool) -> Needs {
        let needs = Needs::default().with_rows_by_target(graph, false);
        let each = if weighted { 5 } else { 4 };
        needs
            .with_host("pairs of neighbours", each * Self::count_of(graph))
            .with_host("rows of pairs", vertices_times(graph, 12))
    }

    pub(in crate::engine) fn count(&self) -> u64 {
        self.targets.len() as u64
    }

    pub(in crate::engine) fn weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    pub(super) fn range(&self, v: VertexId) -> Range<usize> {
        self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize
    }

    /// Edges between the two ends of a pair.
    #[inline(always)]
    pub(super) fn weight<const WEIGHTED: bool>(&self, pair: usize) -> u64 {
        if WEIGHTED { u64::from(self.weights[pair]) } else { 1 }
    }
}

/// As many bytes for each vertex of a graph.
pub(super) fn vertices_times<E: Value>(graph: &Graph<E>, bytes: u64) -> u64 {
    u64::from(graph.vertex_count()) * bytes
}

/// The number of distinct neighbours of each vertex.
fn degrees(rows: &Rows<'_>, cuts: &[Range<VertexId>], n: u32) -> Vec<u32> {
    let mut degrees: Vec<u32> = memory::zeroed(n as usize);
    let parts = split(&mut degrees, cuts.iter().map(|range| range.len()));
    cuts.par_iter().zip(parts).for_each_init(Scratch::default, |scratch, (range, part)| {
        for (v, degree) in range.clone().zip(part) {
            rows.visit(v, scratch, |_, _| *degree += 1);
        }
    });
    degrees
}

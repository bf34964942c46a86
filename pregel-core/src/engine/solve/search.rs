//! Triangles of the distinct pairs of neighbours, by intersecting sorted rows.
//!
//! `pairs.rs` makes the rows, of which none is longer than √(2P) with P pairs. A triangle is
//! found once, from its lowest pair `{a, b}`: its third vertex is in the rows of both.
//!
//! A triangle counts for each of its corners as many edges as join the other two. The
//! credits of a row's targets are collected beside that row, and added to those of other rows
//! once per row, since atomic additions per triangle would meet at the hubs. All of them are
//! integers, so the result does not depend on the schedule.
//!
//! Counting needs no more than 64 bits. The credits of a vertex are ordered pairs of its
//! neighbours, fewer than 2⁶⁴. A pair is the lowest of at most √(2P) triangles, so there are
//! 2⁶⁴ of them only if P is above 2⁴², 16 TiB of rows.
//!
//! O(P^1.5) time (Schank and Wagner, *Finding, Counting and Listing All Triangles in Large
//! Graphs*, WEA 2005; Latapy, *Main-memory Triangle Computations for Very Large (Sparse
//! (Power-Law)) Graphs*, TCS 407, 2008).

use std::iter;
use std::ops::{Add, ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::pairs::Pairs;
use super::{PassLog, Seen, SolveOptions, SolveReport};
use crate::engine::{Cpu, StopReason};
use crate::graph::Graph;
use crate::memory;
use crate::program::{Value, VertexId};

/// Nanoseconds of one core for each edge, between 30 (a grid) and 1,600 (`rmat:scale=16`, whose
/// hubs have most triangles); 370 on a uniform graph with 32 edges per vertex. Measured in builds
/// without link-time optimisation, on a core that did other work as well.
pub(super) const EDGE_NS: f64 = 200.0;

/// What is kept between runs.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) engine: Cpu,
    pub(super) pairs: Pairs,
    options: SolveOptions,
    prepare_time: Duration,
}

/// What a run finds.
pub(in crate::engine) struct Triangles {
    /// For each vertex, the edges that join the other two corners of its triangles; one for
    /// each triangle if pairs have no weights.
    pub(in crate::engine) credits: Vec<u64>,
    pub(in crate::engine) triangles: u64,
}

impl Prepared {
    /// `weighted` as in [`Pairs::of`].
    pub(super) fn new<E: Value>(
        engine: &Cpu,
        graph: &Graph<E>,
        weighted: bool,
        options: &SolveOptions,
    ) -> Self {
        let start = Instant::now();
        let pairs = engine.install(|| Pairs::of(graph, weighted));
        let (engine, options) = (engine.clone(), options.clone());
        Self { engine, pairs, options, prepare_time: start.elapsed() }
    }

    pub(super) fn find(&self) -> (Triangles, SolveReport) {
        let (pairs, log) = (&self.pairs, PassLog::new(&self.options));
        let find = if pairs.weighted() { find::<true> } else { find::<false> };
        let (found, report) = self.engine.install(|| find(pairs, log));
        (found, SolveReport { prepare_time: self.prepare_time, ..report })
    }
}

/// Pairs that a thread takes at a time; a long row is cut into several parts.
pub(super) const PART: u64 = 1 << 10;
/// Parts of a pass. An observer can cancel the run after each.
pub(super) const PARTS: u64 = 1 << 12;
/// A row that is this many times as long as another is searched rather than read.
const LONGER: usize = 16;

fn find<const WEIGHTED: bool>(pairs: &Pairs, mut log: PassLog) -> (Triangles, SolveReport) {
    let credits: Vec<AtomicU64> = memory::zeroed(pairs.degrees.len());
    let (mut triangles, mut stop) = (0, StopReason::Halted);
    let parts = pairs.count().div_ceil(PART);
    // A graph without edges has a pass, too.
    for first in (0..parts.max(1)).step_by(PARTS as usize) {
        let start = Instant::now();
        let part = |scratch: &mut Vec<u64>, i: u64| {
            let part = i * PART..pairs.count().min((i + 1) * PART);
            pairs.find_part::<WEIGHTED>(part, &credits, scratch)
        };
        let found = (first..parts.min(first + PARTS)).into_par_iter().map_init(Vec::new, part);
        let found = found.reduce(Found::default, Found::add);
        triangles += found.triangles;
        if let ControlFlow::Break(()) = log.pass("triangles", found.seen, start.elapsed()) {
            stop = StopReason::Cancelled;
            break;
        }
    }
    let credits = credits.into_par_iter().map(AtomicU64::into_inner).collect();
    (Triangles { credits, triangles }, log.finish("cpu", stop))
}

/// What a part of the pairs gave.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    triangles: u64,
    seen: Seen,
}

impl Add for Found {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { triangles: self.triangles + other.triangles, seen: self.seen + other.seen }
    }
}

impl Pairs {
    /// Finds the triangles whose lowest pair is in `part`, which need not begin or end with a
    /// row, and credits their corners.
    fn find_part<const WEIGHTED: bool>(
        &self,
        part: Range<u64>,
        credits: &[AtomicU64],
        scratch: &mut Vec<u64>,
    ) -> Found {
        let credit = |v: VertexId, edges: u64| {
            if edges != 0 {
                credits[v as usize].fetch_add(edges, Relaxed);
            }
        };
        let mut found = Found::default();
        // The first row may have begun in an earlier part.
        let first = self.offsets.partition_point(|offset| *offset <= part.start) - 1;
        let end = self.offsets.partition_point(|offset| *offset < part.end);
        for a in first as VertexId..end as VertexId {
            let row_a = self.range(a);
            let here = row_a.start.max(part.start as usize)..row_a.end.min(part.end as usize);
            found.seen.vertices += u64::from(here.start == row_a.start && !here.is_empty());
            found.seen.edges += here.len() as u64;
            // A triangle takes two pairs of this row.
            if row_a.len() < 2 {
                continue;
            }
            scratch.clear();
            scratch.resize(row_a.len(), 0);
            let (mut of_a, before) = (0, found.triangles);
            for pair in here {
                let b = self.targets[pair];
                let row_b = self.range(b);
                let (mut of_b, weight) = (0, self.weight::<WEIGHTED>(pair));
                let (rows, starts) = ([&row_a, &row_b], [row_a.start, row_b.start]);
                let [targets_a, targets_b] = rows.map(|row| &self.targets[row.clone()]);
                intersect(targets_a, targets_b, |i, j| {
                    found.triangles += 1;
                    of_a += self.weight::<WEIGHTED>(starts[1] + j);
                    of_b += self.weight::<WEIGHTED>(starts[0] + i);
                    scratch[i] += weight;
                });
                scratch[pair - row_a.start] += of_b;
            }
            if found.triangles > before {
                credit(a, of_a);
                iter::zip(&self.targets[row_a], &*scratch)
                    .for_each(|(v, edges)| credit(*v, *edges));
            }
        }
        found
    }
}

/// Calls `hit` with the places of every value that is in both rows, which ascend strictly.
#[inline(always)]
fn intersect(a: &[VertexId], b: &[VertexId], mut hit: impl FnMut(usize, usize)) {
    if a.len() / LONGER > b.len() {
        return search(b, a, |j, i| hit(i, j));
    }
    if b.len() / LONGER > a.len() {
        return search(a, b, hit);
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x == y {
            hit(i, j);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}

/// The same by searches for the values of the short row, each in steps that double.
/// O(short · log(long / short)).
#[inline(always)]
fn search(short: &[VertexId], long: &[VertexId], mut hit: impl FnMut(usize, usize)) {
    let mut from = 0;
    for (i, &value) in short.iter().enumerate() {
        let mut step = 1;
        while from + step < long.len() && long[from + step] < value {
            from += step;
            step *= 2;
        }
        let until = long.len().min(from + step + 1);
        from += long[from..until].partition_point(|other| *other < value);
        match long.get(from) {
            None => return,
            Some(&other) if other == value => hit(i, from),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_intersected_whatever_their_lengths() {
        let multiples = |of: u32, below: u32| (0..below).step_by(of as usize).collect::<Vec<_>>();
        for (a, b) in [(2, 3), (1, 100), (100, 1), (7, 300), (1, 1)] {
            for below in [0, 1, 2, 299, 300, 301, 2000] {
                let (x, y) = (multiples(a, below), multiples(b, below));
                for (x, y) in [(&x[..], &y[..]), (&x[x.len().min(1)..], &y[..])] {
                    let mut hits = Vec::new();
                    intersect(x, y, |i, j| {
                        assert_eq!(x[i], y[j]);
                        hits.push(x[i]);
                    });
                    let expected = x.iter().filter(|value| y.contains(value));
                    assert!(hits.iter().eq(expected), "{a}, {b} below {below}");
                }
            }
        }
    }
}

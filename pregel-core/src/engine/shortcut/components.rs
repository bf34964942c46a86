//! Weakly connected components by union-find, in the manner of Afforest. The
//! GPU's are in `engine/gpu/components.rs`.
//!
//! Every vertex has a parent, itself or a smaller vertex of its component;
//! following parents leads to the root of its tree. An edge joins two trees by
//! hanging the larger root under a vertex of the other tree, by
//! compare-and-swap. So the root of a finished tree is the smallest vertex of
//! its component, whatever the threads did.
//!
//! Most edges join nothing: a few edges of every vertex are enough to make one
//! tree of most of the largest component. An undirected edge that has both
//! ends in that tree need not be looked at, so only the rows of the vertices
//! outside are read to the end (Sutton, Ben-Nun, Barak, *Optimizing Parallel
//! Graph Connectivity Computation via Subgraph Sampling*, IPDPS 2018).
//!
//! O(V) memory; work about O(V) where one component has most vertices,
//! O(V + E) otherwise and on directed graphs.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

use rayon::prelude::*;

use crate::engine::{
    Cpu, Log, Report, RunError, RunOptions, StopReason, Strategy, SuperstepReport,
};
use crate::graph::{Csr, Graph};
use crate::memory;
use crate::program::{Value, VertexId};

/// The weakly connected components of a graph.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Components {
    /// For every vertex the smallest vertex of its component, both as dense
    /// ids.
    pub labels: Vec<VertexId>,
    /// How the run went. Its supersteps are passes over the graph, its
    /// messages the edges that were looked at, and a vertex is active in a
    /// pass when edges of it are.
    pub report: Report,
}

impl Cpu {
    /// Finds the weakly connected components of `graph`, whatever the
    /// direction of its edges. The labels are those of label propagation, bit
    /// for bit, on any number of threads.
    ///
    /// Of the options only the observer counts. If it cancels the run, the
    /// labels are those of the edges looked at so far.
    ///
    /// # Errors
    /// [`RunError::Unsupported`] when the options ask for a strategy or a
    /// superstep limit: this is no vertex program.
    pub fn components<E: Value>(
        &self,
        graph: &Graph<E>,
        options: &RunOptions,
    ) -> Result<Components, RunError> {
        check_options(options)?;
        Ok(self.install(|| find(graph.out(), graph.directed(), Log::new(options))))
    }
}

/// Refuses what only a vertex program can do.
pub(in crate::engine) fn check_options(options: &RunOptions) -> Result<(), RunError> {
    if options.strategy == Strategy::Auto && options.max_supersteps.is_none() {
        return Ok(());
    }
    Err(RunError::Unsupported(
        "components by union-find have neither strategies nor supersteps to limit; label \
         propagation (hcc) has",
    ))
}

/// Vertices that a thread takes at a time.
const BATCH: usize = 1 << 14;
/// How many vertices ahead a row is asked for.
const AHEAD: usize = 32;
/// Edges that are listed before the first of them is followed.
const LISTED: usize = 256;
/// Edges that a thread takes at a time; a long row has several such parts.
const PART: u64 = 1 << 16;

fn find(rows: &Csr, directed: bool, mut log: Log) -> Components {
    let mut start = Instant::now();
    let mut note = |superstep, (active, messages)| {
        let strategy = Strategy::Push;
        let time = start.elapsed();
        start = Instant::now();
        log.step(SuperstepReport { superstep, active, messages, strategy, time })
    };
    let forest = Forest::new(rows.vertex_count());
    let mut flow = note(0, forest.plant(rows));
    if flow.is_continue() {
        forest.flatten();
        flow = note(1, forest.join_second(rows));
    }
    if flow.is_continue() {
        forest.flatten();
        // The other end of a directed edge does not know of it.
        let done = if directed { None } else { forest.frequent() };
        flow = note(2, forest.join_all(rows, done));
    }
    let stop = match flow {
        ControlFlow::Break(()) => StopReason::Cancelled,
        ControlFlow::Continue(()) => StopReason::Halted,
    };
    forest.flatten();
    let labels = forest.parents.into_iter().map(AtomicU32::into_inner).collect();
    Components { labels, report: log.finish("cpu", stop) }
}

/// Trees of vertices that are known to be connected: the parent of every
/// vertex, itself for a root and smaller for all others.
///
/// All accesses are relaxed. A parent only ever becomes a smaller vertex of
/// the same component, so one read too late is as true as the newest; and a
/// root is hung under another vertex by compare-and-swap, once.
struct Forest {
    parents: Vec<AtomicU32>,
}

/// How many vertices had edges of theirs looked at, and how many edges.
type Seen = (u64, u64);

impl Forest {
    fn new(vertices: u32) -> Self {
        Self { parents: memory::zeroed(vertices as usize) }
    }

    #[inline(always)]
    fn parent(&self, v: VertexId) -> VertexId {
        self.parents[v as usize].load(Relaxed)
    }

    /// Every vertex hangs under its first neighbour, or is a root if that is
    /// not smaller. Nobody reads parents yet, so nothing need be swapped.
    fn plant(&self, rows: &Csr) -> Seen {
        batches(rows, |vertices| {
            let mut seen = 0;
            for v in vertices {
                prefetch_row(rows, v);
                let first = rows.row(v).first().copied();
                self.parents[v as usize].store(first.unwrap_or(v).min(v), Relaxed);
                seen += u64::from(first.is_some());
            }
            seen
        })
    }

    /// Joins every vertex with its second neighbour. A few hundred edges are
    /// listed before the first of them is followed, so that the parents of
    /// their ends are on their way meanwhile.
    fn join_second(&self, rows: &Csr) -> Seen {
        batches(rows, |vertices| {
            let (mut edges, mut seen) = ([(0, 0); LISTED], 0);
            for first in vertices.clone().step_by(LISTED) {
                let mut count = 0;
                for v in first..vertices.end.min(first + LISTED as VertexId) {
                    prefetch_row(rows, v);
                    if let Some(&target) = rows.row(v).get(1) {
                        memory::prefetch(&self.parents, target as usize);
                        edges[count] = (v, target);
                        count += 1;
                    }
                }
                edges[..count].iter().for_each(|(v, target)| self.join(*v, *target));
                seen += count as u64;
            }
            seen
        })
    }

    /// Joins every vertex with all its neighbours, but for the vertices in the
    /// tree of `done`.
    fn join_all(&self, rows: &Csr, done: Option<VertexId>) -> Seen {
        let parts = (0..rows.edge_count().div_ceil(PART)).into_par_iter();
        let part = |i: u64| self.join_part(rows, i * PART..(i + 1) * PART, done);
        parts.map(part).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// The same of the edges at `part`, which need not begin or end with a
    /// row.
    fn join_part(&self, rows: &Csr, part: Range<u64>, done: Option<VertexId>) -> Seen {
        let (mut vertices, mut edges) = (0, 0);
        let first = rows.offsets().partition_point(|offset| *offset <= part.start) - 1;
        for v in first as VertexId..rows.vertex_count() {
            let row = rows.range(v);
            if row.start as u64 >= part.end {
                break;
            }
            // A tree that has been hung under another since is still done.
            if done == Some(self.parent(v)) {
                continue;
            }
            let here = row.start.max(part.start as usize)..row.end.min(part.end as usize);
            vertices += u64::from(here.start == row.start && !here.is_empty());
            edges += here.len() as u64;
            for &target in &rows.targets()[here] {
                self.join(v, target);
            }
        }
        (vertices, edges)
    }

    /// Makes one tree of the trees of `u` and `v`. In each step the larger of
    /// two vertices, one above each of them, is hung under the smaller if it
    /// is a root, else replaced by its parent.
    #[inline(always)]
    fn join(&self, u: VertexId, v: VertexId) {
        let (mut a, mut b) = (self.parent(u), self.parent(v));
        while a != b {
            if a < b {
                (a, b) = (b, a);
            }
            let above = self.parent(a);
            if above != a {
                a = above;
                continue;
            }
            match self.parents[a as usize].compare_exchange(a, b, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(above) => a = above,
            }
        }
    }

    /// Hangs every vertex directly under its root.
    fn flatten(&self) {
        self.parents.par_chunks(BATCH).for_each(|batch| {
            for parent in batch {
                let mut root = parent.load(Relaxed);
                loop {
                    match self.parent(root) {
                        above if above == root => break parent.store(root, Relaxed),
                        above => root = above,
                    }
                }
            }
        });
    }

    /// The root that is most frequent in a sample, after
    /// [`flatten`](Forest::flatten).
    fn frequent(&self) -> Option<VertexId> {
        const SAMPLE: u64 = 1 << 10;
        // Multiples of this number spread evenly and without a pattern that a
        // graph might share (Knuth's multiplicative hashing).
        const SPREAD: u64 = 0x9e37_79b9;
        let n = self.parents.len() as u64;
        let place = |i: u64| (((i * SPREAD) & 0xffff_ffff) * n) >> 32;
        let mut sample: Vec<_> =
            (0..SAMPLE.min(n)).map(|i| self.parent(place(i) as VertexId)).collect();
        sample.sort_unstable();
        sample.chunk_by(|a, b| a == b).max_by_key(|equal| equal.len()).map(|equal| equal[0])
    }
}

/// Runs `f` on all vertices, in batches; adds up the edges that it says it
/// looked at, one a vertex at most.
fn batches(rows: &Csr, f: impl Fn(Range<VertexId>) -> u64 + Sync) -> Seen {
    let n = rows.vertex_count();
    let batch = |start: VertexId| f(start..n.min(start.saturating_add(BATCH as VertexId)));
    let seen = (0..n).into_par_iter().step_by(BATCH).map(batch).sum();
    (seen, seen)
}

/// Asks for the beginning of the row that is [`AHEAD`] rows after that of `v`.
#[inline(always)]
fn prefetch_row(rows: &Csr, v: VertexId) {
    if let Some(start) = rows.offsets().get(v as usize + AHEAD) {
        memory::prefetch(rows.targets(), *start as usize);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::graph::{EdgeList, GraphBuilder, Ids};

    fn graph(n: u32, directed: bool, edges: Vec<[u32; 2]>) -> Graph {
        let list = EdgeList { vertex_count: n, edges, values: vec![] };
        let ids = Ids::range(0, n);
        GraphBuilder::new()
            .with_directed(directed)
            .with_edge_list(list)
            .with_ids(ids)
            .build()
            .unwrap()
    }

    fn labels(graph: &Graph) -> Vec<VertexId> {
        let cpu = Cpu::with_threads(2).unwrap();
        cpu.components(graph, &RunOptions::default()).unwrap().labels
    }

    #[test]
    fn smallest_vertex_names_the_component() {
        for directed in [true, false] {
            let edges = vec![[5, 2], [3, 5], [4, 4], [6, 1], [1, 6]];
            assert_eq!(labels(&graph(7, directed, edges)), [0, 1, 2, 2, 4, 2, 1]);
            assert!(labels(&graph(0, directed, vec![])).is_empty());
            assert_eq!(labels(&graph(2, directed, vec![])), [0, 1]);
        }
    }

    #[test]
    fn edges_of_long_rows_count_wherever_a_part_ends() {
        // The last vertex is the hub: no other row of a directed graph names
        // its neighbours.
        let n = 2 * PART as u32 + 10;
        for directed in [true, false] {
            let edges = (1..n - 1).map(|v| [n - 1, v]).collect();
            let found = labels(&graph(n, directed, edges));
            assert_eq!(found[0], 0);
            assert!(found[1..].iter().all(|label| *label == 1), "directed: {directed}");
        }
    }

    #[test]
    fn long_paths_are_followed() {
        let n = 3 * BATCH as u32;
        // Vertices that lie far apart follow each other: n and 7 have no
        // common divisor.
        let at = |i: u64| (i * 7 % u64::from(n)) as u32;
        let edges = (1..u64::from(n)).map(|i| [at(i - 1), at(i)]).collect();
        assert!(labels(&graph(n, false, edges)).iter().all(|label| *label == 0));
    }

    #[test]
    fn most_edges_inside_the_largest_component_are_left_out() {
        let graph = "rmat:scale=12".parse::<crate::graph::generate::Spec>().unwrap();
        let graph = graph.plain().unwrap();
        let found = Cpu::new().components(&graph, &RunOptions::default()).unwrap();
        let report = found.report;
        assert_eq!((report.stop, report.supersteps), (StopReason::Halted, 2));
        assert!(report.messages < graph.edge_count() / 4, "{}", report.messages);
    }

    #[test]
    fn options_that_mean_nothing_are_refused() {
        let graph = graph(2, false, vec![[0, 1]]);
        let pull = RunOptions::default().with_strategy(Strategy::Pull);
        let short = RunOptions::default().with_max_supersteps(1);
        for options in [pull, short] {
            let refusal = Cpu::new().components(&graph, &options).unwrap_err();
            assert!(matches!(refusal, RunError::Unsupported(_)));
        }
    }

    #[test]
    fn an_observer_may_stop_it() {
        let graph = graph(3, false, vec![[0, 1], [1, 2]]);
        let options = RunOptions::default().with_observer(|_| ControlFlow::Break(()));
        let report = Cpu::new().components(&graph, &options).unwrap().report;
        assert_eq!((report.stop, report.supersteps), (StopReason::Cancelled, 0));
    }
}

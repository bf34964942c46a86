//! Weakly connected components by union-find, in the manner of Afforest. The
//! GPU's are in `engine/gpu/solve/components.rs`.
//!
//! Every vertex has a parent: itself or a smaller vertex of its component.
//! Following parents leads to the root of its tree. An edge joins two trees: it
//! hangs the larger root under a vertex of the other tree, by compare-and-swap. So
//! the root of a finished tree is the smallest vertex of its component, in
//! whatever order the threads work.
//!
//! Most edges join nothing: one or two edges of every vertex are enough to make one
//! tree of most of the largest component. An undirected edge with both ends in that
//! tree can be skipped, so only the rows of the vertices outside of it are read to
//! the end (Sutton, Ben-Nun, Barak, *Optimizing Parallel
//! Graph Connectivity Computation via Subgraph Sampling*, IPDPS 2018). In sparse graphs there is
//! little to skip, so the ends of each edge are joined in one pass. Walks halve the
//! paths that they take (Jaiganesh and Burtscher, *A High-Performance Connected Components
//! Implementation for GPUs*, HPDC 2018).
//!
//! O(V) memory; work about O(V) where one component has most vertices,
//! O(V + E) otherwise and on directed graphs.

#[cfg(test)]
mod tests;

use std::ops::{Add, ControlFlow, Range};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use super::{PassLog, Problem, Seen, Solution, Solve, SolveOptions, Solver};
use crate::engine::sampled::vertices;
use crate::engine::{Cpu, Needs, RunError, StopReason};
use crate::graph::{Csr, Graph};
use crate::memory;
use crate::parallel;
use crate::program::{Value, VertexId};

/// The weakly connected components of a graph: for every vertex the smallest vertex of
/// its component, both as dense ids.
///
/// The direction of edges does not matter, and their values stay where they are. The
/// labels are those of label propagation (`hcc`), bit for bit, on every engine and any
/// number of threads. If an observer cancels the run, they are those of the edges looked
/// at so far.
///
/// ```
/// use pregel_core::engine::{ConnectedComponents, Cpu, Solve, SolveOptions};
/// use pregel_core::graph::Graph;
///
/// let graph = Graph::from_edges([(0, 1), (3, 1), (2, 4)])?;
/// let found = Cpu::new().solve(ConnectedComponents, &graph, &SolveOptions::default())?;
/// assert_eq!(found.answer, [0, 0, 2, 0, 2]); // the smallest vertex of each component
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectedComponents;

impl Problem for ConnectedComponents {
    type Answer = Vec<VertexId>;
}

/// The passes over the graph, in order.
pub(crate) const PASSES: [&str; 3] = ["first edges", "second edges", "other edges"];
/// The only pass over a sparse graph.
const ONLY_PASS: &str = "all edges";

/// A graph whose components the CPU finds. Nothing needs to be prepared.
#[derive(Debug)]
pub struct CpuComponents<'g, E> {
    engine: Cpu,
    graph: &'g Graph<E>,
    options: SolveOptions,
}

impl Solve<ConnectedComponents> for Cpu {
    type Solver<'g, E: Value> = CpuComponents<'g, E>;

    fn prepare_solver<'g, E: Value>(
        &self,
        _: ConnectedComponents,
        graph: &'g Graph<E>,
        options: &SolveOptions,
    ) -> Result<CpuComponents<'g, E>, RunError> {
        Ok(CpuComponents { engine: self.clone(), graph, options: options.clone() })
    }

    fn can_solve<E: Value>(&self, _: ConnectedComponents, _: &Graph<E>) -> Result<(), RunError> {
        Ok(())
    }

    fn needs<E: Value>(_: ConnectedComponents, graph: &Graph<E>) -> Result<Needs, RunError> {
        // The parents become the answer.
        Ok(Needs::default().with_host("labels", 4 * u64::from(graph.vertex_count())))
    }
}

impl<E: Value> Solver for CpuComponents<'_, E> {
    type Answer = Vec<VertexId>;

    fn run(&mut self) -> Result<Solution<Vec<VertexId>>, RunError> {
        let (graph, log) = (self.graph, PassLog::new(&self.options));
        Ok(self.engine.install(|| find(graph.out(), graph.directed(), log)))
    }
}

/// Vertices that a thread takes at a time.
const BATCH: usize = 1 << 14;
/// How many vertices ahead a row is prefetched.
const AHEAD: usize = 32;
/// With this share of the vertices in one tree, the rest is joined edge by edge.
const ENOUGH: f64 = 0.75;
/// Edges that are listed before the first of them is followed.
const LISTED: usize = 256;
/// Edges that a thread takes at a time; a long row is cut into several parts.
const PART: u64 = 1 << 16;
/// The same where all of them are joined.
const SMALL_PART: u64 = 1 << 14;

fn find(rows: &Csr, directed: bool, mut log: PassLog) -> Solution<Vec<VertexId>> {
    let mut start = Instant::now();
    let mut note = |pass: &'static str, seen| {
        let time = start.elapsed();
        start = Instant::now();
        log.pass(pass, seen, time)
    };
    let forest = Forest::new(rows.vertex_count());
    let local = is_local(rows);
    let flow = if is_sparse(rows, directed, local) {
        forest.plant_alone();
        note(ONLY_PASS, forest.join_once(rows, directed, local))
    } else {
        forest.join_sampled(rows, directed, note)
    };
    let stop = match flow {
        ControlFlow::Break(()) => StopReason::Cancelled,
        ControlFlow::Continue(()) => StopReason::Halted,
    };
    forest.flatten();
    let answer = forest.parents.into_iter().map(AtomicU32::into_inner).collect();
    Solution { answer, report: log.finish("cpu", stop) }
}

/// Trees of vertices that are known to be connected: the parent of every
/// vertex, itself for a root and smaller for all others.
///
/// All accesses are relaxed. A parent is only ever replaced by a vertex that was above it,
/// and what was above a vertex stays in its tree, so an old value is as valid as the newest
/// one; and a root is hung under another vertex once, by compare-and-swap.
struct Forest {
    parents: Vec<AtomicU32>,
}

impl Forest {
    fn new(vertices: u32) -> Self {
        Self { parents: memory::zeroed(vertices as usize) }
    }

    #[inline(always)]
    fn parent(&self, v: VertexId) -> VertexId {
        self.parents[v as usize].load(Relaxed)
    }

    #[inline(always)]
    fn set(&self, v: VertexId, parent: VertexId) {
        self.parents[v as usize].store(parent, Relaxed);
    }

    /// Makes every vertex a root. No other thread reads parents yet, so plain stores suffice,
    /// as in [`plant`](Self::plant).
    fn plant_alone(&self) {
        parallel::each_block(self.parents.len(), BATCH, &|batch| {
            batch.for_each(|v| self.set(v as VertexId, v as VertexId));
        });
    }

    /// Joins the ends of each edge once, after [`plant_alone`](Self::plant_alone). Of an undirected
    /// edge that is where its larger end has it.
    fn join_once(&self, rows: &Csr, directed: bool, local: bool) -> Seen {
        parts(rows, SMALL_PART, |part| {
            if local {
                // Parents of close vertices are in the cache.
                return each_once(rows, directed, &part, |v, target| self.join(v, target));
            }
            let mut edges = Listed::new(self);
            let seen = each_once(rows, directed, &part, |v, target| edges.push(v, target));
            edges.join();
            seen
        })
    }

    /// Joins the first edges of all vertices, and then the edges that do not lie in the tree that
    /// this makes of most vertices. Ends as soon as `note` says so.
    fn join_sampled(
        &self,
        rows: &Csr,
        directed: bool,
        mut note: impl FnMut(&'static str, Seen) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        note(PASSES[0], self.plant(rows))?;
        self.flatten();
        let mut largest = self.largest(rows);
        if largest.is_none_or(|tree| tree.share < ENOUGH) {
            note(PASSES[1], self.join_second(rows))?;
            self.flatten();
            largest = self.largest(rows);
        }
        // A directed edge is in the row of one of its ends only, so none is skipped.
        let done = largest.filter(|_| !directed).map(|tree| tree.root);
        note(PASSES[2], self.join_all(rows, done))
    }

    /// Hangs every vertex under its first neighbour, or makes it a root if that is not
    /// smaller.
    fn plant(&self, rows: &Csr) -> Seen {
        batches(rows, |vertices| {
            let mut seen = 0;
            for v in vertices {
                prefetch_row(rows, v);
                let first = rows.row(v).first().copied();
                self.set(v, first.unwrap_or(v).min(v));
                seen += u64::from(first.is_some());
            }
            Seen { vertices: seen, edges: seen }
        })
    }

    /// Joins every vertex with its second neighbour.
    fn join_second(&self, rows: &Csr) -> Seen {
        batches(rows, |vertices| {
            let (mut edges, mut seen) = (Listed::new(self), 0);
            for v in vertices {
                prefetch_row(rows, v);
                if let Some(&target) = rows.row(v).get(1) {
                    edges.push(v, target);
                    seen += 1;
                }
            }
            edges.join();
            Seen { vertices: seen, edges: seen }
        })
    }

    /// Joins every vertex with all its neighbours, except for the vertices in the
    /// tree of `done`.
    fn join_all(&self, rows: &Csr, done: Option<VertexId>) -> Seen {
        parts(rows, PART, |part| self.join_part(rows, part, done))
    }

    /// The same for the edges of a part.
    fn join_part(&self, rows: &Csr, part: Range<u64>, done: Option<VertexId>) -> Seen {
        let mut seen = Seen::default();
        for v in rows_with(rows, &part) {
            // Still right if that root has been hung under another vertex since. Offsets of
            // vertices that are skipped are not read.
            if done == Some(self.parent(v)) {
                continue;
            }
            let (here, begins) = within(rows, v, &part);
            seen.vertices += u64::from(begins);
            seen.edges += here.len() as u64;
            for &target in &rows.targets()[here] {
                self.join(v, target);
            }
        }
        seen
    }

    /// Makes one tree of the trees of `u` and `v`. In each step the larger of
    /// two vertices, one above each of them, is hung under the smaller if it
    /// is a root. Otherwise it is hung under its grandparent, which replaces it.
    #[inline(always)]
    fn join(&self, u: VertexId, v: VertexId) {
        let (mut a, mut b) = (self.parent(u), self.parent(v));
        while a != b {
            if a < b {
                (a, b) = (b, a);
            }
            let above = self.parent(a);
            if above != a {
                // `a` is no root, and never becomes one again.
                let next = if above == b { b } else { self.parent(above) };
                if next != above {
                    self.set(a, next);
                }
                a = next;
                continue;
            }
            match self.parents[a as usize].compare_exchange(a, b, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(above) => a = above,
            }
        }
    }

    /// Hangs every vertex directly under its root.
    ///
    /// Threads take the batches in ascending order. Parents are smaller than their children,
    /// so most of them hang under their roots already; from the middle of a long path it
    /// would be a long way to its beginning.
    fn flatten(&self) {
        let next = AtomicUsize::new(0);
        parallel::each(rayon::current_num_threads(), &|_| {
            loop {
                let first = next.fetch_add(BATCH, Relaxed);
                let Some(rest) = self.parents.get(first..) else { return };
                rest.iter().take(BATCH).for_each(|parent| self.hang(parent));
            }
        });
    }

    /// Hangs the vertex with this parent directly under its root.
    #[inline(always)]
    fn hang(&self, parent: &AtomicU32) {
        let mut root = parent.load(Relaxed);
        loop {
            match self.parent(root) {
                above if above == root => break parent.store(root, Relaxed),
                above => root = above,
            }
        }
    }

    /// The largest tree by a sample, after [`flatten`](Forest::flatten).
    fn largest(&self, rows: &Csr) -> Option<Tree> {
        let places = sample(rows).filter(|&v| rows.degree(v) > 0);
        let mut sample: Vec<_> = places.map(|v| self.parent(v)).collect();
        sample.sort_unstable();
        let trees = sample.chunk_by(|a, b| a == b);
        let tree = |equal: &[VertexId]| Tree {
            root: equal[0],
            share: equal.len() as f64 / sample.len() as f64,
        };
        trees.max_by_key(|equal| equal.len()).map(tree)
    }
}

/// Edges whose ends will be joined. A few hundred are listed before the first is followed, so that
/// the parents of their ends are prefetched in time.
struct Listed<'f> {
    forest: &'f Forest,
    edges: [(VertexId, VertexId); LISTED],
    count: usize,
}

impl<'f> Listed<'f> {
    fn new(forest: &'f Forest) -> Self {
        Self { forest, edges: [(0, 0); LISTED], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, v: VertexId, target: VertexId) {
        memory::prefetch(&self.forest.parents, target as usize);
        self.edges[self.count] = (v, target);
        self.count += 1;
        if self.count == LISTED {
            self.join();
        }
    }

    /// Joins the ends of those that are listed.
    fn join(&mut self) {
        self.edges[..self.count].iter().for_each(|(v, target)| self.forest.join(*v, *target));
        self.count = 0;
    }
}

/// A tree of a forest.
#[derive(Clone, Copy, Debug)]
struct Tree {
    root: VertexId,
    /// Its share of the vertices that have an edge.
    share: f64,
}

/// Whether to join the ends of all edges takes less time than to find out which can be left out;
/// no directed edge can. In an undirected graph whose neighbours lie anywhere, joins wait for
/// memory, so there it saves more that first edges need none.
fn is_sparse(rows: &Csr, directed: bool, local: bool) -> bool {
    let edges = if directed { rows.edge_count() } else { rows.edge_count() / 2 };
    (directed || local) && edges <= 2 * u64::from(rows.vertex_count())
}

/// Whether neighbours tend to have close numbers, as in road networks.
fn is_local(rows: &Csr) -> bool {
    let (mut close, mut all) = (0, 0);
    for v in sample(rows) {
        for &target in rows.row(v).iter().take(2).filter(|target| **target < v) {
            close += usize::from((v - target) < BATCH as VertexId / 2);
            all += 1;
        }
    }
    2 * close > all
}

/// Some vertices, spread evenly.
fn sample(rows: &Csr) -> impl Iterator<Item = VertexId> + Clone + use<> {
    vertices(rows.vertex_count(), 1 << 8)
}

/// Runs `f` on all vertices, in batches; adds up what it says it looked at.
fn batches(rows: &Csr, f: impl Fn(Range<VertexId>) -> Seen + Sync) -> Seen {
    let n = rows.vertex_count() as usize;
    let batch = |i: usize| f((i * BATCH) as VertexId..n.min((i + 1) * BATCH) as VertexId);
    parallel::map(n.div_ceil(BATCH), batch).into_iter().fold(Seen::default(), Seen::add)
}

/// Runs `f` on all edges, in parts of `size`, which need not begin or end with a row; adds up what
/// it says it looked at.
fn parts(rows: &Csr, size: u64, f: impl Fn(Range<u64>) -> Seen + Sync) -> Seen {
    let part = |i: usize| f(i as u64 * size..(i as u64 + 1) * size);
    let count = rows.edge_count().div_ceil(size) as usize;
    parallel::map(count, part).into_iter().fold(Seen::default(), Seen::add)
}

/// The rows with edges of a part. The first may have begun in an earlier part.
fn rows_with(rows: &Csr, part: &Range<u64>) -> Range<VertexId> {
    let end = rows.offsets().partition_point(|offset| *offset < part.end) as VertexId;
    rows.source_of(part.start as usize)..end.min(rows.vertex_count())
}

/// The edges of `v` in a part, and whether its first edge is one of them.
#[inline(always)]
fn within(rows: &Csr, v: VertexId, part: &Range<u64>) -> (Range<usize>, bool) {
    let row = rows.range(v);
    let here = row.start.max(part.start as usize)..row.end.min(part.end as usize);
    let begins = here.start == row.start && !here.is_empty();
    (here, begins)
}

/// Calls `f` with the ends of the edges in a part; with those of an undirected edge only where its
/// larger end has it.
#[inline(always)]
fn each_once(
    rows: &Csr,
    directed: bool,
    part: &Range<u64>,
    mut f: impl FnMut(VertexId, VertexId),
) -> Seen {
    let mut seen = Seen::default();
    for v in rows_with(rows, part) {
        prefetch_row(rows, v);
        let (here, begins) = within(rows, v, part);
        seen.vertices += u64::from(begins);
        for &target in &rows.targets()[here] {
            if directed || target <= v {
                seen.edges += 1;
                f(v, target);
            }
        }
    }
    seen
}

/// Prefetches the beginning of the row that is [`AHEAD`] rows after that of `v`.
#[inline(always)]
fn prefetch_row(rows: &Csr, v: VertexId) {
    if let Some(start) = rows.offsets().get(v as usize + AHEAD) {
        memory::prefetch(rows.targets(), *start as usize);
    }
}

//! Problems that are solved without a vertex program.
//!
//! Some problems are so common that code of their own pays, faster than any vertex
//! program for them could be. Such a [`Problem`] names what it finds; an engine that
//! implements [`Solve`] for it prepares a [`Solver`], which runs as often as wanted.
//! [`Fastest`](super::Fastest) solves whatever both of its engines do.
//!
//! ```
//! use pregel_core::engine::{ConnectedComponents, Cpu, Solve, SolveOptions};
//! use pregel_core::graph::generate::Spec;
//!
//! let graph = "grid:rows=4,cols=4".parse::<Spec>()?.plain()?;
//! let found = Cpu::new().solve(ConnectedComponents, &graph, &SolveOptions::default())?;
//! assert_eq!(found.answer, [0; 16]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clustering;
mod components;
mod neighbours;
mod pairs;
pub mod paths;
mod search;
mod triangles;

use std::fmt;
use std::ops::{Add, ControlFlow};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use clustering::{Clustering, LocalClustering};
pub use components::ConnectedComponents;
pub(super) use components::PASSES;
pub(super) use pairs::Pairs;
pub(super) use search::Triangles;
pub use triangles::{CountTriangles, TriangleCounts};

use super::gpu::DeviceReport;
use super::{Needs, RunError, StopReason};
use crate::graph::Graph;
use crate::program::Value;

/// A problem with a solver of its own.
pub trait Problem: Copy + Send + Sync {
    /// What is found.
    type Answer;

    /// About how many nanoseconds one core takes for each edge, by which
    /// [`Fastest`](super::Fastest) chooses an engine.
    #[doc(hidden)]
    const EDGE_NS: f64 = 1.4;
}

/// An engine that solves a problem without a vertex program.
pub trait Solve<Q: Problem> {
    /// A graph made ready.
    type Solver<'g, E: Value>: Solver<Answer = Q::Answer>;

    /// Makes `graph` ready for the problem, which can then be solved again and again.
    ///
    /// # Errors
    /// As [`can_solve`](Solve::can_solve), and [`RunError::Device`] when a device fails.
    fn prepare_solver<'g, E: Value>(
        &self,
        problem: Q,
        graph: &'g Graph<E>,
        options: &SolveOptions,
    ) -> Result<Self::Solver<'g, E>, RunError>;

    /// Whether the problem can be solved on this graph, as far as it can be told before
    /// anything is done.
    ///
    /// # Errors
    /// [`RunError::NoKernels`] if the GPU lacks the kernels, [`RunError::TooLarge`] if the
    /// graph does not fit its memory.
    fn can_solve<E: Value>(&self, problem: Q, graph: &Graph<E>) -> Result<(), RunError>;

    /// What a solver and its runs take in addition to the graph, before anything of it is
    /// allocated, and whatever memory there is. No device is needed. The time is at most O(V + E),
    /// and a problem of triangles makes the rows by target of a directed graph.
    ///
    /// # Errors
    /// [`RunError::DeviceLimit`] if no device can solve the problem on this graph.
    fn needs<E: Value>(problem: Q, graph: &Graph<E>) -> Result<Needs, RunError>;

    /// Prepares and solves once.
    ///
    /// # Errors
    /// As [`prepare_solver`](Solve::prepare_solver) and [`Solver::run`].
    fn solve<E: Value>(
        &self,
        problem: Q,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Result<Solution<Q::Answer>, RunError> {
        self.prepare_solver(problem, graph, options)?.run()
    }
}

/// A graph made ready for a problem.
pub trait Solver {
    /// What is found.
    type Answer;

    /// Solves the problem.
    ///
    /// # Errors
    /// When a device fails.
    fn run(&mut self) -> Result<Solution<Self::Answer>, RunError>;
}

/// What was found, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Solution<A> {
    /// What was found.
    pub answer: A,
    /// How the run went.
    pub report: SolveReport,
}

/// How to solve a problem.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct SolveOptions {
    /// Told of every pass.
    pub observer: Option<PassObserver>,
    /// How many runs the solver is expected to make, if that is known. Only times depend on
    /// it.
    pub expected_runs: Option<u32>,
}

/// Sees every pass as it ends; `Break` cancels the run.
pub type PassObserver = Arc<dyn Fn(&PassReport) -> ControlFlow<()> + Send + Sync>;

impl SolveOptions {
    /// Sets a function that sees every pass as it ends, and cancels the run if it returns
    /// `Break`.
    #[must_use]
    pub fn with_observer(
        self,
        observer: impl Fn(&PassReport) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self { observer: Some(Arc::new(observer)), ..self }
    }

    /// Sets how many runs the solver is expected to make,
    /// [`expected_runs`](Self::expected_runs).
    #[must_use]
    pub fn with_expected_runs(self, runs: impl Into<Option<u32>>) -> Self {
        Self { expected_runs: runs.into(), ..self }
    }
}

impl fmt::Debug for SolveOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolveOptions")
            .field("observer", &self.observer.is_some())
            .field("expected_runs", &self.expected_runs)
            .finish()
    }
}

/// How a problem was solved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveReport {
    /// Name of the engine.
    pub engine: &'static str,
    /// Why the run ended: [`StopReason::Halted`], or [`StopReason::Cancelled`].
    pub stop: StopReason,
    /// Time of the run, preparation apart.
    pub time: Duration,
    /// Time of [`Solve::prepare_solver`].
    pub prepare_time: Duration,
    /// Each pass over the graph.
    pub passes: Vec<PassReport>,
    /// What a device did, if one took part.
    pub device: Option<Arc<DeviceReport>>,
}

impl SolveReport {
    /// Edges that were looked at, over all passes.
    pub fn edges(&self) -> u64 {
        self.passes.iter().map(|pass| pass.edges).sum()
    }
}

/// One pass over the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassReport {
    /// What it does, in a few words.
    pub name: &'static str,
    /// Vertices of which an edge was looked at.
    pub vertices: u64,
    /// Edges that were looked at.
    pub edges: u64,
    /// How long it took.
    pub time: Duration,
}

/// What a pass looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) vertices: u64,
    pub(super) edges: u64,
}

impl Add for Seen {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { vertices: self.vertices + other.vertices, edges: self.edges + other.edges }
    }
}

/// Collects the passes of a run and tells the observer.
pub(super) struct PassLog {
    start: Instant,
    observer: Option<PassObserver>,
    passes: Vec<PassReport>,
}

impl PassLog {
    pub(super) fn new(options: &SolveOptions) -> Self {
        let observer = options.observer.clone();
        Self { start: Instant::now(), observer, passes: Vec::new() }
    }

    /// Notes a pass; `Break` when the observer cancels the run.
    pub(super) fn pass(
        &mut self,
        name: &'static str,
        seen: Seen,
        time: Duration,
    ) -> ControlFlow<()> {
        let Seen { vertices, edges } = seen;
        let pass = PassReport { name, vertices, edges, time };
        self.passes.push(pass);
        self.observer.as_ref().map_or(ControlFlow::Continue(()), |observer| observer(&pass))
    }

    pub(super) fn finish(self, engine: &'static str, stop: StopReason) -> SolveReport {
        SolveReport {
            engine,
            stop,
            time: self.start.elapsed(),
            prepare_time: Duration::ZERO,
            passes: self.passes,
            device: None,
        }
    }
}

//! What a run reports about itself.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::gpu::{DeviceReport, Taken};
use super::{Observer, RunOptions, Strategy};

/// How a run went.
///
/// ```
/// use pregel_core::engine::{Engine, Reference, RunOptions, Session, StopReason};
/// use pregel_core::graph::Graph;
/// # use pregel_core::prelude::*;
/// # #[derive(Clone, Copy)]
/// # struct Heat;
/// # impl Program for Heat {
/// #     type Input = u32;
/// #     type State = u32;
/// #     type Signal = u32;
/// #     type Edge = ();
/// #     type Combiner = Max<u32>;
/// #     type Aggregate = Nothing;
/// # }
/// # impl EdgeCompute for Heat {
/// #     fn edge_compute(&self, heat: &u32, _: Edge<()>) -> Option<u32> {
/// #         heat.checked_sub(1)
/// #     }
/// # }
/// # impl VertexCompute for Heat {
/// #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
/// #         (context.input(), Vote::of(context.input() > 0, false))
/// #     }
/// #     fn vertex_compute(&self, heat: &mut u32, came: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
/// #         if came > Some(*heat) {
/// #             *heat = came.unwrap_or(0);
/// #             return Vote::Scatter;
/// #         }
/// #         Vote::Halt
/// #     }
/// #     fn signal(&self, heat: &u32, _: &Context<'_, Self>) -> u32 {
/// #         *heat
/// #     }
/// # }
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3)])?;
/// let mut session = Reference.prepare::<Heat>(&graph, &RunOptions::default())?;
/// let report = session.run_with(&Heat, &[2, 0, 0, 0])?.report;
/// assert_eq!((report.supersteps, report.stop), (2, StopReason::Halted));
/// let messages: Vec<u64> = report.steps.iter().map(|step| step.messages).collect();
/// assert_eq!(messages, [0, 1, 1]); // the last one, of 0 degrees, changes nothing
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Name of the engine.
    pub engine: &'static str,
    /// The strategy asked for.
    pub strategy: Strategy,
    /// Why the run ended.
    pub stop: StopReason,
    /// The number of the last superstep, so that of supersteps after superstep 0.
    pub supersteps: u32,
    /// Messages offered in all supersteps of this run: edges of scattering vertices.
    pub messages: u64,
    /// Time of the run, without preparation.
    pub time: Duration,
    /// Time of [`Engine::prepare`](super::Engine::prepare).
    pub prepare_time: Duration,
    /// Each superstep, the first of this run first: superstep 0, unless the run was
    /// [resumed](super::Session::resume). Empty if
    /// [`RunOptions::totals_only`](super::RunOptions::totals_only) was set.
    pub steps: Vec<SuperstepReport>,
    /// What a device did, if one took part.
    pub device: Option<Arc<DeviceReport>>,
}

/// One superstep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SuperstepReport {
    /// Its number; 0 is `init`.
    pub superstep: u32,
    /// Vertices that computed.
    pub active: u64,
    /// Messages offered: edges of the vertices that scattered into this
    /// superstep, whether or not `edge_compute` stayed silent. The same in
    /// every strategy.
    pub messages: u64,
    /// How the messages travelled: never `Auto`.
    pub strategy: Strategy,
    /// Whether it was a round in place, whose messages change states at once: see
    /// [`Program::MONOTONE`](crate::program::Program::MONOTONE).
    pub in_place: bool,
    /// How long it took.
    pub time: Duration,
    /// How a GPU ran it, if one did.
    pub taken: Option<Taken>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// No vertex is awake and none scatters.
    Halted,
    /// The program's `converged` said so.
    Converged,
    /// The superstep limit was reached.
    Limit,
    /// The observer cancelled the run.
    Cancelled,
    /// The caller finished the run before it ended.
    Stopped,
}

impl StopReason {
    /// Lower-case name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Halted => "halted",
            Self::Converged => "converged",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::Stopped => "stopped",
        }
    }
}

/// The largest resident memory of this process so far; `None` if the system does
/// not tell, as outside Linux.
pub fn peak_memory_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The resident memory of this process now; `None` as for [`peak_memory_bytes`].
pub fn resident_memory_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

fn status_bytes(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Collects the supersteps of a run and calls the observer.
///
/// Its clock runs only while the engine works, not while the caller holds the run.
pub(super) struct Log {
    /// The time that the engine worked until the clock stopped last.
    worked: Duration,
    /// When the clock was started, if it runs.
    since: Option<Instant>,
    strategy: Strategy,
    observer: Option<Observer>,
    /// The last superstep, of this run or of the one that it resumes.
    last: Option<u32>,
    /// Messages of all supersteps.
    messages: u64,
    /// Whether each superstep is kept.
    keeps_steps: bool,
    steps: Vec<SuperstepReport>,
}

impl Log {
    pub(super) fn new(options: &RunOptions) -> Self {
        let observer = options.observer.clone();
        let strategy = options.strategy;
        Self {
            worked: Duration::ZERO,
            since: None,
            strategy,
            observer,
            last: None,
            messages: 0,
            keeps_steps: !options.totals_only,
            steps: Vec::new(),
        }
    }

    /// Keeps each superstep in any case, for an engine that learns from them.
    pub(super) fn keeping_steps(self) -> Self {
        Self { keeps_steps: true, ..self }
    }

    /// Starts the clock, unless it is running.
    pub(super) fn start_clock(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Stops the clock.
    pub(super) fn stop_clock(&mut self) {
        self.worked += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }

    /// Leaves out of the time of the run what just took this long.
    pub(super) fn set_aside(&mut self, time: Duration) {
        if let Some(since) = &mut self.since {
            *since += time;
        }
    }

    /// Notes a superstep; `Break` if the observer cancels the run.
    pub(super) fn step(&mut self, step: SuperstepReport) -> ControlFlow<()> {
        self.last = Some(step.superstep);
        self.messages += step.messages;
        if self.keeps_steps {
            self.steps.push(step);
        }
        self.observer.as_ref().map_or(ControlFlow::Continue(()), |observer| observer(&step))
    }

    /// Goes on after superstep `superstep` of an earlier run.
    pub(super) fn resume_after(&mut self, superstep: u32) {
        self.last = Some(superstep);
    }

    /// Stops the clock, and reports the run.
    pub(super) fn finish(mut self, engine: &'static str, stop: StopReason) -> Report {
        self.stop_clock();
        Report {
            engine,
            strategy: self.strategy,
            stop,
            supersteps: self.last.unwrap_or(0),
            messages: self.messages,
            time: self.worked,
            prepare_time: Duration::ZERO,
            steps: self.steps,
            device: None,
        }
    }
}

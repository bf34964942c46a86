//! What a run reports about itself.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::gpu::{DeviceReport, Taken};
use super::{Observer, RunOptions, Strategy};

/// How a run went.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Name of the engine.
    pub engine: &'static str,
    /// The strategy asked for.
    pub strategy: Strategy,
    /// Why the run ended.
    pub stop: StopReason,
    /// Supersteps after superstep 0.
    pub supersteps: u32,
    /// Messages offered in all supersteps: edges of scattering vertices.
    pub messages: u64,
    /// Time of the run, without preparation.
    pub time: Duration,
    /// Time of [`Engine::prepare`](super::Engine::prepare).
    pub prepare_time: Duration,
    /// Each superstep, superstep 0 first.
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
}

impl StopReason {
    /// Lower-case name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Halted => "halted",
            Self::Converged => "converged",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The largest resident memory of this process so far; `None` if the system does
/// not tell, as outside Linux.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Collects the supersteps of a run and calls the observer.
pub(super) struct Log {
    start: Instant,
    strategy: Strategy,
    observer: Option<Observer>,
    steps: Vec<SuperstepReport>,
}

impl Log {
    pub(super) fn new(options: &RunOptions) -> Self {
        let observer = options.observer.clone();
        let strategy = options.strategy;
        Self { start: Instant::now(), strategy, observer, steps: Vec::new() }
    }

    /// Leaves out of the time of the run what just took this long.
    pub(super) fn set_aside(&mut self, time: Duration) {
        self.start += time;
    }

    /// Notes a superstep; `Break` if the observer cancels the run.
    pub(super) fn step(&mut self, step: SuperstepReport) -> ControlFlow<()> {
        self.steps.push(step);
        self.observer.as_ref().map_or(ControlFlow::Continue(()), |observer| observer(&step))
    }

    pub(super) fn finish(self, engine: &'static str, stop: StopReason) -> Report {
        Report {
            engine,
            strategy: self.strategy,
            stop,
            supersteps: (self.steps.len() as u32).saturating_sub(1),
            messages: self.steps.iter().map(|step| step.messages).sum(),
            time: self.start.elapsed(),
            prepare_time: Duration::ZERO,
            steps: self.steps,
            device: None,
        }
    }
}

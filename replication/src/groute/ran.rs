//! What a run took.

use std::time::Instant;

use pregel_core::engine::{Report, SolveReport};

use crate::ReplicationError;
use crate::statistics::Statistics;
use crate::timing::Repeats;

/// Where a contender runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Cpu,
    Gpu,
}

impl On {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
        }
    }
}

/// One run, or medians of several.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// Without preparation.
    pub seconds: f64,
    /// Supersteps, rounds or passes.
    pub steps: f64,
    /// Kernels launched; 0 on a CPU.
    pub launches: f64,
    /// Edges along which something was sent, or that were looked at: the work items.
    pub work: f64,
    /// How far ranks are from the exact ones in total; 0 of other results.
    pub error: f64,
    /// Of how many runs these are medians.
    pub runs: usize,
}

impl Ran {
    pub fn of(report: &Report) -> Self {
        Self {
            seconds: report.time.as_secs_f64(),
            steps: report.supersteps.into(),
            launches: report.device.as_ref().map_or(0.0, |device| device.launches as f64),
            work: report.messages as f64,
            error: 0.0,
            runs: 1,
        }
    }

    pub fn of_solver(report: &SolveReport) -> Self {
        Self {
            seconds: report.time.as_secs_f64(),
            steps: report.passes.len() as f64,
            launches: report.device.as_ref().map_or(0.0, |device| device.launches as f64),
            work: report.edges() as f64,
            error: 0.0,
            runs: 1,
        }
    }

    /// The medians; `None` of no run.
    pub fn median(runs: &[Self]) -> Option<Self> {
        if runs.is_empty() {
            return None;
        }
        let median =
            |of: fn(&Self) -> f64| Statistics::of(&runs.iter().map(of).collect::<Vec<_>>()).median;
        Some(Self {
            seconds: median(|ran| ran.seconds),
            steps: median(|ran| ran.steps),
            launches: median(|ran| ran.launches),
            work: median(|ran| ran.work),
            error: median(|ran| ran.error),
            runs: runs.len(),
        })
    }
}

/// A contender, and what it took; nothing if there was no time or memory for it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub on: On,
    pub name: &'static str,
    pub ran: Option<Ran>,
}

/// How long the CPU may take for one graph.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub repeats: Repeats,
    /// Nothing is run again after this.
    pub until: Instant,
    /// Nothing begins after this.
    pub latest: Instant,
}

impl Limits {
    /// All of the time, or if a GPU is measured too the first third for repeats.
    pub fn new(repeats: Repeats, latest: Instant, with_gpu: bool) -> Self {
        let now = Instant::now();
        let left = latest.saturating_duration_since(now);
        Self { repeats, until: now + if with_gpu { left / 3 } else { left }, latest }
    }

    /// Runs at least once if there is any time, otherwise not.
    pub fn run<T>(
        self,
        run: impl FnMut() -> Result<T, ReplicationError>,
    ) -> Result<Vec<T>, ReplicationError> {
        if Instant::now() >= self.latest {
            return Ok(Vec::new());
        }
        self.repeats.at_least_once(self.until, run)
    }
}

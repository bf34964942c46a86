//! What a run took.

use std::time::Instant;

use pregel_core::engine::{Report, SolveReport};

use crate::statistics::Statistics;

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

/// Until when the CPU may be measured: the first third of the time, if a GPU is measured too.
pub fn cpu_until(until: Instant, with_gpu: bool) -> Instant {
    let now = Instant::now();
    let left = until.saturating_duration_since(now);
    now + if with_gpu { left / 3 } else { left }
}

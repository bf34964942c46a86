//! How a run went, whether a vertex program made it or a solver.

use std::sync::Arc;
use std::time::Duration;

use pregel_core::engine::gpu::{DeviceReport, Taken};
use pregel_core::engine::{Report, SolveReport, StopReason};

/// How a run went.
#[derive(Clone, Debug)]
pub struct Ran {
    pub engine: &'static str,
    /// The strategy asked for; a solver has none.
    pub strategy: Option<&'static str>,
    /// What `messages` counts.
    pub counted: &'static str,
    pub stop: StopReason,
    /// Supersteps after superstep 0, including those before a resumed run's checkpoint; or
    /// the passes of a solver.
    pub count: u32,
    /// Messages of all supersteps, or edges of all passes.
    pub messages: u64,
    pub time: Duration,
    /// Supersteps, superstep 0 first unless the run was resumed; or the passes of a solver. Of
    /// many searches, those of the last run.
    pub steps: Vec<Step>,
    /// The GPU, if there was one.
    pub device: Option<Arc<DeviceReport>>,
}

/// A superstep, or a pass of a solver.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub number: u32,
    pub kind: Kind,
    /// Vertices that computed, or of which an edge was looked at.
    pub active: u64,
    /// Messages offered, or edges looked at.
    pub messages: u64,
    pub time: Duration,
    /// How a GPU ran it.
    pub taken: Option<Taken>,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A superstep of this strategy.
    Superstep(&'static str),
    /// A round in place of this strategy.
    Round(&'static str),
    /// A pass of a solver, which does this.
    Pass(&'static str),
}

impl From<&Report> for Ran {
    fn from(report: &Report) -> Self {
        let steps = report.steps.iter().map(|step| Step {
            number: step.superstep,
            kind: if step.in_place {
                Kind::Round(step.strategy.name())
            } else {
                Kind::Superstep(step.strategy.name())
            },
            active: step.active,
            messages: step.messages,
            time: step.time,
            taken: step.taken,
        });
        Self {
            engine: report.engine,
            strategy: Some(report.strategy.name()),
            counted: "messages",
            stop: report.stop,
            count: report.supersteps,
            messages: report.messages,
            time: report.time,
            steps: steps.collect(),
            device: report.device.clone(),
        }
    }
}

impl From<&SolveReport> for Ran {
    fn from(report: &SolveReport) -> Self {
        let steps = (1..).zip(&report.passes).map(|(number, pass)| Step {
            number,
            kind: Kind::Pass(pass.name),
            active: pass.vertices,
            messages: pass.edges,
            time: pass.time,
            taken: None,
        });
        Self {
            engine: report.engine,
            strategy: None,
            counted: "edges looked at",
            stop: report.stop,
            count: report.passes.len() as u32,
            messages: report.passes.iter().map(|pass| pass.edges).sum(),
            time: report.time,
            steps: steps.collect(),
            device: report.device.clone(),
        }
    }
}

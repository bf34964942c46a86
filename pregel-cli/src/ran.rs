//! How a run went, whether a vertex program made it or a solver.

use std::sync::Arc;
use std::time::Duration;

use pregel_core::engine::gpu::{DeviceReport, Taken};
use pregel_core::engine::{PassReport, Report, SolveReport, StopReason, SuperstepReport};

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
    /// Supersteps, superstep 0 first unless the run was resumed. Of many searches, those of the
    /// last run.
    pub supersteps: Vec<SuperstepReport>,
    /// The passes of a solver.
    pub passes: Vec<PassReport>,
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

impl Ran {
    /// What the report of a run says, whose supersteps it loses: there may be very many.
    pub fn taking(report: &mut Report) -> Self {
        let supersteps = std::mem::take(&mut report.steps);
        Self { supersteps, ..Self::without_steps(report) }
    }

    fn without_steps(report: &Report) -> Self {
        Self {
            engine: report.engine,
            strategy: Some(report.strategy.name()),
            counted: "messages",
            stop: report.stop,
            count: report.supersteps,
            messages: report.messages,
            time: report.time,
            supersteps: Vec::new(),
            passes: Vec::new(),
            device: report.device.clone(),
        }
    }

    /// The supersteps, or the passes.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let passes = (1..).zip(&self.passes).map(|(number, pass)| Step::of_pass(number, pass));
        self.supersteps.iter().map(Step::of_superstep).chain(passes)
    }
}

impl Step {
    fn of_superstep(step: &SuperstepReport) -> Self {
        let strategy = step.strategy.name();
        let kind = if step.in_place { Kind::Round(strategy) } else { Kind::Superstep(strategy) };
        Self {
            number: step.superstep,
            kind,
            active: step.active,
            messages: step.messages,
            time: step.time,
            taken: step.taken,
        }
    }

    fn of_pass(number: u32, pass: &PassReport) -> Self {
        Self {
            number,
            kind: Kind::Pass(pass.name),
            active: pass.vertices,
            messages: pass.edges,
            time: pass.time,
            taken: None,
        }
    }
}

impl From<&Report> for Ran {
    fn from(report: &Report) -> Self {
        Self { supersteps: report.steps.clone(), ..Self::without_steps(report) }
    }
}

impl From<&SolveReport> for Ran {
    fn from(report: &SolveReport) -> Self {
        Self {
            engine: report.engine,
            strategy: None,
            counted: "edges looked at",
            stop: report.stop,
            count: report.passes.len() as u32,
            messages: report.passes.iter().map(|pass| pass.edges).sum(),
            time: report.time,
            supersteps: Vec::new(),
            passes: report.passes.clone(),
            device: report.device.clone(),
        }
    }
}

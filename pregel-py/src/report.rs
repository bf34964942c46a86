//! Reports of runs, for the data class in `python/pregel/_report.py`.

use std::time::Duration;

use pregel_core::engine::paths::PathsReport;
use pregel_core::engine::{Report, SolveReport, StopReason};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How a call went.
#[derive(Clone, Debug, Default)]
pub struct Went {
    pub engine: String,
    pub stop: &'static str,
    pub supersteps: u32,
    pub messages: u64,
    pub time: Duration,
    pub prepare_time: Duration,
    pub steps: Vec<Step>,
}

/// A superstep, or a pass of a solver.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    name: &'static str,
    active: u64,
    messages: u64,
    time: Duration,
}

impl From<Report> for Went {
    fn from(report: Report) -> Self {
        let step = |step: &pregel_core::engine::SuperstepReport| Step {
            name: step.strategy.name(),
            active: step.active,
            messages: step.messages,
            time: step.time,
        };
        Self {
            engine: report.engine.into(),
            stop: report.stop.name(),
            supersteps: report.supersteps,
            messages: report.messages,
            time: report.time,
            prepare_time: report.prepare_time,
            steps: report.steps.iter().map(step).collect(),
        }
    }
}

impl From<PathsReport> for Went {
    fn from(report: PathsReport) -> Self {
        Self {
            engine: report.engine.into(),
            stop: StopReason::Halted.name(),
            supersteps: report.passes,
            messages: report.pairs,
            time: report.time,
            prepare_time: report.prepare_time,
            steps: Vec::new(),
        }
    }
}

impl From<SolveReport> for Went {
    fn from(report: SolveReport) -> Self {
        let step = |pass: &pregel_core::engine::PassReport| Step {
            name: pass.name,
            active: pass.vertices,
            messages: pass.edges,
            time: pass.time,
        };
        Self {
            engine: report.engine.into(),
            stop: report.stop.name(),
            supersteps: report.passes.len() as u32,
            messages: report.edges(),
            time: report.time,
            prepare_time: report.prepare_time,
            steps: report.passes.iter().map(step).collect(),
        }
    }
}

impl Went {
    /// One report of runs that followed each other.
    pub fn of_all(reports: impl IntoIterator<Item = Report>) -> Self {
        let mut all = Self::default();
        for report in reports {
            let one = Self::from(report);
            all.supersteps += one.supersteps;
            all.messages += one.messages;
            all.time += one.time;
            all.prepare_time += one.prepare_time;
            all.steps.extend(one.steps);
            (all.engine, all.stop) = (one.engine, one.stop);
        }
        all
    }

    /// The data class.
    pub fn to_python<'py>(&self, py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyAny>> {
        let module = py.import("pregel._report")?;
        let make = module.getattr("Step")?;
        let steps: Vec<_> = (0..)
            .zip(&self.steps)
            .map(|(number, step): (u32, _)| {
                let seconds = step.time.as_secs_f64();
                make.call1((number, step.name, step.active, step.messages, seconds))
            })
            .collect::<PyResult<_>>()?;
        let fields = PyDict::new(py);
        fields.set_item("algorithm", algorithm)?;
        fields.set_item("engine", &self.engine)?;
        fields.set_item("stop", self.stop)?;
        fields.set_item("supersteps", self.supersteps)?;
        fields.set_item("messages", self.messages)?;
        fields.set_item("seconds", self.time.as_secs_f64())?;
        fields.set_item("prepare_seconds", self.prepare_time.as_secs_f64())?;
        fields.set_item("steps", steps)?;
        module.getattr("Report")?.call((), Some(&fields))
    }
}

//! The options that all algorithms share.

use std::ops::ControlFlow;
use std::sync::Arc;

use pregel_core::engine::{Cancel, RunOptions, SolveOptions, Strategy};
use pyo3::prelude::*;

use crate::engine::Choice;
use crate::errors::value;

/// How to run.
#[pyclass(frozen, module = "pregel._native")]
#[derive(Debug)]
pub struct Options {
    pub engine: Choice,
    strategy: Strategy,
    deterministic: bool,
    max_supersteps: Option<u32>,
    progress: Option<Arc<Py<PyAny>>>,
    /// Whether the result of a GPU stays there.
    pub on_device: bool,
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (engine, strategy, deterministic, max_supersteps, progress, on_device))]
    fn new(
        engine: &str,
        strategy: &str,
        deterministic: bool,
        max_supersteps: Option<u32>,
        progress: Option<Py<PyAny>>,
        on_device: bool,
    ) -> PyResult<Self> {
        let strategy = match strategy {
            "auto" => Strategy::Auto,
            "push" => Strategy::Push,
            "pull" => Strategy::Pull,
            "mailbox" => Strategy::Mailbox,
            other => {
                return Err(value(format!(
                    "there is no strategy «{other}»; strategies are \"auto\", \"push\", \"pull\" \
                     and \"mailbox\""
                )));
            }
        };
        let engine = Choice::parse(engine)?;
        let progress = progress.map(Arc::new);
        Ok(Self { engine, strategy, deterministic, max_supersteps, progress, on_device })
    }
}

impl Options {
    /// The options of a run of a program. An exception that the user's function raises ends the
    /// run, and is printed as one that cannot be raised.
    pub fn of_run(&self, cancel: &Cancel) -> RunOptions {
        let options = RunOptions::default()
            .with_strategy(self.strategy)
            .with_deterministic(self.deterministic)
            .with_max_supersteps(self.max_supersteps)
            .with_cancel(cancel.clone());
        let Some(progress) = self.progress.clone() else { return options };
        options.with_observer(move |step| {
            let seconds = step.time.as_secs_f64();
            let tell = |py: Python<'_>| {
                let told = (step.superstep, step.active, step.messages, seconds);
                told_on(py, progress.call1(py, told))
            };
            Python::try_attach(tell).unwrap_or(ControlFlow::Continue(()))
        })
    }

    /// The options of a solver, which is asked between two passes whether to go on.
    pub fn of_solver(&self, cancel: &Cancel) -> SolveOptions {
        let (cancel, progress) = (cancel.clone(), self.progress.clone());
        let passes = std::sync::atomic::AtomicU32::new(0);
        SolveOptions::default().with_observer(move |pass| {
            if cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            let Some(progress) = &progress else { return ControlFlow::Continue(()) };
            let number = passes.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let tell = |py: Python<'_>| {
                let told = (number, pass.vertices, pass.edges, pass.time.as_secs_f64());
                told_on(py, progress.call1(py, told))
            };
            Python::try_attach(tell).unwrap_or(ControlFlow::Continue(()))
        })
    }
}

/// Whether to go on after the user was told.
fn told_on(py: Python<'_>, result: PyResult<Py<PyAny>>) -> ControlFlow<()> {
    match result {
        Ok(answer) if answer.is(pyo3::types::PyBool::new(py, false).to_owned()) => {
            ControlFlow::Break(())
        }
        Ok(_) => ControlFlow::Continue(()),
        Err(error) => {
            error.write_unraisable(py, None);
            ControlFlow::Break(())
        }
    }
}

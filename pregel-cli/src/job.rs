//! Runs a program on the engine of choice, as often as asked.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use pregel_algos::verify::Violation;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::Fastest;
use pregel_core::engine::{
    Components, Cpu, Engine, Outcome, Reference, Report, RunError, RunOptions, Session, StopReason,
};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId};
use serde::Serialize;

use crate::input::Input;
use crate::machine::Machine;
use crate::plan::{RunPlan, UsageError};
use crate::progress::Progress;

/// What an algorithm is given to work with.
#[derive(Debug)]
pub struct Job<'a> {
    pub plan: &'a RunPlan,
    pub machine: &'a Machine,
    pub input: &'a Input,
    pub progress: &'a Progress,
}

/// How the trials went.
#[derive(Debug)]
pub struct Runs {
    pub prepare_time: Duration,
    /// Time of every trial, in order.
    pub times: Vec<Duration>,
    /// Every trial, in order.
    pub trials: Vec<Trial>,
    /// Report of the last trial.
    pub last: Report,
}

/// One trial, as reports hold it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    pub seconds: f64,
    pub supersteps: u32,
    pub messages: u64,
}

impl Job<'_> {
    /// Where a search begins: as the user said, else a vertex that reaches
    /// much, and the user is told.
    pub fn start(&self) -> Result<VertexId> {
        if let Some(id) = &self.plan.params.source {
            return self.input.find(id);
        }
        let graph = self.input.plain();
        if graph.vertex_count() == 0 {
            bail!("{} has no vertex to start from", self.input.name);
        }
        let (vertex, why) = match &self.input.spec {
            Some(spec) => (spec.sources(&graph, 1).first().copied(), "the spec's first source"),
            None => {
                let most = (0..graph.vertex_count()).rev().max_by_key(|v| graph.out().degree(*v));
                (most, "the vertex with the most out-edges")
            }
        };
        let vertex = vertex.unwrap_or(0);
        let id = self.input.ids().get(vertex);
        self.progress.note(&format!("no --source given; starting from {id}, {why}"));
        Ok(vertex)
    }

    /// Where a path is to end.
    pub fn target(&self) -> Result<Option<VertexId>> {
        self.plan.params.target.as_deref().map(|id| self.input.find(id)).transpose()
    }

    /// Runs all trials; `check` says of each result what is wrong with it, and
    /// is asked only with `--verify`. Returns the states of the last trial.
    pub fn run<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        check: impl Fn(&Outcome<P>) -> Result<(), Violation>,
    ) -> Result<(Vec<P::State>, Runs)> {
        match self.machine {
            Machine::Reference => self.trials(&Reference, graph, program, inputs, check),
            Machine::Cpu => self.trials(&Cpu::new(), graph, program, inputs, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Cuda(engine) => self.trials(&**engine, graph, program, inputs, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Auto => {
                let engine = Fastest::find(pregel_algos::images());
                if let Some(why) = engine.refusal::<P>(graph, &self.plan.options) {
                    self.progress.note(&format!("not on the GPU: {why}"));
                }
                self.trials(&engine, graph, program, inputs, check)
            }
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Machine::Auto => self.trials(&Cpu::new(), graph, program, inputs, check),
        }
    }

    fn trials<E: Engine, P: VertexCompute>(
        &self,
        engine: &E,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        check: impl Fn(&Outcome<P>) -> Result<(), Violation>,
    ) -> Result<(Vec<P::State>, Runs)> {
        let options = self.options();
        self.progress.stage("preparing");
        let start = Instant::now();
        let mut session = engine.prepare::<P>(graph, &options).map_err(refusal)?;
        let run = || session.run_with(program, inputs);
        let (outcome, runs) = self.repeat(start.elapsed(), run, |o| &o.report, check)?;
        Ok((outcome.states, runs))
    }

    /// Finds components by union-find in all trials; `check` as in
    /// [`run`](Job::run).
    pub fn components(
        &self,
        graph: &Graph,
        check: impl Fn(&Components) -> Result<(), Violation>,
    ) -> Result<(Components, Runs)> {
        let options = self.options();
        let on_cpu = |cpu: &mut Cpu| cpu.components(graph, &options);
        match self.machine {
            Machine::Reference => Err(UsageError(
                "wcc is no vertex program and does not run on --engine reference; hcc computes \
                 the same on every engine"
                    .into(),
            )
            .into()),
            Machine::Cpu => self.joins(|| Ok(Cpu::new()), on_cpu, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Cuda(engine) => {
                self.joins(|| engine.prepare_components(graph, &options), |s| s.run(), check)
            }
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Auto => {
                let engine = Fastest::find(pregel_algos::images());
                if let Some(why) = engine.components_refusal(graph, &options) {
                    self.progress.note(&format!("not on the GPU: {why}"));
                }
                self.joins(|| engine.prepare_components(graph, &options), |s| s.run(), check)
            }
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Machine::Auto => self.joins(|| Ok(Cpu::new()), on_cpu, check),
        }
    }

    fn joins<S>(
        &self,
        prepare: impl FnOnce() -> Result<S, RunError>,
        run: impl Fn(&mut S) -> Result<Components, RunError>,
        check: impl Fn(&Components) -> Result<(), Violation>,
    ) -> Result<(Components, Runs)> {
        self.progress.stage("preparing");
        let start = Instant::now();
        let mut session = prepare().map_err(refusal)?;
        self.repeat(start.elapsed(), || run(&mut session), |found| &found.report, check)
    }

    /// The options of the plan, with somebody to watch the progress; not on a
    /// GPU, which would have to come back to the host after every superstep.
    pub fn options(&self) -> RunOptions {
        let observer = self.progress.observer(self.plan.algorithm.name());
        let observer = observer.filter(|_| !self.machine.is_gpu());
        let mut options = self.plan.options.clone();
        options.observer = observer;
        options
    }

    /// Calls `run` once a trial, as [`run`](Job::run) does; returns the last
    /// result.
    pub fn repeat<T>(
        &self,
        prepare_time: Duration,
        mut run: impl FnMut() -> Result<T, RunError>,
        report: impl Fn(&T) -> &Report,
        check: impl Fn(&T) -> Result<(), Violation>,
    ) -> Result<(T, Runs)> {
        let (mut times, mut trials) = (Vec::new(), Vec::new());
        loop {
            let result = run().map_err(refusal)?;
            let report = report(&result);
            times.push(report.time);
            trials.push(Trial {
                seconds: report.time.as_secs_f64(),
                supersteps: report.supersteps,
                messages: report.messages,
            });
            if self.plan.verify {
                self.progress.stage("verifying");
                check(&result).with_context(|| wrong(trials.len(), report))?;
            }
            if trials.len() >= self.plan.trials {
                self.progress.clear();
                let last = report.clone();
                return Ok((result, Runs { prepare_time, times, trials, last }));
            }
        }
    }
}

/// Options that contradict the program are the user's mistake.
fn refusal(error: RunError) -> anyhow::Error {
    match error {
        RunError::Unsupported(reason) => UsageError(reason.into()).into(),
        error => error.into(),
    }
}

/// What is said of a result that does not verify.
fn wrong(trial: usize, report: &Report) -> String {
    let stop = match report.stop {
        StopReason::Limit => " (the superstep limit ended the run)",
        _ => "",
    };
    format!("the result of trial {trial} is wrong{stop}")
}

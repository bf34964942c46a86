//! Runs a program on the chosen engine, as often as the job says.

mod arrange;
mod foresee;
mod inspect;
mod many;
#[cfg(feature = "command")]
mod phases;
mod wonder;

use std::fmt::Debug;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use pregel_algos::verify::Violation;
use pregel_core::checkpoint::CheckpointError;
use pregel_core::engine::{
    Cancel, Cpu, Engine, Outcome, Problem, Reference, RunError, RunOptions, Session, Solution,
    Solve, SolveOptions, Solver, StopReason,
};
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::{Placement, gpu::Cuda};
use pregel_core::graph::Graph;
use pregel_core::program::{Delivery, Monoid, VertexCompute, VertexId};
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::input::Input;
use crate::job::RunJob;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::ran::Ran;
use crate::signals;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use crate::text::duration;
use crate::usage::UsageError;

pub use arrange::arrange;
pub use foresee::Foreseen;
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
use foresee::without_gpu;
pub use many::Pack;

/// What an algorithm is given to work with.
#[derive(Debug)]
pub struct Runner<'a> {
    pub job: &'a RunJob,
    pub machine: &'a Machine,
    pub input: &'a Input,
    pub progress: &'a Progress,
    /// Whether nothing is run: then what would be run ends in the error [`Foreseen`].
    pub foresees: bool,
}

/// How the trials went.
#[derive(Debug)]
pub struct Runs {
    pub prepare_time: Duration,
    /// Time of every trial, in order.
    pub times: Vec<Duration>,
    /// Every trial, in order.
    pub trials: Vec<Trial>,
    /// The last trial.
    pub last: Ran,
    /// When the preparation began, and the last trial.
    pub began: [Instant; 2],
    /// How it was saved and resumed, with `--checkpoint` or `--resume`.
    pub saving: Option<Saving>,
    /// What happened to one vertex, with `--follow`.
    pub history: Option<String>,
    /// The program with its parameters. A solver has none.
    pub program: Option<String>,
}

impl Runs {
    /// Trials of which the last went like this, without what only some runs have.
    fn new(
        prepare_time: Duration,
        times: Vec<Duration>,
        trials: Vec<Trial>,
        last: Ran,
        began: [Instant; 2],
    ) -> Self {
        let (saving, history, program) = (None, None, None);
        Self { prepare_time, times, trials, last, began, saving, history, program }
    }
}

/// How a run was saved and resumed, as reports show it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    /// The superstep of the checkpoint that it was resumed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_after: Option<u32>,
    /// How many checkpoints were written.
    pub written: u32,
    /// How long the run was held up by this.
    pub wait_seconds: f64,
}

/// One trial, as it stands in a report.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub seconds: f64,
    pub supersteps: u32,
    pub messages: u64,
}

impl Runner<'_> {
    /// Where a search starts: at the vertex that the user named, otherwise at
    /// one that reaches many others, which a note names.
    pub fn start(&self) -> Result<VertexId> {
        if let Some(id) = &self.job.params.source {
            return self.input.find(id);
        }
        let graph = self.input.plain();
        if graph.vertex_count() == 0 {
            bail!("{} has no vertex to start from", self.input.name);
        }
        let (vertex, why) = if let Some(spec) = &self.input.spec {
            (spec.sources(&graph, 1).first().copied(), "the spec's first source")
        } else {
            let most = (0..graph.vertex_count()).rev().max_by_key(|v| graph.out().degree(*v));
            (most, "the vertex with the most out-edges")
        };
        let vertex = vertex.unwrap_or(0);
        let id = self.input.ids().get(vertex);
        self.progress.note(&format!("no --source given; starting from {id}, {why}"));
        Ok(vertex)
    }

    /// Where the path ends that the user asked for.
    pub fn target(&self) -> Result<Option<VertexId>> {
        self.job.params.target.as_deref().map(|id| self.input.find(id)).transpose()
    }

    /// Runs all trials and returns the states of the last one. With
    /// `--verify`, `check` judges every result. The program's `Debug` output must show all its
    /// parameters, because checkpoints record them that way.
    pub fn run<P>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        check: impl Fn(&Outcome<P>) -> Result<(), Violation>,
    ) -> Result<(Vec<P::State>, Runs)>
    where
        P: VertexCompute<State: Debug, Edge: Debug> + Debug,
        P::Combiner: Delivery<Message: Debug>,
        P::Aggregate: Monoid<Value: Debug>,
    {
        if self.foresees {
            return Err(self.foresee_program(graph, program, inputs));
        }
        if self.job.check {
            self.check_program(graph, program, inputs)?;
        }
        let history = self.follow(graph, program, inputs)?;
        let (states, mut runs) = self.run_somewhere(graph, program, inputs, check)?;
        self.note_silence(&runs.last, graph.vertex_count());
        // The order of the graph is part of the preparation, and was made just before it.
        runs.prepare_time += self.input.order_time;
        runs.began[0] = runs.began[0].checked_sub(self.input.order_time).unwrap_or(runs.began[0]);
        runs.history = history;
        runs.program = Some(format!("{program:?}"));
        Ok((states, runs))
    }

    fn run_somewhere<P: VertexCompute + Debug>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        check: impl Fn(&Outcome<P>) -> Result<(), Violation>,
    ) -> Result<(Vec<P::State>, Runs)> {
        match self.machine {
            Machine::Reference => self.run_on(&Reference, false, graph, program, inputs, check),
            Machine::Cpu => self.run_on(&Cpu::new(), false, graph, program, inputs, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Cuda(engine) => self.run_on(&**engine, true, graph, program, inputs, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Auto(engine) => {
                let placement = engine.placement::<P>(graph, &self.job.options);
                self.explain_placement(&placement);
                let on_gpu = placement == Placement::Gpu;
                self.run_on(engine, on_gpu, graph, program, inputs, check)
            }
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Machine::Auto => self.run_on(&Cpu::new(), false, graph, program, inputs, check),
        }
    }

    fn run_on<E: Engine, P: VertexCompute + Debug>(
        &self,
        engine: &E,
        on_gpu: bool,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        check: impl Fn(&Outcome<P>) -> Result<(), Violation>,
    ) -> Result<(Vec<P::State>, Runs)> {
        let cancel = Cancel::new();
        let options = self.options(on_gpu).with_cancel(cancel.clone());
        self.progress.stage("preparing");
        let ran = |outcome: &mut Outcome<P>| Ran::taking(&mut outcome.report);
        if let Some(checkpoints) = &self.job.checkpoints {
            let run = || {
                let mut cancellable = None;
                let started = |from: Option<u32>, skipped: Option<&CheckpointError>| {
                    if let (Some(superstep), Some(why)) = (from, skipped) {
                        self.note_skipped(superstep, why);
                    }
                    // Until here, a signal ends the command at once.
                    cancellable = Some(signals::cancel(&cancel));
                };
                let run =
                    checkpoints.run_and_tell(engine, graph, program, inputs, &options, started);
                let done = run.map_err(explain_failure)?;
                if let Some(cancellable) = cancellable {
                    cancellable.end(done.outcome.report.supersteps)?;
                }
                Ok(done)
            };
            let (done, mut runs) = self.repeat_prepared(
                Duration::ZERO,
                run,
                |done| ran(&mut done.outcome),
                |done| check(&done.outcome),
            )?;
            runs.prepare_time = done.outcome.report.prepare_time;
            runs.saving = Some(Saving {
                resumed_after: done.resumed_after,
                written: done.written,
                wait_seconds: done.waited.as_secs_f64(),
            });
            return Ok((done.outcome.states, runs));
        }
        let start = Instant::now();
        let mut session = engine.prepare::<P>(graph, &options).map_err(explain_refusal)?;
        let mut first = true;
        let run = || {
            let cancellable = signals::cancel(&cancel);
            let outcome = if std::mem::take(&mut first) && self.may_run_forever() {
                self.run_and_wonder(&mut session, program, inputs)
            } else {
                session.run_with(program, inputs)
            };
            let outcome = outcome.map_err(explain_refusal)?;
            cancellable.end(outcome.report.supersteps)?;
            Ok(outcome)
        };
        let (outcome, mut runs) = self.repeat_prepared(start.elapsed(), run, ran, check)?;
        // Engines also prepare in the midst of runs.
        runs.prepare_time = runs.prepare_time.max(outcome.report.prepare_time);
        Ok((outcome.states, runs))
    }

    /// Notes that the run is not resumed from the newest checkpoint.
    fn note_skipped(&self, superstep: u32, why: &CheckpointError) {
        let text = format!("{why}; resuming from the previous one, after superstep {superstep}");
        self.progress.note(&text);
    }

    /// Solves a problem in all trials and returns the last answer; `check` as in
    /// [`run`](Runner::run).
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    pub fn solve<Q: Problem>(
        &self,
        problem: Q,
        graph: &Graph,
        check: impl Fn(&Solution<Q::Answer>) -> Result<(), Violation>,
    ) -> Result<(Q::Answer, Runs)>
    where
        Cpu: Solve<Q>,
        Cuda: Solve<Q>,
    {
        if self.foresees {
            let gpu = || Ok(<Cuda as Solve<Q>>::needs(problem, graph)?);
            return Err(self.foresee(|| Ok(<Cpu as Solve<Q>>::needs(problem, graph)?), gpu));
        }
        match self.machine {
            Machine::Reference => Err(self.no_reference()),
            Machine::Cpu => self.solve_on(&Cpu::new(), problem, graph, check),
            Machine::Cuda(engine) => self.solve_on(&**engine, problem, graph, check),
            Machine::Auto(engine) => {
                let options = self.solve_options();
                self.explain_placement(&engine.solver_placement(problem, graph, &options));
                self.solve_on(engine, problem, graph, check)
            }
        }
    }

    /// The same where the command was built without a GPU engine.
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    pub fn solve<Q: Problem>(
        &self,
        problem: Q,
        graph: &Graph,
        check: impl Fn(&Solution<Q::Answer>) -> Result<(), Violation>,
    ) -> Result<(Q::Answer, Runs)>
    where
        Cpu: Solve<Q>,
    {
        if self.foresees {
            let needs = || Ok(<Cpu as Solve<Q>>::needs(problem, graph)?);
            return Err(self.foresee(needs, || Err(without_gpu())));
        }
        match self.machine {
            Machine::Reference => Err(self.no_reference()),
            _ => self.solve_on(&Cpu::new(), problem, graph, check),
        }
    }

    fn solve_on<E: Solve<Q>, Q: Problem>(
        &self,
        engine: &E,
        problem: Q,
        graph: &Graph,
        check: impl Fn(&Solution<Q::Answer>) -> Result<(), Violation>,
    ) -> Result<(Q::Answer, Runs)> {
        self.progress.stage("preparing");
        let start = Instant::now();
        let mut solver = engine
            .prepare_solver(problem, graph, &self.solve_options())
            .map_err(explain_refusal)?;
        let run = || solver.run().map_err(explain_refusal);
        let (found, runs) =
            self.repeat_prepared(start.elapsed(), run, |found| Ran::from(&found.report), check)?;
        Ok((found.answer, runs))
    }

    fn solve_options(&self) -> SolveOptions {
        SolveOptions::default().with_expected_runs(self.job.options.expected_runs)
    }

    /// The reference engine runs programs alone.
    fn no_reference(&self) -> anyhow::Error {
        let Facts { name, counterpart, .. } = self.job.algorithm;
        let mut text =
            format!("{name} is not a vertex program and does not run on --engine reference");
        if let Some(program) = counterpart {
            text += &format!("; {program} computes the same on every engine");
        }
        UsageError::new(text).into()
    }

    /// The options of the job, with an observer if the user sees progress. A
    /// GPU gets none: it would have to return to the host after every
    /// superstep.
    fn options(&self, on_gpu: bool) -> RunOptions {
        let observer = self.progress.observer(self.job.algorithm.name);
        let mut options = self.job.options.clone();
        options.observer = observer.filter(|_| !on_gpu);
        options
    }

    /// Says why the GPU is not used: if it cannot be, or if the user wants to know.
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    fn explain_placement(&self, placement: &Placement) {
        match placement {
            Placement::Refused(why) => self.progress.note(&format!("not on the GPU: {why}")),
            Placement::Sooner { cpu, gpu } if self.job.explain => {
                let [cpu, gpu] = [cpu, gpu].map(|time| duration(*time));
                self.progress.note(&format!(
                    "on all cores, where the result is expected in {cpu}; on a GPU it would be \
                     expected in {gpu}"
                ));
            }
            _ => {}
        }
    }

    /// Calls `run` once per trial and returns the last result; the caller knows how long the
    /// preparation took.
    pub fn repeat<T>(
        &self,
        run: impl FnMut() -> Result<T>,
        report: impl Fn(&mut T) -> Ran,
        check: impl Fn(&T) -> Result<(), Violation>,
    ) -> Result<(T, Runs)> {
        self.repeat_prepared(Duration::ZERO, run, report, check)
    }

    /// Calls `run` once per trial and returns the last result.
    fn repeat_prepared<T>(
        &self,
        prepare_time: Duration,
        mut run: impl FnMut() -> Result<T>,
        report: impl Fn(&mut T) -> Ran,
        check: impl Fn(&T) -> Result<(), Violation>,
    ) -> Result<(T, Runs)> {
        let (mut times, mut trials) = (Vec::new(), Vec::new());
        let now = Instant::now();
        let prepared = now.checked_sub(prepare_time).unwrap_or(now);
        loop {
            let began = [prepared, Instant::now()];
            let mut result = run()?;
            let report = report(&mut result);
            times.push(report.time);
            trials.push(Trial {
                seconds: report.time.as_secs_f64(),
                supersteps: report.count,
                messages: report.messages,
            });
            if self.job.verify {
                self.progress.stage("verifying");
                check(&result).with_context(|| describe_failure(trials.len(), report.stop))?;
            }
            if trials.len() >= self.job.trials {
                self.progress.clear();
                return Ok((result, Runs::new(prepare_time, times, trials, report, began)));
            }
        }
    }
}

/// Options that contradict the program are the user's mistake.
fn explain_refusal(error: RunError) -> anyhow::Error {
    match error {
        RunError::Unsupported(reason) => UsageError::new(reason).into(),
        error => error.into(),
    }
}

/// Like [`explain_refusal`], for a run that is saved or resumed.
fn explain_failure(error: CheckpointError) -> anyhow::Error {
    match error {
        CheckpointError::Run(error) => explain_refusal(error),
        error => error.into(),
    }
}

/// What heads the reason why a result does not verify.
fn describe_failure(trial: usize, stop: StopReason) -> String {
    let stop = match stop {
        StopReason::Limit => " (the superstep limit ended the run)",
        _ => "",
    };
    format!("the result of trial {trial} is wrong{stop}")
}

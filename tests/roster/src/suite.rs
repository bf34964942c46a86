//! Compares an engine with the reference, program by program.
//!
//! An [`Entry`] is a program with the graphs and parameters to run it on, and a
//! judge. [`Entry::trials`] runs the reference on the [`zoo`](crate::zoo);
//! [`check`] runs a [`Contender`] on the same graphs and compares.

use pregel_core::engine::gpu::{Choice, Costs, Gpu, GpuOptions};
use pregel_core::engine::{
    Cpu, Engine, Outcome, Reference, Report, RunError, RunOptions, Session, Strategy,
};
use pregel_core::graph::Graph;
use pregel_core::program::{Monoid, Program, VertexCompute};
use pregel_emulator::Emulator;
use pregel_testing::compare::same_course;
pub use pregel_testing::compare::{course, may_refuse, same};

use crate::zoo::Case;

/// An engine with the options that it runs with.
#[derive(Clone, Debug)]
pub struct Contender<E> {
    /// The engine.
    pub engine: E,
    /// Strategy and determinism; the limit comes from the entry.
    pub options: RunOptions,
    /// Whether the engine may refuse the combinations of [`may_refuse`].
    pub picky: bool,
}

/// The sequential engine.
pub fn reference(strategy: Strategy) -> Contender<Reference> {
    let options = RunOptions::default().with_strategy(strategy);
    Contender { engine: Reference, options, picky: false }
}

/// The multi-threaded engine.
///
/// # Panics
/// If its threads cannot be started.
pub fn cpu(threads: usize, strategy: Strategy, deterministic: bool) -> Contender<Cpu> {
    let engine = Cpu::with_threads(threads).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions::default().with_strategy(strategy).with_deterministic(deterministic);
    Contender { engine, options, picky: true }
}

/// The GPU engine on an emulated device, with these options.
pub fn emulated(
    strategy: Strategy,
    deterministic: bool,
    layout: GpuOptions,
) -> Contender<Gpu<Emulator>> {
    let engine = Gpu::new(Emulator::new(), crate::emulated::images()).with_options(layout);
    let options = RunOptions::default().with_strategy(strategy).with_deterministic(deterministic);
    Contender { engine, options, picky: true }
}

/// Rounds by priority on graphs of any size.
pub fn rounds() -> GpuOptions {
    let mut costs = Costs::default();
    (costs.rounds_edges, costs.rounds_spread) = (0, 0.0);
    GpuOptions::default().with_costs(costs)
}

/// Supersteps that the host launches, in all ways as on a large graph.
pub fn as_large() -> GpuOptions {
    let mut costs = Costs::default();
    (costs.multi_vertex_threshold, costs.left_out, costs.packed_votes) = (0, 0, 0);
    costs.even_vertices = 0;
    GpuOptions::default().with_resident(Choice::Never).with_costs(costs)
}

/// Judges a contender's outcome by the reference's, and describes the difference.
pub type Judge<P> = fn(&Trial<P>, &Run<P>, &Outcome<P>) -> Result<(), String>;

/// For each run, a program and one input per vertex.
pub type Parameters<P> = Vec<(P, Vec<<P as Program>::Input>)>;

/// A program with the graphs and parameters to run it on, and a judge.
#[allow(missing_debug_implementations, reason = "made of functions")]
pub struct Entry<P: Program> {
    /// The graph of a case, with the edge values that the program takes.
    pub graph: fn(&Case) -> Graph<P::Edge>,
    /// Parameters and inputs of the runs on a graph.
    pub runs: fn(&Graph<P::Edge>) -> Parameters<P>,
    /// Superstep limit.
    pub limit: Option<u32>,
    /// Compares the states.
    pub judge: Judge<P>,
}

/// One graph and the reference's results on it.
#[allow(missing_debug_implementations, reason = "states need not be printable")]
pub struct Trial<P: Program> {
    /// Name of the case.
    pub name: String,
    /// The graph.
    pub graph: Graph<P::Edge>,
    /// The runs, one after another in one session.
    pub runs: Vec<Run<P>>,
    limit: Option<u32>,
    judge: Judge<P>,
}

/// One run by the reference.
#[allow(missing_debug_implementations, reason = "states need not be printable")]
pub struct Run<P: Program> {
    /// The program with its parameters.
    pub program: P,
    /// One input per vertex.
    pub inputs: Vec<P::Input>,
    /// The reference's outcome.
    pub expected: Outcome<P>,
}

impl<P: VertexCompute> Entry<P> {
    /// Runs the reference on every case.
    ///
    /// # Panics
    /// If the reference fails.
    pub fn trials(&self, cases: &[Case]) -> Vec<Trial<P>> {
        cases.iter().map(|case| self.trial(case)).collect()
    }

    /// Runs the reference on one case.
    ///
    /// # Panics
    /// If the reference fails.
    pub fn trial(&self, case: &Case) -> Trial<P> {
        let graph = (self.graph)(case);
        let options = RunOptions::default().with_max_supersteps(self.limit);
        let expect = |(program, inputs): (P, Vec<P::Input>)| {
            let session = Reference.prepare::<P>(&graph, &options);
            let outcome = session.and_then(|mut session| session.run_with(&program, &inputs));
            let expected = outcome.unwrap_or_else(|e| panic!("reference on {}: {e}", case.name));
            Run { program, inputs, expected }
        };
        let runs = (self.runs)(&graph).into_iter().map(expect).collect();
        Trial { name: case.name.clone(), graph, runs, limit: self.limit, judge: self.judge }
    }
}

/// How much a test runs.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// How often each graph is tried.
    pub repeats: u64,
    /// Graphs with more edges are left out.
    pub max_edges: u64,
}

impl Extent {
    /// As the environment variables `PREGEL_REPEAT` and `PREGEL_MAX_EDGES` say; by
    /// default every graph, once.
    ///
    /// # Panics
    /// If one of them is not a number.
    pub fn from_environment() -> Self {
        let number = |name: &str, default: u64| {
            let Ok(text) = std::env::var(name) else { return default };
            text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}"))
        };
        Self {
            repeats: number("PREGEL_REPEAT", 1),
            max_edges: number("PREGEL_MAX_EDGES", u64::MAX),
        }
    }
}

/// Runs the contender on every trial, as far as [`Extent::from_environment`] says,
/// and compares.
///
/// # Panics
/// With the case and the difference, if there is one.
pub fn check<E: Engine, P: VertexCompute>(contender: &Contender<E>, trials: &[Trial<P>]) {
    let Extent { repeats, max_edges } = Extent::from_environment();
    for trial in trials.iter().filter(|trial| trial.graph.edge_count() <= max_edges) {
        for _ in 0..repeats {
            check_one(contender, trial);
        }
    }
}

fn check_one<E: Engine, P: VertexCompute>(contender: &Contender<E>, trial: &Trial<P>) {
    let options = contender.options.clone().with_max_supersteps(trial.limit);
    let refusable = contender.picky && may_refuse::<P>(&options);
    let mut session = match contender.engine.prepare::<P>(&trial.graph, &options) {
        Ok(session) => session,
        Err(RunError::Unsupported(_)) if refusable => return,
        Err(e) => panic!("{}: {e}", trial.name),
    };
    for (i, run) in trial.runs.iter().enumerate() {
        let outcome = match session.run_with(&run.program, &run.inputs) {
            Ok(outcome) => outcome,
            Err(RunError::Unsupported(_)) if refusable => return,
            Err(e) => panic!("{}, run {i}: {e}", trial.name),
        };
        let agree = (trial.judge)(trial, run, &outcome)
            .and_then(|()| consistent(&outcome.report))
            .and_then(|()| {
                same_course::<P>(options.strategy, &outcome.report, &run.expected.report)
            });
        agree.unwrap_or_else(|e| panic!("{}, run {i}: {e}", trial.name));
    }
}

/// The report is consistent in itself.
fn consistent(report: &Report) -> Result<(), String> {
    let messages: u64 = report.steps.iter().map(|step| step.messages).sum();
    same("sum of messages", &report.messages, &messages)?;
    same("number of steps", &report.steps.len(), &(report.supersteps as usize + 1))?;
    match report.steps.iter().find(|step| step.strategy == Strategy::Auto) {
        None => Ok(()),
        Some(step) => Err(format!("superstep {} does not say its strategy", step.superstep)),
    }
}

/// A judge: the states and the aggregate equal the reference's, bit for bit.
///
/// # Errors
/// Names the first vertex that differs.
pub fn bit_equal<P: Program>(_: &Trial<P>, run: &Run<P>, found: &Outcome<P>) -> Result<(), String> {
    same_states::<P>(&found.states, &run.expected.states)?;
    let bytes = |value| bytemuck::bytes_of::<<P::Aggregate as Monoid>::Value>(value).to_vec();
    same("bytes of the aggregate", &bytes(&found.aggregate), &bytes(&run.expected.aggregate))
}

/// Compares states bit for bit.
///
/// # Errors
/// Names the first vertex that differs.
pub fn same_states<P: Program>(found: &[P::State], expected: &[P::State]) -> Result<(), String> {
    same("number of states", &found.len(), &expected.len())?;
    // All at once first, since formatting a million names takes long.
    if bytemuck::cast_slice::<_, u8>(found) == bytemuck::cast_slice::<_, u8>(expected) {
        return Ok(());
    }
    for (vertex, (found, expected)) in found.iter().zip(expected).enumerate() {
        let what = format!("bytes of vertex {vertex}");
        same(&what, &bytemuck::bytes_of(found), &bytemuck::bytes_of(expected))?;
    }
    Ok(())
}

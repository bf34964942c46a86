//! The engines that are compared with the reference.

use pregel_core::engine::{Cpu, Engine, Outcome, Run, RunError, RunOptions, Session, Strategy};
use pregel_core::graph::Graph;
use pregel_core::program::{Program, VertexCompute};

use crate::compare::may_refuse;

/// Runs a program on one engine.
type RunOn<P> = Box<
    dyn Fn(
        &Graph<<P as Program>::Edge>,
        &P,
        &[<P as Program>::Input],
        &RunOptions,
    ) -> Result<Outcome<P>, RunError>,
>;

/// The states after each superstep of a run.
type Trace<P> = fn(
    &Graph<<P as Program>::Edge>,
    &P,
    &[<P as Program>::Input],
    &RunOptions,
) -> Result<Vec<Vec<<P as Program>::State>>, RunError>;

/// An engine with the options that it runs with.
pub(crate) struct Contender<P: Program> {
    engine: &'static str,
    pub(crate) strategy: Strategy,
    deterministic: bool,
    pub(crate) run: RunOn<P>,
    /// `None` if its states cannot be looked at between supersteps.
    pub(crate) trace: Option<Trace<P>>,
}

impl<P: VertexCompute> Contender<P> {
    pub(crate) fn name(&self) -> String {
        let deterministic = if self.deterministic { ", deterministic" } else { "" };
        format!("{} ({}{deterministic})", self.engine, self.strategy.name())
    }

    pub(crate) fn options(&self, options: RunOptions) -> RunOptions {
        options.with_strategy(self.strategy).with_deterministic(self.deterministic)
    }
}

const STRATEGIES: [Strategy; 4] =
    [Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox];

fn options_of(strategy: Strategy, deterministic: bool) -> RunOptions {
    RunOptions::default().with_strategy(strategy).with_deterministic(deterministic)
}

/// The CPU engine under every strategy, deterministic and not.
pub(crate) fn on_cpu<P: VertexCompute>() -> Vec<Contender<P>> {
    let mut contenders = Vec::new();
    for deterministic in [false, true] {
        for strategy in STRATEGIES {
            if may_refuse::<P>(&options_of(strategy, deterministic)) {
                continue;
            }
            contenders.push(Contender {
                engine: "the CPU engine",
                strategy,
                deterministic,
                run: Box::new(|graph, program, inputs, options| {
                    Cpu::new().prepare::<P>(graph, options)?.run_with(program, inputs)
                }),
                trace: (!P::MONOTONE || strategy != Strategy::Auto).then_some(
                    |graph, program, inputs, options| {
                        trace_on(&Cpu::new(), graph, program, inputs, options)
                    },
                ),
            });
        }
    }
    contenders
}

/// The GPU engine on an emulated device: every strategy, then rounds by priority.
#[cfg(feature = "emulator")]
pub(crate) fn emulated<P: VertexCompute>() -> Vec<Contender<P>> {
    use pregel_core::engine::gpu::{Costs, Gpu, GpuOptions};
    use pregel_emulator::{Emulator, images};

    let mut layouts = Vec::new();
    let runs = |strategy: &Strategy| !may_refuse::<P>(&options_of(*strategy, false));
    for strategy in STRATEGIES.into_iter().filter(runs) {
        layouts.push((strategy, GpuOptions::default()));
    }
    if P::MONOTONE {
        // On graphs of any size.
        let mut costs = Costs::default();
        (costs.rounds_edges, costs.rounds_spread) = (0, 0.0);
        layouts.push((Strategy::Auto, GpuOptions::default().with_costs(costs)));
    }
    let contender = |(strategy, layout): (Strategy, GpuOptions)| Contender {
        engine: "the emulated GPU",
        strategy,
        deterministic: false,
        run: Box::new(move |graph: &Graph<P::Edge>, program: &P, inputs: &[P::Input], options| {
            let engine = Gpu::new(Emulator::new(), images::<P>()).with_options(layout);
            engine.prepare::<P>(graph, options)?.run_with(program, inputs)
        }),
        trace: None,
    };
    layouts.into_iter().map(contender).collect()
}

/// The states after each superstep of a run on an engine.
pub(crate) fn trace_on<E: Engine, P: VertexCompute>(
    engine: &E,
    graph: &Graph<P::Edge>,
    program: &P,
    inputs: &[P::Input],
    options: &RunOptions,
) -> Result<Vec<Vec<P::State>>, RunError> {
    let mut session = engine.prepare::<P>(graph, options)?;
    let mut run = session.start(program, inputs)?;
    let mut states = Vec::new();
    loop {
        let progress = run.advance(1)?;
        states.push(run.save()?.states);
        if progress.has_ended() {
            return Ok(states);
        }
    }
}

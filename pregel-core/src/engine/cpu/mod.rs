//! The multi-threaded engine.
//!
//! Reading order: [`Cpu`] and its session here; `shape` (what is read of the
//! graph, cut into equal spans); `superstep` (the memory of a run and the
//! three ways to do a superstep), which uses `gather` (pull), `scatter`
//! (push) and `vertex`; `direction` (push or pull next); `order` (whether to renumber
//! the vertices first). `in_place` is the other
//! road, for monotone programs: no barrier between send and compute, soft
//! priorities.
//!
//! Results do not depend on the number of threads where the contract asks for
//! that: spans, and the order in which they are added up, are fixed by the
//! graph.

mod bitmap;
mod cells;
mod direction;
mod frontier;
mod gather;
mod in_place;
mod order;
mod scatter;
mod shape;
mod superstep;
mod vertex;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::direction::PushOrPull;
use self::in_place::Live;
use self::shape::{Cut, Shape};
use self::superstep::Memory;
use self::vertex::Env;
use super::{
    Engine, Log, Outcome, RunError, RunOptions, Session, StopReason, Strategy, SuperstepReport,
    check_edges, check_run,
};
use crate::graph::Graph;
use crate::graph::renumber::Order;
use crate::program::{Delivery, Law, Monoid, VertexCompute};

/// All cores of this machine, or as many threads as asked for.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Cpu {
    /// Uses the global thread pool: one thread a core.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses `threads` threads of its own.
    ///
    /// # Errors
    /// [`RunError::Threads`] when they cannot be started.
    pub fn with_threads(threads: usize) -> Result<Self, RunError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| RunError::Threads { threads, reason: e.to_string() })?;
        Ok(Self { pool: Some(Arc::new(pool)) })
    }

    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// A graph ready for the [`Cpu`] engine, with the memory of the last run.
pub struct CpuSession<'g, P: VertexCompute> {
    engine: Cpu,
    /// The user's graph.
    graph: &'g Graph<P::Edge>,
    /// The graph in the engine's order, if that is another.
    renumbered: Option<(Order, Graph<P::Edge>)>,
    cut: Cut,
    options: RunOptions,
    memory: Option<Memory<P>>,
    prepare_time: Duration,
}

impl<P: VertexCompute> fmt::Debug for CpuSession<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuSession")
            .field("engine", &self.engine)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Engine for Cpu {
    type Session<'g, P: VertexCompute> = CpuSession<'g, P>;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<CpuSession<'g, P>, RunError> {
        let start = Instant::now();
        PushOrPull::new::<P>(options)?;
        self.install(|| {
            check_edges::<P>(graph)?;
            let renumbered = order::choose::<P>(graph, options.order).map(|order| {
                let first_will_do = P::Combiner::MERGE_LAW == Law::Arbitrary;
                let graph = graph.renumbered(&order, first_will_do);
                (order, graph)
            });
            let mut session = CpuSession {
                engine: self.clone(),
                graph,
                renumbered,
                cut: Cut::default(),
                options: options.clone(),
                memory: None,
                prepare_time: Duration::ZERO,
            };
            session.cut = session.shape().cut();
            session.prepare_time = start.elapsed();
            Ok(session)
        })
    }
}

impl<P: VertexCompute> Session<P> for CpuSession<'_, P> {
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        check_run(self.graph, program, inputs)?;
        let engine = self.engine.clone();
        engine.install(|| {
            let start = Instant::now();
            let mut outcome = if in_place::possible(program, &self.options) {
                self.in_place(program, inputs)?
            } else {
                self.supersteps(program, inputs)?
            };
            if let Some((order, _)) = &self.renumbered {
                outcome.states = order.restore(&outcome.states);
            }
            outcome.report.time = start.elapsed();
            outcome.report.prepare_time = self.prepare_time;
            Ok(outcome)
        })
    }
}

impl<P: VertexCompute> CpuSession<'_, P> {
    fn shape(&self) -> Shape<'_, P::Edge> {
        match &self.renumbered {
            Some((order, graph)) => Shape::new(graph, P::DIRECTION, &order.vertex_at, &self.cut),
            None => Shape::new(self.graph, P::DIRECTION, &[], &self.cut),
        }
    }

    /// Runs a monotone program to its fixpoint, without barriers.
    fn in_place(&self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let start = Instant::now();
        let shape = self.shape();
        let last = P::Aggregate::identity();
        let env = Env { program, shape: &shape, inputs, superstep: 0, last };
        let mut log = Log::new(&self.options);
        let (live, first) = Live::new(&env);
        let step = SuperstepReport {
            superstep: 0,
            active: shape.vertex_count.into(),
            messages: 0,
            strategy: Strategy::Pull,
            time: start.elapsed(),
        };
        let stop = match (log.step(step), in_place::delta(&live, &first, self.options.delta)) {
            (ControlFlow::Break(()), _) => StopReason::Cancelled,
            (_, Some(delta)) => in_place::by_priority(&live, first, delta, &mut log),
            (_, None) => in_place::by_rounds(&live, first, &mut log),
        };
        let states = live.states.to_values(shape.vertex_count);
        Ok(Outcome { states, aggregate: last, report: log.finish("cpu", stop) })
    }

    /// Runs in plain supersteps.
    fn supersteps(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let mut direction = PushOrPull::new::<P>(&self.options)?;
        let mut memory =
            self.memory.take().unwrap_or_else(|| Memory::new(self.graph.vertex_count()));
        let shape = self.shape();
        let last = P::Aggregate::identity();
        let mut env = Env { program, shape: &shape, inputs, superstep: 0, last };
        let mut log = Log::new(&self.options);
        let mut open = 0u64;
        let stop = loop {
            let (messages, step) = (memory.frontier.edges, Instant::now());
            let (strategy, messages, tally) = match env.superstep {
                0 => (Strategy::Pull, 0, memory.init(&env)),
                _ => match direction.next::<P>(&memory.frontier, open, shape.vertex_count) {
                    Strategy::Push => {
                        let tally = memory.push(&env, self.options.deterministic);
                        (Strategy::Push, messages, tally)
                    }
                    Strategy::Mailbox => (Strategy::Mailbox, messages, memory.mailbox(&env)),
                    _ => (Strategy::Pull, messages, memory.pull(&env)),
                },
            };
            open = open.saturating_add_signed(tally.open);
            env.last = tally.total;
            let stop = log.step(SuperstepReport {
                superstep: env.superstep,
                active: tally.active,
                messages,
                strategy,
                time: step.elapsed(),
            });
            if stop == ControlFlow::Break(()) {
                break StopReason::Cancelled;
            }
            if env.superstep > 0 && program.converged(&env.last) {
                break StopReason::Converged;
            }
            if memory.halted() {
                break StopReason::Halted;
            }
            if self.options.max_supersteps == Some(env.superstep) {
                break StopReason::Limit;
            }
            env.superstep += 1;
        };
        let aggregate = env.last;
        let states = memory.take_states();
        self.memory = Some(memory);
        Ok(Outcome { states, aggregate, report: log.finish("cpu", stop) })
    }
}

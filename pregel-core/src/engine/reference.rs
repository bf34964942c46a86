//! The sequential engine: the contract in its plainest form.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use super::run::verdict;
use super::{
    Engine, Log, Outcome, Progress, Run, RunError, RunOptions, Saved, Session, StopReason,
    Strategy, SuperstepReport, check_edges, check_run,
};
use crate::graph::{Csr, Graph};
use crate::program::{
    Context, Delivery, Direction, Edge, Facts, Message, Monoid, Value, VertexCompute, VertexId,
    Vote, Zeroable,
};

/// One thread that keeps every message: slow, but easy to verify. Strategies make
/// no difference to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

/// A graph prepared for the [`Reference`] engine.
#[derive(Debug)]
pub struct ReferenceSession<'g, E> {
    graph: &'g Graph<E>,
    options: RunOptions,
}

impl Engine for Reference {
    type Session<'g, P: VertexCompute> = ReferenceSession<'g, P::Edge>;
    type Kept<T: Value> = Vec<T>;

    fn name(&self) -> &'static str {
        "reference"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError> {
        check_edges::<P>(graph)?;
        Ok(ReferenceSession { graph, options: options.clone() })
    }
}

impl<P: VertexCompute> Session<P> for ReferenceSession<'_, P::Edge> {
    type Engine = Reference;

    type Run<'r>
        = ReferenceRun<'r, P>
    where
        Self: 'r;

    fn start<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
    ) -> Result<ReferenceRun<'r, P>, RunError> {
        ReferenceRun::new(self.graph, &self.options, program, Cow::Borrowed(inputs))
    }

    fn resume<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
        saved: &Saved<P>,
    ) -> Result<ReferenceRun<'r, P>, RunError> {
        saved.check(self.graph)?;
        let mut run = self.start(program, inputs)?;
        run.next = saved.superstep.saturating_add(1);
        run.log.take_up(saved.superstep);
        run.states.clone_from(&saved.states);
        run.votes.clone_from(&saved.votes);
        (run.aggregate, run.seen) = (saved.aggregate, saved.seen);
        run.signals = run.signals_again(saved.superstep);
        run.stop = verdict(program, run.options, saved.superstep, &saved.aggregate, saved.halted());
        Ok(run)
    }

    fn follow<'r>(
        &'r mut self,
        program: &P,
        kept: Vec<P::Input>,
    ) -> Result<ReferenceRun<'r, P>, RunError> {
        ReferenceRun::new(self.graph, &self.options, program, Cow::Owned(kept))
    }
}

/// A run of the [`Reference`] engine.
pub struct ReferenceRun<'r, P: VertexCompute> {
    graph: &'r Graph<P::Edge>,
    options: &'r RunOptions,
    program: P,
    inputs: Cow<'r, [P::Input]>,
    /// The next superstep.
    next: u32,
    states: Vec<P::State>,
    votes: Vec<Vote>,
    /// Those of the vertices that scatter, made when they vote, from what they know at
    /// that time; all others are stale.
    signals: Vec<P::Signal>,
    /// The aggregate of the last superstep.
    aggregate: <P::Aggregate as Monoid>::Value,
    /// The aggregate of the superstep before, which vertices saw in the last one.
    seen: <P::Aggregate as Monoid>::Value,
    stop: Option<StopReason>,
    log: Log,
}

impl<P: VertexCompute> fmt::Debug for ReferenceRun<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceRun")
            .field("next", &self.next)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

impl<P: VertexCompute> Run<P> for ReferenceRun<'_, P> {
    type Engine = Reference;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        self.log.start_clock();
        for _ in 0..at_most {
            if self.stop.is_some() {
                break;
            }
            if self.options.cancelled() {
                return Err(RunError::Cancelled { superstep: self.next });
            }
            self.superstep();
        }
        self.log.stop_clock();
        Ok(Progress { superstep: self.next.checked_sub(1), stop: self.stop })
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        let superstep = self.next.checked_sub(1).ok_or(RunError::NotStarted)?;
        let (states, votes) = (self.states.clone(), self.votes.clone());
        Ok(Saved { superstep, states, votes, aggregate: self.aggregate, seen: self.seen })
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        if self.next == 0 {
            return Err(RunError::NotStarted);
        }
        let report = self.log.finish("reference", self.stop.unwrap_or(StopReason::Stopped));
        Ok(Outcome { states: self.states, aggregate: self.aggregate, report })
    }

    fn keep(self) -> Result<Outcome<P>, RunError> {
        self.finish()
    }
}

impl<'r, P: VertexCompute> ReferenceRun<'r, P> {
    /// A run that has not begun.
    fn new(
        graph: &'r Graph<P::Edge>,
        options: &'r RunOptions,
        program: &P,
        inputs: Cow<'r, [P::Input]>,
    ) -> Result<Self, RunError> {
        check_run(graph, program, inputs.len())?;
        Ok(Self {
            graph,
            options,
            program: *program,
            inputs,
            next: 0,
            states: Vec::new(),
            votes: Vec::new(),
            signals: Vec::new(),
            aggregate: P::Aggregate::identity(),
            seen: P::Aggregate::identity(),
            stop: None,
            log: Log::new(options),
        })
    }

    /// Runs the next superstep.
    fn superstep(&mut self) {
        let (superstep, start) = (self.next, Instant::now());
        let before = self.aggregate;
        let (active, messages) = if superstep == 0 { self.init() } else { self.step(superstep) };
        self.seen = before;
        self.next += 1;
        let (strategy, time) = (Strategy::Mailbox, start.elapsed());
        let step = SuperstepReport { superstep, active, messages, strategy, time, taken: None };
        self.stop = if self.log.step(step) == ControlFlow::Break(()) {
            Some(StopReason::Cancelled)
        } else {
            let halted = self.votes.iter().all(|vote| *vote == Vote::Halt);
            verdict(&self.program, self.options, superstep, &self.aggregate, halted)
        };
    }

    /// The signals of the vertices that scattered in `superstep`.
    fn signals_again(&self, superstep: u32) -> Vec<P::Signal> {
        let mut total = P::Aggregate::identity();
        let signal = |(vertex, (state, vote)): (VertexId, (&P::State, &Vote))| {
            let context = Context::new(self.facts(vertex, superstep), &self.seen, &mut total);
            if vote.scatters() { self.program.signal(state, &context) } else { Zeroable::zeroed() }
        };
        (0..).zip(self.states.iter().zip(&self.votes)).map(signal).collect()
    }

    fn facts(&self, vertex: VertexId, superstep: u32) -> Facts<P::Input> {
        Facts {
            vertex,
            in_degree: self.graph.incoming().degree(vertex),
            out_degree: self.graph.out().degree(vertex),
            vertex_count: self.graph.vertex_count(),
            superstep,
            input: self.inputs.get(vertex as usize).copied().unwrap_or(Zeroable::zeroed()),
        }
    }

    fn init(&mut self) -> (u64, u64) {
        let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
        for vertex in 0..self.graph.vertex_count() {
            let mut context = Context::new(self.facts(vertex, 0), &last, &mut total);
            let (state, vote) = self.program.init(&mut context);
            self.signals.push(if vote.scatters() {
                self.program.signal(&state, &context)
            } else {
                Zeroable::zeroed()
            });
            self.states.push(state);
            self.votes.push(vote);
        }
        self.aggregate = total;
        (self.states.len() as u64, 0)
    }

    fn step(&mut self, superstep: u32) -> (u64, u64) {
        let mut mailboxes: Vec<Vec<Message<P>>> = vec![Vec::new(); self.states.len()];
        let mut messages = 0;
        let both = self.graph.directed() && P::DIRECTION == Direction::Both;
        if P::DIRECTION != Direction::In || both {
            messages += self.send(self.graph.out(), self.graph.out_values(), &mut mailboxes);
        }
        if P::DIRECTION == Direction::In || both {
            let (rows, values) = (self.graph.incoming(), self.graph.incoming_values());
            messages += self.send(rows, values, &mut mailboxes);
        }
        let last = self.aggregate;
        let mut total = P::Aggregate::identity();
        let mut active = 0;
        for (vertex, mail) in (0..).zip(&mut mailboxes) {
            let facts = self.facts(vertex, superstep);
            let (state, vote) =
                (&mut self.states[vertex as usize], &mut self.votes[vertex as usize]);
            if mail.is_empty() && !vote.awake() {
                *vote = Vote::Halt;
                continue;
            }
            active += 1;
            let mut context = Context::new(facts, &last, &mut total);
            let inbox = P::Combiner::inbox_of_all(mail);
            *vote = self.program.vertex_compute(state, inbox, &mut context);
            if vote.scatters() {
                self.signals[vertex as usize] = self.program.signal(state, &context);
            }
        }
        self.aggregate = total;
        (active, messages)
    }

    /// Lets every scattering vertex send along its row; returns the number of
    /// messages offered.
    fn send(&self, rows: &Csr, values: &[P::Edge], mailboxes: &mut [Vec<Message<P>>]) -> u64 {
        let mut offered = 0;
        for (source, vote) in (0..).zip(&self.votes) {
            if !vote.scatters() {
                continue;
            }
            let signal = self.signals[source as usize];
            offered += rows.degree(source);
            for edge in rows.range(source) {
                let target = rows.targets()[edge] as usize;
                let value = values.get(edge).copied().unwrap_or(Zeroable::zeroed());
                if !self.program.wants_message(&self.states[target]) {
                    continue;
                }
                mailboxes[target].extend(self.program.edge_compute(&signal, Edge::new(value)));
            }
        }
        offered
    }
}

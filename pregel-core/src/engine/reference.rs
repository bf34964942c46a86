//! The sequential engine: the contract in its plainest form.

use std::ops::ControlFlow;
use std::time::Instant;

use super::{
    Engine, Log, Outcome, RunError, RunOptions, Session, StopReason, Strategy, SuperstepReport,
    check_edges, check_run,
};
use crate::graph::{Csr, Graph};
use crate::program::{
    Context, Delivery, Direction, Edge, Facts, Message, Monoid, VertexCompute, VertexId, Vote,
    Zeroable,
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
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        check_run(self.graph, program, inputs)?;
        let mut run = Run::new(self.graph, program, inputs);
        let mut log = Log::new(&self.options);
        let mut superstep = 0;
        let stop = loop {
            let step_start = Instant::now();
            let (active, messages) = if superstep == 0 { run.init() } else { run.step(superstep) };
            let strategy = Strategy::Mailbox;
            let time = step_start.elapsed();
            let step = SuperstepReport { superstep, active, messages, strategy, time, taken: None };
            if log.step(step) == ControlFlow::Break(()) {
                break StopReason::Cancelled;
            }
            if superstep > 0 && program.converged(&run.aggregate) {
                break StopReason::Converged;
            }
            if run.votes.iter().all(|vote| *vote == Vote::Halt) {
                break StopReason::Halted;
            }
            if self.options.max_supersteps == Some(superstep) {
                break StopReason::Limit;
            }
            superstep += 1;
        };
        let report = log.finish("reference", stop);
        Ok(Outcome { states: run.states, aggregate: run.aggregate, report })
    }
}

struct Run<'a, P: VertexCompute> {
    graph: &'a Graph<P::Edge>,
    program: &'a P,
    inputs: &'a [P::Input],
    states: Vec<P::State>,
    votes: Vec<Vote>,
    /// Those of the vertices that scatter, made when they vote, from what they know at
    /// that time; all others are stale.
    signals: Vec<P::Signal>,
    aggregate: <P::Aggregate as Monoid>::Value,
}

impl<'a, P: VertexCompute> Run<'a, P> {
    fn new(graph: &'a Graph<P::Edge>, program: &'a P, inputs: &'a [P::Input]) -> Self {
        let aggregate = P::Aggregate::identity();
        let (states, votes, signals) = (Vec::new(), Vec::new(), Vec::new());
        Self { graph, program, inputs, states, votes, signals, aggregate }
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

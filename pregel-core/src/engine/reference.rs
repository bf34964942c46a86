//! The sequential engine: the contract in its plainest form.

mod part;

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use part::Exchange;

use super::part::{Part, Partition, Places, Tally};
use super::run::verdict;
use super::{
    Engine, Inputs, Log, Outcome, Progress, Run, RunError, RunOptions, Saved, Session, StopReason,
    Strategy, SuperstepReport, check_edges, check_run, facts,
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

/// A graph prepared for the [`Reference`] engine, or a part of it.
#[derive(Debug)]
pub struct ReferenceSession<'g, E> {
    graph: &'g Graph<E>,
    /// The vertices to compute.
    places: Places,
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
        ReferenceSession::new::<P>(graph, &Partition::whole().part(0), options)
    }
}

impl<'g, E: Value> ReferenceSession<'g, E> {
    fn new<P: VertexCompute<Edge = E>>(
        graph: &'g Graph<E>,
        part: &Part,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        check_edges::<P>(graph)?;
        let places = Places::new(part, graph.vertex_count())?;
        Ok(Self { graph, places, options: options.clone() })
    }
}

impl<P: VertexCompute> Session<P> for ReferenceSession<'_, P::Edge> {
    type Engine = Reference;

    type Run<'r>
        = ReferenceRun<'r, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, Vec<P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<ReferenceRun<'r, P>, RunError> {
        let mut run = ReferenceRun::new(self, program, inputs.into_host()?)?;
        saved.map_or(Ok(()), |saved| run.resume_from(saved))?;
        Ok(run)
    }
}

/// A run of the [`Reference`] engine. States, votes and signals are those of the vertices
/// in `places`, in their order.
pub struct ReferenceRun<'r, P: VertexCompute> {
    graph: &'r Graph<P::Edge>,
    places: &'r Places,
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
    /// What these vertices contributed in the last superstep.
    share: <P::Aggregate as Monoid>::Value,
    /// The aggregate of the last superstep, if the parts have agreed on it; otherwise that
    /// of the superstep before.
    aggregate: <P::Aggregate as Monoid>::Value,
    /// The aggregate of the superstep before, which vertices saw in the last one.
    seen: <P::Aggregate as Monoid>::Value,
    /// Whether the observer cancelled the run.
    cancelled: bool,
    stop: Option<StopReason>,
    exchange: Exchange<P>,
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
        // A part has to exchange after every superstep.
        let at_most = if self.places.is_alone() { at_most } else { at_most.min(1) };
        self.log.start_clock();
        for _ in 0..at_most {
            if self.stop.is_some() {
                break;
            }
            self.exchange.check_done()?;
            if self.options.cancelled() {
                return Err(RunError::Cancelled { superstep: self.next });
            }
            self.superstep();
        }
        self.log.stop_clock();
        Ok(self.progress())
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        let superstep = self.last()?;
        self.exchange.check_agreed()?;
        let (states, votes) = (self.states.clone(), self.votes.clone());
        Ok(Saved { superstep, states, votes, aggregate: self.aggregate, seen: self.seen })
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        self.last()?;
        self.exchange.check_agreed()?;
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
        session: &'r ReferenceSession<'_, P::Edge>,
        program: &P,
        inputs: Cow<'r, [P::Input]>,
    ) -> Result<Self, RunError> {
        check_run(session.graph, program, inputs.len())?;
        Ok(Self {
            graph: session.graph,
            places: &session.places,
            options: &session.options,
            program: *program,
            inputs,
            next: 0,
            states: Vec::new(),
            votes: Vec::new(),
            signals: Vec::new(),
            share: P::Aggregate::identity(),
            aggregate: P::Aggregate::identity(),
            seen: P::Aggregate::identity(),
            cancelled: false,
            stop: None,
            exchange: Exchange::done(),
            log: Log::new(&session.options),
        })
    }

    /// Goes on where another run was saved.
    fn resume_from(&mut self, saved: &Saved<P>) -> Result<(), RunError> {
        let vertices = self.places.vertices();
        saved.check_length(vertices.len() as u32)?;
        self.signals =
            saved.signals(&self.program, self.graph, &self.inputs, vertices.iter().copied());
        self.next = saved.superstep.saturating_add(1);
        self.log.resume_after(saved.superstep);
        self.states.clone_from(&saved.states);
        self.votes.clone_from(&saved.votes);
        (self.aggregate, self.seen) = (saved.aggregate, saved.seen);
        // All parts know the aggregate; one of them has to tell the others.
        if self.places.is_first() {
            self.share = saved.aggregate;
        }
        self.exchange_next();
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress { superstep: self.next.checked_sub(1), stop: self.stop }
    }

    /// The last superstep.
    fn last(&self) -> Result<u32, RunError> {
        self.next.checked_sub(1).ok_or(RunError::NotStarted)
    }

    /// Runs the next superstep.
    fn superstep(&mut self) {
        let (superstep, start) = (self.next, Instant::now());
        let (active, messages) = if superstep == 0 { self.init() } else { self.step(superstep) };
        self.seen = self.aggregate;
        self.next += 1;
        let (strategy, time) = (Strategy::Mailbox, start.elapsed());
        let step = SuperstepReport {
            superstep,
            active,
            messages,
            strategy,
            in_place: false,
            time,
            taken: None,
        };
        self.cancelled = self.log.step(step) == ControlFlow::Break(());
        self.exchange_next();
    }

    /// Waits for the other parts, if there are any.
    fn exchange_next(&mut self) {
        if self.places.is_alone() {
            self.conclude(&self.own_tally());
        } else {
            self.exchange = Exchange::due(self.places.part());
        }
    }

    /// What these vertices have done in the last superstep.
    fn own_tally(&self) -> Tally<P> {
        let halted = self.votes.iter().all(|vote| *vote == Vote::Halt);
        let superstep = self.next.saturating_sub(1);
        Tally { halted, cancelled: self.cancelled, ..Tally::new(superstep, self.share) }
    }

    /// Ends the last superstep, in which all vertices of the graph have done this.
    fn conclude(&mut self, all: &Tally<P>) {
        self.aggregate = all.aggregate;
        self.stop = if all.cancelled {
            Some(StopReason::Cancelled)
        } else {
            let superstep = self.next.saturating_sub(1);
            verdict(&self.program, self.options, superstep, &all.aggregate, all.halted)
        };
    }

    fn facts(&self, vertex: VertexId, superstep: u32) -> Facts<P::Input> {
        facts::<P>(self.graph, &self.inputs, vertex, superstep)
    }

    fn init(&mut self) -> (u64, u64) {
        let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
        for vertex in self.places.vertices() {
            let mut context = Context::new(self.facts(*vertex, 0), &last, &mut total);
            let (state, vote) = self.program.init(&mut context);
            self.signals.push(if vote.scatters() {
                self.program.signal(&state, &context)
            } else {
                Zeroable::zeroed()
            });
            self.states.push(state);
            self.votes.push(vote);
        }
        self.share = total;
        (self.states.len() as u64, 0)
    }

    fn step(&mut self, superstep: u32) -> (u64, u64) {
        let (mut mailboxes, messages) = self.deliver();
        let last = self.aggregate;
        let mut total = P::Aggregate::identity();
        let mut active = 0;
        for (place, mail) in mailboxes.iter_mut().enumerate() {
            let facts = self.facts(self.places.vertices()[place], superstep);
            let (state, vote) = (&mut self.states[place], &mut self.votes[place]);
            if mail.is_empty() && !vote.awake() {
                *vote = Vote::Halt;
                continue;
            }
            active += 1;
            let mut context = Context::new(facts, &last, &mut total);
            let inbox = P::Combiner::inbox_of_all(mail);
            *vote = self.program.vertex_compute(state, inbox, &mut context);
            if vote.scatters() {
                self.signals[place] = self.program.signal(state, &context);
            }
        }
        self.share = total;
        (active, messages)
    }

    /// The messages to these vertices, and how many messages they offered themselves.
    fn deliver(&mut self) -> (Vec<Vec<Message<P>>>, u64) {
        let mut sources = self.scattering();
        let rows = self.rows();
        let offers = |source| rows.iter().map(|(rows, _)| rows.degree(source)).sum::<u64>();
        let offered = sources.iter().map(|(source, _)| offers(*source)).sum();
        sources.append(&mut self.exchange.signals);
        sources.sort_by_key(|(source, _)| *source);
        let mut mailboxes = vec![Vec::new(); self.states.len()];
        let wants = |place: &usize| self.program.wants_message(&self.states[*place]);
        self.send(&sources, |target, signal, edge| {
            if let Some(place) = self.places.place(target).filter(wants) {
                mailboxes[place].extend(self.program.edge_compute(signal, edge));
            }
        });
        for (target, message) in &self.exchange.messages {
            if let Some(place) = self.places.place(*target).filter(wants) {
                mailboxes[place].push(*message);
            }
        }
        self.exchange.messages.clear();
        (mailboxes, offered)
    }

    /// Those of these vertices that scatter, in ascending order, with their signals.
    fn scattering(&self) -> Vec<(VertexId, P::Signal)> {
        let all = self.places.vertices().iter().zip(&self.votes).zip(&self.signals);
        let scatters = all.filter(|((_, vote), _)| vote.scatters());
        scatters.map(|((vertex, _), signal)| (*vertex, *signal)).collect()
    }

    /// The rows along which vertices send, and the values of their edges.
    fn rows(&self) -> Vec<(&Csr, &[P::Edge])> {
        let both = self.graph.directed() && P::DIRECTION == Direction::Both;
        let mut rows = Vec::new();
        if P::DIRECTION != Direction::In || both {
            rows.push((self.graph.out(), self.graph.out_values()));
        }
        if P::DIRECTION == Direction::In || both {
            rows.push((self.graph.incoming(), self.graph.incoming_values()));
        }
        rows
    }

    /// Calls `visit` with the target, the signal and the edge of every message that these
    /// vertices offer.
    fn send(
        &self,
        sources: &[(VertexId, P::Signal)],
        mut visit: impl FnMut(VertexId, &P::Signal, Edge<P::Edge>),
    ) {
        for (rows, values) in self.rows() {
            for (source, signal) in sources {
                for edge in rows.range(*source) {
                    let value = values.get(edge).copied().unwrap_or(Zeroable::zeroed());
                    visit(rows.targets()[edge], signal, Edge::new(value));
                }
            }
        }
    }
}

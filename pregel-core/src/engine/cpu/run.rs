//! A run that is advanced: in plain supersteps, or in place.

use std::borrow::Cow;
use std::fmt;
use std::ops::{ControlFlow, Deref, DerefMut};
use std::time::Instant;

use super::Cpu;
use super::in_place::{self, InPlace};
use super::plain::Plain;
use super::session::CpuSession;
use super::vertex::{Aggregated, Env};
use crate::engine::run::verdict;
use crate::engine::{
    Log, Outcome, Progress, Run, RunError, Saved, StopReason, Strategy, SuperstepReport, check_run,
};
use crate::program::{Monoid, VertexCompute};

/// A run of the [`Cpu`](super::Cpu) engine.
pub struct CpuRun<'r, 'g, P: VertexCompute> {
    session: Held<'r, CpuSession<'g, P>>,
    program: P,
    inputs: Cow<'r, [P::Input]>,
    mode: Mode<P>,
    /// The next superstep.
    next: u32,
    /// The aggregate of the last superstep.
    aggregate: Aggregated<P>,
    /// The aggregate of the superstep before, which vertices saw in the last one.
    seen: Aggregated<P>,
    stop: Option<StopReason>,
    /// Messages of all supersteps of this run.
    sent: u64,
    /// Whether every vertex with an edge has scattered in each of them.
    every: bool,
    /// Whether the run was cancelled, so that a superstep may have been cut short.
    cancelled: bool,
    pub(super) log: Log,
}

/// A session that a run borrows or owns.
enum Held<'r, S> {
    Lent(&'r mut S),
    Own(Box<S>),
}

impl<S> Deref for Held<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        match self {
            Self::Lent(session) => session,
            Self::Own(session) => session,
        }
    }
}

impl<S> DerefMut for Held<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        match self {
            Self::Lent(session) => session,
            Self::Own(session) => session,
        }
    }
}

/// Why plain supersteps pause.
enum Pause {
    /// They do not: the run is over, cancelled, or has come as far as it should.
    None,
    /// To renumber the vertices if that pays before `ahead` messages are sent.
    Order { ahead: u64 },
    /// To make the rows from which a pull gathers.
    Rows,
}

/// How a run goes on.
enum Mode<P: VertexCompute> {
    Plain(Box<Plain<P>>),
    InPlace(Box<InPlace<P>>),
}

impl<P: VertexCompute> fmt::Debug for CpuRun<'_, '_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuRun")
            .field("next", &self.next)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

impl<'r, 'g, P: VertexCompute> CpuRun<'r, 'g, P> {
    /// A new run, or one that goes on where another was saved.
    pub(in crate::engine) fn new(
        session: &'r mut CpuSession<'g, P>,
        program: P,
        inputs: Cow<'r, [P::Input]>,
        saved: Option<&Saved<P>>,
    ) -> Result<Self, RunError> {
        Self::of(Held::Lent(session), program, inputs, saved)
    }

    /// The same for a run that owns its session.
    pub(in crate::engine) fn owning(
        session: CpuSession<'g, P>,
        program: P,
        inputs: Cow<'r, [P::Input]>,
        saved: Option<&Saved<P>>,
    ) -> Result<Self, RunError> {
        Self::of(Held::Own(Box::new(session)), program, inputs, saved)
    }

    fn of(
        mut session: Held<'r, CpuSession<'g, P>>,
        program: P,
        inputs: Cow<'r, [P::Input]>,
        saved: Option<&Saved<P>>,
    ) -> Result<Self, RunError> {
        check_run(session.graph, &program, inputs.len())?;
        let ahead = session.demand.ahead(session.graph.edge_count(), &session.options);
        if session.may_renumber_for(ahead) {
            let engine = session.engine.clone();
            engine.install(|| session.renumber_for(ahead));
        }
        let mode = if in_place::possible(&program, &session.options) {
            Mode::InPlace(Box::new(InPlace::new()))
        } else {
            let vertices = session.graph.vertex_count();
            let plain = Plain::new(session.memory.take(), vertices, &session.options)?;
            Mode::Plain(Box::new(plain))
        };
        let (aggregate, seen) = (P::Aggregate::identity(), P::Aggregate::identity());
        let log = Log::new(&session.options);
        let mut run = Self {
            session,
            program,
            inputs,
            mode,
            next: 0,
            aggregate,
            seen,
            stop: None,
            sent: 0,
            every: true,
            cancelled: false,
            log,
        };
        if let Some(saved) = saved {
            saved.check(run.session.graph)?;
            run.resume_from(saved);
        }
        Ok(run)
    }

    /// Goes on where another run of a graph of the same size was saved.
    fn resume_from(&mut self, saved: &Saved<P>) {
        let Self { session, program, inputs, mode, .. } = self;
        let (session, program) = (&**session, &*program);
        session.engine.install(|| {
            let shape = session.shape();
            let env = Env::new(program, &shape, inputs, saved.superstep, saved.seen);
            match mode {
                Mode::Plain(plain) => plain.resume_from(&env, saved),
                Mode::InPlace(in_place) => in_place.resume_from(&env, saved, session.options.delta),
            }
        });
        self.next = saved.superstep.saturating_add(1);
        self.log.resume_after(saved.superstep);
        (self.aggregate, self.seen) = (saved.aggregate, saved.seen);
        let options = &self.session.options;
        self.stop =
            verdict(&self.program, options, saved.superstep, &saved.aggregate, saved.halted());
    }

    /// # Errors
    /// [`RunError::Cancelled`] if the run was cancelled.
    fn check(&self) -> Result<(), RunError> {
        if self.cancelled {
            return Err(RunError::Cancelled { superstep: self.next });
        }
        Ok(())
    }

    /// Copies what is needed to resume the run, whose last superstep was `superstep`.
    fn copy_into(&self, superstep: u32, saved: &mut Saved<P>) {
        let session = &*self.session;
        let Saved { states, votes, .. } = saved;
        session.engine.install(|| match &self.mode {
            Mode::Plain(plain) => {
                let memory = &plain.memory;
                session.by_vertex_into(states, |place| memory.states[place as usize]);
                match memory.common_vote() {
                    Some(vote) => {
                        votes.clear();
                        votes.resize(states.len(), vote);
                    }
                    None => memory.with_votes(|vote| session.by_vertex_into(votes, vote)),
                }
            }
            Mode::InPlace(run) => {
                session.by_vertex_into(states, |place| run.state(place));
                run.with_votes(&self.program, |vote| session.by_vertex_into(votes, vote));
            }
        });
        (saved.superstep, saved.aggregate, saved.seen) = (superstep, self.aggregate, self.seen);
    }

    /// Runs up to `at_most` plain supersteps. Between two of them the graph may be prepared
    /// further.
    fn plain(&mut self, mut at_most: u32) {
        while at_most > 0 {
            let next = self.next;
            let pause = self.supersteps(at_most);
            at_most -= self.next - next;
            match pause {
                Pause::None => break,
                Pause::Order { ahead } => self.prepare_further(|run| {
                    if let Some(order) = run.session.order_for(ahead) {
                        run.resume_across(|session| session.renumber(order));
                    }
                }),
                Pause::Rows => self.prepare_further(|run| {
                    run.resume_across(|session| {
                        session.make_rows();
                        true
                    });
                }),
            }
        }
    }

    /// Saves the run before `change` alters how the session holds the graph, and resumes it if
    /// that was done.
    fn resume_across(&mut self, change: impl FnOnce(&mut CpuSession<'g, P>) -> bool) {
        let mut saved = Saved::new(0, Vec::new(), Vec::new());
        self.copy_into(self.next - 1, &mut saved);
        if change(&mut self.session) {
            self.resume_from(&saved);
        }
    }

    /// Does `work` whose time counts as preparation.
    fn prepare_further(&mut self, work: impl FnOnce(&mut Self)) {
        let start = Instant::now();
        let before = self.session.prepare_time;
        work(self);
        let took = start.elapsed();
        self.session.prepare_time = before + took;
        self.log.set_aside(took);
    }

    /// Runs up to `at_most` plain supersteps, fewer if the graph should be prepared further
    /// before the next one.
    fn supersteps(&mut self, at_most: u32) -> Pause {
        let Self { session, program, inputs, mode: Mode::Plain(plain), .. } = self else {
            return Pause::None;
        };
        let (shape, options) = (session.shape(), &session.options);
        let (mut pause, edges) = (Pause::None, session.graph.edge_count());
        let last = self.aggregate;
        let mut env = Env::new(program, &shape, inputs, self.next, last);
        for _ in 0..at_most {
            if shape.cancelled() || self.stop.is_some() {
                break;
            }
            let start = Instant::now();
            let mut strategy = plain.choose(&env);
            if env.superstep > 0 && strategy != Strategy::Push && !shape.gathers() {
                if session.should_make_rows(plain.offered()) {
                    pause = Pause::Rows;
                    break;
                }
                strategy = Strategy::Push;
            }
            let (messages, tally) = plain.superstep(&env, strategy, options.deterministic);
            if shape.cancelled() {
                // The superstep may have been cut short.
                break;
            }
            (self.seen, env.last) = (env.last, tally.total);
            let step = self.log.step(SuperstepReport {
                superstep: env.superstep,
                active: tally.active,
                messages,
                strategy,
                in_place: false,
                time: start.elapsed(),
                taken: None,
            });
            let halted = plain.memory.halted();
            self.stop = match step {
                ControlFlow::Break(()) => Some(StopReason::Cancelled),
                ControlFlow::Continue(()) => {
                    verdict(program, options, env.superstep, &env.last, halted)
                }
            };
            self.sent = self.sent.saturating_add(messages);
            self.every &= plain.memory.frontier.edges >= edges;
            env.superstep += 1;
            // Not after superstep 0, in which every vertex may scatter for once.
            if env.superstep > 1 && self.stop.is_none() {
                let so_far = (env.superstep - 1, self.sent);
                let ahead = session.demand.ahead_in_run::<P>(edges, options, so_far, self.every);
                if session.may_renumber_for(ahead) {
                    pause = Pause::Order { ahead };
                    break;
                }
            }
        }
        (self.next, self.aggregate) = (env.superstep, env.last);
        pause
    }

    /// Runs superstep 0 and rounds in place, `at_most` together.
    fn in_place(&mut self, mut at_most: u32) {
        let Self { session, program, inputs, mode: Mode::InPlace(run), .. } = self else { return };
        let start = Instant::now();
        let shape = session.shape();
        let last = P::Aggregate::identity();
        let env = Env::new(program, &shape, inputs, 0, last);
        if self.next == 0 && at_most > 0 && !shape.cancelled() {
            at_most -= 1;
            let first = run.init(&env, session.options.delta);
            let step = SuperstepReport {
                superstep: 0,
                active: shape.vertex_count.into(),
                messages: 0,
                strategy: Strategy::Pull,
                in_place: true,
                time: start.elapsed(),
                taken: None,
            };
            self.next = 1;
            self.stop = match self.log.step(step) {
                ControlFlow::Break(()) => Some(StopReason::Cancelled),
                ControlFlow::Continue(()) if first == 0 => Some(StopReason::Halted),
                ControlFlow::Continue(()) => None,
            };
        }
        let starts = self.stop.is_none() && at_most > 0 && self.next > 0;
        if starts && !shape.gathers() && run.may_gather() {
            let before = session.prepare_time;
            session.make_rows();
            self.log.set_aside(session.prepare_time - before);
        }
        if starts {
            let shape = session.shape();
            let env = Env::new(program, &shape, inputs, 0, last);
            self.stop = run.rounds(&env, &mut self.next, at_most, &mut self.log);
        }
    }
}

impl<P: VertexCompute> Run<P> for CpuRun<'_, '_, P> {
    type Engine = Cpu;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        if self.stop.is_none() {
            self.log.start_clock();
            let engine = self.session.engine.clone();
            engine.install(|| match self.mode {
                Mode::Plain(_) => self.plain(at_most),
                Mode::InPlace(_) => self.in_place(at_most),
            });
            self.log.stop_clock();
            if self.stop.is_none() && self.session.options.cancelled() {
                self.cancelled = true;
            }
        }
        self.check()?;
        Ok(Progress { superstep: self.next.checked_sub(1), stop: self.stop })
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        let mut saved = Saved::new(0, Vec::new(), Vec::new());
        self.save_into(&mut saved)?;
        Ok(saved)
    }

    fn save_into(&self, saved: &mut Saved<P>) -> Result<(), RunError> {
        let superstep = self.next.checked_sub(1).ok_or(RunError::NotStarted)?;
        self.check()?;
        self.copy_into(superstep, saved);
        Ok(())
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        if self.next == 0 {
            return Err(RunError::NotStarted);
        }
        self.check()?;
        let Self { mut session, mode, aggregate, stop, mut log, .. } = self;
        log.start_clock();
        let states = match mode {
            Mode::Plain(plain) if session.is_last() => {
                let states = plain.memory.into_states();
                session.in_users_order(&states).unwrap_or(states)
            }
            Mode::Plain(mut plain) => {
                let memory = &mut plain.memory;
                // If they have to be copied, the next run has room for its own.
                let copy = session.in_users_order(&memory.states);
                let states = copy.unwrap_or_else(|| memory.take_states());
                session.memory = Some(plain.memory);
                states
            }
            Mode::InPlace(run) => {
                let states = run.into_states();
                session.in_users_order(&states).unwrap_or(states)
            }
        };
        let mut report = log.finish("cpu", stop.unwrap_or(StopReason::Stopped));
        report.prepare_time = session.prepare_time;
        session.demand.add(report.messages);
        Ok(Outcome { states, aggregate, report })
    }

    fn keep(self) -> Result<Outcome<P>, RunError> {
        self.finish()
    }
}

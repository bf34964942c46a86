//! An engine that hands every run from one engine to another and back: after each
//! superstep it saves the run on one and resumes it on the other. Beyond superstep 32, a run
//! changes hands less and less often.
//!
//! A single run thus tests saving, resuming and finishing early at many points, and the
//! conformance suite compares its result.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use pregel_core::engine::{
    Engine, Inputs, Outcome, Progress, Report, Run, RunError, RunOptions, Saved, Session,
    StopReason,
};
use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexCompute};

use crate::suite::Contender;

/// The two engines, in turns, and the options of each.
#[derive(Clone, Debug)]
pub struct Relay<A, B> {
    first: Contender<A>,
    second: Contender<B>,
}

/// A contender that takes turns between two others.
pub fn relay<A: Engine, B: Engine>(
    first: Contender<A>,
    second: Contender<B>,
) -> Contender<Relay<A, B>> {
    let (options, picky) = (first.options.clone(), first.picky || second.picky);
    Contender { engine: Relay { first, second }, options, picky }
}

impl<A: Engine, B: Engine> Engine for Relay<A, B> {
    type Session<'g, P: VertexCompute> = RelaySession<A, B, A::Session<'g, P>, B::Session<'g, P>>;
    type Kept<T: Value> = Vec<T>;

    fn name(&self) -> &'static str {
        "relay"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError> {
        let limit = options.max_supersteps;
        let of = |own: &RunOptions| own.clone().with_max_supersteps(limit);
        Ok(RelaySession {
            first: self.first.engine.prepare::<P>(graph, &of(&self.first.options))?,
            second: self.second.engine.prepare::<P>(graph, &of(&self.second.options))?,
            engines: PhantomData,
        })
    }
}

/// The sessions of both engines.
#[derive(Debug)]
pub struct RelaySession<A, B, S, T> {
    first: S,
    second: T,
    engines: PhantomData<(A, B)>,
}

impl<P, A, B, S, T> Session<P> for RelaySession<A, B, S, T>
where
    P: VertexCompute,
    A: Engine,
    B: Engine,
    S: Session<P, Engine = A>,
    T: Session<P, Engine = B>,
{
    type Engine = Relay<A, B>;

    type Run<'r>
        = RelayRun<'r, P, A, B, S, T>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, Vec<P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<Self::Run<'r>, RunError> {
        let inputs = inputs.into_host()?;
        // Also checks the inputs and the saved states.
        let run = self.first.begin(program, (&*inputs).into(), saved)?;
        let last = match saved {
            Some(saved) => Some((saved.clone(), run.finish()?)),
            None => {
                drop(run);
                None
            }
        };
        Ok(RelayRun { sessions: self, program: *program, inputs, last, turns: 0 })
    }
}

/// A run of a [`Relay`].
pub struct RelayRun<'r, P: VertexCompute, A, B, S, T> {
    sessions: &'r mut RelaySession<A, B, S, T>,
    program: P,
    inputs: Cow<'r, [P::Input]>,
    /// The run as it was last saved, and its outcome so far.
    last: Option<(Saved<P>, Outcome<P>)>,
    /// How many turns the engines have had.
    turns: u32,
}

/// Starts or resumes the run on one engine, advances it by `more` supersteps, and saves it.
fn turn<P: VertexCompute, S: Session<P>>(
    session: &mut S,
    program: &P,
    inputs: &[P::Input],
    saved: Option<&Saved<P>>,
    more: u32,
) -> Result<(Saved<P>, Outcome<P>, Progress), RunError> {
    let mut run = session.begin(program, inputs.into(), saved)?;
    let progress = run.advance(more)?;
    Ok((run.save()?, run.finish()?, progress))
}

impl<P: VertexCompute, A, B, S, T> RelayRun<'_, P, A, B, S, T> {
    fn stop(&self) -> Option<StopReason> {
        let stop = self.last.as_ref().map(|(_, outcome)| outcome.report.stop);
        stop.filter(|stop| *stop != StopReason::Stopped)
    }
}

impl<P, A, B, S, T> Run<P> for RelayRun<'_, P, A, B, S, T>
where
    P: VertexCompute,
    A: Engine,
    B: Engine,
    S: Session<P, Engine = A>,
    T: Session<P, Engine = B>,
{
    type Engine = Relay<A, B>;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        for _ in 0..at_most {
            if self.stop().is_some() {
                break;
            }
            let saved = self.last.as_ref().map(|(saved, _)| saved);
            let first = self.turns.is_multiple_of(2);
            let (program, inputs) = (&self.program, &*self.inputs);
            // Handing over after every superstep would make long runs slow.
            let more = 1 + saved.map_or(0, |saved| saved.superstep) / 32;
            let (saved, mut outcome, progress) = if first {
                turn(&mut self.sessions.first, program, inputs, saved, more)?
            } else {
                turn(&mut self.sessions.second, program, inputs, saved, more)?
            };
            self.turns += 1;
            assert_eq!(progress.stop.unwrap_or(StopReason::Stopped), outcome.report.stop);
            assert_eq!(progress.superstep, Some(saved.superstep));
            if let Some((_, before)) = self.last.take() {
                prepend(&before.report, &mut outcome.report);
            }
            self.last = Some((saved, outcome));
        }
        let superstep = self.last.as_ref().map(|(saved, _)| saved.superstep);
        Ok(Progress::new(superstep, self.stop()))
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        self.last.as_ref().map(|(saved, _)| saved.clone()).ok_or(RunError::NotStarted)
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        self.last.map(|(_, outcome)| outcome).ok_or(RunError::NotStarted)
    }

    fn keep(self) -> Result<Outcome<P>, RunError> {
        self.finish()
    }
}

/// Puts the supersteps of an earlier report before those of a later one.
fn prepend(before: &Report, after: &mut Report) {
    let mut steps = before.steps.clone();
    steps.append(&mut after.steps);
    after.steps = steps;
    after.messages += before.messages;
    after.time += before.time;
}

impl<P: VertexCompute, A, B, S, T> fmt::Debug for RelayRun<'_, P, A, B, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayRun").finish_non_exhaustive()
    }
}

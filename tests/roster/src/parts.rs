//! An engine that runs the parts of a graph side by side, and carries messages and signals
//! between them after every superstep.
//!
//! Saving merges the saved runs of all parts, and resuming splits them again. A
//! [`relay`](crate::relay) between two of these engines, or between one of them and an engine
//! for whole graphs, therefore tests that as well.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use pregel_core::engine::part::{PartEngine, PartRun, PartSession, Partition};
use pregel_core::engine::{
    Engine, Inputs, Outcome, Progress, Report, Run, RunError, RunOptions, Saved, Session,
};
use pregel_core::graph::Graph;
use pregel_core::program::{Delivery, Value, VertexCompute};

use crate::suite::Contender;

/// What parts send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Messages to vertices of the receiver.
    Messages,
    /// Signals of vertices of the sender.
    Signals,
    /// Signals to the next part, messages to all others.
    Both,
}

/// The engine that runs each part, and how the graph is cut.
#[derive(Clone, Debug)]
pub struct Parts<E> {
    engine: E,
    /// The partition of a graph with this many vertices.
    cut: fn(u32) -> Partition,
    form: Form,
}

/// A contender that runs the parts of every graph on the engine of `on`.
pub fn parts<E: PartEngine>(
    on: Contender<E>,
    cut: fn(u32) -> Partition,
    form: Form,
) -> Contender<Parts<E>> {
    let Contender { engine, options, picky } = on;
    Contender { engine: Parts { engine, cut, form }, options, picky }
}

impl<E: PartEngine> Engine for Parts<E> {
    type Session<'g, P: VertexCompute> = PartsSession<E, P, E::PartSession<'g, P>>;
    type Kept<T: Value> = Vec<T>;

    fn name(&self) -> &'static str {
        "parts"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError> {
        let partition = (self.cut)(graph.vertex_count());
        let prepare = |index| self.engine.prepare_part::<P>(graph, &partition.part(index), options);
        let sessions = (0..partition.count()).map(prepare).collect::<Result<_, _>>()?;
        Ok(PartsSession {
            sessions,
            partition,
            form: self.form,
            kept: Vec::new(),
            engine: PhantomData,
        })
    }
}

/// The session of every part.
pub struct PartsSession<E, P: VertexCompute, S> {
    sessions: Vec<S>,
    partition: Partition,
    form: Form,
    /// The states of the last run, for the one that follows it.
    kept: Vec<P::Input>,
    engine: PhantomData<E>,
}

impl<E: PartEngine, P: VertexCompute, S: PartSession<P>> Session<P> for PartsSession<E, P, S> {
    type Engine = Parts<E>;

    type Run<'r>
        = PartsRun<'r, E, S::PartRun<'r>>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, Vec<P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<Self::Run<'r>, RunError> {
        let Self { sessions, partition, kept, .. } = self;
        let inputs = match inputs.into_host()? {
            Cow::Borrowed(inputs) => inputs,
            Cow::Owned(states) => {
                *kept = states;
                &*kept
            }
        };
        let begin = |(index, session): (u32, &'r mut S)| {
            let share = saved.map(|saved| saved.share(&partition.part(index)));
            session.begin(program, inputs, share.as_ref())
        };
        let runs = (0..).zip(sessions).map(begin).collect::<Result<_, _>>()?;
        let progress = Progress::new(saved.map(|saved| saved.superstep), None);
        let mut run = PartsRun { runs, partition, form: self.form, progress, engine: PhantomData };
        if saved.is_some() {
            run.exchange()?;
        }
        Ok(run)
    }
}

/// A run of every part.
pub struct PartsRun<'r, E, R> {
    runs: Vec<R>,
    partition: &'r Partition,
    form: Form,
    progress: Progress,
    engine: PhantomData<E>,
}

impl<E, R> PartsRun<'_, E, R> {
    /// Brings the parts together after a superstep.
    fn exchange<P: VertexCompute>(&mut self) -> Result<(), RunError>
    where
        R: PartRun<P>,
    {
        let tallies = self.runs.iter().map(R::tally).collect::<Result<Vec<_>, _>>()?;
        if let Some(all) = tallies.into_iter().reduce(|a, b| a.combine(b)) {
            let verdicts = self.runs.iter_mut().map(|run| run.agree(&all));
            let verdicts = verdicts.collect::<Result<Vec<_>, _>>()?;
            assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{verdicts:?}");
            self.progress = verdicts[0];
        }
        self.carry()
    }

    /// Carries messages or signals from every part to every other.
    fn carry<P: VertexCompute>(&mut self) -> Result<(), RunError>
    where
        R: PartRun<P>,
    {
        let count = self.runs.len();
        for from in 0..count {
            let sender = &mut self.runs[from];
            let messages = match self.form {
                Form::Signals => Vec::new(),
                Form::Messages | Form::Both => sender.take_messages()?,
            };
            let signals = match self.form {
                Form::Messages => None,
                Form::Signals | Form::Both => Some(sender.take_signals()?),
            };
            for to in (0..count).filter(|to| *to != from) {
                let by_messages = self.form == Form::Both && to != (from + 1) % count;
                if let Some(signals) = signals.as_ref().filter(|_| !by_messages) {
                    self.runs[to].put_signals(signals)?;
                } else {
                    let targets = &messages[to].vertices;
                    let combined = targets.is_sorted_by(|a, b| a < b);
                    assert!(combined || !P::Combiner::COMBINES, "messages are not combined");
                    self.runs[to].put_messages(&messages[to])?;
                }
            }
        }
        Ok(())
    }
}

impl<E: PartEngine, P: VertexCompute, R: PartRun<P>> Run<P> for PartsRun<'_, E, R> {
    type Engine = Parts<E>;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        for _ in 0..at_most {
            if self.progress.has_ended() {
                break;
            }
            for run in &mut self.runs {
                run.advance(1)?;
            }
            self.exchange()?;
        }
        Ok(self.progress)
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        let saved = self.runs.iter().map(R::save).collect::<Result<Vec<_>, _>>()?;
        Saved::merge(self.partition, &saved)
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        let outcomes = self.runs.into_iter().map(R::finish).collect::<Result<Vec<_>, _>>()?;
        let states: Vec<_> = outcomes.iter().map(|outcome| &outcome.states[..]).collect();
        let states = self.partition.join(&states)?;
        let whole = outcomes.into_iter().reduce(|mut whole, part| {
            add(&mut whole.report, &part.report);
            whole
        });
        whole.map(|whole| Outcome { states, ..whole }).ok_or(RunError::Parts("there is no part"))
    }

    fn keep(self) -> Result<Outcome<P>, RunError> {
        self.finish()
    }
}

/// Adds what another part did in the same supersteps.
fn add(whole: &mut Report, part: &Report) {
    assert_eq!((whole.stop, whole.steps.len()), (part.stop, part.steps.len()));
    whole.messages += part.messages;
    for (whole, part) in whole.steps.iter_mut().zip(&part.steps) {
        whole.active += part.active;
        whole.messages += part.messages;
    }
}

impl<E, P: VertexCompute, S> fmt::Debug for PartsSession<E, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartsSession").field("partition", &self.partition).finish_non_exhaustive()
    }
}

impl<E, R> fmt::Debug for PartsRun<'_, E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartsRun").field("progress", &self.progress).finish_non_exhaustive()
    }
}

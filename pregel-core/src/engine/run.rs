//! A run that the caller advances, saves and resumes.

use std::fmt;

use super::{Engine, Outcome, RunError, RunOptions, StopReason, facts};
use crate::graph::Graph;
use crate::program::{Context, Monoid, Program, VertexCompute, VertexId, Vote, Zeroable};

type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

/// A run of a program, which goes on as far as its caller says.
///
/// ```
/// use pregel_core::engine::{Cpu, Run};
/// # use pregel_core::prelude::*;
/// # #[derive(Clone, Copy)]
/// # struct Heat;
/// # impl Program for Heat {
/// #     type Input = ();
/// #     type State = u32;
/// #     type Signal = u32;
/// #     type Edge = ();
/// #     type Combiner = Max<u32>;
/// #     type Aggregate = Nothing;
/// # }
/// # impl EdgeCompute for Heat {
/// #     fn edge_compute(&self, heat: &u32, _: Edge<()>) -> Option<u32> {
/// #         heat.checked_sub(1)
/// #     }
/// # }
/// # impl VertexCompute for Heat {
/// #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
/// #         if context.vertex() == 0 { (5, Vote::Scatter) } else { (0, Vote::Halt) }
/// #     }
/// #     fn vertex_compute(&self, heat: &mut u32, came: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
/// #         if came > Some(*heat) {
/// #             *heat = came.unwrap_or(0);
/// #             return Vote::Scatter;
/// #         }
/// #         Vote::Halt
/// #     }
/// #     fn signal(&self, heat: &u32, _: &Context<'_, Self>) -> u32 {
/// #         *heat
/// #     }
/// # }
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3)])?;
/// let mut session = Cpu::new().prepare::<Heat>(&graph, &RunOptions::default())?;
/// let mut run = session.start(&Heat, &[])?;
/// // Superstep 0 and the first one with messages.
/// let progress = run.advance(2)?;
/// assert_eq!((progress.superstep, progress.stop), (Some(1), None));
/// let saved = run.save()?;
/// assert_eq!(saved.states, [5, 4, 0, 0]);
/// drop(run);
/// let mut run = session.resume(&Heat, &[], &saved)?;
/// run.advance_to_end()?;
/// assert_eq!(run.finish()?.states, [5, 4, 3, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Run<P: VertexCompute> {
    /// The engine that it runs on.
    type Engine: Engine;

    /// Runs up to `at_most` supersteps, superstep 0 included, or rounds if the engine
    /// updates states in place; fewer if the run ends. Does nothing once it has ended.
    ///
    /// The engine takes them in any grouping that it likes: one call with a large number
    /// is faster than many calls with a small one.
    ///
    /// # Errors
    /// [`RunError::Device`] if a device fails. The run is then over: all other calls give
    /// errors too.
    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError>;

    /// Runs to the end.
    ///
    /// # Errors
    /// As [`advance`](Run::advance).
    fn advance_to_end(&mut self) -> Result<Progress, RunError> {
        loop {
            let progress = self.advance(u32::MAX)?;
            if progress.has_ended() {
                return Ok(progress);
            }
        }
    }

    /// Copies what is needed to resume the run, on any engine. O(V).
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0, [`RunError::Device`] if a device fails.
    fn save(&self) -> Result<Saved<P>, RunError>;

    /// As [`save`](Run::save), into the memory of an earlier copy, which stays as it was if
    /// this fails. Faster where the engine can fill the memory in place: what a process has
    /// not used before, the system has to find and clear first.
    ///
    /// # Errors
    /// As [`save`](Run::save).
    fn save_into(&self, saved: &mut Saved<P>) -> Result<(), RunError> {
        *saved = self.save()?;
        Ok(())
    }

    /// Ends the run, and returns the states as they are. If the run has not ended by
    /// itself, the report says [`StopReason::Stopped`].
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0, [`RunError::Device`] if a device fails.
    fn finish(self) -> Result<Outcome<P>, RunError>
    where
        Self: Sized;

    /// As [`finish`](Run::finish), but leaves the states where the engine has them: on a
    /// GPU, they are not copied. Another run may [follow](super::Session::follow).
    ///
    /// # Errors
    /// As [`finish`](Run::finish).
    fn keep(self) -> Result<KeptOutcome<Self::Engine, P>, RunError>
    where
        Self: Sized;
}

/// The result of a run whose states stay where the engine has them.
pub type KeptOutcome<E, P> = Outcome<P, <E as Engine>::Kept<<P as Program>::State>>;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The last superstep that ran; `None` before superstep 0.
    pub superstep: Option<u32>,
    /// Why the run ended; `None` if it has not.
    pub stop: Option<StopReason>,
}

impl Progress {
    /// Of a run whose last superstep this is.
    pub fn new(superstep: Option<u32>, stop: Option<StopReason>) -> Self {
        Self { superstep, stop }
    }

    /// Whether the run has ended by itself.
    pub fn has_ended(self) -> bool {
        self.stop.is_some()
    }
}

/// A run between two supersteps, in the order of the user's vertices: enough to resume
/// it on any engine. Messages are not part of it; they are made again from the states
/// of the vertices that scattered.
#[derive(Clone)]
#[non_exhaustive]
pub struct Saved<P: Program> {
    /// The last superstep that ran.
    pub superstep: u32,
    /// The state of every vertex.
    pub states: Vec<P::State>,
    /// How every vertex voted last. Those that did not compute halt.
    pub votes: Vec<Vote>,
    /// The aggregate of the last superstep.
    pub aggregate: Aggregated<P>,
    /// The aggregate of the superstep before, which vertices saw when they voted.
    pub seen: Aggregated<P>,
}

impl<P: Program> Saved<P> {
    /// A run that goes on from these states after superstep `superstep`; `votes` says which
    /// vertices scatter and which stay awake. Both aggregates are neutral.
    pub fn new(superstep: u32, states: Vec<P::State>, votes: Vec<Vote>) -> Self {
        let (aggregate, seen) = (P::Aggregate::identity(), P::Aggregate::identity());
        Self { superstep, states, votes, aggregate, seen }
    }

    /// Sets the aggregate of the last superstep.
    #[must_use]
    pub fn with_aggregate(self, aggregate: Aggregated<P>) -> Self {
        Self { aggregate, ..self }
    }

    /// The signals of `vertices`, whose states and votes these are, as they were when the
    /// vertices voted; zero for those that do not scatter. O(V).
    pub(super) fn signals(
        &self,
        program: &P,
        graph: &Graph<P::Edge>,
        inputs: &[P::Input],
        vertices: impl Iterator<Item = VertexId>,
    ) -> Vec<P::Signal>
    where
        P: VertexCompute,
    {
        let mut total = P::Aggregate::identity();
        let signal = |((state, vote), vertex): ((&P::State, &Vote), VertexId)| {
            if !vote.scatters() {
                return P::Signal::zeroed();
            }
            let facts = facts::<P>(graph, inputs, vertex, self.superstep);
            program.signal(state, &Context::new(facts, &self.seen, &mut total))
        };
        self.states.iter().zip(&self.votes).zip(vertices).map(signal).collect()
    }

    /// Whether no vertex would compute in another superstep.
    pub(super) fn halted(&self) -> bool {
        self.votes.iter().all(|vote| *vote == Vote::Halt)
    }

    /// Checks that this is a run on a graph of this size.
    ///
    /// # Errors
    /// [`RunError::Saved`] if it is not.
    pub(super) fn check(&self, graph: &Graph<P::Edge>) -> Result<(), RunError> {
        self.check_length(graph.vertex_count())
    }

    /// Checks that there are states and votes of this many vertices.
    ///
    /// # Errors
    /// [`RunError::Saved`] if there are not.
    pub(super) fn check_length(&self, expected: u32) -> Result<(), RunError> {
        let lengths = [self.states.len(), self.votes.len()];
        match lengths.into_iter().find(|found| *found != expected as usize) {
            Some(found) => Err(RunError::Saved { expected, found }),
            None => Ok(()),
        }
    }
}

impl<P: Program> fmt::Debug for Saved<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saved")
            .field("superstep", &self.superstep)
            .field("vertices", &self.states.len())
            .finish_non_exhaustive()
    }
}

/// Why a run ends after this superstep; `None` if it goes on. `halted` says whether no
/// vertex would compute in another superstep.
pub(super) fn verdict<P: VertexCompute>(
    program: &P,
    options: &RunOptions,
    superstep: u32,
    aggregate: &Aggregated<P>,
    halted: bool,
) -> Option<StopReason> {
    if superstep > 0 && program.converged(aggregate) {
        Some(StopReason::Converged)
    } else if halted {
        Some(StopReason::Halted)
    } else if superstep >= options.last_superstep() {
        Some(StopReason::Limit)
    } else {
        None
    }
}

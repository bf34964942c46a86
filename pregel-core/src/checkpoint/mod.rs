//! Checkpoints: a run that is saved periodically can be resumed, on any engine, after the
//! process or the machine has failed.
//!
//! [`Checkpoints::run`] runs a program to its end and saves it in a folder on the way. A
//! separate thread does the writing, so the run waits only if the disk cannot keep up.
//! Checkpoints appear atomically, and the newest two are kept. `docs/formats.md` specifies
//! the files byte by byte.
//!
//! A checkpoint records the program, its parameters, the graph and the inputs. A run that
//! differs in any of them is refused, with an error that says what differs. The engine, the
//! strategy, the order of vertices and the number of threads may change, and the superstep
//! limit may be raised. Changes to a program's code go unnoticed.
//!
//! Reading order: [`Checkpoints`] here; `run` (how a run is driven, saved and resumed), with
//! `pace` (when it is saved) and `writer` (the thread that writes); `directory` and `manifest`
//! (which checkpoints exist); `file` and `layout` (one checkpoint); `facts` and `hash` (which
//! run a checkpoint belongs to).

mod directory;
mod error;
mod facts;
mod file;
mod hash;
mod layout;
mod manifest;
mod options;
mod pace;
mod run;
#[cfg(test)]
mod tests;
mod writer;

use std::fmt::{self, Debug};
use std::path::Path;
use std::time::Duration;

pub use error::{CheckpointError, Damage};
pub use facts::Difference;
pub use options::{CheckpointOptions, Interval};

use self::directory::Directory;
use crate::engine::{Engine, Outcome, RunOptions};
use crate::graph::Graph;
use crate::program::{Program, VertexCompute};

/// The folders that a run is saved in and resumed from, open and locked.
///
/// ```
/// use pregel_core::checkpoint::{CheckpointError, CheckpointOptions, Checkpoints, Interval};
/// use pregel_core::engine::Reference;
/// # use pregel_core::prelude::*;
/// # #[derive(Clone, Copy, Debug)]
/// # struct Heat { start: u32 }
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
/// #         if context.vertex() == 0 { (self.start, Vote::Scatter) } else { (0, Vote::Halt) }
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
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("heat");
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3)])?;
/// let (program, options) = (Heat { start: 5 }, RunOptions::default());
/// let save = CheckpointOptions::default()
///     .with_directory(&folder)
///     .with_interval(Interval::Supersteps(2.try_into()?));
/// let done = Checkpoints::open(&save)?.run(&Reference, &graph, &program, &[], &options)?;
/// assert_eq!(done.outcome.states, [5, 4, 3, 2]);
/// assert_eq!(done.written, 1);
///
/// // As if the process had been killed after superstep 2.
/// let resume = CheckpointOptions::default().with_resume(&folder);
/// let again = Checkpoints::open(&resume)?.run(&Cpu::new(), &graph, &program, &[], &options)?;
/// assert_eq!(again.outcome.states, [5, 4, 3, 2]);
/// assert_eq!(again.resumed_after, Some(2));
///
/// let other = Heat { start: 6 };
/// let refused = Checkpoints::open(&resume)?.run(&Reference, &graph, &other, &[], &options);
/// let said = refused.unwrap_err().to_string();
/// assert!(said.ends_with("it was taken with start 5, but this run has 6"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoints {
    options: CheckpointOptions,
    /// Where the run is saved.
    to: Option<Directory>,
    /// Where it is resumed from, if not from the same folder.
    from: Option<Directory>,
}

impl Checkpoints {
    /// Opens the folders and locks them until this value is dropped or the process ends, even
    /// if it is killed. Call this before reading the graph, so that a folder which does not
    /// exist, is read-only or holds no checkpoint is reported before any work is done.
    ///
    /// # Errors
    /// [`CheckpointError::Occupied`] if the run would destroy checkpoints that it does not
    /// resume from, [`CheckpointError::Busy`] if another process uses a folder,
    /// [`CheckpointError::Empty`], [`CheckpointError::Manifest`] or
    /// [`CheckpointError::Unreadable`] if there is nothing to resume from,
    /// [`CheckpointError::Directory`] if a folder cannot be made or written to.
    pub fn open(options: &CheckpointOptions) -> Result<Self, CheckpointError> {
        let (to, from) = (options.directory.as_deref(), options.resume.as_deref());
        let in_place = to.zip(from).is_some_and(|(to, from)| are_same(to, from));
        let from = from.filter(|_| !in_place).map(Directory::to_read).transpose()?;
        if let Some(from) = &from {
            from.entries()?;
        }
        let to = to.map(Directory::to_write).transpose()?;
        let checkpoints = Self { options: options.clone(), to, from };
        match &checkpoints.to {
            Some(to) if in_place => to.entries().map(drop)?,
            Some(to) => to.check_free()?,
            None => {}
        }
        Ok(checkpoints)
    }

    /// Prepares the graph and runs the program to its end: from the beginning, or from the
    /// newest checkpoint that is not damaged. Saves the run as often as the options say.
    ///
    /// Saving takes O(V) time, and memory for up to three copies of the states and votes. The
    /// graph is hashed once, in O(V + E), when the run is resumed or first saved. No final
    /// checkpoint is written when the run ends. Existing ones stay; remove the folder when
    /// they are no longer needed.
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] if the checkpoint belongs to another run,
    /// [`CheckpointError::Limited`] or [`CheckpointError::BeyondLimit`] if it conflicts with
    /// the superstep limit, [`CheckpointError::Damaged`] or [`CheckpointError::AllDamaged`]
    /// if no checkpoint can be used. [`CheckpointError::Write`] if the run could not be saved;
    /// the run then ends before it would be saved again. [`CheckpointError::Thread`] if the
    /// thread that writes cannot be started. [`CheckpointError::Run`] if the engine refuses
    /// the run, as [`Engine::run`] does, or if the run fails.
    pub fn run<E: Engine, P: VertexCompute + Debug>(
        &self,
        engine: &E,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        options: &RunOptions,
    ) -> Result<Checkpointed<P>, CheckpointError> {
        self.run_and_tell(engine, graph, program, inputs, options, |_, _| ())
    }

    /// As [`run`](Self::run), and calls `started` when everything is ready, before the first
    /// superstep: with the superstep of the checkpoint that the run is resumed from, if it is,
    /// and with the reason if the newest checkpoint had to be skipped. Before this call a
    /// [`Cancel`](crate::engine::Cancel) has no effect.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_and_tell<E: Engine, P: VertexCompute + Debug>(
        &self,
        engine: &E,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        options: &RunOptions,
        started: impl FnOnce(Option<u32>, Option<&CheckpointError>),
    ) -> Result<Checkpointed<P>, CheckpointError> {
        run::Task { graph, program, inputs, options }.run(self, engine, started)
    }

    /// Whether runs are saved, not only resumed.
    pub fn saves(&self) -> bool {
        self.to.is_some()
    }

    /// The folder to resume from.
    fn source(&self) -> Option<&Directory> {
        let in_place = || self.to.as_ref().filter(|_| self.options.resume.is_some());
        self.from.as_ref().or_else(in_place)
    }
}

/// Whether both paths lead to the same existing folder.
fn are_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The result of a run that was saved or resumed.
#[non_exhaustive]
pub struct Checkpointed<P: Program> {
    /// The result. Its report lists only the supersteps since the run was resumed.
    pub outcome: Outcome<P>,
    /// The superstep of the checkpoint that the run was resumed from; `None` if it started
    /// from the beginning.
    pub resumed_after: Option<u32>,
    /// Why the newest checkpoint was skipped; `None` if it was used.
    pub skipped: Option<CheckpointError>,
    /// How many checkpoints were written.
    pub written: u32,
    /// How long the run was held up: by copying its state, by waiting for the disk, and at
    /// the end by waiting for the last checkpoint.
    pub waited: Duration,
}

impl<P: Program> fmt::Debug for Checkpointed<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpointed")
            .field("report", &self.outcome.report)
            .field("resumed_after", &self.resumed_after)
            .field("skipped", &self.skipped)
            .field("written", &self.written)
            .field("waited", &self.waited)
            .finish_non_exhaustive()
    }
}

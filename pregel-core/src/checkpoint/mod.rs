//! Checkpoints: a run that is saved as it goes on can be resumed, on any engine, after the
//! process or the machine has failed.
//!
//! [`Checkpoints::run`] runs a program to its end and meanwhile saves it in a folder: another
//! thread writes, so that the run waits only if the disk is slower than the run. A checkpoint
//! is complete or it is not there, and the newest two are kept. `docs/formats.md` has every
//! byte.
//!
//! A run is resumed only with the program, its parameters, the graph and the inputs that it
//! was saved with, which the checkpoint names; otherwise the error says what differs. Engine,
//! strategy, order of vertices and number of threads may change, and the superstep limit may
//! be raised. What cannot be seen is that the code of a program was changed.
//!
//! Reading order: [`Checkpoints`] here; `run` (how a run is driven, saved and resumed), with
//! `pace` (when it is saved) and `writer` (the thread that writes); `directory` and `manifest`
//! (which checkpoints there are); `file` and `layout` (one checkpoint); `facts` and `hash`
//! (which run it is).

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
/// // As if the process had ended after superstep 2.
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
    /// Where it is resumed from, if not in the same folder.
    from: Option<Directory>,
}

impl Checkpoints {
    /// Opens the folders and locks them until this value is dropped, or the process ends in
    /// whatever way. To be called before the graph is read: no work is lost if a folder does
    /// not exist, takes no files or holds no checkpoint to resume from.
    ///
    /// # Errors
    /// [`CheckpointError::Occupied`] if the run would destroy checkpoints that it does not
    /// resume from, [`CheckpointError::Busy`] if another process uses a folder,
    /// [`CheckpointError::Empty`] or [`CheckpointError::Manifest`] if there is nothing to
    /// resume from, [`CheckpointError::Directory`] if the system refuses.
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

    /// Prepares the graph and runs the program to its end: from its beginning, or from the
    /// newest checkpoint that is not damaged. Meanwhile saves it as often as the options say.
    ///
    /// Saving takes O(V) time, and memory for three times states and votes. The graph is
    /// hashed once, O(V + E), when the run is resumed or saved for the first time. A run
    /// that ends by itself is not saved once more, and its checkpoints stay; whoever no
    /// longer needs them removes the folder.
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] if the checkpoint is of another run,
    /// [`CheckpointError::Limited`] or [`CheckpointError::BeyondLimit`] if the superstep
    /// limit contradicts it, [`CheckpointError::Damaged`] or [`CheckpointError::AllDamaged`]
    /// if none can be used. [`CheckpointError::Write`] if the run could not be saved: it ends
    /// at the next superstep at which it would be saved again, or at its end at the latest.
    /// [`CheckpointError::Run`] for what [`Engine::run`] refuses.
    pub fn run<E: Engine, P: VertexCompute + Debug>(
        &self,
        engine: &E,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        options: &RunOptions,
    ) -> Result<Checkpointed<P>, CheckpointError> {
        run::Task { graph, program, inputs, options }.run(self, engine)
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

/// Whether both are one folder, which exists.
fn are_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The result of a run that was saved or resumed.
#[non_exhaustive]
pub struct Checkpointed<P: Program> {
    /// The result. Its report covers the supersteps that ran now.
    pub outcome: Outcome<P>,
    /// The superstep of the checkpoint that the run went on from.
    pub resumed_after: Option<u32>,
    /// Why the newest checkpoint could not be used, if the one before it was.
    pub skipped: Option<CheckpointError>,
    /// How many checkpoints were written.
    pub written: u32,
    /// How long the run stood still: while it was copied, while it waited for the disk, and
    /// in the end until everything was written.
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

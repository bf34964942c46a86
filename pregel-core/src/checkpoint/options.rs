//! Where checkpoints go, and how often they are taken.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// How often a run is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interval {
    /// After every superstep whose number is a multiple of this, or every such round if the
    /// engine updates states in place.
    Supersteps(NonZeroU32),
    /// When this much time has passed since the run was last saved.
    ///
    /// The engine is asked for as many supersteps at once as are expected to take a
    /// sixteenth of this time, so that a GPU can still run many of them in one launch. The
    /// run is saved after such a batch, and may therefore be saved a little late.
    Time(Duration),
}

impl Default for Interval {
    fn default() -> Self {
        Self::Time(Duration::from_secs(60))
    }
}

/// Options of [`Checkpoints`](super::Checkpoints). By default a run is neither saved nor
/// resumed.
///
/// ```
/// use std::time::Duration;
///
/// use pregel_core::checkpoint::{CheckpointOptions, Interval};
///
/// let options = CheckpointOptions::default()
///     .with_directory("checkpoints")
///     .with_interval(Interval::Time(Duration::from_secs(600)))
///     .with_fact("data", "week 7");
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckpointOptions {
    /// The folder that the run is saved in. Created if missing; its parent must exist.
    pub directory: Option<PathBuf>,
    /// The folder with the checkpoint to resume from; may be the same.
    pub resume: Option<PathBuf>,
    /// How often the run is saved.
    pub interval: Interval,
    /// Names and values that must also be the same when the run is resumed.
    pub facts: Vec<(String, String)>,
}

impl CheckpointOptions {
    /// Sets the folder that the run is saved in, [`directory`](Self::directory).
    #[must_use]
    pub fn with_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Sets the folder to resume from, [`resume`](Self::resume).
    #[must_use]
    pub fn with_resume(self, directory: impl Into<PathBuf>) -> Self {
        Self { resume: Some(directory.into()), ..self }
    }

    /// Sets how often the run is saved, [`interval`](Self::interval).
    #[must_use]
    pub fn with_interval(self, interval: Interval) -> Self {
        Self { interval, ..self }
    }

    /// Adds something that must be the same when the run is resumed, such as a version of
    /// the data. The program's fields, the graph and the inputs need not be named.
    #[must_use]
    pub fn with_fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.facts.push((name.into(), value.into()));
        self
    }
}

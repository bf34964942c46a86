//! The thread that writes checkpoints while the run goes on.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use super::directory::Directory;
use super::manifest::{Entry, KEPT};
use super::{CheckpointError, file};
use crate::engine::Saved;
use crate::program::VertexCompute;

/// What the thread works with.
pub(super) struct Store<'a, F> {
    pub directory: &'a Directory,
    /// The checkpoints that are complete, the newest first.
    pub kept: Vec<Entry>,
    /// Makes the facts, which takes time.
    pub facts: F,
    /// Whether the run may be ahead of its supersteps.
    pub ahead: bool,
}

impl<F: Fn() -> String> Store<'_, F> {
    /// Writes every run that arrives; returns how many.
    fn work<P: VertexCompute>(mut self, runs: &Receiver<Saved<P>>) -> Result<u32, CheckpointError> {
        let (mut written, mut facts) = (0, None);
        for saved in runs {
            let facts = facts.get_or_insert_with(|| (self.facts)());
            self.write(&saved, facts)?;
            written += 1;
        }
        Ok(written)
    }

    fn write<P: VertexCompute>(
        &mut self,
        saved: &Saved<P>,
        facts: &str,
    ) -> Result<(), CheckpointError> {
        let mut entry = Entry { superstep: saved.superstep, length: 0, crc: 0 };
        let place = self.directory.place(&entry);
        let head = file::write(&place, facts, saved, self.ahead).map_err(CheckpointError::Write)?;
        (entry.length, entry.crc) = (head.length, head.crc);
        self.kept.retain(|kept| kept.superstep != entry.superstep);
        self.kept.insert(0, entry);
        self.kept.truncate(KEPT);
        self.directory.list(&self.kept).map_err(CheckpointError::Write)
    }
}

/// The thread, as the run sees it.
pub(super) struct Writer<'scope, P: VertexCompute> {
    runs: SyncSender<Saved<P>>,
    thread: ScopedJoinHandle<'scope, Result<u32, CheckpointError>>,
}

impl<'scope, P: VertexCompute> Writer<'scope, P> {
    /// Starts the thread.
    pub fn start<'env, F: Fn() -> String + Send + 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        store: Store<'scope, F>,
    ) -> Result<Self, CheckpointError> {
        // One run waits at most, so that no more than three are in memory.
        let (runs, arriving) = sync_channel(1);
        let thread = Builder::new()
            .name("checkpoints".into())
            .spawn_scoped(scope, move || store.work(&arriving))
            .map_err(CheckpointError::Thread)?;
        Ok(Self { runs, thread })
    }

    /// Hands a run over. Waits while another one waits to be written.
    pub fn write(&self, saved: Saved<P>) {
        // A thread that has failed takes nothing any more; `failed` says so.
        let _ = self.runs.send(saved);
    }

    /// Whether the thread has failed, so that the run has no reason to go on.
    pub fn failed(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits until all is written; returns how many checkpoints there were.
    pub fn finish(self) -> Result<u32, CheckpointError> {
        drop(self.runs);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

//! The thread that writes checkpoints while the run goes on.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use super::directory::Directory;
use super::manifest::{Entry, KEPT};
use super::{CheckpointError, file};
use crate::engine::{Run, RunError, Saved};
use crate::program::VertexCompute;

/// What the thread needs.
pub(super) struct Store<'a, F> {
    pub directory: &'a Directory,
    /// The complete checkpoints, the newest first.
    pub kept: Vec<Entry>,
    /// Works out the facts, which takes time: it hashes the graph.
    pub facts: F,
    /// Whether the run may be ahead of its supersteps.
    pub ahead: bool,
}

impl<F: Fn() -> String> Store<'_, F> {
    /// Writes every saved run that arrives, and sends it back; returns their number.
    fn work<P: VertexCompute>(
        mut self,
        runs: &Receiver<Saved<P>>,
        done: &Sender<Saved<P>>,
    ) -> Result<u32, CheckpointError> {
        let (mut written, mut facts) = (0, None);
        for saved in runs {
            let facts = facts.get_or_insert_with(|| (self.facts)());
            self.write(&saved, facts)?;
            written += 1;
            // Once the run has ended, no more copies are needed.
            let _ = done.send(saved);
        }
        Ok(written)
    }

    fn write<P: VertexCompute>(
        &mut self,
        saved: &Saved<P>,
        facts: &str,
    ) -> Result<(), CheckpointError> {
        let mut entry = Entry { superstep: saved.superstep, length: 0, crc: 0 };
        let path = self.directory.path_of(&entry);
        let head = file::write(&path, facts, saved, self.ahead).map_err(CheckpointError::Write)?;
        (entry.length, entry.crc) = (head.length, head.crc);
        self.kept.retain(|kept| kept.superstep != entry.superstep);
        self.kept.insert(0, entry);
        self.kept.truncate(KEPT);
        self.directory.publish(&self.kept).map_err(CheckpointError::Write)
    }
}

/// The run's handle on the thread.
pub(super) struct Writer<'scope, P: VertexCompute> {
    runs: SyncSender<Saved<P>>,
    /// Copies that have been written; their memory is used again.
    done: Receiver<Saved<P>>,
    thread: ScopedJoinHandle<'scope, Result<u32, CheckpointError>>,
}

impl<'scope, P: VertexCompute> Writer<'scope, P> {
    /// Starts the thread.
    pub fn start<'env, F: Fn() -> String + Send + 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        store: Store<'scope, F>,
    ) -> Result<Self, CheckpointError> {
        // A queue of one: with the copy being written and the copy being sent, no more than
        // three are in memory.
        let (runs, arriving) = sync_channel(1);
        let (sent_back, done) = channel();
        let thread = Builder::new()
            .name("checkpoints".into())
            .spawn_scoped(scope, move || store.work(&arriving, &sent_back))
            .map_err(CheckpointError::Thread)?;
        Ok(Self { runs, done, thread })
    }

    /// Saves the run and queues the copy. Blocks while another one is queued.
    pub fn write(&self, run: &impl Run<P>) -> Result<(), RunError> {
        let saved = match self.done.try_recv() {
            Ok(mut saved) => {
                run.save_into(&mut saved)?;
                saved
            }
            Err(_) => run.save()?,
        };
        // Sending fails only if the thread has failed, which `failed` reports.
        let _ = self.runs.send(saved);
        Ok(())
    }

    /// Whether the thread has failed, so that the run should end.
    pub fn failed(&self) -> bool {
        // While `runs` exists, only an error ends the thread.
        self.thread.is_finished()
    }

    /// Waits until everything is written; returns the number of checkpoints.
    pub fn finish(self) -> Result<u32, CheckpointError> {
        drop(self.runs);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

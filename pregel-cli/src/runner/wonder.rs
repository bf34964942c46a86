//! Notes on runs of a user's own program that are not likely to be meant like this.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pregel_core::engine::{Outcome, Run, RunError, Session, StopReason};
use pregel_core::program::VertexCompute;

use super::Runner;
use crate::ran::Ran;
use crate::text::{duration, thousands};

/// A run without a limit that takes more supersteps than this gets a note. Programs that halt
/// take about as many as the graph is wide; on road networks of countries that is a few thousand.
const MANY: u32 = 10_000;

/// A run without a limit that may be in place, where it has no supersteps to count, gets a note
/// after this time.
const LONG: Duration = Duration::from_secs(30);

impl Runner<'_> {
    /// Whether nothing but the program itself can end a run.
    pub(super) fn may_run_forever(&self) -> bool {
        self.job.algorithm.users_own && self.job.options.max_supersteps.is_none()
    }

    /// Runs the program to its end, with a note if that is long in coming.
    pub(super) fn run_and_wonder<P: VertexCompute, S: Session<P>>(
        &self,
        session: &mut S,
        program: &P,
        inputs: &[P::Input],
    ) -> Result<Outcome<P>, RunError> {
        let name = self.job.algorithm.name;
        if P::MONOTONE {
            let note = || {
                self.progress.note(&format!(
                    "{name} still runs after {}. A monotone program ends when no message changes \
                     a state any more; `--check` tells whether it does on parts of the graph, and \
                     `--supersteps N` ends it in any case",
                    duration(LONG)
                ));
            };
            return unless_soon(LONG, note, || session.run_with(program, inputs));
        }
        let mut run = session.start(program, inputs)?;
        if !run.advance(MANY)?.has_ended() {
            self.progress.note(&format!(
                "{} supersteps, and {name} still runs. A run ends when every vertex has voted \
                 `Halt` and no message is on its way, or when `converged` says so; \
                 `--supersteps N` ends it in any case",
                thousands(MANY.into()),
            ));
        }
        run.advance_to_end()?;
        run.finish()
    }

    /// Notes that nothing happened at all.
    pub(super) fn note_silence(&self, last: &Ran, vertices: u32) {
        let halted = last.stop == StopReason::Halted && last.count == 0;
        if self.job.algorithm.users_own && halted && vertices > 0 {
            self.progress.note(&format!(
                "{} halted in superstep 0, where no vertex voted to scatter or to stay awake. If \
                 it starts at a source, is the source a vertex of the graph? `check` can refuse \
                 one that is not",
                self.job.algorithm.name
            ));
        }
    }
}

/// Does `work`, and calls `note` on another thread if that takes longer than `soon`.
fn unless_soon<T>(soon: Duration, note: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(soon) == Err(RecvTimeoutError::Timeout) {
                note();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn only_long_work_is_noted() {
        let noted = AtomicBool::new(false);
        let note = || noted.store(true, Ordering::SeqCst);
        assert_eq!(unless_soon(Duration::from_secs(600), note, || 1), 1);
        assert!(!noted.load(Ordering::SeqCst));
        // Ends only once the note has come.
        let wait = || {
            while !noted.load(Ordering::SeqCst) {
                thread::yield_now();
            }
        };
        unless_soon(Duration::from_millis(1), note, wait);
    }
}

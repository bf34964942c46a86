//! Notes on runs of a user's own program that are not likely to be meant like this.

use pregel_core::engine::{Outcome, Run, RunError, Session, StopReason};
use pregel_core::program::VertexCompute;

use super::Runner;
use crate::ran::Ran;
use crate::text::thousands;

/// A run without a limit that takes more supersteps than this gets a note. Programs that halt
/// take about as many as the graph is wide; on road networks of countries that is a few thousand.
const MANY: u32 = 10_000;

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
        let mut run = session.start(program, inputs)?;
        if !run.advance(MANY)?.has_ended() {
            self.progress.note(&format!(
                "{} supersteps, and {} still runs. A run ends when every vertex has voted \
                 `Halt` and no message is on its way, or when `converged` says so; \
                 `--supersteps N` ends it in any case",
                thousands(MANY.into()),
                self.job.algorithm.name
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

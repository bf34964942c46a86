//! Batches: supersteps queued one behind the other, before the host knows how they end.

use super::core::Core;
use super::pull::Pull;
use super::totals::Ended;
use crate::device::{BATCH_SUPERSTEPS, Batched, Counts, Run};
use crate::engine::gpu::policy::Way;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// How many supersteps are queued at a time: the longer all goes the same way, the
/// more. What is queued in vain costs a few microseconds each.
pub(super) struct BatchSize {
    next: u32,
}

impl BatchSize {
    pub(super) fn new() -> Self {
        Self { next: 2 }
    }

    /// How many are queued now, `left` at most.
    pub(super) fn take(&mut self, left: u32) -> u32 {
        let now = self.next.min(left);
        self.next = (2 * self.next).min(BATCH_SUPERSTEPS);
        now
    }
}

/// Pulls `queued` supersteps from `superstep` on, or fewer if one is not as the others;
/// what each came to, and the way that they took. `before` is what the one before came
/// to.
pub(super) fn run<D: Device, P: VertexCompute>(
    core: &Core<D, P>,
    pull: &Pull<D, P>,
    run: &mut Run<P>,
    superstep: u32,
    before: &Counts,
    queued: u32,
) -> Result<(Vec<Ended<P>>, Way), DeviceError> {
    let totals = &core.memory.totals;
    totals.begin_batch()?;
    let mut way = Way::Pull;
    for entry in 0..queued {
        core.turn(run, superstep + entry, before);
        let batch: Batched<P> = totals.batched(entry);
        way = pull.queue(core, run, batch)?;
        pull.close(core, run, batch)?;
    }
    Ok((totals.end_batch(queued)?, way))
}

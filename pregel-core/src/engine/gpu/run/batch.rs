//! Batches: pulls that are queued before the host knows how the earlier ones end.

use super::core::Core;
use super::pull::Pull;
use super::totals::Ended;
use crate::device::{BATCH_SUPERSTEPS, Batched, Counts, Run};
use crate::engine::gpu::policy::Way;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// How many supersteps are queued at a time. The number doubles from batch to batch, since
/// a superstep that is queued needlessly costs a few microseconds.
pub(super) struct BatchSize {
    next: u32,
}

impl BatchSize {
    pub(super) fn new() -> Self {
        Self { next: 2 }
    }

    /// The size of the next batch, at most `left`. If it must have a certain size to be
    /// compared with another, that is `wanted`.
    pub(super) fn take(&mut self, left: u32, wanted: Option<u32>) -> u32 {
        if let Some(wanted) = wanted {
            return wanted.min(left);
        }
        let now = self.next.min(left);
        self.next = (2 * self.next).min(BATCH_SUPERSTEPS);
        now
    }
}

/// Pulls `queued` supersteps from `superstep` on, or fewer if in one of them not every
/// vertex scatters. `before` are the counts of the superstep before. Returns the result of
/// each superstep that ran, and the way that they took. Waits.
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

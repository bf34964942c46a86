//! Supersteps queued one behind the other, before the host knows how they end.

use super::super::device::{Device, DeviceError};
use super::super::totals::Aggregated;
use super::GpuSession;
use crate::device::{Arguments, Counts, STEADY_SUPERSTEPS, Steady};
use crate::engine::Strategy;
use crate::program::{Delivery, VertexCompute};

/// How many supersteps are queued at a time: the longer all goes the same way, the
/// more. What is queued in vain costs a few microseconds each.
pub(super) struct Row {
    next: u32,
}

impl Row {
    pub(super) fn new() -> Self {
        Self { next: 2 }
    }

    /// How many are queued now, `left` at most.
    fn take(&mut self, left: u32) -> u32 {
        let now = self.next.min(left);
        self.next = (2 * self.next).min(STEADY_SUPERSTEPS);
        now
    }
}

/// What a superstep came to.
pub(super) type Ended<P> = (Counts, Aggregated<P>);

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Whether the next superstep is likely to be as the one before: every vertex
    /// scatters, and pulls. An observer hears of one before the next begins.
    pub(super) fn is_steady(&self, superstep: u32, before: &Counts) -> bool {
        superstep > 0
            && P::Combiner::COMBINES
            && self.options.observer.is_none()
            && before.scattering == u64::from(self.prepared.vertices)
            && self.next(before) == Strategy::Pull
    }

    /// Runs supersteps from `superstep` on until one is not as the others; what each
    /// came to.
    pub(super) fn row(
        &self,
        a: &mut Arguments<P>,
        superstep: u32,
        before: &Counts,
        row: &mut Row,
    ) -> Result<Vec<Ended<P>>, DeviceError> {
        let left = self.options.max_supersteps.map_or(u32::MAX, |most| most - superstep + 1);
        self.memory.totals.begin(&self.device)?;
        let queued = row.take(left);
        for entry in 0..queued {
            self.turn(a, superstep + entry, before);
            a.steady = self.memory.totals.steady(entry);
            self.step(Strategy::Pull, a)?;
            self.blocks("close", 1, a)?;
        }
        a.steady = Steady::default();
        self.memory.totals.end(&self.device, queued)
    }
}

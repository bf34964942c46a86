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
    /// How many supersteps are queued from `superstep` on, if they run in a row at
    /// all. They are likely to be as the one before if every vertex scatters, and
    /// pulls; but an observer hears of one before the next begins. One by itself has
    /// its aggregate added up in the same order.
    pub(super) fn queued(&self, superstep: u32, before: &Counts, row: &mut Row) -> Option<u32> {
        let pulls = P::Combiner::COMBINES && self.next(before) == Strategy::Pull;
        if superstep == 0 || !pulls {
            return None;
        }
        let everyone = before.scattering == u64::from(self.prepared.vertices);
        if everyone && self.options.observer.is_none() {
            let most = self.options.max_supersteps;
            return Some(row.take(most.map_or(u32::MAX, |most| most - superstep + 1)));
        }
        (size_of::<Aggregated<P>>() > 0).then_some(1)
    }

    /// Runs so many supersteps from `superstep` on, or fewer if one is not as the
    /// others; what each came to.
    pub(super) fn row(
        &self,
        a: &mut Arguments<P>,
        superstep: u32,
        before: &Counts,
        queued: u32,
    ) -> Result<Vec<Ended<P>>, DeviceError> {
        self.memory.totals.begin(&self.device)?;
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

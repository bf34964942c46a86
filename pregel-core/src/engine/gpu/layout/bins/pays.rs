//! Decides during a run when it pays to cut a graph into bins.

use std::time::Duration;

use super::cut::Cut;
use crate::device::kernels::Set;
use crate::engine::gpu::layout::{Placed, Shape};
use crate::engine::gpu::policy::Costs;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::{Message, Program};

/// Supersteps of one kind, and the time of the fastest of them.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    count: u32,
    fastest: Option<Duration>,
}

impl Timed {
    fn note(&mut self, supersteps: u32, each: Duration) {
        self.count = self.count.saturating_add(supersteps);
        self.fastest = Some(self.fastest.map_or(each, |fastest| fastest.min(each)));
    }
}

/// Decides when to cut a graph: once the time that bins would have saved so far, or will
/// save until the limit, is more than the cut costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AmortizationTimer {
    /// Supersteps without bins that could have used them.
    plain: Timed,
    /// Supersteps with bins.
    binned: Timed,
}

/// Supersteps with bins after which it is clear whether they are slower.
const BINNED: u32 = 8;

impl AmortizationTimer {
    /// Notes a number of supersteps without bins, and the time of each.
    pub(crate) fn note(&mut self, supersteps: u32, each: Duration) {
        self.plain.note(supersteps, each);
    }

    /// Notes a number of supersteps with bins, and the time of each.
    pub(crate) fn note_binned(&mut self, supersteps: u32, each: Duration) {
        self.binned.note(supersteps, each);
    }

    /// The nanoseconds of the fastest superstep with and without bins, if there were enough
    /// with bins to see that they are slower.
    pub(crate) fn loss_ns(self) -> Option<[u64; 2]> {
        let (with, without) = (self.binned.fastest?, self.plain.fastest?);
        let ns = |time: Duration| time.as_nanos() as u64;
        (self.binned.count >= BINNED && with > without).then(|| [ns(with), ns(without)])
    }

    /// Whether a cut is expected to pay, with `left` supersteps to go until the limit.
    pub(crate) fn has_paid_off(self, left: Option<u32>, size: Size, costs: &Costs) -> bool {
        let took = self.plain.fastest.map_or(0.0, |took| took.as_nanos() as f64);
        let saved = took - size.takes(costs);
        saved * f64::from(left.unwrap_or(0).max(self.plain.count))
            > size.shape.edges as f64 * costs.cut_edge_ns
    }
}

/// The size of a graph, and of the part that is handled separately from bins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) shape: Shape,
    /// Edges with messages that are handled separately: those of the first range, or 0.
    pub(crate) apart: u64,
    /// Bytes of a message.
    pub(crate) message: u32,
}

/// Bytes per binned message, apart from the message, that is written and read: numbers of
/// 16 bits for the sender and the position, and its part of what describes a granule.
const DESCRIBED: u32 = 5;

/// Bytes of the messages for which [`Costs::binned_edge_ns`] is given.
const USUAL: u32 = 4;

impl Size {
    /// The size of a graph. Counts the messages that program `P` sends from the first
    /// range, and has them handled separately if they are a large enough share of all.
    pub(crate) fn of<D: Device, P: Program>(
        device: &D,
        placed: &Placed<D>,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let shape = placed.shape;
        let mut size = Self { shape, apart: 0, message: size_of::<Message<P>>() as u32 };
        if let Some(cut) = Cut::of_program::<D, P>(device, shape)
            && costs.hub_share <= 1.0
        {
            let range = cut.range.min(shape.vertices);
            let sent = placed.sent_by_first(range)?;
            if sent as f64 >= shape.edges as f64 * costs.hub_share {
                size.apart = sent;
            }
        }
        Ok(size)
    }

    /// The kernels of a binned superstep.
    pub(crate) const fn set(self) -> Set {
        if self.apart == 0 { Set::Bins } else { Set::BinsApart }
    }

    /// The predicted time of a binned superstep in nanoseconds.
    fn takes(self, costs: &Costs) -> f64 {
        // Memory is the bound.
        let bytes = |message: u32| f64::from(DESCRIBED + 2 * message);
        let edge_ns = costs.binned_edge_ns * bytes(self.message) / bytes(USUAL);
        (self.shape.edges - self.apart) as f64 * edge_ns
            + self.apart as f64 * costs.hub_edge_ns
            + f64::from(self.shape.vertices) * costs.binned_vertex_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_bins_are_noticed() {
        let mut timer = AmortizationTimer::default();
        timer.note(4, Duration::from_micros(500));
        timer.note_binned(4, Duration::from_micros(600));
        assert_eq!(timer.loss_ns(), None);
        timer.note_binned(4, Duration::from_micros(510));
        assert_eq!(timer.loss_ns(), Some([510_000, 500_000]));
        timer.note_binned(4, Duration::from_micros(490));
        assert_eq!(timer.loss_ns(), None);
    }

    #[test]
    fn cutting_has_to_pay() {
        // The cut takes 3.2 ms, a binned superstep 0.5 ms.
        let costs = Costs { binned_edge_ns: 0.005, cut_edge_ns: 0.032, ..Costs::default() };
        let shape = Shape { vertices: 0, edges: 100_000_000 };
        let size = Size { shape, apart: 0, message: 4 };
        let mut timer = AmortizationTimer::default();
        assert!(!timer.has_paid_off(Some(1000), size, &costs));
        timer.note(2, Duration::from_micros(900));
        assert!(timer.has_paid_off(Some(9), size, &costs));
        assert!(!timer.has_paid_off(Some(7), size, &costs));
        // Without a limit, as many supersteps are expected as there were so far.
        assert!(!timer.has_paid_off(None, size, &costs));
        timer.note(7, Duration::from_micros(950));
        assert!(timer.has_paid_off(None, size, &costs));
        let mut timer = AmortizationTimer::default();
        timer.note(1000, Duration::from_micros(500));
        assert!(!timer.has_paid_off(Some(1000), size, &costs));
        // Messages of 8 bytes move 21 bytes, not 13.
        let wide = Size { message: 8, ..size };
        assert!((wide.takes(&costs) * 13.0 - size.takes(&costs) * 21.0).abs() < 1.0);
    }
}

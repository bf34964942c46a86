//! When it pays to cut a graph into bins.

use std::time::Duration;

use super::cut::Cut;
use crate::device::kernels::Set;
use crate::engine::gpu::layout::{Placed, Shape};
use crate::engine::gpu::policy::Costs;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::Program;

/// Whether it is time to cut: when what bins would have saved so far, or will save
/// until the limit, makes up for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AmortizationTimer {
    /// Supersteps into which every vertex scattered, without bins.
    done: u32,
    /// What the fastest of them took.
    took: Option<Duration>,
}

impl AmortizationTimer {
    /// Notes supersteps without bins, and what each took.
    pub(crate) fn note(&mut self, supersteps: u32, each: Duration) {
        self.done = self.done.saturating_add(supersteps);
        self.took = Some(self.took.map_or(each, |took| took.min(each)));
    }

    /// Whether bins are expected to pay, `left` supersteps before the limit.
    pub(crate) fn has_paid_off(self, left: Option<u32>, size: Size, costs: &Costs) -> bool {
        let took = self.took.map_or(0.0, |took| took.as_nanos() as f64);
        let saved = took - size.takes(costs);
        saved * f64::from(left.unwrap_or(0).max(self.done))
            > size.shape.edges as f64 * costs.cut_edge_ns
    }
}

/// The size of a graph, and of the part that is pulled apart from bins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) shape: Shape,
    /// Edges that are pulled apart.
    pub(crate) apart: u64,
}

impl Size {
    /// Of a graph, and of what program `P` sends from the first range, if that is so
    /// large a part of all that it is pulled apart.
    pub(crate) fn of<D: Device, P: Program>(
        device: &D,
        placed: &Placed<D>,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let shape = placed.shape;
        let mut size = Self { shape, apart: 0 };
        if let Some(cut) = Cut::of_program::<D, P>(device, shape)
            && costs.apart_share <= 1.0
        {
            let range = cut.range.min(shape.vertices);
            let sent = placed.send_degrees.first(range.into())?;
            let sent = sent.into_iter().map(u64::from).sum::<u64>();
            if sent as f64 >= shape.edges as f64 * costs.apart_share {
                size.apart = sent;
            }
        }
        Ok(size)
    }

    /// The kernels of a superstep through bins.
    pub(crate) const fn set(self) -> Set {
        if self.apart == 0 { Set::Bins } else { Set::BinsApart }
    }

    /// Nanoseconds that a superstep is predicted to take.
    fn takes(self, costs: &Costs) -> f64 {
        (self.shape.edges - self.apart) as f64 * costs.binned_edge_ns
            + self.apart as f64 * costs.apart_edge_ns
            + f64::from(self.shape.vertices) * costs.binned_vertex_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_has_to_pay() {
        // 3.2 ms to cut, 0.5 ms by bins.
        let costs = Costs { binned_edge_ns: 0.005, cut_edge_ns: 0.032, ..Costs::default() };
        let shape = Shape { vertices: 0, edges: 100_000_000 };
        let size = Size { shape, apart: 0 };
        let mut timer = AmortizationTimer::default();
        assert!(!timer.has_paid_off(Some(1000), size, &costs));
        timer.note(2, Duration::from_micros(900));
        assert!(timer.has_paid_off(Some(9), size, &costs));
        assert!(!timer.has_paid_off(Some(7), size, &costs));
        // It is not known how many are left: as many as there were.
        assert!(!timer.has_paid_off(None, size, &costs));
        timer.note(7, Duration::from_micros(950));
        assert!(timer.has_paid_off(None, size, &costs));
        let mut timer = AmortizationTimer::default();
        timer.note(1000, Duration::from_micros(500));
        assert!(!timer.has_paid_off(Some(1000), size, &costs));
    }
}

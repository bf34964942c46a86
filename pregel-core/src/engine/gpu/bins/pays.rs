//! When it pays to cut a graph into bins.

use std::time::Duration;

use super::super::costs::Costs;
use super::super::device::{Device, DeviceError};
use super::super::prepare::Prepared;
use super::cut::Cut;
use crate::program::Program;

/// Whether it is time to cut: when what bins would have saved so far, or will save
/// until the limit, makes up for it.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine::gpu) struct Patience {
    /// Supersteps into which every vertex scattered, without bins.
    done: u32,
    /// What the fastest of them took.
    took: Option<Duration>,
}

impl Patience {
    /// So many supersteps more took so long each.
    pub(in crate::engine::gpu) fn note(&mut self, supersteps: u32, each: Duration) {
        self.done = self.done.saturating_add(supersteps);
        self.took = Some(self.took.map_or(each, |took| took.min(each)));
    }

    /// Whether it is over, `left` supersteps before the limit.
    pub(in crate::engine::gpu) fn over(self, left: Option<u32>, size: Size, costs: &Costs) -> bool {
        let took = self.took.map_or(0.0, |took| took.as_nanos() as f64);
        let saved = took - size.takes(costs);
        saved * f64::from(left.unwrap_or(0).max(self.done)) > size.edges as f64 * costs.cut_edge_ns
    }
}

/// The size of a graph, and so many of its edges pulled apart.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine::gpu) struct Size {
    vertices: u32,
    pub(super) edges: u64,
    pub(super) apart: u64,
}

impl Size {
    /// Of a graph, and of what program `P` sends from the first range, if that is so
    /// large a part of all that it is pulled apart.
    pub(in crate::engine::gpu) fn of<D: Device, P: Program>(
        device: &D,
        prepared: &Prepared<D, P::Edge>,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let (vertices, edges) = (prepared.vertices, prepared.edges);
        let mut size = Self { vertices, edges, apart: 0 };
        if let Some(cut) = Cut::of_program::<D, P>(device, prepared)
            && costs.apart_share <= 1.0
        {
            let range = cut.range.min(vertices);
            let sent = prepared.send_degrees.first(device, range.into())?;
            let sent = sent.into_iter().map(u64::from).sum::<u64>();
            if sent as f64 >= edges as f64 * costs.apart_share {
                size.apart = sent;
            }
        }
        Ok(size)
    }

    /// The kernels of a superstep that were not needed before.
    pub(in crate::engine::gpu) const fn kernels(self) -> &'static [&'static str] {
        match self.apart {
            0 => &["bin_send", "bin_pull", "pull"],
            _ => &["bin_apart", "bin_send", "bin_pull", "pull"],
        }
    }

    /// Nanoseconds that a superstep is predicted to take.
    fn takes(self, costs: &Costs) -> f64 {
        (self.edges - self.apart) as f64 * costs.binned_edge_ns
            + self.apart as f64 * costs.apart_edge_ns
            + f64::from(self.vertices) * costs.binned_vertex_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_has_to_pay() {
        // 3.2 ms to cut, 0.5 ms by bins.
        let costs = Costs { binned_edge_ns: 0.005, cut_edge_ns: 0.032, ..Costs::default() };
        let size = Size { edges: 100_000_000, ..Size::default() };
        let mut patience = Patience::default();
        assert!(!patience.over(Some(1000), size, &costs));
        patience.note(2, Duration::from_micros(900));
        assert!(patience.over(Some(9), size, &costs));
        assert!(!patience.over(Some(7), size, &costs));
        // Nobody knows how many are left: as many as there were.
        assert!(!patience.over(None, size, &costs));
        patience.note(7, Duration::from_micros(950));
        assert!(patience.over(None, size, &costs));
        let mut patience = Patience::default();
        patience.note(1000, Duration::from_micros(500));
        assert!(!patience.over(Some(1000), size, &costs));
    }
}

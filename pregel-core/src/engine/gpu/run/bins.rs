//! Bins: pulls in which every vertex scatters, with shared memory on both sides.
//!
//! The graph is cut into bins during a run, once the supersteps so far show that this
//! pays. An edge that keeps silent cannot be told in a bin: then the plain pull that is
//! queued behind does the superstep.

use std::time::Duration;

use super::core::Core;
use crate::device::kernels::{Set, program as k};
use crate::device::{BinArguments, Global, PullArguments};
use crate::engine::gpu::layout::SenderColumns;
use crate::engine::gpu::layout::bins::{
    AmortizationTimer, BinLaunches, BinsMemory, Size, why_not_binned,
};
use crate::engine::gpu::policy::{ByBins, Choice, Costs, WhyNot};
use crate::engine::gpu::runtime::{Device, DeviceError, Kernels};
use crate::program::{Program, VertexCompute};

/// Whether messages go through bins, and the bins once there are any.
pub(super) struct Binning<D: Device, P: Program> {
    /// Whether the graph may be cut; not again, if it has been tried.
    open: bool,
    wanted: Choice,
    /// What is said of it.
    pub(super) explained: ByBins,
    timer: AmortizationTimer,
    size: Size,
    bins: Option<Bins<D, P>>,
}

/// The bins of a graph, and how their kernels are launched.
pub(super) struct Bins<D: Device, P: Program> {
    memory: BinsMemory<D, P>,
    pub(super) launches: BinLaunches,
}

impl<D: Device, P: VertexCompute> Binning<D, P> {
    /// No bins yet.
    pub(super) fn new(
        core: &Core<D, P>,
        wanted: Choice,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let (device, shape) = (&**core.tools.device(), core.placed.shape);
        let why = why_not_binned::<D, P>(device, shape, wanted, core.deterministic, costs);
        let open = why.is_none();
        let size =
            if open { Size::of::<D, P>(device, &core.placed, costs)? } else { Size::default() };
        let explained = why.map_or(ByBins::Waiting, ByBins::None);
        Ok(Self { open, wanted, explained, timer: AmortizationTimer::default(), size, bins: None })
    }

    /// The bins, if there are any.
    pub(super) fn cut(&self) -> Option<&Bins<D, P>> {
        self.bins.as_ref()
    }

    /// A run begins: that an edge kept silent in the last does not count.
    pub(super) fn forget(&self) -> Result<(), DeviceError> {
        self.bins.as_ref().map_or(Ok(()), |bins| bins.memory.forget())
    }

    /// Notes what supersteps took that could have gone through bins.
    pub(super) fn learn(&mut self, supersteps: u32, each: Duration) {
        self.timer.note(supersteps, each);
    }

    /// Whether the graph should be cut now, `left` supersteps before the limit.
    pub(super) fn is_due(&self, left: Option<u32>, costs: &Costs) -> bool {
        let forced = self.wanted == Choice::Always;
        self.open && (forced || self.timer.has_paid_off(left, self.size, costs))
    }

    /// Cuts the graph; if there is no room, the run goes on without bins.
    pub(super) fn cut_into(
        &mut self,
        core: &Core<D, P>,
        columns: &SenderColumns<D, P::Edge>,
    ) -> Result<(), DeviceError> {
        self.open = false;
        self.explained = ByBins::None(WhyNot::Room);
        let forced = self.wanted == Choice::Always;
        let cut = BinsMemory::cut(&core.tools, &core.placed, columns, self.size, forced);
        let memory = match cut {
            Ok(Some(memory)) => memory,
            Ok(None) | Err(DeviceError::Memory { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let launches = memory.launches(&core.kernels)?;
        self.explained = memory.explain();
        self.bins = Some(Bins { memory, launches });
        Ok(())
    }

    /// The kernels of the program that a superstep through bins launches.
    pub(super) fn set(&self) -> Set {
        self.size.set()
    }
}

impl<D: Device, P: VertexCompute> Bins<D, P> {
    /// Queues a superstep through bins. The result is for
    /// [`PullArguments::only_if`]: where it comes to be not 0, a plain pull is needed.
    pub(super) fn queue(
        &self,
        kernels: &Kernels<D, P>,
        pull: &PullArguments<P>,
    ) -> Result<Global<u32>, DeviceError> {
        let a = BinArguments { pull: *pull, bins: self.memory.global() };
        let BinLaunches { apart, send, pull } = self.launches;
        // SAFETY: the arrays are those of the bins, cut from these columns; every vertex
        // scattered, and blocks have room for the signals of a range and the messages of
        // a bin.
        unsafe {
            if let Some(apart) = apart {
                kernels.shared::<k::BinApart>(apart.blocks, apart.shared, &a)?;
            }
            kernels.shared::<k::BinSend>(send.blocks, send.shared, &a)?;
            kernels.shared::<k::BinPull>(pull.blocks, pull.shared, &a)?;
        }
        Ok(a.bins.silent)
    }
}

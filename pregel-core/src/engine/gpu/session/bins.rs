//! Supersteps whose messages go by bins.

use std::time::{Duration, Instant};

use super::super::bins::{BinGrids, BinsMemory, Patience, Size, unless};
use super::super::costs::Costs;
use super::super::device::{Device, DeviceError, Grid};
use super::super::explain::{ByBins, WhyNot};
use super::super::launched;
use super::super::options::Choice;
use super::super::prepare::{Prepared, Steps};
use super::GpuSession;
use crate::device::{Arguments, Bins};
use crate::program::VertexCompute;

/// Whether messages go by bins, and the bins once there are any.
pub(super) struct Binning<D: Device, P: VertexCompute> {
    /// Whether the graph may be cut; not again, if it has been tried.
    open: bool,
    wanted: Choice,
    /// What is said of it.
    pub(super) explained: ByBins,
    patience: Patience,
    size: Size,
    cut: Option<(BinsMemory<D, P>, BinGrids)>,
}

impl<D: Device, P: VertexCompute> Binning<D, P> {
    /// None yet; by the user's choice, for a deterministic run or another.
    pub(super) fn new(
        device: &D,
        prepared: &Prepared<D, P::Edge>,
        (wanted, deterministic): (Choice, bool),
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let why = unless::<D, P>(device, prepared, (wanted, deterministic), costs);
        let (open, explained) = (why.is_none(), why.map_or(ByBins::Waiting, ByBins::None));
        let size = match open {
            true => Size::of::<D, P>(device, prepared, costs)?,
            false => Size::default(),
        };
        Ok(Self { open, wanted, explained, patience: Patience::default(), size, cut: None })
    }

    /// A run begins: that an edge kept silent in the last does not count.
    pub(super) fn forget(&self, device: &D) -> Result<(), DeviceError> {
        self.cut.as_ref().map_or(Ok(()), |(bins, _)| bins.forget(device))
    }

    /// The bins, if there are any.
    pub(super) fn get(&self) -> Option<&(BinsMemory<D, P>, BinGrids)> {
        self.cut.as_ref()
    }
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Cuts the graph into bins, once, if that pays for a row that begins with this
    /// superstep.
    pub(super) fn cut(&mut self, superstep: u32) -> Result<(), DeviceError> {
        let left = self.options.max_supersteps.map(|most| most - superstep + 1);
        let b = &mut self.bins;
        let at_once = b.wanted == Choice::Always;
        if !b.open || !at_once && !b.patience.over(left, b.size, self.planner.costs()) {
            return Ok(());
        }
        b.open = false;
        let loading = Instant::now();
        self.tools.load(&self.device, launched::BY_BINS)?;
        self.kernels.load(&self.device, b.size.kernels())?;
        self.report.load_time += loading.elapsed();
        let (start, launches) = (Instant::now(), self.tools.launches());
        let steps = Steps { device: &*self.device, kernels: &self.tools };
        b.explained = ByBins::None(WhyNot::Room);
        let bins = match BinsMemory::new(&steps, &self.prepared, (b.size, at_once)) {
            // It goes without.
            Err(DeviceError::Memory { .. }) => None,
            bins => bins?,
        };
        if let Some(bins) = bins {
            let grids = bins.grids(&*self.device, &self.kernels)?;
            b.explained = bins.explain();
            b.cut = Some((bins, grids));
        }
        self.prepared_since(start, launches);
        Ok(())
    }

    /// Notes what supersteps took that could have gone by bins.
    pub(super) fn learn(&mut self, supersteps: u32, each: Duration) {
        self.bins.patience.note(supersteps, each);
    }

    /// Queues a superstep by pull, messages by way of bins; if one is missing, as
    /// without.
    pub(super) fn pull_by_bins(
        &self,
        (bins, grids): &(BinsMemory<D, P>, BinGrids),
        a: &mut Arguments<P>,
    ) -> Result<(), DeviceError> {
        a.step.hot = 0;
        a.step.partial_count = grids.pull.blocks + a.chunks.joiners;
        a.bins = bins.global();
        let (device, plain) = (&*self.device, Grid::of(grids.pull.blocks));
        // SAFETY: the arguments are those of `arguments` and `turn`; the grids have
        // room for signals and messages.
        unsafe {
            if let Some(apart) = grids.apart {
                self.kernels.grid(device, "bin_apart", apart, a)?;
            }
            self.kernels.grid(device, "bin_send", grids.send, a)?;
            self.kernels.grid(device, "bin_pull", grids.pull, a)?;
            self.kernels.grid(device, "pull", plain, a)?;
        }
        a.bins = Bins::default();
        self.join("pull_heavy", a)
    }
}

//! Runs supersteps in which every vertex scatters with binned messages.
//!
//! The graph is cut into bins during a run, once the supersteps so far show that this
//! pays. If a run has only one that could use them, runs with bins are compared with runs without.
//! A bin cannot represent an edge that keeps silent. If there is one, the plain pull
//! that is queued afterwards runs the superstep instead.

use std::iter;
use std::time::Duration;

use super::core::Core;
use crate::device::kernels::{Set, program as k};
use crate::device::{BinArguments, Global, PullArguments};
use crate::engine::gpu::layout::SenderColumns;
use crate::engine::gpu::layout::bins::{
    AmortizationTimer, BinLaunches, BinsMemory, Demands, RestLaunches, Size, why_not_binned,
};
use crate::engine::gpu::policy::{ByBins, Choice, Costs, Trial, Way, WhyNot};
use crate::engine::gpu::runtime::{Device, DeviceError, Kernels};
use crate::program::{Program, VertexCompute};

/// Whether messages are binned, and the bins once the graph has been cut.
pub(super) struct Binning<D: Device, P: Program> {
    /// Whether the graph may still be cut. A cut is tried only once.
    open: bool,
    wanted: Choice,
    /// The decision so far.
    explained: ByBins,
    timer: AmortizationTimer,
    size: Size,
    bins: Option<Bins<D, P>>,
    /// Whether the bins are faster, once there are any.
    trial: Trial,
    /// Whether the run that goes on uses bins, if whole runs are compared.
    in_run: Option<bool>,
}

/// Supersteps of a plain batch with which bins are compared. There are a few of them.
const PLAIN: u32 = 2;

/// The bins of a graph, and the grids of their kernels.
pub(super) struct Bins<D: Device, P: Program> {
    memory: BinsMemory<D, P>,
    pub(super) launches: BinLaunches,
}

impl<D: Device, P: VertexCompute> Binning<D, P> {
    /// Decides whether the graph may be cut during a run. Waits.
    pub(super) fn new(
        core: &Core<D, P>,
        wanted: Choice,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let (device, shape) = (&**core.tools.device(), core.placed.shape);
        let (deterministic, observed) = (core.deterministic, core.observed);
        let demands = Demands { wanted, deterministic, observed };
        let why = why_not_binned::<D, P>(device, shape, demands, costs);
        let open = why.is_none();
        let size =
            if open { Size::of::<D, P>(device, &core.placed, costs)? } else { Size::default() };
        let explained = why.map_or(ByBins::Waiting, ByBins::None);
        let (timer, trial) = (AmortizationTimer::default(), Trial::default());
        Ok(Self { open, wanted, explained, timer, size, bins: None, trial, in_run: None })
    }

    /// The bins, if the next superstep goes by them should every vertex have scattered.
    pub(super) fn used(&self) -> Option<&Bins<D, P>> {
        let is_used = || self.in_run.unwrap_or_else(|| self.trial.is_with());
        self.bins.as_ref().filter(|_| self.wanted == Choice::Always || is_used())
    }

    /// The decision so far, for the report of a run.
    pub(super) fn explain(&self) -> ByBins {
        let left_out = self.bins.is_some() && self.in_run == Some(false);
        if left_out { ByBins::None(WhyNot::Tried) } else { self.explained }
    }

    /// Whether only a comparison of whole runs, of which `runs` are expected, can tell if bins pay.
    pub(super) fn need_runs(&self, runs: Option<u32>, costs: &Costs) -> bool {
        let may_pay = || self.open && self.timer.would_pay_off(runs, self.size, costs);
        let is_lone = self.wanted == Choice::Auto && self.timer.is_lone();
        is_lone && (self.bins.is_some() || may_pay())
    }

    /// How long the next batch should be, to compare bins with plain pulls.
    pub(super) fn batch_length(&self) -> Option<u32> {
        let undecided = self.bins.is_some() && self.in_run.is_none() && self.trial.kept().is_none();
        (undecided && self.wanted == Choice::Auto).then(|| self.trial.length().unwrap_or(PLAIN))
    }

    /// Begins a run, with bins or without if `in_run` says so: queues clearing the mark that an
    /// edge kept silent in an earlier run.
    pub(super) fn begin(&mut self, in_run: Option<bool>) -> Result<(), DeviceError> {
        self.timer.begin();
        self.in_run = in_run;
        self.bins.as_ref().map_or(Ok(()), |bins| bins.memory.forget())
    }

    /// Notes the time of supersteps that were binned, or could have been. Supersteps before
    /// the cut say nothing about bins: the device may have run at a lower clock then. If bins
    /// turn out to be slower than plain pulls, frees them.
    pub(super) fn learn(&mut self, way: Way, supersteps: u32, each: Duration) {
        if self.bins.is_none() {
            self.timer.note(supersteps, each);
            return;
        }
        if self.in_run.is_some() || supersteps == 1 {
            return;
        }
        self.trial.note(way == Way::Bins, supersteps, each);
        if self.wanted == Choice::Auto && self.trial.kept() == Some(false) {
            let times = self.trial.times().unwrap_or_default();
            let [with_ns, without_ns] = times.map(|time| time.as_nanos() as u64);
            self.give_up(WhyNot::Slower { with_ns, without_ns });
        }
    }

    /// Frees the bins, which turned out to be slower, and forgets them for good.
    pub(super) fn give_up(&mut self, why: WhyNot) {
        self.bins = None;
        self.explained = ByBins::None(why);
    }

    /// Whether the graph should be cut now, with `left` supersteps to go until the limit, and
    /// `runs` expected in all.
    pub(super) fn is_due(&self, left: Option<u32>, runs: Option<u32>, costs: &Costs) -> bool {
        let forced = self.wanted == Choice::Always || self.in_run == Some(true);
        self.open && (forced || self.timer.has_paid_off(left, runs, self.size, costs))
    }

    /// Cuts the graph. If there is not enough memory, of which `kept_free` bytes stay free,
    /// the run goes on without bins.
    pub(super) fn cut(
        &mut self,
        core: &Core<D, P>,
        columns: &SenderColumns<D, P::Edge>,
        kept_free: u64,
    ) -> Result<(), DeviceError> {
        self.open = false;
        self.explained = ByBins::None(WhyNot::Room);
        let forced = self.wanted == Choice::Always;
        let cut = BinsMemory::cut(&core.tools, &core.placed, columns, self.size, forced, kept_free);
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

    /// The kernels of the program that a binned superstep launches.
    pub(super) fn sets(&self) -> &'static [Set] {
        self.size.sets()
    }
}

impl<D: Device, P: VertexCompute> Bins<D, P> {
    /// Queues a binned superstep. Returns the word for [`PullArguments::only_if`], which
    /// becomes nonzero if an edge keeps silent, so that a plain pull is needed.
    pub(super) fn queue(
        &self,
        kernels: &Kernels<D, P>,
        pull: &PullArguments<P>,
    ) -> Result<Global<u32>, DeviceError> {
        let mut passes = self.memory.passes().map(|bins| BinArguments { pull: *pull, bins });
        let Some(a) = passes.next() else { return Ok(Global::NONE) };
        let BinLaunches { apart, rest } = self.launches;
        // SAFETY: `memory` was cut from the columns of `pull`; the caller queues only
        // supersteps with a signal for every vertex; `launches` gives blocks enough shared
        // memory for the signals of a range, the messages of a share and those of a bin, and has
        // a block for each share; the kernels run in the order in which they depend on each other.
        unsafe {
            if let Some(apart) = apart {
                kernels.shared::<k::BinApart>(apart.blocks, apart.shared, &a)?;
            }
            match rest {
                RestLaunches::Binned { send, pull } => {
                    kernels.shared::<k::BinSend>(send.blocks, send.shared, &a)?;
                    kernels.shared::<k::BinPull>(pull.blocks, pull.shared, &a)?;
                }
                RestLaunches::Exchanged { exchange, pull } => {
                    let last = pull.and_then(|pull| Some((pull, passes.next_back()?)));
                    for a in iter::once(a).chain(passes) {
                        kernels.together::<k::BinExchange>(exchange.blocks, exchange.shared, &a)?;
                    }
                    if let Some((pull, a)) = last {
                        kernels.shared::<k::PullRest>(pull.blocks, pull.shared, &a)?;
                    }
                }
                RestLaunches::Pulled(pull) => {
                    kernels.shared::<k::PullRest>(pull.blocks, pull.shared, &a)?;
                }
            }
        }
        Ok(a.bins.silent)
    }
}

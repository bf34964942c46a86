//! The pull strategy: vertices gather from their scattering neighbours, and no message is
//! stored.
//!
//! If every vertex scattered, there are two faster ways: with the signals of the busiest
//! senders in shared memory, or with [binned](super::bins) messages.

use std::cell::OnceCell;

use super::bins::Binning;
use super::core::Core;
use super::partials::Partials;
use crate::device::kernels::{Set, program as k};
use crate::device::{Batched, Global, PullArguments, Run, Senders, Turns, WARP, columns, in_words};
use crate::engine::gpu::layout::{Placed, SenderColumns, WARP_SHIFT};
use crate::engine::gpu::policy::{Choice, Costs, GpuOptions, HotSignals, Way, WhyNot};
use crate::engine::gpu::runtime::{Arrays, Device, DeviceError, MOST_BLOCKS};
use crate::program::VertexCompute;

/// Threads of a deterministic run. The aggregate is added up block by block, so the number
/// must not depend on the device for results to match across devices.
const FIXED_THREADS: u32 = 128 * 1024;

/// Bytes that a thread copies to shared memory at a time.
const COPY: u32 = 16;

/// Pulling from columns of senders.
pub(super) struct Pull<D: Device, P: VertexCompute> {
    columns: SenderColumns<D, P::Edge>,
    partials: Partials<D, P>,
    /// The signals to keep in shared memory if every vertex scattered.
    pub(super) hot: HotSignals,
    /// Computed when it is first needed, since the kernels must be loaded.
    blocks: OnceCell<Blocks>,
    pub(super) bins: Binning<D, P>,
}

/// The number of blocks of each kernel.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    pull: u32,
    pull_hot: u32,
}

impl<D: Device, P: VertexCompute> Pull<D, P> {
    pub(super) fn new(
        core: &Core<D, P>,
        columns: SenderColumns<D, P::Edge>,
        options: &GpuOptions,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let device = core.tools.device();
        let chunks = columns.groups.chunks.count;
        Ok(Self {
            partials: Partials::room(&mut Arrays::on(device), chunks.into())?,
            columns,
            hot: hot_signals::<D, P::Signal>(&**device, &core.placed, options.hot, costs)?,
            blocks: OnceCell::new(),
            bins: Binning::new(core, options.bins, costs)?,
        })
    }

    /// The kernels of a run that pulls.
    pub(super) fn sets(&self) -> &'static [Set] {
        if self.hot.count() > 0 { &[Set::Pull, Set::HotPull] } else { &[Set::Pull] }
    }

    /// The arguments of the kernels.
    fn arguments(&self, core: &Core<D, P>, run: &Run<P>, batch: Batched<P>) -> PullArguments<P> {
        let groups = &self.columns.groups;
        PullArguments {
            run: *run,
            columns: groups.global(),
            senders: Senders {
                places: self.columns.places.global(),
                values: self.columns.values.global(),
            },
            chunks: self.partials.global(&groups.chunks, core.placed.shape.vertices),
            turns: Turns {
                hot: 0,
                fixed: u32::from(core.deterministic),
                next: core.memory.totals.next(),
            },
            batch,
            only_if: Global::NONE,
        }
    }

    /// Queues a superstep, alone or as part of a batch. Returns the way that it takes.
    pub(super) fn queue(
        &self,
        core: &Core<D, P>,
        run: &mut Run<P>,
        batch: Batched<P>,
    ) -> Result<Way, DeviceError> {
        let everyone = run.step.everyone != 0;
        let (blocks, joiners) = (self.blocks(core)?, self.columns.groups.chunks.joiners());
        let bins = self.bins.cut().filter(|_| everyone);
        let (way, blocks) = if let Some(bins) = bins {
            (Way::Bins, bins.launches.pull.blocks)
        } else if everyone && self.hot.count() > 0 {
            (Way::PullHot, blocks.pull_hot)
        } else {
            (Way::Pull, blocks.pull)
        };
        run.step.partial_count = blocks + joiners;
        let mut a = self.arguments(core, run, batch);
        // SAFETY: `arguments` gives the columns, their chunks and the arrays of all
        // vertices; there is room for a partial aggregate per block, and `shared` bytes for
        // the hot signals. `pull_heavy` runs after the kernel that combines the chunks.
        unsafe {
            if let Some(bins) = bins {
                a.only_if = bins.queue(&core.kernels, &a)?;
                core.kernels.shared::<k::Pull>(blocks, 0, &a)?;
            } else if way == Way::PullHot {
                a.turns.hot = self.hot.count();
                let shared = a.turns.hot * size_of::<P::Signal>() as u32;
                core.kernels.shared::<k::PullHot>(blocks, shared, &a)?;
                a.turns.hot = 0;
            } else {
                core.kernels.shared::<k::Pull>(blocks, 0, &a)?;
            }
            a.only_if = Global::NONE;
            core.kernels.shared::<k::PullHeavy>(joiners, 0, &a)?;
        }
        Ok(way)
    }

    /// Queues the end of a superstep of a batch.
    pub(super) fn close(
        &self,
        core: &Core<D, P>,
        run: &Run<P>,
        batch: Batched<P>,
    ) -> Result<(), DeviceError> {
        let a = self.arguments(core, run, batch);
        // SAFETY: `queue` has set `partial_count` to the number of partial aggregates, and
        // the batch has room for its entries, of which this is one.
        unsafe { core.kernels.blocks::<k::Close>(1, &a) }
    }

    /// Cuts the graph into bins.
    pub(super) fn cut(&mut self, core: &Core<D, P>) -> Result<(), DeviceError> {
        self.bins.cut_into(core, &self.columns)
    }

    /// The number of blocks of each kernel. Loads the kernels if need be.
    fn blocks(&self, core: &Core<D, P>) -> Result<Blocks, DeviceError> {
        if let Some(blocks) = self.blocks.get() {
            return Ok(*blocks);
        }
        let chunks = &self.columns.groups.chunks;
        let groups = columns::groups(core.placed.shape.vertices, WARP_SHIFT);
        let items = chunks.count + (groups - chunks.heavy);
        let fit = |threads: u32, resident: u32| {
            let most = if core.deterministic { FIXED_THREADS / threads } else { resident };
            items.div_ceil(threads / WARP).min(most)
        };
        let resident = |most: Result<u32, DeviceError>| most.map(|most| most.min(MOST_BLOCKS));
        let pull = resident(core.kernels.resident_blocks::<k::Pull>(0))?;
        let pull = fit(threads::<P, k::Pull>(), pull);
        let pull_hot = match self.hot.count() {
            0 => 0,
            hot => {
                let shared = hot * size_of::<P::Signal>() as u32;
                let most = resident(core.kernels.resident_blocks::<k::PullHot>(shared))?;
                fit(threads::<P, k::PullHot>(), most)
            }
        };
        Ok(*self.blocks.get_or_init(|| Blocks { pull, pull_hot }))
    }
}

/// Threads per block of a kernel.
fn threads<P: VertexCompute, K: crate::device::kernels::Kernel<P>>() -> u32 {
    K::FACTS.threads
}

/// Which signals of type `S` to keep in shared memory if every vertex scattered. Waits.
fn hot_signals<D: Device, S>(
    device: &D,
    placed: &Placed<D>,
    choice: Choice,
    costs: &Costs,
) -> Result<HotSignals, DeviceError> {
    let none = |why| Ok(HotSignals::None(why));
    if choice == Choice::Never {
        return none(WhyNot::Off);
    }
    if !in_words::<S>() {
        return none(WhyNot::Words);
    }
    let edges = placed.shape.edges;
    let signals = fitting::<S>(device.shared(), placed.shape.vertices);
    let (auto, needed) = (choice == Choice::Auto, costs.hot_reads);
    if signals == 0 {
        return none(WhyNot::Room);
    }
    if auto && edges < u64::from(signals).saturating_mul(needed) {
        return none(WhyNot::FewReads { signals, edges, needed });
    }
    let sent = placed.send_degrees.first(signals.into())?;
    let served = sent.into_iter().map(u64::from).sum::<u64>();
    let needed = costs.hot_share;
    if auto && (served as f64) < edges as f64 * needed {
        return none(WhyNot::FewServed { signals, served, edges, needed });
    }
    Ok(HotSignals::Kept { signals, served, edges })
}

/// How many of `n` signals fit this many bytes, in whole copies; 0 if they are not made of
/// whole words.
fn fitting<S>(bytes: u32, n: u32) -> u32 {
    let size = size_of::<S>() as u32;
    if !in_words::<S>() {
        return 0;
    }
    let fits = n.min(bytes / size);
    // The size of a signal is a multiple of 4 bytes, so 4 signals are whole copies.
    fits - fits % (COPY / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_signals_are_whole_copies() {
        assert_eq!(fitting::<f32>(227 << 10, 1 << 20), 58_112);
        assert_eq!(fitting::<f64>(227 << 10, 1 << 20), 29_056);
        assert_eq!(fitting::<[u32; 3]>(64, 100), 4);
        assert_eq!(fitting::<f32>(64, 7), 4);
        assert_eq!(fitting::<f32>(64, 3), 0);
        assert_eq!(fitting::<()>(64, 100), 0);
        assert_eq!(fitting::<[u8; 4]>(64, 100), 0);
    }
}

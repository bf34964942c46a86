//! The pull strategy: vertices gather from their scattering neighbours, and no message is
//! stored.
//!
//! If every vertex scattered, there are three faster ways: with [hot](super::hot) signals in
//! shared memory, with [binned](super::bins) messages, or, where groups are [even](super::even), with
//! what they need read ahead. If not, and the graph is large, votes are [packed](super::packed) before.

use std::cell::OnceCell;
use std::time::Duration;

use super::bins::Binning;
use super::core::Core;
use super::even::{self, Even};
use super::hot::{self, Hot};
use super::packed::{self, Packed};
use super::partials::Partials;
use crate::device::kernels::{Kernel, Set, program as k};
use crate::device::{
    Aggregated, Batched, CHUNK_LAYERS, Global, PullArguments, Run, Senders, Turns, WARP,
    goes_by_bins,
};
use crate::engine::gpu::layout::SenderColumns;
use crate::engine::gpu::policy::{Costs, GpuOptions, Way};
use crate::engine::gpu::runtime::{Arrays, Device, DeviceError, MOST_BLOCKS};
use crate::program::VertexCompute;

/// Threads of a deterministic run. The aggregate is added up block by block, so the number
/// must not depend on the device for results to match across devices.
const FIXED_THREADS: u32 = 128 * 1024;

/// Pulling from columns of senders.
pub(super) struct Pull<D: Device, P: VertexCompute> {
    columns: SenderColumns<D, P::Edge>,
    partials: Partials<D, P>,
    even: Even,
    blocks: Blocks,
    pub(super) hot: Hot,
    packed: Packed<D>,
    pub(super) bins: Binning<D, P>,
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
        // More than a sixteenth of the messages are in chunks.
        let in_chunks = u64::from(chunks) * u64::from(CHUNK_LAYERS * WARP);
        let has_hubs = 16 * in_chunks > core.placed.shape.edges;
        Ok(Self {
            partials: Partials::of(&mut Arrays::on(device), &columns.groups.chunks)?,
            even: Even::new(core, &columns.groups, costs),
            columns,
            hot: Hot::new(core, options.hot, costs)?,
            packed: Packed::new(core, costs, has_hubs)?,
            blocks: Blocks::default(),
            bins: Binning::new(core, options.bins, costs)?,
        })
    }

    /// The kernels of a run that pulls.
    pub(super) fn sets(&self) -> impl Iterator<Item = Set> {
        // Where messages can be binned, all vertices are likely to scatter at first; where there is an
        // aggregate as well, always.
        let all_at_first = goes_by_bins::<P>();
        let all_always = all_at_first && size_of::<Aggregated<P>>() > 0;
        let hot = self.hot.is_any().then_some(hot::SET);
        let all = if self.even.is_used() { even::SET } else { Set::PlainPull };
        let all = (all_at_first || !self.even.is_used()).then_some(all);
        let some = if self.packed.is_used() { packed::SET } else { Set::PlainPull };
        let some = (!all_always).then_some(some);
        [Set::Pull].into_iter().chain(hot).chain(all).chain(some)
    }

    /// The first places: behind them no vertex can get a message.
    pub(super) fn reached(&self, core: &Core<D, P>) -> u32 {
        self.columns.groups.reached(core.placed.shape.vertices)
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
            scattering: Global::NONE,
            chunks: self.partials.global(
                &groups.chunks,
                core.placed.shape.vertices,
                core.deterministic,
            ),
            turns: Turns { fixed: u32::from(core.deterministic), next: core.memory.totals.next() },
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
        let chunks = &self.columns.groups.chunks;
        let bins = self.bins.used().filter(|_| everyone);
        let packed = self.packed.is_used() && !everyone;
        let evenly = self.even.is_used() && everyone && bins.is_none();
        let (way, blocks) = if let Some(bins) = bins {
            (Way::Bins, bins.launches.rest.pull().blocks)
        } else if everyone && self.hot.is_used() {
            (Way::PullHot, self.hot.blocks(core, self.items(core))?)
        } else if packed {
            (Way::Pull, self.packed.blocks(core, self.items(core))?)
        } else if evenly {
            (Way::Pull, self.even.blocks(core, self.items(core))?)
        } else {
            (Way::Pull, self.blocks.of::<D, P, k::Pull>(core, self.items(core), 0)?)
        };
        run.step.partial_count = blocks + chunks.aggregates(core.deterministic);
        let mut a = self.arguments(core, run, batch);
        // SAFETY: `arguments` gives the columns with their profiles, their chunks and the arrays of all
        // vertices; there is room for a partial aggregate per block. `pull_heavy` runs after
        // the kernel that combines the chunks.
        unsafe {
            if way == Way::PullHot {
                self.hot.queue(core, blocks, &a)?;
            } else if packed {
                self.packed.queue(core, blocks, &a)?;
            } else if evenly {
                self.even.queue(core, blocks, &a)?;
            } else {
                if let Some(bins) = bins {
                    a.only_if = bins.queue(&core.kernels, &a)?;
                }
                core.kernels.shared::<k::Pull>(blocks, 0, &a)?;
            }
            a.only_if = Global::NONE;
            core.kernels.shared::<k::PullHeavy>(chunks.joiners(), 0, &a)?;
        }
        Ok(way)
    }

    /// How long the next batch should be, to be compared with the last. While messages are binned,
    /// hot signals are not tried.
    pub(super) fn batch_length(&self) -> Option<u32> {
        let of_hot = || self.hot.batch_length().filter(|_| self.bins.used().is_none());
        self.bins.batch_length().or_else(of_hot)
    }

    /// Notes the time of supersteps that ran this way, before each of which every vertex had
    /// scattered.
    pub(super) fn learn(&mut self, way: Way, supersteps: u32, each: Duration) {
        self.hot.learn(way, supersteps, each);
        self.bins.learn(way, supersteps, each);
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

    /// Cuts the graph into bins if memory permits, of which `kept_free` bytes stay free.
    pub(super) fn cut(&mut self, core: &Core<D, P>, kept_free: u64) -> Result<(), DeviceError> {
        self.bins.cut(core, &self.columns, kept_free)
    }

    /// What warps take: chunks, and groups that are not heavy.
    fn items(&self, core: &Core<D, P>) -> u32 {
        self.columns.groups.items(core.placed.shape.vertices)
    }
}

/// The number of blocks of a kernel, computed when it is first needed: the kernel must be loaded.
#[derive(Default)]
pub(super) struct Blocks(OnceCell<u32>);

impl Blocks {
    /// That number, for a kernel that always takes as many items and bytes as the first time; see
    /// [`blocks_for`]. Loads the kernel if need be.
    pub(super) fn of<D: Device, P: VertexCompute, K: Kernel<P>>(
        &self,
        core: &Core<D, P>,
        items: u32,
        shared: u32,
    ) -> Result<u32, DeviceError> {
        if let Some(blocks) = self.0.get() {
            return Ok(*blocks);
        }
        let blocks = blocks_for::<D, P, K>(core, items, shared)?;
        Ok(*self.0.get_or_init(|| blocks))
    }
}

/// The number of blocks of a kernel whose warps take this many items, with `shared` bytes
/// for each block: no more than the device holds at a time, or than there is work for.
fn blocks_for<D: Device, P: VertexCompute, K: Kernel<P>>(
    core: &Core<D, P>,
    items: u32,
    shared: u32,
) -> Result<u32, DeviceError> {
    let threads = K::FACTS.threads;
    let most = if core.deterministic {
        FIXED_THREADS / threads
    } else {
        core.kernels.resident_blocks::<K>(shared)?.min(MOST_BLOCKS)
    };
    Ok(items.div_ceil(threads / WARP).min(most))
}

//! The bins of a graph: ranges, bins and cells, cut during a run once that pays.
//!
//! [`pays`] decides when, [`cut`] how large ranges, shares and bins are. The work of a pull, its
//! [`items`], is split into messages of hubs, which are handled [`apart`], and the [`rest`], and
//! divided into bins. Then each message of the rest gets its place in one of the [`cells`] of these.
//! Or, where signals stay in the L2 cache, its sender is listed for its receiver; then bins only
//! divide that work.

mod apart;
mod cells;
mod cut;
mod items;
mod pays;
mod rest;

use super::{Placed, SenderColumns};
use crate::device::kernels::{Tools, program as p};
use crate::device::prepare::BinEdges;
use crate::device::{Bins, Global, LaneLayers, Shares, granule, granule_shift};
use crate::engine::gpu::policy::ByBins;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels, MOST_BLOCKS};
use crate::program::{Message, Program, Value, VertexCompute};

use apart::Apart;
use cut::{Cut, Exchange};
pub(crate) use cut::{Demands, why_not_binned};
use items::{ItemRoom, Items, Most, Split};
use pays::Rest;
pub(crate) use pays::{AmortizationTimer, Size};
use rest::RestMemory;

/// The fewest granules of messages per cell, binned or not, that are worth a cut: with fewer,
/// the padding of cells to whole granules is too large a part of what is moved.
const FILLED: u64 = 4;

/// The most items of a bin.
const MOST_ITEMS: u32 = 1 << 8;

/// A graph cut into bins, and memory for the messages.
pub(crate) struct BinsMemory<D: Device, P: Program> {
    cut: Cut,
    /// Ranges or shares.
    ranges: u32,
    bins: u32,
    items: ItemRoom<D>,
    lanes: Array<D, LaneLayers>,
    rest: RestMemory<D, P>,
    apart: Apart<D, P>,
    silent: Array<D, u32>,
}

/// The grid of a launch on as many blocks as the device holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) blocks: u32,
    /// Bytes of shared memory per block.
    pub(crate) shared: u32,
}

/// The grids of the kernels of a binned superstep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinLaunches {
    pub(crate) apart: Option<Launch>,
    pub(crate) rest: RestLaunches,
}

/// The grids of the kernels for messages that are not handled separately.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RestLaunches {
    Binned { send: Launch, pull: Launch },
    Exchanged(Launch),
    Pulled(Launch),
}

impl RestLaunches {
    /// The grid of the kernel that computes the vertices.
    pub(crate) const fn pull(self) -> Launch {
        match self {
            Self::Binned { pull, .. } | Self::Exchanged(pull) | Self::Pulled(pull) => pull,
        }
    }
}

impl<D: Device, P: Program> BinsMemory<D, P>
where
    Message<P>: Value,
{
    /// Cuts a graph in columns into bins. `None` if there is no way to cut it, not enough
    /// memory if `kept_free` bytes stay free, or, unless the cut is `forced`, too few
    /// messages per cell. O(E) on the device, O(V) on the host.
    pub(crate) fn cut(
        tools: &Kernels<D, Tools>,
        placed: &Placed<D>,
        columns: &SenderColumns<D, P::Edge>,
        size: Size,
        forced: bool,
        kept_free: u64,
    ) -> Result<Option<Self>, DeviceError> {
        let device = tools.device();
        let Some(cut) = Cut::of_program::<D, P>(device, placed.shape) else { return Ok(None) };
        let arrays = &mut Arrays::on(device);
        let (chunks, of_groups) = (&columns.groups.chunks, columns.groups.global());
        let (ranges, shares) = match size.rest {
            Rest::Exchanged(exchange) => (exchange.shares.count(), exchange.shares),
            _ => (cut.ranges, Shares::default()),
        };
        let mut a = BinEdges {
            vertices: placed.shape.vertices,
            range: cut.range,
            ranges,
            shares,
            granule_shift: granule_shift::<Message<P>>(),
            chunks: chunks.list.global(),
            chunk_count: chunks.count,
            heavy: chunks.heavy,
            degrees: of_groups.degrees,
            bases: of_groups.bases,
            senders: columns.places.global(),
            apart_ranges: size.ranges,
            message: size.message,
            binned_bytes: size.binned_bytes(),
            ..BinEdges::default()
        };
        // SAFETY: `a` has the columns and chunks of this graph.
        let split = unsafe {
            Split::of(tools, arrays, &mut a, |layers| match size.rest {
                Rest::Exchanged(Exchange { shares, bin, .. }) => {
                    Items::in_phases(layers, bin, shares.count(), size.ranges)
                }
                _ => Items::of(layers, Most { messages: cut.bin, items: MOST_ITEMS }, size.ranges),
            })?
        };
        let Split { items, layers, lanes, apart_lanes } = split;
        let cells = u64::from(ranges) * u64::from(items.bins());
        let granule = u64::from(granule::<Message<P>>());
        let few = size.rest != Rest::Pulled && placed.shape.edges < cells * granule * FILLED;
        if few && !forced || !Self::fits(device, &items, ranges, size.rest, kept_free)? {
            return Ok(None);
        }
        let room = ItemRoom::filled(arrays, &items, &mut a)?;
        let apart = Apart::filled(arrays, &items, apart_lanes, size.shape.edges, &mut a)?;
        // SAFETY: as above; the items are set, and there is room for what they say.
        let rest = unsafe { RestMemory::find(tools, arrays, size.rest, &items, &mut a)? };
        drop(layers);
        let silent = arrays.filled("whether an edge kept silent", 1, 0)?;
        Ok(Some(Self { cut, ranges, bins: a.bins, items: room, lanes, rest, apart, silent }))
    }

    /// Whether these items and the cells of this many ranges or shares fit the memory that is left, if
    /// `kept_free` bytes and some more stay free.
    fn fits(
        device: &D,
        items: &Items,
        ranges: u32,
        rest: Rest,
        kept_free: u64,
    ) -> Result<bool, DeviceError> {
        let planned = &mut Arrays::<D>::planned();
        ItemRoom::new(planned, items)?;
        let granules = RestMemory::<D, P>::plan(planned, rest, ranges, items)?;
        Apart::<D, P>::room(planned, items, Array::none())?;
        let memory = device.memory()?;
        let left = memory.free.saturating_sub(kept_free.saturating_add(memory.size / 16));
        Ok(granules <= u32::MAX.into() && planned.bytes() <= left)
    }

    /// The cut, for a report.
    pub(crate) fn explain(&self) -> ByBins {
        let ranges = self.ranges;
        let (bins, messages) = self.rest.size(self.bins);
        let Apart { ranges: hub_ranges, messages: hub_messages, .. } = self.apart;
        ByBins::Cut { ranges, bins, messages, hub_ranges, hub_messages }
    }

    /// Queues clearing the mark that an edge kept silent.
    pub(crate) fn forget(&self) -> Result<(), DeviceError> {
        self.silent.fill(0)
    }

    /// The argument block's view of the bins.
    pub(crate) fn global(&self) -> Bins<P> {
        let mut bins = Bins {
            range: self.cut.range,
            ranges: self.ranges,
            bins: self.bins,
            senders: Global::NONE,
            by_range: Global::NONE,
            targets: Global::NONE,
            messages: Global::NONE,
            by_bin: Global::NONE,
            cells: Global::NONE,
            shares: Shares::default(),
            share: 0,
            slot: 0,
            arrived: Global::NONE,
            firsts: self.items.firsts.global(),
            lights: self.items.lights.global(),
            lanes: self.lanes.global(),
            rows: self.items.rows.global(),
            positions: Global::NONE,
            rest: Global::NONE,
            silent: self.silent.global(),
            apart_ranges: self.apart.ranges,
            apart_lanes: self.apart.lanes.global(),
            apart_ends: self.apart.ends.global(),
            apart_firsts: self.apart.firsts.global(),
            apart_senders: self.apart.senders.global(),
            apart_sums: self.apart.sums.global(),
        };
        self.rest.set(&mut bins);
        bins
    }

    /// The grids of the kernels. Loads them if necessary.
    pub(crate) fn launches(&self, kernels: &Kernels<D, P>) -> Result<BinLaunches, DeviceError>
    where
        P: VertexCompute,
    {
        let signals = self.cut.range * size_of::<P::Signal>() as u32;
        let messages = self.cut.bin + self.cut.ranges * (granule::<Message<P>>() - 1);
        let messages = messages * size_of::<Message<P>>() as u32;
        let launch = |blocks: u32, shared| Launch { blocks: blocks.min(MOST_BLOCKS), shared };
        let apart = if self.apart.ranges > 0 {
            Some(launch(kernels.resident_blocks::<p::BinApart>(signals)?, signals))
        } else {
            None
        };
        let rest = match self.rest {
            RestMemory::Binned(_) => RestLaunches::Binned {
                send: launch(kernels.resident_blocks::<p::BinSend>(signals)?, signals),
                pull: launch(kernels.resident_blocks::<p::BinPull>(messages)?, messages),
            },
            RestMemory::Exchanged { exchange, .. } => {
                RestLaunches::Exchanged(launch(exchange.shares.count(), exchange.shared()))
            }
            RestMemory::Pulled { .. } => {
                RestLaunches::Pulled(launch(kernels.resident_blocks::<p::PullRest>(0)?, 0))
            }
        };
        Ok(BinLaunches { apart, rest })
    }
}

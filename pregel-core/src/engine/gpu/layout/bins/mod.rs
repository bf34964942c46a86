//! The bins of a graph: ranges, bins and cells, cut during a run once that pays.
//!
//! [`pays`] decides when, [`cut`] how large ranges, shares and bins are. The work of a pull, its
//! [`items`], is split into messages of hubs, which are handled [`apart`], and the [`rest`], and
//! divided into bins. Then each message of the rest gets its place in one of the [`cells`] of these.
//! Or, where signals stay in the L2 cache, its sender is listed for its receiver; then bins only
//! divide that work. Where messages are exchanged, this is done for one or more [passes](pass).

mod apart;
mod cells;
mod cut;
mod items;
mod pass;
mod pays;
mod rest;

use super::{Placed, SenderColumns};
use crate::device::kernels::{Tools, program as p};
use crate::device::prepare::BinEdges;
use crate::device::{Bins, Global, Shares, granule, granule_shift};
use crate::engine::gpu::policy::ByBins;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels, MOST_BLOCKS};
use crate::program::{Message, Program, Value, VertexCompute};

use apart::Apart;
use cut::{Cut, Exchange};
pub(crate) use cut::{Demands, why_not_binned};
use pass::{Divided, Pass};
use pays::Rest;
pub(crate) use pays::{AmortizationTimer, Size};
use rest::RestMemory;

/// The fewest granules of messages per cell, binned or not, that are worth a cut: with fewer,
/// the padding of cells to whole granules is too large a part of what is moved.
const FILLED: u64 = 4;

/// A graph cut into bins, and memory for the messages.
pub(crate) struct BinsMemory<D: Device, P: Program> {
    cut: Cut,
    /// Ranges or shares.
    ranges: u32,
    /// At least one.
    passes: Vec<Pass<D>>,
    messages: Array<D, Message<P>>,
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
    Binned {
        send: Launch,
        pull: Launch,
    },
    /// Those of the last part may be pulled.
    Exchanged {
        exchange: Launch,
        pull: Option<Launch>,
    },
    Pulled(Launch),
}

impl RestLaunches {
    /// The grid of the kernel that computes the vertices.
    pub(crate) const fn pull(self) -> Launch {
        match self {
            Self::Binned { pull, .. }
            | Self::Exchanged { pull: Some(pull), .. }
            | Self::Exchanged { exchange: pull, pull: None }
            | Self::Pulled(pull) => pull,
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
        let (ranges, shares, share) = match size.rest {
            Rest::Exchanged(Exchange { shares, share, .. }) => (shares.count(), shares, share),
            _ => (cut.ranges, Shares::default(), 0),
        };
        let edges = BinEdges {
            vertices: placed.shape.vertices,
            range: cut.range,
            ranges,
            shares,
            share,
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
        // SAFETY: `edges` has the columns and chunks of this graph.
        let mut divided = unsafe { Divided::all(tools, arrays, edges, size, cut)? };
        let hands_on = divided.len() > 1;
        let items = || divided.iter().map(|pass| &pass.split.items);
        let messages: u64 = items().map(|items| items.messages).sum();
        let bins: u64 = items().map(|items| u64::from(items.bins())).sum();
        let (cells, granule) = (u64::from(ranges) * bins, u64::from(granule::<Message<P>>()));
        let few = size.rest != Rest::Pulled && placed.shape.edges < cells * granule * FILLED;
        if few && !forced || !Self::fits(device, &divided, size.rest, kept_free)? {
            return Ok(None);
        }
        let Some(first) = divided.first_mut() else { return Ok(None) };
        let apart = Apart::filled(arrays, first, size.shape.edges - messages, hands_on)?;
        let find = |pass: Divided<D>| {
            // SAFETY: as above; there is room for what is handled separately.
            unsafe { pass.find(tools, arrays) }
        };
        let passes = divided.into_iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let granules = passes.iter().map(|pass| pass.rest.granules()).max().unwrap_or(0);
        let messages = Self::message_room(arrays, size.rest, granules)?;
        let silent = arrays.filled("whether an edge kept silent", 1, 0)?;
        Ok(Some(Self { cut, ranges, passes, messages, apart, silent }))
    }

    /// Memory for the messages of as many granules, or of two phases if they are exchanged.
    fn message_room(
        arrays: &mut Arrays<D>,
        rest: Rest,
        granules: u64,
    ) -> Result<Array<D, Message<P>>, DeviceError> {
        let messages = match rest {
            Rest::Exchanged(exchange) => 2 * exchange.slot(),
            _ => granules * u64::from(granule::<Message<P>>()),
        };
        arrays.array("messages in bins", messages)
    }

    /// Whether these passes fit the memory that is left, if `kept_free` bytes and some more stay free.
    fn fits(
        device: &D,
        divided: &[Divided<D>],
        rest: Rest,
        kept_free: u64,
    ) -> Result<bool, DeviceError> {
        let planned = &mut Arrays::<D>::planned();
        let mut most = 0;
        for pass in divided {
            most = pass.plan(planned)?.max(most);
        }
        Self::message_room(planned, rest, most)?;
        if let Some(first) = divided.first() {
            Apart::<D, P>::room(planned, &first.split.items, divided.len() > 1)?;
        }
        let memory = device.memory()?;
        let left = memory.free.saturating_sub(kept_free.saturating_add(memory.size / 16));
        Ok(most <= u32::MAX.into() && planned.bytes() <= left)
    }

    /// The cut, for a report. Messages are those that all bins have room for, or that are pulled; then
    /// there are no bins.
    pub(crate) fn explain(&self) -> ByBins {
        let (mut ranges, mut bins, mut messages) = (0, 0, 0);
        for pass in &self.passes {
            if let RestMemory::Pulled { messages: pulled, .. } = pass.rest {
                messages += pulled;
            } else {
                ranges += self.ranges;
                bins += pass.bins;
                messages += pass.rest.granules() * u64::from(granule::<Message<P>>());
            }
        }
        let Apart { ranges: hub_ranges, messages: hub_messages, .. } = self.apart;
        // Where all others are pulled, the places are in ranges for the hubs alone.
        let ranges = ranges.max(self.ranges);
        ByBins::Cut { ranges, bins, messages, hub_ranges, hub_messages }
    }

    /// The argument block's view of the bins in each pass.
    pub(crate) fn passes(&self) -> impl DoubleEndedIterator<Item = Bins<P>> {
        (0..self.passes.len()).map(|pass| self.global(pass))
    }

    /// Queues clearing the mark that an edge kept silent.
    pub(crate) fn forget(&self) -> Result<(), DeviceError> {
        self.silent.fill(0)
    }

    /// The argument block's view of the bins in a pass, which exists.
    fn global(&self, pass: usize) -> Bins<P> {
        let mut bins = Bins {
            range: self.cut.range,
            ranges: self.ranges,
            bins: 0,
            senders: Global::NONE,
            by_range: Global::NONE,
            targets: Global::NONE,
            messages: self.messages.global(),
            by_bin: Global::NONE,
            cells: Global::NONE,
            shares: Shares::default(),
            share: 0,
            first: 0,
            hands_on: (pass + 1 < self.passes.len()).into(),
            slot: 0,
            arrived: Global::NONE,
            firsts: Global::NONE,
            lights: Global::NONE,
            lanes: Global::NONE,
            rows: Global::NONE,
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
        self.passes[pass].set(&mut bins);
        bins
    }

    /// The grids of the kernels. Loads them if necessary.
    pub(crate) fn launches(&self, kernels: &Kernels<D, P>) -> Result<BinLaunches, DeviceError>
    where
        P: VertexCompute,
    {
        let signals = self.cut.range * size_of::<P::Signal>() as u32;
        let granule = granule::<Message<P>>();
        // A granule with a neutral message, and the bin.
        let messages = granule + self.cut.bin + self.cut.ranges * (granule - 1);
        let messages = messages * size_of::<Message<P>>() as u32;
        let launch = |blocks: u32, shared| Launch { blocks: blocks.min(MOST_BLOCKS), shared };
        let apart = if self.apart.ranges > 0 {
            Some(launch(kernels.resident_blocks::<p::BinApart>(signals)?, signals))
        } else {
            None
        };
        let pull_rest =
            || Ok::<_, DeviceError>(launch(kernels.resident_blocks::<p::PullRest>(0)?, 0));
        let rest = match self.passes[0].rest {
            RestMemory::Binned(_) => RestLaunches::Binned {
                send: launch(kernels.resident_blocks::<p::BinSend>(signals)?, signals),
                pull: launch(kernels.resident_blocks::<p::BinPull>(messages)?, messages),
            },
            RestMemory::Exchanged { exchange, .. } => RestLaunches::Exchanged {
                exchange: launch(exchange.shares.count(), exchange.shared()),
                pull: exchange.pulls_last.then(pull_rest).transpose()?,
            },
            RestMemory::Pulled { .. } => RestLaunches::Pulled(pull_rest()?),
        };
        Ok(BinLaunches { apart, rest })
    }
}

//! The bins of a graph: ranges, bins and cells, cut during a run once that pays.

mod cut;
mod pays;

use super::sums::Sums;
use super::{Placed, SenderColumns, WARP_SHIFT};
use crate::device::kernels::{Tools, program as p, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{Bins, GRANULE, Global, ItemLayers, LaneLayers, WARP, columns};
use crate::engine::gpu::policy::ByBins;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels, MOST_BLOCKS};
use crate::program::{Message, Program, Value, VertexCompute};

pub(crate) use cut::why_not_binned;
use cut::{Cut, Items};
pub(crate) use pays::{AmortizationTimer, Size};

/// The fewest messages per cell, on average, that are worth a cut: with fewer, the padding
/// to whole granules is too large a part of a cell.
const FILLED: u64 = 32;

/// The cells of a graph, and memory for the messages.
pub(crate) struct BinsMemory<D: Device, P: Program> {
    cut: Cut,
    bins: u32,
    granules: u64,
    firsts: Array<D, u32>,
    lanes: Array<D, LaneLayers>,
    rows: Array<D, u32>,
    by_bin: Array<D, u64>,
    by_range: Array<D, u64>,
    senders: Array<D, u64>,
    targets: Array<D, u32>,
    positions: Array<D, u64>,
    messages: Array<D, Message<P>>,
    silent: Array<D, u32>,
    apart: Apart<D, P>,
}

/// The messages of the first range, if they are handled separately from bins.
struct Apart<D: Device, P: Program> {
    /// Places below this are in the first range; 0 if nothing is handled separately.
    places: u32,
    /// Edges along which these places send.
    edges: u64,
    firsts: Array<D, u32>,
    senders: Array<D, u64>,
    sums: Array<D, Message<P>>,
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
    pub(crate) send: Launch,
    pub(crate) pull: Launch,
}

impl<D: Device, P: Program> BinsMemory<D, P>
where
    Message<P>: Value,
{
    /// Cuts a graph in columns into bins. `None` if there is no way to cut it, not enough
    /// memory, or, unless the cut is `forced`, too few messages per cell. O(E) on the
    /// device, O(V) on the host.
    pub(crate) fn cut(
        tools: &Kernels<D, Tools>,
        placed: &Placed<D>,
        columns: &SenderColumns<D, P::Edge>,
        size: Size,
        forced: bool,
    ) -> Result<Option<Self>, DeviceError> {
        let device = tools.device();
        let Some(cut) = Cut::of_program::<D, P>(device, placed.shape) else { return Ok(None) };
        let arrays = &mut Arrays::on(device);
        let (chunks, of_groups) = (&columns.groups.chunks, columns.groups.global());
        let mut a = BinEdges {
            vertices: placed.shape.vertices,
            range: cut.range,
            ranges: cut.ranges,
            chunks: chunks.list.global(),
            chunk_count: chunks.count,
            heavy: chunks.heavy,
            degrees: of_groups.degrees,
            bases: of_groups.bases,
            senders: columns.places.global(),
            apart: if size.apart > 0 { cut.range.min(placed.shape.vertices) } else { 0 },
            ..BinEdges::default()
        };
        let (items, lanes) = split(tools, arrays, &mut a, cut.bin)?;
        let cells = u64::from(cut.ranges) * u64::from(items.bins());
        let binned = size.shape.edges - size.apart;
        if !forced && binned < cells * FILLED {
            return Ok(None);
        }
        let most = (binned + cells * u64::from(GRANULE - 1)).div_ceil(GRANULE.into());
        let width = size_of::<Message<P>>() as u64;
        let needed = most * (u64::from(GRANULE) * (width + 2) + 4)
            + u64::from(items.binned() + items.apart()) * u64::from(WARP) * 8
            + u64::from(items.count()) * u64::from(WARP) * width
            + cells * 24;
        let memory = device.memory()?;
        if most > u32::MAX.into() || needed > memory.free.saturating_sub(memory.size / 16) {
            return Ok(None);
        }
        let bin_counts = arrays.array("granules of cells, by bin", cells)?;
        let range_counts = arrays.array("granules of cells, by range", cells)?;
        let firsts = arrays.copied("first items of bins", &items.firsts)?;
        let rows = arrays.copied("binned layers before items", &items.binned)?;
        let positions =
            arrays.array("positions in bins", u64::from(items.binned()) * u64::from(WARP))?;
        let apart = Apart::new(arrays, a.apart, size.apart, &items)?;
        a.bins = items.bins();
        a.firsts = firsts.global();
        a.bin_counts = bin_counts.global();
        a.range_counts = range_counts.global();
        a.rows = rows.global();
        a.positions = positions.global();
        a.apart_firsts = apart.firsts.global();
        a.apart_senders = apart.senders.global();
        // SAFETY: `a` has the columns and chunks of this graph, the items of `split`, a
        // count per cell in both orders, and room for the numbers of all groups of four
        // layers. One block is launched per bin.
        unsafe { tools.blocks::<k::BinCount>(a.bins.into(), &a)? };
        let mut sums = |name, counts| -> Result<_, DeviceError> {
            let sums = Sums::room(arrays, name, cells)?;
            sums.queue(tools, counts, 1)?;
            Ok(sums.sums)
        };
        let by_bin = sums("first granules of cells, by bin", &bin_counts)?;
        let by_range = sums("first granules of cells, by range", &range_counts)?;
        let granules = by_bin.get(cells)?;
        let senders = arrays.filled("senders, by cell", granules * u64::from(GRANULE / 4), 0)?;
        let targets = arrays.array("where granules are sent", granules)?;
        let messages = arrays.array("messages in bins", granules * u64::from(GRANULE))?;
        a.by_bin = by_bin.global();
        a.by_range = by_range.global();
        a.local = Global::at(senders.global().address());
        a.targets = targets.global();
        // SAFETY: as above; the prefix sums are those of the counts, and `senders` and
        // `targets` have room for as many granules as they add up to.
        unsafe { tools.blocks::<k::BinPlace>(a.bins.into(), &a)? };
        let silent = arrays.filled("whether an edge kept silent", 1, 0)?;
        device.wait()?;
        Ok(Some(Self {
            cut,
            bins: a.bins,
            granules,
            firsts,
            lanes,
            rows,
            by_bin,
            by_range,
            senders,
            targets,
            positions,
            messages,
            silent,
            apart,
        }))
    }

    /// The cut, for a report.
    pub(crate) fn explain(&self) -> ByBins {
        let (ranges, bins) = (self.cut.ranges, self.bins);
        let messages = self.granules * u64::from(GRANULE);
        ByBins::Cut { ranges, bins, messages, apart: self.apart.edges }
    }

    /// Queues clearing the mark that an edge kept silent.
    pub(crate) fn forget(&self) -> Result<(), DeviceError> {
        self.silent.fill(0)
    }

    /// The argument block's view of the bins.
    pub(crate) fn global(&self) -> Bins<P> {
        Bins {
            range: self.cut.range,
            ranges: self.cut.ranges,
            bins: self.bins,
            senders: self.senders.global(),
            by_range: self.by_range.global(),
            targets: self.targets.global(),
            messages: self.messages.global(),
            by_bin: self.by_bin.global(),
            firsts: self.firsts.global(),
            lanes: self.lanes.global(),
            rows: self.rows.global(),
            positions: self.positions.global(),
            silent: self.silent.global(),
            apart: self.apart.places,
            apart_firsts: self.apart.firsts.global(),
            apart_senders: self.apart.senders.global(),
            apart_sums: self.apart.sums.global(),
        }
    }

    /// The grids of the kernels. Loads them if need be.
    pub(crate) fn launches(&self, kernels: &Kernels<D, P>) -> Result<BinLaunches, DeviceError>
    where
        P: VertexCompute,
    {
        let signals = self.cut.range * size_of::<P::Signal>() as u32;
        let messages = self.cut.bin + self.cut.ranges * (GRANULE - 1);
        let messages = messages * size_of::<Message<P>>() as u32;
        let launch = |blocks: u32, shared| Launch { blocks: blocks.min(MOST_BLOCKS), shared };
        let apart = if self.apart.places > 0 {
            Some(launch(kernels.resident_blocks::<p::BinApart>(signals)?, signals))
        } else {
            None
        };
        Ok(BinLaunches {
            apart,
            send: launch(kernels.resident_blocks::<p::BinSend>(signals)?, signals),
            pull: launch(kernels.resident_blocks::<p::BinPull>(messages)?, messages),
        })
    }
}

impl<D: Device, P: Program> Apart<D, P>
where
    Message<P>: Value,
{
    /// Memory for the messages of the first `places` places along their `edges` edges;
    /// none if `places` is 0.
    fn new(
        arrays: &mut Arrays<D>,
        places: u32,
        edges: u64,
        items: &Items,
    ) -> Result<Self, DeviceError> {
        if places == 0 {
            let (firsts, senders, sums) = (Array::none(), Array::none(), Array::none());
            return Ok(Self { places, edges, firsts, senders, sums });
        }
        let lanes = |count: u32| u64::from(count) * u64::from(WARP);
        Ok(Self {
            places,
            edges,
            firsts: arrays.copied("hub layers before items", &items.apart)?,
            senders: arrays.array("hub senders", lanes(items.apart()))?,
            sums: arrays.array("combined hub messages", lanes(items.count()))?,
        })
    }
}

/// Splits the layers of every item into those that are handled separately and those that
/// are binned, and divides the items into bins of at most `bin` messages. Also returns the
/// layers of each lane, which are set in `a`. Waits.
fn split<D: Device>(
    tools: &Kernels<D, Tools>,
    arrays: &mut Arrays<D>,
    a: &mut BinEdges,
    bin: u32,
) -> Result<(Items, Array<D, LaneLayers>), DeviceError> {
    let groups = columns::groups(a.vertices, WARP_SHIFT);
    let items = u64::from(a.chunk_count + (groups - a.heavy));
    let layers = arrays.array::<ItemLayers>("layers of items", items)?;
    let lanes = arrays.array("layers of lanes", items * u64::from(WARP))?;
    (a.lanes, a.items) = (lanes.global(), layers.global());
    // SAFETY: `a` has the columns and chunks of a graph, and there is room for every item
    // and for 32 lanes of each.
    unsafe { tools.each::<k::BinSplit>(items * u64::from(WARP), a)? };
    Ok((Items::of(&layers.to_vec()?, bin), lanes))
}

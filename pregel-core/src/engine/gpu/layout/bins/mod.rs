//! The bins of a graph: ranges, bins and cells, cut during a run once that pays.

mod cut;
mod pays;

use super::sums::Sums;
use super::{Placed, SenderColumns};
use crate::device::kernels::{Tools, program as p, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{Bins, Global, ItemLayers, LaneLayers, WARP, granule, granule_shift};
use crate::engine::gpu::policy::ByBins;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels, MOST_BLOCKS};
use crate::program::{Message, Program, Value, VertexCompute};

use cut::{Cut, Items};
pub(crate) use cut::{Demands, why_not_binned};
pub(crate) use pays::{AmortizationTimer, Size};

/// The fewest granules of messages per cell, binned or not, that are worth a cut: with fewer,
/// the padding of cells to whole granules is too large a part of what is moved.
const FILLED: u64 = 4;

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

/// The messages of the first ranges that are handled separately from bins.
struct Apart<D: Device, P: Program> {
    /// How many ranges; 0 if nothing is handled separately.
    ranges: u32,
    /// How many messages.
    messages: u64,
    lanes: Array<D, u8>,
    ends: Array<D, u32>,
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
        let mut a = BinEdges {
            vertices: placed.shape.vertices,
            range: cut.range,
            ranges: cut.ranges,
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
        let Split { items, layers, lanes, apart_lanes } = split(tools, arrays, &mut a, cut.bin)?;
        let cells = u64::from(cut.ranges) * u64::from(items.bins());
        let binned = items.messages;
        let granule = u64::from(granule::<Message<P>>());
        if !forced && placed.shape.edges < cells * granule * FILLED {
            return Ok(None);
        }
        let most = (binned + cells * (granule - 1)).div_ceil(granule);
        let planned = &mut Arrays::<D>::planned();
        CellRoom::new(planned, cells)?;
        ItemRoom::new(planned, &items)?;
        GranuleRoom::<D, P>::new(planned, most)?;
        Apart::<D, P>::room(planned, &items, Array::none())?;
        let memory = device.memory()?;
        let kept_free = kept_free.saturating_add(memory.size / 16);
        if most > u32::MAX.into() || planned.bytes() > memory.free.saturating_sub(kept_free) {
            return Ok(None);
        }
        let CellRoom { bin_counts, range_counts, by_bin, by_range } = CellRoom::new(arrays, cells)?;
        let ItemRoom { firsts, rows, positions } = ItemRoom::new(arrays, &items)?;
        firsts.write(&items.firsts)?;
        rows.write(&items.binned)?;
        let mut apart = Apart::room(arrays, &items, apart_lanes)?;
        apart.messages = size.shape.edges - binned;
        if apart.ranges > 0 {
            apart.firsts.write(&items.apart)?;
            apart.ends.write(&items.apart_ends)?;
        }
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
        by_bin.queue(tools, &bin_counts, 1)?;
        by_range.queue(tools, &range_counts, 1)?;
        let (by_bin, by_range) = (by_bin.sums, by_range.sums);
        let granules = by_bin.get(cells)?;
        let GranuleRoom { senders, targets, messages } =
            GranuleRoom::<D, P>::new(arrays, granules)?;
        a.by_bin = by_bin.global();
        a.by_range = by_range.global();
        a.local = Global::at(senders.global().address());
        a.targets = targets.global();
        // SAFETY: as above; the prefix sums are those of the counts, and `senders` and
        // `targets` have room for as many granules as they add up to.
        unsafe { tools.blocks::<k::BinPlace>(a.bins.into(), &a)? };
        let silent = arrays.filled("whether an edge kept silent", 1, 0)?;
        device.wait()?;
        drop(layers);
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
        let messages = self.granules * u64::from(granule::<Message<P>>());
        let Apart { ranges: hub_ranges, messages: hub_messages, .. } = self.apart;
        ByBins::Cut { ranges, bins, messages, hub_ranges, hub_messages }
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
            apart_ranges: self.apart.ranges,
            apart_lanes: self.apart.lanes.global(),
            apart_ends: self.apart.ends.global(),
            apart_firsts: self.apart.firsts.global(),
            apart_senders: self.apart.senders.global(),
            apart_sums: self.apart.sums.global(),
        }
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
        Ok(BinLaunches {
            apart,
            send: launch(kernels.resident_blocks::<p::BinSend>(signals)?, signals),
            pull: launch(kernels.resident_blocks::<p::BinPull>(messages)?, messages),
        })
    }
}

/// Memory for the numbers of granules of cells, and for the first granule of each.
struct CellRoom<D: Device> {
    bin_counts: Array<D, u32>,
    range_counts: Array<D, u32>,
    by_bin: Sums<D>,
    by_range: Sums<D>,
}

impl<D: Device> CellRoom<D> {
    fn new(arrays: &mut Arrays<D>, cells: u64) -> Result<Self, DeviceError> {
        Ok(Self {
            bin_counts: arrays.array("granules of cells, by bin", cells)?,
            range_counts: arrays.array("granules of cells, by range", cells)?,
            by_bin: Sums::room(arrays, "first granules of cells, by bin", cells)?,
            by_range: Sums::room(arrays, "first granules of cells, by range", cells)?,
        })
    }
}

/// Memory for the items of bins, and for the positions of their messages.
struct ItemRoom<D: Device> {
    firsts: Array<D, u32>,
    rows: Array<D, u32>,
    positions: Array<D, u64>,
}

impl<D: Device> ItemRoom<D> {
    fn new(arrays: &mut Arrays<D>, items: &Items) -> Result<Self, DeviceError> {
        let positions = u64::from(items.binned()) * u64::from(WARP);
        Ok(Self {
            firsts: arrays.array("first items of bins", items.firsts.len() as u64)?,
            rows: arrays.array("binned layers before items", items.binned.len() as u64)?,
            positions: arrays.array("positions in bins", positions)?,
        })
    }
}

/// Memory for messages in granules, with their senders and targets.
struct GranuleRoom<D: Device, P: Program> {
    senders: Array<D, u64>,
    targets: Array<D, u32>,
    messages: Array<D, Message<P>>,
}

impl<D: Device, P: Program> GranuleRoom<D, P>
where
    Message<P>: Value,
{
    fn new(arrays: &mut Arrays<D>, granules: u64) -> Result<Self, DeviceError> {
        let granule = granule::<Message<P>>();
        let senders = granules * u64::from(granule / 4);
        Ok(Self {
            senders: arrays.filled("senders, by cell", senders, 0)?,
            targets: arrays.array("where granules are sent", granules)?,
            messages: arrays.array("messages in bins", granules * u64::from(granule))?,
        })
    }
}

impl<D: Device, P: Program> Apart<D, P>
where
    Message<P>: Value,
{
    /// Memory for the messages that are handled separately, of which each lane has these
    /// layers; none if no range has any.
    fn room(
        arrays: &mut Arrays<D>,
        items: &Items,
        lanes: Array<D, u8>,
    ) -> Result<Self, DeviceError> {
        let ranges = items.apart_ends.len() as u32;
        let mut apart = Self {
            ranges,
            messages: 0,
            lanes,
            ends: Array::none(),
            firsts: Array::none(),
            senders: Array::none(),
            sums: Array::none(),
        };
        if ranges > 0 {
            let lanes = |count: u32| u64::from(count) * u64::from(WARP);
            apart.ends = arrays.array("last items with hub layers", ranges.into())?;
            apart.firsts = arrays.array("hub layers before items", items.apart.len() as u64)?;
            apart.senders = arrays.array("hub senders", lanes(items.apart()))?;
            apart.sums = arrays.array("combined hub messages", lanes(items.count()))?;
        }
        Ok(apart)
    }
}

/// The items of a pull, with their layers split into those that are handled separately and
/// those that are binned.
struct Split<D: Device> {
    items: Items,
    layers: Array<D, ItemLayers>,
    lanes: Array<D, LaneLayers>,
    /// The layers of each lane that are handled separately, range by range.
    apart_lanes: Array<D, u8>,
}

/// Splits the layers of all items, and divides the items into bins of at most `bin`
/// messages. The arrays are set in `a`. Waits.
fn split<D: Device>(
    tools: &Kernels<D, Tools>,
    arrays: &mut Arrays<D>,
    a: &mut BinEdges,
    bin: u32,
) -> Result<Split<D>, DeviceError> {
    let items = u64::from(a.item_count());
    let of_lanes = items * u64::from(WARP);
    let layers = arrays.array::<ItemLayers>("layers of items", items)?;
    let lanes = arrays.array("layers of lanes", of_lanes)?;
    let apart_lanes = match a.apart_ranges {
        0 => Array::none(),
        ranges => arrays.array("hub layers of lanes", of_lanes * u64::from(ranges))?,
    };
    (a.lanes, a.items, a.apart_lanes) = (lanes.global(), layers.global(), apart_lanes.global());
    // SAFETY: `a` has the columns and chunks of a graph, and there is room for every item
    // and for 32 lanes of each, in each range that is handled separately.
    unsafe { tools.each::<k::BinSplit>(of_lanes, a)? };
    let items = Items::of(&layers.to_vec()?, bin, a.apart_ranges);
    Ok(Split { items, layers, lanes, apart_lanes })
}

//! Messages through bins: when, and the cells that they take.

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

/// Messages of a tile on average, at least: they are filled up to whole granules.
const FILLED: u64 = 32;

/// The tiles of a graph, and room for the messages.
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

/// What is pulled apart from bins, item by item; empty if nothing is.
struct Apart<D: Device, P: Program> {
    /// Messages of places before this, and how many.
    places: u32,
    edges: u64,
    firsts: Array<D, u32>,
    senders: Array<D, u64>,
    sums: Array<D, Message<P>>,
}

/// A launch that takes as many blocks as the device holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) blocks: u32,
    /// Bytes of shared memory for each block.
    pub(crate) shared: u32,
}

/// How messages are sent and pulled through bins.
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
    /// Cuts a graph in columns; `None` if it cannot be done, does not pay after all
    /// (unless it is `forced`), or has no room. O(E) on the device, O(V) on the host.
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
        let (free, all) = device.memory()?;
        if most > u32::MAX.into() || needed > free.saturating_sub(all / 16) {
            return Ok(None);
        }
        let bin_counts = arrays.array("granules of cells, by bin", cells)?;
        let range_counts = arrays.array("granules of cells, by range", cells)?;
        let firsts = arrays.copied("first items of bins", &items.firsts)?;
        let rows = arrays.copied("binned rows before items", &items.rows)?;
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
        // SAFETY: the arrays have the sizes that the kernels ask for.
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
        // SAFETY: the arrays have the sizes that the kernels ask for.
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

    /// What is said of it.
    pub(crate) fn explain(&self) -> ByBins {
        let (ranges, bins) = (self.cut.ranges, self.bins);
        let messages = self.granules * u64::from(GRANULE);
        ByBins::Cut { ranges, bins, messages, apart: self.apart.edges }
    }

    /// Queues forgetting that an edge kept silent.
    pub(crate) fn forget(&self) -> Result<(), DeviceError> {
        self.silent.fill(0)
    }

    /// What kernels are given.
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

    /// On how many blocks the kernels run, and with how much shared memory.
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
    /// Room for the `edges` of the first `places` places; nothing if there are none.
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
            firsts: arrays.copied("rows apart before items", &items.apart)?,
            senders: arrays.array("senders apart", lanes(items.apart()))?,
            sums: arrays.array("messages apart", lanes(items.count()))?,
        })
    }
}

/// Splits every item into what is pulled apart and what goes through bins of at most
/// `bin` messages; with the rows of each lane.
fn split<D: Device>(
    tools: &Kernels<D, Tools>,
    arrays: &mut Arrays<D>,
    a: &mut BinEdges,
    bin: u32,
) -> Result<(Items, Array<D, LaneLayers>), DeviceError> {
    let groups = columns::groups(a.vertices, WARP_SHIFT);
    let items = u64::from(a.chunk_count + (groups - a.heavy));
    let rows = arrays.array::<ItemLayers>("rows of items", items)?;
    let lanes = arrays.array("rows of lanes", items * u64::from(WARP))?;
    (a.lanes, a.items) = (lanes.global(), rows.global());
    // SAFETY: the arrays have the sizes that the kernel asks for.
    unsafe { tools.each::<k::BinSplit>(items * u64::from(WARP), a)? };
    Ok((Items::of(&rows.to_vec()?, bin), lanes))
}

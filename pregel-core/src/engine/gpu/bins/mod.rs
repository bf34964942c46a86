//! Messages by way of bins: when, and the tiles that they take.

mod cut;
mod pays;

use super::device::{Array, Device, DeviceError, Grid};
use super::explain::ByBins;
use super::prepare::{Prepared, Steps};
use super::queue::Kernels;
use crate::device::prepare::BinEdges;
use crate::device::{Bins, GRANULE, Global, ItemRows, LaneRows, WARP, columns};
use crate::program::{Message, Program, Value};

pub(super) use cut::unless;
use cut::{Cut, Items};
pub(super) use pays::{Patience, Size};

/// Threads of a block that sends, of which a multiprocessor holds one.
const SENDING: u32 = 1024;

/// Threads of a block that pulls, of which a multiprocessor holds two.
const PULLING: u32 = 512;

/// Messages of a tile on average, at least: they are filled up to whole granules.
const FILLED: u64 = 32;

/// The tiles of a graph, and room for the messages.
pub(super) struct BinsMemory<D: Device, P: Program> {
    cut: Cut,
    bins: u32,
    granules: u64,
    firsts: Array<D, u32>,
    lanes: Array<D, LaneRows>,
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

/// How messages are sent and pulled by bins.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinGrids {
    pub(super) apart: Option<Grid>,
    pub(super) send: Grid,
    pub(super) pull: Grid,
}

impl<D: Device, P: Program> BinsMemory<D, P>
where
    Message<P>: Value,
{
    /// Cuts a graph in columns; `None` if it cannot be done, does not pay after all, or
    /// has no room. O(E) on the device, O(V) on the host.
    pub(super) fn new(
        steps: &Steps<'_, D>,
        prepared: &Prepared<D, P::Edge>,
        (size, forced): (Size, bool),
    ) -> Result<Option<Self>, DeviceError> {
        let device = steps.device;
        let Some((columns, cut)) =
            prepared.columns.as_ref().zip(Cut::of_program::<D, P>(device, prepared))
        else {
            return Ok(None);
        };
        let mut a = BinEdges {
            vertices: prepared.vertices,
            range: cut.range,
            ranges: cut.ranges,
            chunks: columns.chunks.list.global(),
            chunk_count: columns.chunks.count,
            heavy: columns.chunks.heavy,
            degrees: prepared.receive_degrees.global(),
            bases: columns.bases.global(),
            senders: columns.senders.global(),
            apart: if size.apart > 0 { cut.range.min(prepared.vertices) } else { 0 },
            ..BinEdges::default()
        };
        let (items, lanes) = split(steps, &mut a, cut.bin)?;
        let tiles = u64::from(cut.ranges) * u64::from(items.bins());
        let binned = size.edges - size.apart;
        if !forced && binned < tiles * FILLED {
            return Ok(None);
        }
        let most = (binned + tiles * u64::from(GRANULE - 1)).div_ceil(GRANULE.into());
        let width = size_of::<Message<P>>() as u64;
        let needed = most * (u64::from(GRANULE) * (width + 2) + 4)
            + u64::from(items.binned() + items.apart()) * u64::from(WARP) * 8
            + u64::from(items.count()) * u64::from(WARP) * width
            + tiles * 24;
        let (free, all) = device.memory()?;
        if most > u32::MAX.into() || needed > free.saturating_sub(all / 16) {
            return Ok(None);
        }
        let counts = [Array::new(device, tiles)?, Array::new(device, tiles)?];
        let mut of = Self {
            cut,
            bins: items.bins(),
            granules: 0,
            firsts: Array::from_slice(device, &items.firsts)?,
            lanes,
            rows: Array::from_slice(device, &items.rows)?,
            by_bin: Array::none(),
            by_range: Array::none(),
            senders: Array::none(),
            targets: Array::none(),
            positions: Array::new(device, u64::from(items.binned()) * u64::from(WARP))?,
            messages: Array::none(),
            silent: Array::filled(device, 1, 0)?,
            apart: Apart::new(device, &a, (size.apart, &items))?,
        };
        a.bins = of.bins;
        a.firsts = of.firsts.global();
        a.bin_counts = counts[0].global();
        a.range_counts = counts[1].global();
        a.rows = of.rows.global();
        a.positions = of.positions.global();
        a.apart_firsts = of.apart.firsts.global();
        a.apart_senders = of.apart.senders.global();
        // SAFETY: the arrays have the sizes that the kernels ask for.
        unsafe { steps.kernels.blocks(device, "bin_count", of.bins.into(), &a)? };
        of.by_bin = steps.scan(&counts[0], tiles, 1)?;
        of.by_range = steps.scan(&counts[1], tiles, 1)?;
        let granules = of.by_bin.get(device, tiles)?;
        of.granules = granules;
        of.senders = Array::filled(device, granules * u64::from(GRANULE / 4), 0)?;
        of.targets = Array::new(device, granules)?;
        of.messages = Array::new(device, granules * u64::from(GRANULE))?;
        a.by_bin = of.by_bin.global();
        a.by_range = of.by_range.global();
        a.local = Global::at(of.senders.global().address());
        a.targets = of.targets.global();
        // SAFETY: the arrays have the sizes that the kernels ask for.
        unsafe { steps.kernels.blocks(device, "bin_place", of.bins.into(), &a)? };
        device.wait()?;
        Ok(Some(of))
    }

    /// What is said of it.
    pub(super) fn explain(&self) -> ByBins {
        let (ranges, bins) = (self.cut.ranges, self.bins);
        let messages = self.granules * u64::from(GRANULE);
        ByBins::Cut { ranges, bins, messages, apart: self.apart.edges }
    }

    /// Queues forgetting that an edge kept silent.
    pub(super) fn forget(&self, device: &D) -> Result<(), DeviceError> {
        self.silent.fill(device, 0)
    }

    /// What kernels are given.
    pub(super) fn global(&self) -> Bins<P> {
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

    /// On how many blocks.
    pub(super) fn grids(&self, device: &D, kernels: &Kernels<D>) -> Result<BinGrids, DeviceError> {
        let signals = self.cut.range * size_of::<P::Signal>() as u32;
        let messages = self.cut.bin + self.cut.ranges * (GRANULE - 1);
        let messages = messages * size_of::<Message<P>>() as u32;
        let grid = |kernel, threads, shared| -> Result<Grid, DeviceError> {
            let kernel = kernels.kernel(device, kernel)?;
            let blocks = device.together(&kernel, threads, shared)?.min(super::pull::MOST_BLOCKS);
            Ok(Grid { blocks, threads, shared, together: false })
        };
        let apart = (self.apart.places > 0).then(|| grid("bin_apart", SENDING, signals));
        Ok(BinGrids {
            apart: apart.transpose()?,
            send: grid("bin_send", SENDING, signals)?,
            pull: grid("bin_pull", PULLING, messages)?,
        })
    }
}

impl<D: Device, P: Program> Apart<D, P>
where
    Message<P>: Value,
{
    /// Room for so many edges, none of them if there are none.
    fn new(device: &D, a: &BinEdges, (edges, items): (u64, &Items)) -> Result<Self, DeviceError> {
        let lanes = |count: u32| u64::from(count) * u64::from(WARP);
        Ok(match a.apart {
            0 => Self {
                places: 0,
                edges,
                firsts: Array::none(),
                senders: Array::none(),
                sums: Array::none(),
            },
            places => Self {
                places,
                edges,
                firsts: Array::from_slice(device, &items.apart)?,
                senders: Array::new(device, lanes(items.apart()))?,
                sums: Array::new(device, lanes(items.count()))?,
            },
        })
    }
}

/// Splits every item into what is pulled apart and what goes by bins, of at most so many
/// messages; with the rows of each lane.
fn split<D: Device>(
    steps: &Steps<'_, D>,
    a: &mut BinEdges,
    bin: u32,
) -> Result<(Items, Array<D, LaneRows>), DeviceError> {
    let device = steps.device;
    let groups = columns::groups(a.vertices, WARP.trailing_zeros());
    let items = u64::from(a.chunk_count + (groups - a.heavy));
    let rows = Array::<D, ItemRows>::new(device, items)?;
    let lanes = Array::new(device, items * u64::from(WARP))?;
    (a.lanes, a.items) = (lanes.global(), rows.global());
    // SAFETY: the arrays have the sizes that the kernel asks for.
    unsafe { steps.kernels.each(device, "bin_split", items * u64::from(WARP), a)? };
    Ok((Items::of(&rows.to_vec(device)?, bin), lanes))
}

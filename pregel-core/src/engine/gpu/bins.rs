//! When messages go by bins, and the tiles that they take.

use std::time::Duration;

use super::costs::Costs;
use super::device::{Array, Device, DeviceError, Grid};
use super::explain::{ByBins, WhyNot};
use super::options::Choice;
use super::prepare::{Prepared, Steps};
use super::queue::Kernels;
use crate::device::prepare::BinEdges;
use crate::device::{
    BIN_ROWS, Bins, GRANULE, Global, ITEM_MESSAGES, ItemRows, LaneRows, MOST_BINNED, MOST_RANGES,
    WARP, columns, goes_by_bins,
};
use crate::program::{Delivery, Message, Program, Value};

/// Threads of a block that sends, of which a multiprocessor holds one.
const SENDING: u32 = 1024;

/// Threads of a block that pulls, of which a multiprocessor holds two.
const PULLING: u32 = 512;

/// Items of a bin at most: groups without messages are work too, and come last.
const MOST_ITEMS: u32 = 1 << 8;

/// Messages of a tile on average, at least: they are filled up to whole granules.
const FILLED: u64 = 32;

/// Whether it is time to cut: when what bins would have saved so far, or will save
/// until the limit, makes up for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    /// Supersteps into which every vertex scattered, without bins.
    done: u32,
    /// What the fastest of them took.
    took: Option<Duration>,
}

impl Patience {
    /// So many supersteps more took so long each.
    pub(super) fn note(&mut self, supersteps: u32, each: Duration) {
        self.done = self.done.saturating_add(supersteps);
        self.took = Some(self.took.map_or(each, |took| took.min(each)));
    }

    /// Whether it is over, `left` supersteps before the limit.
    pub(super) fn over(self, left: Option<u32>, size: Size, costs: &Costs) -> bool {
        let took = self.took.map_or(0.0, |took| took.as_nanos() as f64);
        let saved = took - size.takes(costs);
        saved * f64::from(left.unwrap_or(0).max(self.done)) > size.edges as f64 * costs.cut_edge_ns
    }
}

/// The size of a graph, and so many of its edges pulled apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    vertices: u32,
    edges: u64,
    apart: u64,
}

impl Size {
    /// Of a graph, and of what program `P` sends from the first range, if that is so
    /// large a part of all that it is pulled apart.
    pub(super) fn of<D: Device, P: Program>(
        device: &D,
        prepared: &Prepared<D, P::Edge>,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let (vertices, edges) = (prepared.vertices, prepared.edges);
        let mut size = Self { vertices, edges, apart: 0 };
        if let Some(cut) = cut::<D, P>(device, prepared)
            && costs.apart_share <= 1.0
        {
            let range = cut.range.min(vertices);
            let sent = prepared.send_degrees.first(device, range.into())?;
            let sent = sent.into_iter().map(u64::from).sum::<u64>();
            if sent as f64 >= edges as f64 * costs.apart_share {
                size.apart = sent;
            }
        }
        Ok(size)
    }

    /// The kernels of a superstep that were not needed before.
    pub(super) const fn kernels(self) -> &'static [&'static str] {
        match self.apart {
            0 => &["bin_send", "bin_pull", "pull"],
            _ => &["bin_apart", "bin_send", "bin_pull", "pull"],
        }
    }

    /// Nanoseconds that a superstep is predicted to take.
    fn takes(self, costs: &Costs) -> f64 {
        (self.edges - self.apart) as f64 * costs.binned_edge_ns
            + self.apart as f64 * costs.apart_edge_ns
            + f64::from(self.vertices) * costs.binned_vertex_ns
    }
}

/// What a graph is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// Places of a range, and how many ranges.
    range: u32,
    ranges: u32,
    /// Messages of a bin at most, before tiles are filled up.
    bin: u32,
}

impl Cut {
    /// For blocks that can be given so many bytes, `n` places, and signals and
    /// messages of these sizes; `None` if it cannot be done.
    fn of(shared: u32, n: u32, (signal, message): (usize, usize)) -> Option<Self> {
        let fits = |bytes: u32, size: usize| (bytes / size as u32).min(MOST_BINNED) & !7;
        let range = fits(shared, signal);
        // Two blocks share what one could have, but for what each takes itself.
        let bin = fits(shared / 2 - shared / 32, message);
        let ranges = if range == 0 { u32::MAX } else { n.div_ceil(range) };
        if ranges > MOST_RANGES {
            return None;
        }
        let bin = bin.checked_sub(ranges * (GRANULE - 1))?;
        (bin >= ITEM_MESSAGES).then_some(Self { range, ranges, bin })
    }
}

/// Why messages of program `P` cannot go by bins on this device, or will not, unless
/// they have to.
pub(super) fn unless<D: Device, P: Program>(
    device: &D,
    prepared: &Prepared<D, P::Edge>,
    (wanted, deterministic): (Choice, bool),
    costs: &Costs,
) -> Option<WhyNot> {
    let (edges, needed) = (prepared.edges, costs.binned_edges);
    if wanted == Choice::Never {
        Some(WhyNot::Off)
    } else if !P::Combiner::COMBINES {
        Some(WhyNot::Listed)
    } else if !goes_by_bins::<P>() {
        Some(WhyNot::NotBinned)
    } else if deterministic {
        // Which messages a block adds up would differ from device to device.
        Some(WhyNot::Deterministic)
    } else if prepared.columns.is_none() || cut::<D, P>(device, prepared).is_none() {
        Some(WhyNot::Room)
    } else if wanted == Choice::Auto && size_of::<Message<P>>() > costs.binned_bytes as usize {
        Some(WhyNot::WideMessages { most: costs.binned_bytes })
    } else if wanted == Choice::Auto && edges < needed {
        Some(WhyNot::FewEdges { edges, needed })
    } else {
        None
    }
}

fn cut<D: Device, P: Program>(device: &D, prepared: &Prepared<D, P::Edge>) -> Option<Cut> {
    let sizes = (size_of::<P::Signal>(), size_of::<Message<P>>());
    Cut::of(device.shared(), prepared.vertices, sizes)
}

/// The items of a pull, in bins.
#[derive(Debug, PartialEq, Eq)]
struct Items {
    /// First item of each bin, and the end.
    firsts: Vec<u32>,
    /// Fours of rows that go by bins before each item, and in all.
    rows: Vec<u32>,
    /// Fours of rows that are pulled apart before each item, and in all.
    apart: Vec<u32>,
}

impl Items {
    /// Of so many rows each, in bins of at most so many messages.
    fn of(rows: &[ItemRows], bin: u32) -> Self {
        let (mut binned, mut apart) = (0, 0);
        let mut items = Self { firsts: Vec::new(), rows: vec![0], apart: vec![0] };
        let (mut messages, mut count) = (0, 0);
        for (item, rows) in rows.iter().enumerate() {
            messages += rows.messages;
            count += 1;
            if item == 0 || messages > bin || count > MOST_ITEMS {
                items.firsts.push(item as u32);
                (messages, count) = (rows.messages, 1);
            }
            binned += rows.binned.div_ceil(BIN_ROWS);
            apart += rows.apart.div_ceil(BIN_ROWS);
            items.rows.push(binned);
            items.apart.push(apart);
        }
        items.firsts.push(rows.len() as u32);
        items
    }

    fn bins(&self) -> u32 {
        self.firsts.len() as u32 - 1
    }

    fn count(&self) -> u32 {
        self.rows.len() as u32 - 1
    }

    /// Fours of rows that go by bins.
    fn binned(&self) -> u32 {
        self.rows.last().copied().unwrap_or(0)
    }

    /// Fours of rows that are pulled apart.
    fn apart(&self) -> u32 {
        self.apart.last().copied().unwrap_or(0)
    }
}

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
        let Some((columns, cut)) = prepared.columns.as_ref().zip(cut::<D, P>(device, prepared))
        else {
            return Ok(None);
        };
        let mut a = BinEdges {
            vertices: prepared.vertices,
            range: cut.range,
            ranges: cut.ranges,
            bins: 0,
            chunks: columns.chunks.list.global(),
            chunk_count: columns.chunks.count,
            heavy: columns.chunks.heavy,
            degrees: prepared.receive_degrees.global(),
            bases: columns.bases.global(),
            senders: columns.senders.global(),
            firsts: Global::NONE,
            bin_counts: Global::NONE,
            range_counts: Global::NONE,
            by_bin: Global::NONE,
            by_range: Global::NONE,
            local: Global::NONE,
            targets: Global::NONE,
            rows: Global::NONE,
            positions: Global::NONE,
            apart: if size.apart > 0 { cut.range.min(prepared.vertices) } else { 0 },
            lanes: Global::NONE,
            items: Global::NONE,
            apart_firsts: Global::NONE,
            apart_senders: Global::NONE,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_bins_fit() {
        // 227 KB: one block with the signals, or two with messages.
        let cut = Cut::of(227 << 10, 1 << 22, (4, 4)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.ranges), (58_112, 73));
        assert_eq!(cut.bin, 27_240 - 73 * 7);
        // Doubles: half as many.
        let cut = Cut::of(227 << 10, 1 << 22, (8, 8)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.ranges), (29_056, 145));
        // No more than 16 bits.
        let cut = Cut::of(1 << 20, 1 << 22, (4, 4)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.bin), (1 << 16, (1 << 16) - 64 * 7));
        // Too little memory for a chunk, or a bin filled up by its tiles.
        assert_eq!(Cut::of(512, 100, (4, 4)), None);
        assert_eq!(Cut::of(227 << 10, 1 << 29, (4, 4)), None);
    }

    #[test]
    fn cutting_has_to_pay() {
        // 3.2 ms to cut, 0.5 ms by bins.
        let costs = Costs { binned_edge_ns: 0.005, cut_edge_ns: 0.032, ..Costs::default() };
        let size = Size { edges: 100_000_000, ..Size::default() };
        let mut patience = Patience::default();
        assert!(!patience.over(Some(1000), size, &costs));
        patience.note(2, Duration::from_micros(900));
        assert!(patience.over(Some(9), size, &costs));
        assert!(!patience.over(Some(7), size, &costs));
        // Nobody knows how many are left: as many as there were.
        assert!(!patience.over(None, size, &costs));
        patience.note(7, Duration::from_micros(950));
        assert!(patience.over(None, size, &costs));
        let mut patience = Patience::default();
        patience.note(1000, Duration::from_micros(500));
        assert!(!patience.over(Some(1000), size, &costs));
    }

    #[test]
    fn items_fill_bins() {
        let rows = [(64, 2048), (64, 2048), (2, 64), (64, 1000), (1, 32), (5, 160), (0, 0)];
        let rows = rows.map(|(binned, messages)| ItemRows { apart: 64 - binned, binned, messages });
        let items = Items::of(&rows, 4500);
        // 4,160 messages, and 1,192.
        assert_eq!(items.firsts, [0, 3, 7]);
        assert_eq!(items.rows, [0, 16, 32, 33, 49, 50, 52, 52]);
        assert_eq!(items.apart, [0, 0, 0, 16, 16, 32, 47, 63]);
        assert_eq!((items.bins(), items.count()), (2, 7));
        assert_eq!((items.binned(), items.apart()), (52, 63));
        assert_eq!(Items::of(&[], 4500).bins(), 0);
        // Groups without messages fill bins too.
        let items = Items::of(&vec![ItemRows::default(); 600], 4500);
        assert_eq!(items.firsts, [0, 256, 512, 600]);
    }
}

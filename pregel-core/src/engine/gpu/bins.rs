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
    BIN_ROWS, Bins, CHUNK_ROWS, GRANULE, Global, ITEM_MESSAGES, MOST_BINNED, MOST_RANGES, WARP,
    goes_by_bins,
};
use crate::program::{Delivery, Message, Program, Value};

/// Threads of a block that sends, of which a multiprocessor holds one.
const SENDING: u32 = 1024;

/// Threads of a block that pulls, of which a multiprocessor holds two.
const PULLING: u32 = 512;

/// Items of a bin at most: groups without messages are work too.
const MOST_ITEMS: u32 = 1 << 11;

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
    pub(super) fn over(self, left: Option<u32>, (n, m): (u32, u64), costs: &Costs) -> bool {
        let took = self.took.map_or(0.0, |took| took.as_nanos() as f64);
        let (n, m) = (f64::from(n), m as f64);
        let saved = took - m * costs.binned_edge_ns - n * costs.binned_vertex_ns;
        saved * f64::from(left.unwrap_or(0).max(self.done)) > m * costs.cut_edge_ns
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
#[derive(Debug, Default, PartialEq, Eq)]
struct Items {
    /// First item of each bin, and the end.
    firsts: Vec<u32>,
    /// Fours of rows before each item.
    rows: Vec<u32>,
    /// All of them.
    all: u32,
}

impl Items {
    /// Of groups with so many rows, the first `heavy` in chunks, in bins of at most so
    /// many messages.
    fn of(rows: &[u32], heavy: u32, bin: u32) -> Self {
        let (heavy, light) = rows.split_at(heavy as usize);
        let pieces = |rows: &u32| {
            let rows = (*rows).max(1);
            (0..rows).step_by(CHUNK_ROWS as usize).map(move |row| CHUNK_ROWS.min(rows - row))
        };
        let mut items = Self::default();
        let (mut messages, mut count) = (0, 0);
        for rows in heavy.iter().flat_map(pieces).chain(light.iter().copied()) {
            messages += rows * WARP;
            count += 1;
            if items.rows.is_empty() || messages > bin || count > MOST_ITEMS {
                items.firsts.push(items.rows.len() as u32);
                (messages, count) = (rows * WARP, 1);
            }
            items.rows.push(items.all);
            items.all += rows.div_ceil(BIN_ROWS);
        }
        items.firsts.push(items.rows.len() as u32);
        items
    }

    fn bins(&self) -> u32 {
        self.firsts.len() as u32 - 1
    }
}

/// The tiles of a graph, and room for the messages.
pub(super) struct BinsMemory<D: Device, P: Program> {
    cut: Cut,
    bins: u32,
    granules: u64,
    firsts: Array<D, u32>,
    rows: Array<D, u32>,
    by_bin: Array<D, u64>,
    by_range: Array<D, u64>,
    senders: Array<D, u64>,
    targets: Array<D, u32>,
    positions: Array<D, u64>,
    messages: Array<D, Message<P>>,
    silent: Array<D, u32>,
}

/// How messages are sent and pulled by bins.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinGrids {
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
        forced: bool,
    ) -> Result<Option<Self>, DeviceError> {
        let device = steps.device;
        let Some((columns, cut)) = prepared.columns.as_ref().zip(cut::<D, P>(device, prepared))
        else {
            return Ok(None);
        };
        let rows: Vec<u32> = columns
            .bases
            .to_vec(device)?
            .windows(2)
            .map(|bases| ((bases[1] - bases[0]) / u64::from(WARP)) as u32)
            .collect();
        let items = Items::of(&rows, columns.chunks.heavy, cut.bin);
        let tiles = u64::from(cut.ranges) * u64::from(items.bins());
        if !forced && prepared.edges < tiles * FILLED {
            return Ok(None);
        }
        let most = (prepared.edges + tiles * u64::from(GRANULE - 1)).div_ceil(GRANULE.into());
        let size = size_of::<Message<P>>() as u64;
        let needed = most * (u64::from(GRANULE) * (size + 2) + 4)
            + u64::from(items.all) * u64::from(WARP) * 8
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
            rows: Array::from_slice(device, &items.rows)?,
            by_bin: Array::none(),
            by_range: Array::none(),
            senders: Array::none(),
            targets: Array::none(),
            positions: Array::new(device, u64::from(items.all) * u64::from(WARP))?,
            messages: Array::none(),
            silent: Array::filled(device, 1, 0)?,
        };
        let mut a = BinEdges {
            vertices: prepared.vertices,
            range: cut.range,
            ranges: cut.ranges,
            bins: of.bins,
            chunks: columns.chunks.list.global(),
            chunk_count: columns.chunks.count,
            heavy: columns.chunks.heavy,
            degrees: prepared.receive_degrees.global(),
            bases: columns.bases.global(),
            senders: columns.senders.global(),
            firsts: of.firsts.global(),
            bin_counts: counts[0].global(),
            range_counts: counts[1].global(),
            by_bin: Global::NONE,
            by_range: Global::NONE,
            local: Global::NONE,
            targets: Global::NONE,
            rows: of.rows.global(),
            positions: of.positions.global(),
        };
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
        ByBins::Cut { ranges, bins, messages: self.granules * u64::from(GRANULE) }
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
            rows: self.rows.global(),
            positions: self.positions.global(),
            silent: self.silent.global(),
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
        Ok(BinGrids {
            send: grid("bin_send", SENDING, signals)?,
            pull: grid("bin_pull", PULLING, messages)?,
        })
    }
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
        let size = (0, 100_000_000);
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
        // Two heavy groups: pieces of 64, 64 and 2 rows, 64 and 1.
        let rows = [130, 65, 5, 3, 0, 1];
        let items = Items::of(&rows, 2, 4500);
        // 4,096 + 64 messages, 2,048 + 32 + 160 + 96 + 0 + 32.
        assert_eq!(items.firsts, [0, 3, 9]);
        assert_eq!(items.rows, [0, 16, 32, 33, 49, 50, 52, 53, 53]);
        assert_eq!((items.all, items.bins()), (54, 2));
        assert_eq!(Items::of(&[], 0, 4500).bins(), 0);
        // Groups without messages fill bins too.
        assert_eq!(Items::of(&vec![0; 5000], 0, 4500).firsts, [0, 2048, 4096, 5000]);
    }
}

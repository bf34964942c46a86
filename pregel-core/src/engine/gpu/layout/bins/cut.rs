//! Whether messages can go by bins, and how the work of a pull is cut.

use crate::device::{
    BIN_LAYERS, GRANULE, ITEM_MESSAGES, ItemLayers, MOST_BINNED, MOST_RANGES, goes_by_bins,
};
use crate::engine::gpu::layout::Shape;
use crate::engine::gpu::policy::{Choice, Costs, WhyNot};
use crate::engine::gpu::runtime::Device;
use crate::program::{Delivery, Message, Program};

/// Items of a bin at most: groups without messages are work too, and come last.
const MOST_ITEMS: u32 = 1 << 8;

/// What a graph is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Places of a range, and how many ranges.
    pub(super) range: u32,
    pub(super) ranges: u32,
    /// Messages of a bin at most, before tiles are filled up.
    pub(super) bin: u32,
}

impl Cut {
    /// For what program `P` sends on this device.
    pub(super) fn of_program<D: Device, P: Program>(device: &D, shape: Shape) -> Option<Self> {
        let sizes = (size_of::<P::Signal>(), size_of::<Message<P>>());
        Self::of(device.shared(), shape.vertices, sizes)
    }

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

/// Why messages of program `P` cannot go through bins on this device, or will not
/// unless they have to.
pub(crate) fn why_not_binned<D: Device, P: Program>(
    device: &D,
    shape: Shape,
    wanted: Choice,
    deterministic: bool,
    costs: &Costs,
) -> Option<WhyNot> {
    let (edges, needed) = (shape.edges, costs.binned_edges);
    if wanted == Choice::Never {
        Some(WhyNot::Off)
    } else if !P::Combiner::COMBINES {
        Some(WhyNot::Listed)
    } else if !goes_by_bins::<P>() {
        Some(WhyNot::NotBinned)
    } else if deterministic {
        // Which messages a block adds up would differ from device to device.
        Some(WhyNot::Deterministic)
    } else if Cut::of_program::<D, P>(device, shape).is_none() {
        Some(WhyNot::Room)
    } else if wanted == Choice::Auto && size_of::<Message<P>>() > costs.binned_bytes as usize {
        Some(WhyNot::WideMessages { most: costs.binned_bytes })
    } else if wanted == Choice::Auto && edges < needed {
        Some(WhyNot::FewEdges { edges, needed })
    } else {
        None
    }
}

/// The items of a pull, in bins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Items {
    /// First item of each bin, and the end.
    pub(super) firsts: Vec<u32>,
    /// Fours of rows that go by bins before each item, and in all.
    pub(super) rows: Vec<u32>,
    /// Fours of rows that are pulled apart before each item, and in all.
    pub(super) apart: Vec<u32>,
}

impl Items {
    /// Of so many rows each, in bins of at most so many messages.
    pub(super) fn of(rows: &[ItemLayers], bin: u32) -> Self {
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
            binned += rows.binned.div_ceil(BIN_LAYERS);
            apart += rows.apart.div_ceil(BIN_LAYERS);
            items.rows.push(binned);
            items.apart.push(apart);
        }
        items.firsts.push(rows.len() as u32);
        items
    }

    pub(super) fn bins(&self) -> u32 {
        self.firsts.len() as u32 - 1
    }

    pub(super) fn count(&self) -> u32 {
        self.rows.len() as u32 - 1
    }

    /// Fours of rows that go by bins.
    pub(super) fn binned(&self) -> u32 {
        self.rows.last().copied().unwrap_or(0)
    }

    /// Fours of rows that are pulled apart.
    pub(super) fn apart(&self) -> u32 {
        self.apart.last().copied().unwrap_or(0)
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
    fn items_fill_bins() {
        let rows = [(64, 2048), (64, 2048), (2, 64), (64, 1000), (1, 32), (5, 160), (0, 0)];
        let rows =
            rows.map(|(binned, messages)| ItemLayers { apart: 64 - binned, binned, messages });
        let items = Items::of(&rows, 4500);
        // 4,160 messages, and 1,192.
        assert_eq!(items.firsts, [0, 3, 7]);
        assert_eq!(items.rows, [0, 16, 32, 33, 49, 50, 52, 52]);
        assert_eq!(items.apart, [0, 0, 0, 16, 16, 32, 47, 63]);
        assert_eq!((items.bins(), items.count()), (2, 7));
        assert_eq!((items.binned(), items.apart()), (52, 63));
        assert_eq!(Items::of(&[], 4500).bins(), 0);
        // Groups without messages fill bins too.
        let items = Items::of(&vec![ItemLayers::default(); 600], 4500);
        assert_eq!(items.firsts, [0, 256, 512, 600]);
    }
}

//! Whether messages can be binned, and how a graph is cut into ranges and bins.

use crate::device::{
    BIN_LAYERS, ITEM_MESSAGES, ItemLayers, MOST_APART, MOST_BINNED, MOST_RANGES, goes_by_bins,
    granule,
};
use crate::engine::gpu::layout::Shape;
use crate::engine::gpu::policy::{Choice, Costs, WhyNot};
use crate::engine::gpu::runtime::Device;
use crate::program::{Delivery, Message, Program};

/// The most items of a bin. Groups without messages need no room in a bin, but they are
/// work too; without this limit they would all fall into the last bin.
const MOST_ITEMS: u32 = 1 << 8;

/// The sizes that a graph is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Places in a range.
    pub(super) range: u32,
    /// Number of ranges.
    pub(super) ranges: u32,
    /// The most messages of a bin, before cells are padded.
    pub(super) bin: u32,
}

/// Bytes of one value of a program, sent and received.
#[derive(Clone, Copy, Debug)]
struct Widths {
    signal: u32,
    message: u32,
    /// Messages in a granule.
    granule: u32,
}

impl Cut {
    /// The cut for signals and messages of program `P` on this device; `None` if there is
    /// none.
    pub(super) fn of_program<D: Device, P: Program>(device: &D, shape: Shape) -> Option<Self> {
        let signal = size_of::<P::Signal>() as u32;
        let message = size_of::<Message<P>>() as u32;
        let granule = granule::<Message<P>>();
        Self::of(device.shared(), shape.vertices, Widths { signal, message, granule })
    }

    /// The cut for `n` places on a device that can give each block `shared` bytes; `None`
    /// if there is none.
    fn of(shared: u32, n: u32, widths: Widths) -> Option<Self> {
        let fits = |bytes: u32, size: u32| (bytes / size).min(MOST_BINNED) & !7;
        let range = fits(shared, widths.signal);
        // Two blocks of `bin_pull` share a multiprocessor; each also has shared memory of
        // its own.
        let bin = fits(shared / 2 - shared / 32, widths.message);
        let ranges = if range == 0 { u32::MAX } else { n.div_ceil(range) };
        if ranges > MOST_RANGES {
            return None;
        }
        let bin = bin.checked_sub(ranges * (widths.granule - 1))?;
        (bin >= ITEM_MESSAGES).then_some(Self { range, ranges, bin })
    }
}

/// What the options of a run say that matters to bins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demands {
    pub(crate) wanted: Choice,
    /// Whether results must be the same on every device.
    pub(crate) deterministic: bool,
    /// Whether an observer is told of each superstep before the next.
    pub(crate) observed: bool,
}

/// Why messages of program `P` cannot be binned on this device, or are not unless the user
/// asks for it; `None` if they may be.
pub(crate) fn why_not_binned<D: Device, P: Program>(
    device: &D,
    shape: Shape,
    demands: Demands,
    costs: &Costs,
) -> Option<WhyNot> {
    let (wanted, edges) = (demands.wanted, shape.edges);
    if wanted == Choice::Never {
        return Some(WhyNot::Off);
    } else if !P::Combiner::COMBINES {
        return Some(WhyNot::Listed);
    } else if !goes_by_bins::<P>() {
        return Some(WhyNot::NotBinned);
    } else if demands.observed {
        // Only supersteps that are queued ahead are binned.
        return Some(WhyNot::Observer);
    } else if demands.deterministic {
        // Bins depend on the size of shared memory, so sums would differ across devices.
        return Some(WhyNot::Deterministic);
    }
    let Some(cut) = Cut::of_program::<D, P>(device, shape) else { return Some(WhyNot::Room) };
    let all_apart = costs.hub_share <= 1.0 && cut.ranges <= MOST_APART;
    let needed = if all_apart { costs.apart_edges } else { costs.binned_edges };
    if wanted != Choice::Auto {
        None
    } else if size_of::<Message<P>>() > costs.binned_bytes as usize {
        Some(WhyNot::WideMessages { most: costs.binned_bytes })
    } else if edges < needed {
        Some(WhyNot::FewEdges { edges, needed })
    } else {
        None
    }
}

/// The items of a pull, divided into bins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Items {
    /// First item of each bin, and the end of the last.
    pub(super) firsts: Vec<u32>,
    /// How many groups of four binned layers lie before each item, and how many there are
    /// in all.
    pub(super) binned: Vec<u32>,
    /// The same for layers that are handled separately, range by range.
    pub(super) apart: Vec<u32>,
    /// For each range with such layers, the end of the last item that has any.
    pub(super) apart_ends: Vec<u32>,
    /// Binned messages.
    pub(super) messages: u64,
}

impl Items {
    /// Divides items with these layers into bins of at most `bin` messages. The first
    /// `apart` ranges may have messages that are handled separately.
    pub(super) fn of(layers: &[ItemLayers], bin: u32, apart: u32) -> Self {
        let mut binned = 0;
        let mut items = Self {
            firsts: Vec::new(),
            binned: vec![0],
            apart: vec![0],
            apart_ends: Vec::new(),
            messages: layers.iter().map(|layers| u64::from(layers.messages)).sum(),
        };
        let (mut messages, mut count) = (0, 0);
        for (item, layers) in layers.iter().enumerate() {
            messages += layers.messages;
            count += 1;
            if item == 0 || messages > bin || count > MOST_ITEMS {
                items.firsts.push(item as u32);
                (messages, count) = (layers.messages, 1);
            }
            binned += layers.binned.div_ceil(BIN_LAYERS);
            items.binned.push(binned);
        }
        let mut before = 0;
        for range in 0..apart {
            let rows = layers.iter().map(|layers| layers.apart.of(range));
            let last = rows.clone().rposition(|rows| rows > 0);
            items.apart_ends.push(last.map_or(0, |last| last as u32 + 1));
            items.apart.extend(rows.map(|rows| {
                before += rows.div_ceil(BIN_LAYERS);
                before
            }));
        }
        items.firsts.push(layers.len() as u32);
        items
    }

    pub(super) fn bins(&self) -> u32 {
        self.firsts.len() as u32 - 1
    }

    pub(super) fn count(&self) -> u32 {
        self.binned.len() as u32 - 1
    }

    /// Groups of four binned layers in all items.
    pub(super) fn binned(&self) -> u32 {
        self.binned.last().copied().unwrap_or(0)
    }

    /// Groups of four layers that are handled separately, in all items.
    pub(super) fn apart(&self) -> u32 {
        self.apart.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ApartLayers;

    #[test]
    fn ranges_and_bins_fit() {
        let widths = |bytes| Widths { signal: bytes, message: bytes, granule: 32 / bytes };
        // 227 KB: one block with the signals, or two with messages.
        let cut = Cut::of(227 << 10, 1 << 22, widths(4)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.ranges), (58_112, 73));
        assert_eq!(cut.bin, 27_240 - 73 * 7);
        // Half as many values of twice the width.
        let cut = Cut::of(227 << 10, 1 << 22, widths(8)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.ranges), (29_056, 145));
        assert_eq!(cut.bin, 13_616 - 145 * 3);
        // Numbers have at most 16 bits.
        let cut = Cut::of(1 << 20, 1 << 22, widths(4)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.bin), (1 << 16, (1 << 16) - 64 * 7));
        // Too little memory for a chunk, and a bin that the padding of its cells fills.
        assert_eq!(Cut::of(512, 100, widths(4)), None);
        assert_eq!(Cut::of(227 << 10, 1 << 29, widths(4)), None);
    }

    #[test]
    fn items_fill_bins() {
        let layers = [(64, 2048), (64, 2048), (2, 64), (64, 1000), (1, 32), (5, 160), (0, 0)];
        let layers = layers.map(|(binned, messages)| {
            let apart = ApartLayers::default().with(0, 64 - binned).with(1, binned % 64);
            ItemLayers { apart, binned, messages }
        });
        let items = Items::of(&layers, 4500, 2);
        // 4,160 messages, and 1,192.
        assert_eq!(items.firsts, [0, 3, 7]);
        assert_eq!(items.binned, [0, 16, 32, 33, 49, 50, 52, 52]);
        // Rows of the second range follow those of the first.
        assert_eq!(items.apart[..8], [0, 0, 0, 16, 16, 32, 47, 63]);
        assert_eq!(items.apart[8..], [63, 63, 64, 64, 65, 67, 67]);
        assert_eq!(items.apart_ends, [7, 6]);
        assert_eq!((items.bins(), items.count(), items.messages), (2, 7, 5352));
        assert_eq!((items.binned(), items.apart()), (52, 67));
        assert_eq!(Items::of(&layers, 4500, 0).apart, [0]);
        assert_eq!(Items::of(&[], 4500, 1).bins(), 0);
        // Groups without messages count as items of a bin too.
        let items = Items::of(&vec![ItemLayers::default(); 600], 4500, 1);
        assert_eq!(items.firsts, [0, 256, 512, 600]);
    }
}

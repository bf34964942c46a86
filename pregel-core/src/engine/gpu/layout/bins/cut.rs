//! Whether messages can be binned, and how a graph is cut into ranges and bins.

use crate::device::{
    ITEM_MESSAGES, MOST_BINNED, MOST_RANGES, MOST_SHARES, Shares, goes_by_bins, granule,
};
use crate::engine::gpu::layout::Shape;
use crate::engine::gpu::policy::{Choice, Costs, WhyNot};
use crate::engine::gpu::runtime::Device;
use crate::program::{Delivery, Message, Program};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Widths {
    signal: u32,
    message: u32,
    /// Messages in a granule.
    granule: u32,
}

impl Widths {
    const fn of<P: Program>() -> Self {
        Self {
            signal: size_of::<P::Signal>() as u32,
            message: size_of::<Message<P>>() as u32,
            granule: granule::<Message<P>>(),
        }
    }
}

impl Cut {
    /// The cut for signals and messages of program `P` on this device; `None` if there is
    /// none.
    pub(super) fn of_program<D: Device, P: Program>(device: &D, shape: Shape) -> Option<Self> {
        Self::of(device.shared(), shape.vertices, Widths::of::<P>())
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

/// How a graph is cut where multiprocessors exchange messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(super) shares: Shares,
    /// The most places of a share.
    pub(super) share: u32,
    /// The most messages of a bin, before cells are padded.
    pub(super) bin: u32,
    widths: Widths,
}

impl Exchange {
    /// The same for program `P` on this device, if only the first `senders` places send messages;
    /// `None` if the messages of all of them do not fit its multiprocessors.
    pub(super) fn of_program<D: Device, P: Program>(
        device: &D,
        senders: u32,
        costs: &Costs,
    ) -> Option<Self> {
        let (shared, blocks) = (device.shared(), device.multiprocessors());
        Self::of(shared, blocks, senders, costs.exchanged_bytes, Widths::of::<P>())
    }

    /// The same with this many blocks, each of which can have `shared` bytes, if the messages of two
    /// phases are to have no more than `bytes`.
    fn of(shared: u32, blocks: u32, senders: u32, bytes: u64, widths: Widths) -> Option<Self> {
        let shares = Shares::new(blocks.clamp(1, MOST_SHARES));
        let share = shares.most(senders);
        let left = (shared / widths.message).checked_sub(share)?;
        let of_phase = bytes / 2 / u64::from(widths.message) / u64::from(shares.count());
        let bin = left.min(of_phase.min(MOST_BINNED.into()) as u32) & !7;
        let bin = bin.checked_sub(shares.count() * (widths.granule - 1))?;
        let fits = share <= MOST_BINNED && bin >= ITEM_MESSAGES;
        fits.then_some(Self { shares, share, bin, widths })
    }

    /// The same on an H200, for signals and messages of this many bytes.
    #[cfg(test)]
    pub(super) fn on_h200(senders: u32, message: u32) -> Option<Self> {
        let widths = Widths { signal: message, message, granule: 32 / message };
        Self::of(227 << 10, 132, senders, Costs::default().exchanged_bytes, widths)
    }

    /// The most messages of a bin, with padding.
    const fn padded(self) -> u32 {
        self.bin + self.shares.count() * (self.widths.granule - 1)
    }

    /// The most messages of a phase, with padding.
    pub(super) const fn slot(self) -> u64 {
        self.padded() as u64 * self.shares.count() as u64
    }

    /// Bytes of shared memory for a block's share and its bin.
    pub(super) const fn shared(self) -> u32 {
        (self.share + self.padded()) * self.widths.message
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
    if Cut::of_program::<D, P>(device, shape).is_none() {
        return Some(WhyNot::Room);
    }
    let needed = costs.binned_edges;
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

#[cfg(test)]
mod tests {
    use super::*;

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
        // 132 multiprocessors with 31,776 messages each, and bins in what is left.
        let exchange = Exchange::of(227 << 10, 132, 1 << 22, u64::MAX, widths(4));
        let exchange = exchange.unwrap_or_else(|| panic!("can be exchanged"));
        assert_eq!((exchange.shares.count(), exchange.share), (132, 31_776));
        assert_eq!(exchange.bin, 58_112 - 31_776 - 132 * 7);
        assert_eq!((exchange.slot(), exchange.shared()), (132 * 26_336, 227 << 10));
        let exchange = Exchange::of(227 << 10, 132, 1 << 20, 26_000_000, widths(4));
        assert_eq!(exchange.map(|exchange| exchange.bin), Some(24_616 - 132 * 7));
        assert_eq!(Exchange::of(227 << 10, 132, 1 << 23, u64::MAX, widths(4)), None);
        assert_eq!(Exchange::of(227 << 10, 132, 1 << 22, u64::MAX, widths(8)), None);
        // Too little memory for a chunk, and a bin that the padding of its cells fills.
        assert_eq!(Cut::of(512, 100, widths(4)), None);
        assert_eq!(Cut::of(227 << 10, 1 << 29, widths(4)), None);
    }
}

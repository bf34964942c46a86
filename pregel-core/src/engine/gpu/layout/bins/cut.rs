//! Whether messages can be binned, and how a graph is cut into ranges and bins.

use crate::device::{
    ITEM_MESSAGES, MOST_APART, MOST_BINNED, MOST_RANGES, MOST_SHARES, SHARE_PLACES, Shares,
    goes_by_bins, granule,
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

/// How many values of `size` bytes fit a block's memory and have numbers of 16 bits, in whole groups
/// of 16 bytes.
fn values(bytes: u32, size: u32) -> u32 {
    (bytes / size).min(MOST_BINNED) & !7
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
        let range = values(shared, widths.signal);
        // Two blocks of `bin_pull` share a multiprocessor; each also has shared memory of
        // its own.
        let bin = values(shared / 2 - shared / 32, widths.message);
        let ranges = if range == 0 { u32::MAX } else { n.div_ceil(range) };
        if ranges > MOST_RANGES {
            return None;
        }
        let bin = bin.checked_sub(widths.granule + ranges * (widths.granule - 1))?;
        (bin >= ITEM_MESSAGES).then_some(Self { range, ranges, bin })
    }
}

/// The most parts of the senders where messages are exchanged.
const MOST_PASSES: u32 = 8;

/// How a graph is cut where multiprocessors exchange messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(super) shares: Shares,
    /// The most places of a share.
    pub(super) share: u32,
    /// The most messages of a bin, before cells are padded.
    pub(super) bin: u32,
    /// How many parts the senders are in, each with a pass of its own.
    pub(super) passes: u32,
    /// Whether there are two, and messages of the second are not exchanged but pulled.
    pub(super) pulls_last: bool,
    /// The most ranges of hubs, all of which are in the first part.
    pub(super) hub_ranges: u32,
    widths: Widths,
}

impl Exchange {
    /// The same for program `P` on this device, if only the first `senders` places send messages;
    /// `None` if there is none.
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
        // Numbers have 16 bits; a granule with a neutral message comes before the share.
        let room = (shared / widths.message).min(MOST_BINNED).checked_sub(widths.granule)?;
        let all = shares.most(senders);
        let of_phase = bytes / 2 / u64::from(widths.message) / u64::from(shares.count());
        let most = of_phase.min(MOST_BINNED.into()) as u32;
        let padding = shares.count() * (widths.granule - 1);
        // Bins of this size leave room for messages; bins half as large cost less than another pass.
        let usual = most.min(room / 2);
        let least = (usual / 2).max((ITEM_MESSAGES + padding).next_multiple_of(8));
        let share_of = |passes: u32| all.div_ceil(passes).next_multiple_of(SHARE_PLACES);
        let passes = (1..=MOST_PASSES).find(|passes| share_of(*passes) + least <= room)?;
        // The first parts are as large as possible, so that as few messages as possible are left for
        // the last.
        let share = share_of(passes).max((room - usual) / SHARE_PLACES * SHARE_PLACES).min(all);
        let bin = (most.min(room.checked_sub(share)?) & !7).checked_sub(padding)?;
        if share > MOST_BINNED || bin < ITEM_MESSAGES {
            return None;
        }
        let of_part = share * shares.count() / values(shared, widths.signal).max(1);
        let hub_ranges = if passes == 1 { MOST_APART } else { of_part };
        let pulls_last = false;
        Some(Self { shares, share, bin, passes, pulls_last, hub_ranges, widths })
    }

    /// The same with only messages of the first part exchanged, and all others pulled; `None` if there is
    /// one part.
    pub(super) fn of_first_part(self) -> Option<Self> {
        (self.passes > 1).then_some(Self { passes: 2, pulls_last: true, ..self })
    }

    /// Places of the senders of a pass. If messages of the last are exchanged, it may have fewer, and if they
    /// are pulled, any number.
    pub(super) const fn places(self) -> u32 {
        self.share * self.shares.count()
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

    /// Bytes of shared memory for a neutral message, a block's share and its bin.
    pub(super) const fn shared(self) -> u32 {
        (self.widths.granule + self.share + self.padded()) * self.widths.message
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
        assert_eq!(cut.bin, 27_240 - 8 - 73 * 7);
        // Half as many values of twice the width.
        let cut = Cut::of(227 << 10, 1 << 22, widths(8)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.ranges), (29_056, 145));
        assert_eq!(cut.bin, 13_616 - 4 - 145 * 3);
        // Numbers have at most 16 bits.
        let cut = Cut::of(1 << 20, 1 << 22, widths(4)).unwrap_or_else(|| panic!("can be cut"));
        assert_eq!((cut.range, cut.bin), (1 << 16, (1 << 16) - 8 - 64 * 7));
        // 132 multiprocessors with 31,776 messages each, and bins in what is left beside a granule.
        let exchange =
            |senders, bytes, width| Exchange::of(227 << 10, 132, senders, bytes, widths(width));
        let one = exchange(1 << 22, u64::MAX, 4).unwrap_or_else(|| panic!("can be exchanged"));
        assert_eq!((one.shares.count(), one.share, one.passes), (132, 31_776, 1));
        assert_eq!(one.bin, 58_104 - 31_776 - 132 * 7);
        assert_eq!((one.slot(), one.shared()), (132 * 26_328, 227 << 10));
        let small = exchange(1 << 20, 26_000_000, 4);
        assert_eq!(small.map(|exchange| exchange.bin), Some(24_616 - 132 * 7));
        // Not all messages fit at the same time: two equal parts; and one as large as it can be with
        // bins of half of what two phases may have, and what is left.
        let parts = |senders, width| {
            let parts = exchange(senders, 27_000_000, width);
            let parts = parts.unwrap_or_else(|| panic!("can be exchanged"));
            (parts.passes, parts.places() / 132, parts.bin, parts.hub_ranges)
        };
        assert_eq!(parts(8_870_000, 4), (2, 33_600, 24_504 - 132 * 7, 76));
        assert_eq!(parts(1 << 22, 8), (2, 16_256, 12_784 - 132 * 3, 73));
        // There is a limit to the number of parts.
        assert_eq!(exchange(1 << 29, 27_000_000, 4), None);
        // Too little memory for a chunk, and a bin that the padding of its cells fills.
        assert_eq!(Cut::of(512, 100, widths(4)), None);
        assert_eq!(Cut::of(227 << 10, 1 << 29, widths(4)), None);
    }
}

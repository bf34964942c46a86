//! Whether messages can be binned, and how a graph is cut into ranges and bins.

use crate::device::{ITEM_MESSAGES, MOST_BINNED, MOST_RANGES, goes_by_bins, granule};
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
        // Too little memory for a chunk, and a bin that the padding of its cells fills.
        assert_eq!(Cut::of(512, 100, widths(4)), None);
        assert_eq!(Cut::of(227 << 10, 1 << 29, widths(4)), None);
    }
}

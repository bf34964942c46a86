//! Binned messages: propagation blocking (Beamer, Asanović and Patterson, IPDPS 2017),
//! with shared memory on both sides.
//!
//! Places are cut into *ranges*, so that the signals of a range fit the shared memory of a
//! block, and the work of a pull into *bins*, so that the messages of a bin do. `bin_send`
//! copies the signals of a range to shared memory, and from there writes its messages, bin
//! by bin. `bin_pull` copies the messages of a bin to shared memory, and there gathers
//! those of each vertex. So only shared memory is read at random, where a plain pull reads
//! every signal at random through the L2 cache.
//!
//! A *cell* is what one range sends to one bin. Its messages are contiguous, and so are
//! their senders in the list of senders. Cells are padded to whole *granules* of 32 bytes
//! of messages, so that no memory sector is shared by two cells. With two ranges
//! and two bins, where `rb` is the cell of range `r` in bin `b`:
//!
//! ```text
//! senders, as bin_send goes through them:  00 01 | 10 11
//! messages, as bin_pull goes through them: 00 10 | 01 11
//! ```
//!
//! If degrees follow a power law, the first range, that of the hubs, sends a large part of
//! all messages. Then these messages are handled separately, and the range has no cells:
//! `bin_apart` copies its signals to shared memory and combines its messages receiver by
//! receiver, at two bytes per edge instead of fourteen. `bin_pull` starts from the
//! results.

use super::{Chunk, PullArguments, any_will_do};
use crate::device::{CHUNK_LAYERS, COUNTERS, Global, WARP};
use crate::program::{Delivery, Message, Program};

/// The binary logarithm of the messages of type `M` in a granule. Those of 4 and 8 bytes fill
/// a memory sector; a granule of wider ones is still of four messages.
pub const fn granule_shift<M>() -> u32 {
    if size_of::<M>() <= 4 { 3 } else { 2 }
}

/// The number of messages of type `M` in a granule.
pub const fn granule<M>() -> u32 {
    1 << granule_shift::<M>()
}

/// Layers whose positions a lane reads at a time.
pub const BIN_LAYERS: u32 = 4;

/// The most ranges: a block has one counter for each.
pub const MOST_RANGES: u32 = COUNTERS;

/// The most places in a range, and the most messages in a bin: their numbers have 16 bits.
pub const MOST_BINNED: u32 = 1 << 16;

/// The most messages of one item. An item is never cut, so a bin must hold this many.
pub const ITEM_MESSAGES: u32 = CHUNK_LAYERS * WARP;

/// Whether messages of a program can be binned: messages and signals must be made of
/// words, and a message must depend on the signal alone.
pub const fn goes_by_bins<P: Program>() -> bool {
    P::Combiner::COMBINES
        && !any_will_do::<P>()
        && size_of::<P::Edge>() == 0
        && in_words::<P::Signal>()
        && in_words::<Message<P>>()
}

/// Whether values of this type are made of 4-byte words.
pub const fn in_words<T>() -> bool {
    size_of::<T>() > 0 && align_of::<T>() >= 4
}

/// How many layers of an item a lane has, at most [`CHUNK_LAYERS`] in all. Both numbers are
/// in one word, so that one load fetches them ahead of use.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct LaneLayers(u32);

impl LaneLayers {
    /// `apart` layers of messages from the first range, and `binned` layers of binned ones.
    #[inline(always)]
    pub const fn new(apart: u32, binned: u32) -> Self {
        Self(apart | binned << 16)
    }

    /// Layers of messages that are handled separately.
    #[inline(always)]
    pub const fn apart(self) -> u32 {
        self.0 & 0xffff
    }

    /// Layers of binned messages.
    #[inline(always)]
    pub const fn binned(self) -> u32 {
        self.0 >> 16
    }
}

/// How many layers an item has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ItemLayers {
    /// The most layers of separately handled messages that a lane has.
    pub apart: u32,
    /// The most layers of binned messages that a lane has.
    pub binned: u32,
    /// Binned messages of the item, over all lanes.
    pub messages: u32,
}

/// The argument block of `bin_apart`, `bin_send` and `bin_pull`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct BinArguments<P: Program> {
    /// The arguments of a pull, whose groups, chunks and turns the bins share.
    pub pull: PullArguments<P>,
    /// The bins.
    pub bins: Bins<P>,
}

/// The bins of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Bins<P: Program> {
    /// Places in a range; the last has fewer.
    pub range: u32,
    /// Number of ranges.
    pub ranges: u32,
    /// Number of bins.
    pub bins: u32,
    /// The sender of each message, by range and then by bin: its place within the range in
    /// 16 bits, four to an element.
    pub senders: Global<u64>,
    /// First granule of each cell in `senders`, range by range, and the end of the last.
    pub by_range: Global<u64>,
    /// For each granule of `senders`, the granule of `messages` that it is sent to.
    pub targets: Global<u32>,
    /// The messages, by bin and then by range.
    pub messages: Global<Message<P>>,
    /// First granule of each cell in `messages`, bin by bin, and the end of the last.
    pub by_bin: Global<u64>,
    /// First item of each bin, and the end of the last. Items are the chunks, then the
    /// groups that are not heavy.
    pub firsts: Global<u32>,
    /// The layers of each lane of each item.
    pub lanes: Global<LaneLayers>,
    /// How many groups of [`BIN_LAYERS`] binned layers lie before each item, and how many
    /// there are in all.
    pub rows: Global<u32>,
    /// Positions of messages in their bin: [`BIN_LAYERS`] of a lane to an element, the
    /// first in the lowest bits.
    pub positions: Global<u64>,
    /// Not 0 if an edge kept silent, which a bin cannot represent. Then `bin_pull` does
    /// nothing, and `pull` runs instead. One value.
    pub silent: Global<u32>,
    /// Messages from places below this are handled separately: the first range, or none.
    pub apart: u32,
    /// How many groups of [`BIN_LAYERS`] layers of such messages lie before each item, and
    /// how many there are in all.
    pub apart_firsts: Global<u32>,
    /// Their senders, laid out as `positions`.
    pub apart_senders: Global<u64>,
    /// The combination of these messages for each lane of an item; arbitrary for lanes
    /// without such messages.
    pub apart_sums: Global<Message<P>>,
}

/// The argument block of `bin_split`, one warp per item, and of `bin_count` and
/// `bin_place`, one block per bin, which find the cells of a graph in columns.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BinEdges {
    /// Number of vertices.
    pub vertices: u32,
    /// Places in a range.
    pub range: u32,
    /// Number of ranges.
    pub ranges: u32,
    /// Number of bins, and of blocks.
    pub bins: u32,
    /// The binary logarithm of the messages in a granule.
    pub granule_shift: u32,
    /// The chunks of heavy groups.
    pub chunks: Global<Chunk>,
    /// How many chunks there are.
    pub chunk_count: u32,
    /// How many groups, the first ones, are heavy.
    pub heavy: u32,
    /// Number of senders of each vertex.
    pub degrees: Global<u32>,
    /// First slot of each group; groups are of 32.
    pub bases: Global<u64>,
    /// The sender's place, by slot.
    pub senders: Global<u32>,
    /// First item of each bin, and the end of the last.
    pub firsts: Global<u32>,
    /// The number of granules of each cell, bin by bin, written by `bin_count`. `bin_place`
    /// replaces it by the distance from its messages in the bin to its senders, in
    /// granules.
    pub bin_counts: Global<u32>,
    /// The number of granules of each cell, range by range.
    pub range_counts: Global<u32>,
    /// Prefix sums of `bin_counts`.
    pub by_bin: Global<u64>,
    /// Prefix sums of `range_counts`.
    pub by_range: Global<u64>,
    /// As in [`Bins`]; written by `bin_place`, 0 before.
    pub local: Global<u16>,
    /// As in [`Bins`]; written by `bin_place`.
    pub targets: Global<u32>,
    /// As in [`Bins`].
    pub rows: Global<u32>,
    /// As in [`Bins`]; written by `bin_place`.
    pub positions: Global<u64>,
    /// As in [`Bins`].
    pub apart: u32,
    /// As in [`Bins`]; written by `bin_split`.
    pub lanes: Global<LaneLayers>,
    /// The layers of each item; written by `bin_split`.
    pub items: Global<ItemLayers>,
    /// As in [`Bins`].
    pub apart_firsts: Global<u32>,
    /// As in [`Bins`]; written by `bin_place`.
    pub apart_senders: Global<u64>,
}

impl BinEdges {
    /// The number of granules for this many messages.
    #[inline(always)]
    pub const fn granules(&self, messages: u32) -> u32 {
        messages.div_ceil(1 << self.granule_shift)
    }
}

//! Messages by way of bins: propagation blocking (Beamer, Asanović and Patterson,
//! IPDPS 2017), with shared memory on both sides.
//!
//! Places are cut into *ranges* whose signals fit the shared memory of a block, and
//! the work of a pull into *bins* whose messages do. `bin_send` copies the signals of
//! a range, and from there writes the messages of one bin after the other, each as
//! one piece. `bin_pull` copies the messages of a bin, and there gathers what each
//! vertex gets. Nothing is read at random but shared memory, where a pull asks the
//! second cache for every message.
//!
//! A *tile* is what one range sends to one bin: neighbours both where they are
//! written and where their senders are listed. Tiles are filled up to whole
//! *granules* of [`GRANULE`] messages, so that a sector of memory is of one tile. With
//! two ranges and two bins, `rb` the tile of range `r` in bin `b`:
//!
//! ```text
//! senders, as bin_send goes through them:  00 01 | 10 11
//! messages, as bin_pull goes through them: 00 10 | 01 11
//! ```
//!
//! On a power law the first range, that of the hubs, sends a large part of all messages.
//! Then it has no tiles: `bin_apart` copies its signals and goes along its edges receiver
//! by receiver, two bytes an edge in place of fourteen, and `bin_pull` begins with what
//! they come to.

use super::{Chunk, PullArguments, any_will_do};
use crate::device::{CHUNK_LAYERS, COUNTERS, Global, WARP};
use crate::program::{Delivery, Message, Program};

/// Messages of a granule.
pub const GRANULE: u32 = 8;

/// Rows whose positions a lane reads at a time.
pub const BIN_LAYERS: u32 = 4;

/// Most ranges: a block counts the messages from each.
pub const MOST_RANGES: u32 = COUNTERS;

/// Places in a range, and messages in a bin, at most: they are numbered by 16 bits.
pub const MOST_BINNED: u32 = 1 << 16;

/// Most messages of one item of work, which is never cut.
pub const ITEM_MESSAGES: u32 = CHUNK_LAYERS * WARP;

/// Whether messages of a program can go by bins: they and the signals are made of
/// words, and come from the signal alone.
pub const fn goes_by_bins<P: Program>() -> bool {
    P::Combiner::COMBINES
        && !any_will_do::<P>()
        && size_of::<P::Edge>() == 0
        && in_words::<P::Signal>()
        && in_words::<Message<P>>()
}

/// Whether values of this type are made of whole words of 4 bytes.
pub const fn in_words<T>() -> bool {
    size_of::<T>() > 0 && align_of::<T>() >= 4
}

/// How many rows of a lane there are in an item, at most [`CHUNK_LAYERS`] in all: one
/// word, so that to read it ahead is not to wait for it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct LaneLayers(u32);

impl LaneLayers {
    /// Of so many rows whose messages are pulled apart, and whose go by bins.
    #[inline(always)]
    pub const fn new(apart: u32, binned: u32) -> Self {
        Self(apart | binned << 16)
    }

    /// Rows whose messages are pulled apart.
    #[inline(always)]
    pub const fn apart(self) -> u32 {
        self.0 & 0xffff
    }

    /// Rows whose messages go by bins.
    #[inline(always)]
    pub const fn binned(self) -> u32 {
        self.0 >> 16
    }
}

/// How many rows an item has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ItemLayers {
    /// The most that a lane has of those whose messages are pulled apart.
    pub apart: u32,
    /// The most that a lane has of those whose messages go by bins.
    pub binned: u32,
    /// Messages of the item that go by bins.
    pub messages: u32,
}

/// The argument block of `bin_apart`, `bin_send` and `bin_pull`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct BinArguments<P: Program> {
    /// What a pull is given: it shares groups, chunks and turns.
    pub pull: PullArguments<P>,
    /// The bins.
    pub bins: Bins<P>,
}

/// Where messages go by bins.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Bins<P: Program> {
    /// Places of a range; the last has fewer.
    pub range: u32,
    /// How many ranges there are.
    pub ranges: u32,
    /// How many bins.
    pub bins: u32,
    /// The sender of each message, by range and bin: its place within the range, 16
    /// bits, four to an element.
    pub senders: Global<u64>,
    /// First granule of each tile there, range by range, and the end of the last.
    pub by_range: Global<u64>,
    /// Which granule of `messages` each of these is.
    pub targets: Global<u32>,
    /// The messages, by bin and range.
    pub messages: Global<Message<P>>,
    /// First granule of each tile there, bin by bin, and the end of the last.
    pub by_bin: Global<u64>,
    /// First item of each bin, and the end of the last. Items are the chunks, then
    /// the groups that are not heavy.
    pub firsts: Global<u32>,
    /// The rows of each lane of each item.
    pub lanes: Global<LaneLayers>,
    /// So many times [`BIN_LAYERS`] rows that go by bins lie before those of each item,
    /// and in all.
    pub rows: Global<u32>,
    /// Positions of messages in their bin: [`BIN_LAYERS`] of a lane to an element, the
    /// first the lowest.
    pub positions: Global<u64>,
    /// Not 0 if an edge kept silent, which a bin cannot tell: then `bin_pull` does
    /// nothing, and `pull` does instead. One value.
    pub silent: Global<u32>,
    /// Messages of places before this are pulled apart: the first range, or none.
    pub apart: u32,
    /// So many times [`BIN_LAYERS`] rows of such messages lie before those of each item.
    pub apart_firsts: Global<u32>,
    /// Their senders, as `positions`.
    pub apart_senders: Global<u64>,
    /// What they come to, for each lane of an item; anything, where it has none.
    pub apart_sums: Global<Message<P>>,
}

/// `bin_split`, a warp an item; `bin_count`, `bin_place`, a block a bin: the tiles of a
/// graph in columns.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BinEdges {
    /// Number of vertices.
    pub vertices: u32,
    /// Places of a range.
    pub range: u32,
    /// How many ranges there are.
    pub ranges: u32,
    /// How many bins: as many as blocks.
    pub bins: u32,
    /// The chunks of heavy groups.
    pub chunks: Global<Chunk>,
    /// How many there are.
    pub chunk_count: u32,
    /// So many groups are heavy.
    pub heavy: u32,
    /// Number of senders of each vertex.
    pub degrees: Global<u32>,
    /// First slot of each group; groups are of 32.
    pub bases: Global<u64>,
    /// The sender's place, by slot.
    pub senders: Global<u32>,
    /// First item of each bin, and the end of the last.
    pub firsts: Global<u32>,
    /// Granules of each tile, bin by bin, written by `bin_count`; then, by `bin_place`, how
    /// many granules its senders lie behind its messages in their bin.
    pub bin_counts: Global<u32>,
    /// The same range by range.
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
    /// The rows of each item; written by `bin_split`.
    pub items: Global<ItemLayers>,
    /// As in [`Bins`].
    pub apart_firsts: Global<u32>,
    /// As in [`Bins`]; written by `bin_place`.
    pub apart_senders: Global<u64>,
}

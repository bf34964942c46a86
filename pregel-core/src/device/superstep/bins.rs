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
//! If degrees follow a power law, the first ranges, those of the hubs, send a large part of
//! all messages. Then these messages are handled separately: `bin_apart` copies the signals
//! of one such range after the other to shared memory and combines its messages receiver by
//! receiver. That takes two bytes per edge instead of fourteen, and twice the size of a
//! message per receiver and range, since the sum so far is read and written. Where an item
//! gets too few messages from a range for that to pay, they are binned like all others.
//! `bin_pull` starts from the results.
//!
//! Where hubs send most messages and all signals stay in the L2 cache, the others may be pulled
//! instead: `pull_rest` starts from the results and reads the signals of the remaining senders at
//! random, as a plain pull does.
//!
//! Where one message for each vertex fits the shared memory of all multiprocessors together, messages
//! may be [exchanged](super::exchange), and also part by part where it does not.

use super::exchange::{ExchangedCell, Shares};
use super::{Chunk, PullArguments, any_will_do, columns};
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

/// Layers whose senders a lane of `pull_rest` reads at a time.
pub const REST_LAYERS: u32 = 2;

/// The most ranges: a block has one counter for each.
pub const MOST_RANGES: u32 = COUNTERS;

/// The most ranges whose messages are handled separately.
pub const MOST_APART: u32 = 8;

/// The mark of a lane, among its layers from a range, that an earlier range has begun its
/// sum.
pub const BEGUN: u8 = 0x80;

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
    /// `apart` layers of messages that are handled separately, and `binned` layers of binned
    /// ones.
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

/// Numbers of layers, at most [`CHUNK_LAYERS`], of separately handled messages from each of
/// the first [`MOST_APART`] ranges: eight bits each, the first range in the lowest.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ApartLayers(u64);

impl ApartLayers {
    /// The layers of a range; none if no range after it can have any either.
    #[inline(always)]
    pub const fn of(self, range: u32) -> u32 {
        if range < MOST_APART { (self.0 >> (8 * range)) as u32 & 0xff } else { 0 }
    }

    /// With more layers of a range, which is one of the first.
    #[inline(always)]
    #[must_use]
    pub const fn with(self, range: u32, more: u32) -> Self {
        Self(self.0 + ((more as u64) << (8 * range)))
    }

    /// Whether a range before this one, which is one of the first, has layers.
    #[inline(always)]
    pub const fn any_before(self, range: u32) -> bool {
        self.0 & ((1 << (8 * range)) - 1) != 0
    }

    /// The layers of all ranges.
    #[inline(always)]
    pub const fn total(self) -> u32 {
        let pairs = (self.0 & 0x00ff_00ff_00ff_00ff) + (self.0 >> 8 & 0x00ff_00ff_00ff_00ff);
        (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
    }
}

/// The items of a bin: some that follow one another, and then light ones that do.
#[derive(Clone, Copy, Debug, Default)]
pub struct BinItems {
    first: u32,
    others: u32,
    light: u32,
    all: u32,
}

impl BinItems {
    /// These items, and these light ones.
    #[inline(always)]
    pub const fn new([first, end]: [u32; 2], [light, last]: [u32; 2]) -> Self {
        let others = end - first;
        Self { first, others, light, all: others + (last - light) }
    }

    /// How many there are.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.all
    }

    /// The item with this number in the bin, if there is one.
    #[inline(always)]
    pub const fn get(self, number: u32) -> Option<u32> {
        if number < self.others {
            Some(self.first + number)
        } else if number < self.all {
            Some(self.light + (number - self.others))
        } else {
            None
        }
    }
}

/// How many layers an item has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ItemLayers {
    /// The most layers of separately handled messages that a lane has. Messages from a range
    /// without layers here are binned.
    pub apart: ApartLayers,
    /// The most layers of binned messages that a lane has.
    pub binned: u32,
    /// Binned messages of the item, over all lanes.
    pub messages: u32,
}

/// The argument block of `bin_apart`, `bin_send`, `bin_pull`, `bin_exchange` and `pull_rest`.
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
    /// Number of ranges, or of shares.
    pub ranges: u32,
    /// Number of bins.
    pub bins: u32,
    /// The sender of each message, by range and then by bin: its place within the range in
    /// 16 bits, four to an element. With shares, by phase, share and bin, and where its message is in a
    /// block's memory.
    pub senders: Global<u64>,
    /// First granule of each cell in `senders`, range by range, and the end of the last. With
    /// shares, as [`Shares::cell`] numbers them; bins fill all phases.
    pub by_range: Global<u64>,
    /// For each granule of `senders`, the granule of `messages` that it is sent to. None with
    /// shares.
    pub targets: Global<u32>,
    /// The messages, by bin and then by range. With shares, those of an even phase as in
    /// `senders`, and from `slot` on those of an odd phase.
    pub messages: Global<Message<P>>,
    /// First granule of each cell in `messages`, bin by bin, and the end of the last. Not for
    /// shares.
    pub by_bin: Global<u64>,
    /// With shares, the cells in the order of `by_range`.
    pub cells: Global<ExchangedCell>,
    /// How places are dealt out, if messages are exchanged.
    pub shares: Shares,
    /// The most places of a share.
    pub share: u32,
    /// The first place of the first share; not 0 if places before it had their own pass.
    pub first: u32,
    /// Not 0 if sums are handed on to the next pass, in `apart_sums`, and no vertex computes.
    pub hands_on: u32,
    /// For how many messages of a phase there is room.
    pub slot: u64,
    /// With shares, 0 between two launches. One value.
    pub arrived: Global<u32>,
    /// First item of each bin, and the end of the last. Items are the chunks, then the
    /// groups that are not heavy.
    pub firsts: Global<u32>,
    /// With shares, the same for the light items that each bin has too.
    pub lights: Global<u32>,
    /// The layers of each lane of each item.
    pub lanes: Global<LaneLayers>,
    /// How many groups of [`BIN_LAYERS`] binned layers lie before each item, and how many
    /// there are in all.
    pub rows: Global<u32>,
    /// Where messages of a bin are in a block's memory: [`BIN_LAYERS`] of a lane to an element, the
    /// first in the lowest bits. An element that a lane fills in part only has zeros at its end; element
    /// 0 of a block's memory is a neutral message.
    pub positions: Global<u64>,
    /// If messages that are not handled separately are pulled instead of binned, their senders:
    /// [`REST_LAYERS`] of a lane to an element, the first in the lower bits, otherwise laid out as
    /// `positions`.
    pub rest: Global<u64>,
    /// Not 0 if an edge kept silent, which a bin cannot represent. Then `bin_pull`, `bin_exchange`
    /// and `pull_rest` compute nothing, and `pull` runs instead. One value.
    pub silent: Global<u32>,
    /// How many ranges, the first ones, may have messages that are handled separately.
    pub apart_ranges: u32,
    /// The layers of such messages of each lane of each item, range by range, with the mark
    /// [`BEGUN`].
    pub apart_lanes: Global<u8>,
    /// For each such range, the end of the last item with layers.
    pub apart_ends: Global<u32>,
    /// How many groups of [`BIN_LAYERS`] layers of such messages lie before each item, range
    /// by range, and how many there are in all.
    pub apart_firsts: Global<u32>,
    /// Their senders, laid out as `positions`.
    pub apart_senders: Global<u64>,
    /// The combination of these messages, and of those of earlier passes, for each lane of an item;
    /// arbitrary for lanes without such messages.
    pub apart_sums: Global<Message<P>>,
}

impl<P: Program> Bins<P> {
    /// Whether there may be sums to start from.
    #[inline(always)]
    pub const fn has_sums(&self) -> bool {
        self.apart_ranges > 0 || self.first > 0
    }
}

/// The argument block of `bin_split`, one warp per item, of `bin_count` and `bin_place`, one
/// block per bin, which find the cells of a graph in columns, and of `rest_place`, one block per
/// bin, which lists what is pulled instead.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BinEdges {
    /// Number of vertices.
    pub vertices: u32,
    /// Places in a range.
    pub range: u32,
    /// Number of ranges, or of shares.
    pub ranges: u32,
    /// How places are dealt out, if messages are exchanged.
    pub shares: Shares,
    /// The first place of a sender whose messages matter; those before had their own pass.
    pub first: u32,
    /// How many places of senders matter, from `first` on.
    pub places: u32,
    /// With shares, the most places of one; otherwise 0.
    pub share: u32,
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
    /// As in [`Bins`].
    pub lights: Global<u32>,
    /// The number of granules of each cell, bin by bin, written by `bin_count`. `bin_place`
    /// replaces it by the distance from its messages in the bin to its senders, in
    /// granules.
    pub bin_counts: Global<u32>,
    /// The number of granules of each cell, range by range, or in the order of [`Shares::cell`].
    pub range_counts: Global<u32>,
    /// Prefix sums of `bin_counts`.
    pub by_bin: Global<u64>,
    /// Prefix sums of `range_counts`.
    pub by_range: Global<u64>,
    /// As in [`Bins`]; written by `bin_place`, 0 before.
    pub local: Global<u16>,
    /// As in [`Bins`]; written by `bin_place` unless there are shares.
    pub targets: Global<u32>,
    /// As in [`Bins`]; written by `bin_place` if there are shares.
    pub cells: Global<ExchangedCell>,
    /// As in [`Bins`].
    pub rows: Global<u32>,
    /// As in [`Bins`]; written by `bin_place`.
    pub positions: Global<u64>,
    /// The senders of [`Bins::rest`], one by one; written by `rest_place`.
    pub rest: Global<u32>,
    /// As in [`Bins`].
    pub apart_ranges: u32,
    /// Bytes of a message.
    pub message: u32,
    /// Bytes that are moved for each binned message.
    pub binned_bytes: u32,
    /// As in [`Bins`]; written by `bin_split`.
    pub apart_lanes: Global<u8>,
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
    /// Number of items: the chunks, and the groups that are not heavy.
    #[inline(always)]
    pub const fn item_count(&self) -> u32 {
        let groups = columns::groups(self.vertices, WARP.trailing_zeros());
        self.chunk_count + (groups - self.heavy)
    }

    /// Whether handling this many messages of an item separately moves fewer bytes than
    /// binning them. `longest` is the most that a lane has.
    #[inline(always)]
    pub const fn is_worth_it(&self, messages: u32, longest: u32) -> bool {
        let numbers = longest.div_ceil(BIN_LAYERS) * WARP * size_of::<u64>() as u32;
        // The sum so far is read and written.
        numbers + 2 * WARP * self.message < messages * self.binned_bytes
    }

    /// The range or share of a sender, and the number that it has there.
    #[inline(always)]
    pub const fn origin(&self, sender: u32) -> (u32, u32) {
        if self.shares.count() == 0 {
            (sender / self.range, sender % self.range)
        } else {
            self.shares.of(sender - self.first)
        }
    }

    /// The number of a cell in [`range_counts`](Self::range_counts).
    #[inline(always)]
    pub const fn listed(&self, range: u32, bin: u32) -> u64 {
        if self.shares.count() == 0 {
            range as u64 * self.bins as u64 + bin as u64
        } else {
            let shares = self.shares.count();
            self.shares.cell(bin / shares, range, bin % shares)
        }
    }

    /// Whether the messages of a sender matter.
    #[inline(always)]
    pub const fn has(&self, sender: u32) -> bool {
        sender.wrapping_sub(self.first) < self.places
    }

    /// The element of a block's memory that has what a sender sends: the signal of one in a range, or
    /// the message of one in a share, which begin behind a granule with a neutral message.
    #[inline(always)]
    pub const fn staged_sender(&self, number: u32) -> u16 {
        let before = if self.shares.count() == 0 { 0 } else { 1 << self.granule_shift };
        (before + number) as u16
    }

    /// The element of a block's memory that has the message with this number in a bin. Bins begin behind
    /// a granule with a neutral message, and with shares behind those of one.
    #[inline(always)]
    pub const fn staged_position(&self, number: u32) -> u16 {
        ((1 << self.granule_shift) + self.share + number) as u16
    }

    /// The number of granules for this many messages.
    #[inline(always)]
    pub const fn granules(&self, messages: u32) -> u32 {
        messages.div_ceil(1 << self.granule_shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_of_ranges_do_not_mix() {
        let mut layers = ApartLayers::default();
        for range in 0..MOST_APART {
            assert_eq!((layers.of(range), layers.any_before(range)), (0, range > 0));
            layers = layers.with(range, CHUNK_LAYERS - range - 1).with(range, 1);
        }
        assert!((0..MOST_APART).all(|range| layers.of(range) == CHUNK_LAYERS - range));
        // Beyond the first ranges there are none.
        assert_eq!((layers.of(MOST_APART), layers.of(u32::MAX)), (0, 0));
        assert_eq!(layers.total(), (CHUNK_LAYERS - 7..=CHUNK_LAYERS).sum::<u32>());
        assert!(!ApartLayers::default().with(3, 5).any_before(3));
    }

    #[test]
    fn few_messages_are_not_worth_a_sum() {
        let edges = BinEdges { message: 8, binned_bytes: 21, ..BinEdges::default() };
        // 256 bytes of numbers for each lane's first four, and 512 of sums.
        assert!(!edges.is_worth_it(36, 4) && edges.is_worth_it(37, 4));
        assert!(!edges.is_worth_it(48, 5) && edges.is_worth_it(49, 5));
        let always = BinEdges { binned_bytes: u32::MAX / (2 * ITEM_MESSAGES), ..edges };
        assert!(always.is_worth_it(1, 1) && !always.is_worth_it(0, 0));
        assert!(always.is_worth_it(ITEM_MESSAGES, CHUNK_LAYERS));
    }

    #[test]
    fn light_items_come_last() {
        let items = BinItems::new([3, 5], [9, 12]);
        let found: Vec<_> = (0..6).map(|number| items.get(number)).collect();
        assert_eq!(found, [Some(3), Some(4), Some(9), Some(10), Some(11), None]);
        assert_eq!((items.count(), BinItems::new([7, 7], [0, 0]).get(0)), (5, None));
    }

    #[test]
    fn granules_fill_sectors() {
        assert_eq!((granule::<f32>(), granule::<f64>(), granule::<[u32; 3]>()), (8, 4, 4));
        let edges = BinEdges { granule_shift: granule_shift::<f64>(), ..BinEdges::default() };
        assert_eq!([0, 1, 4, 5].map(|messages| edges.granules(messages)), [0, 1, 1, 2]);
    }
}

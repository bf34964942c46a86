//! The map of a block's shared memory.
//!
//! A block has three shared memories: words, counters and staged values. Every region in
//! them is named and typed here, and no other module computes an offset.
//!
//! | Memory | Size | Region | Used by |
//! |---|---|---|---|
//! | words | [`SHARED`] bytes | [`warp_values`]: one value per warp, from offset 0 | reductions and scans of a block |
//! | | | [`pending`]: a list of places per warp, from offset 0 | `near_far`, `near_ahead`, `near_bulk` |
//! | | | [`ahead`]: a queue of places per warp, behind those | `near_ahead` |
//! | | | [`near`]: a list of places per warp, in the same words | `near_bulk` |
//! | | | [`kept`]: the items that a block keeps, in two turns, in the same words | `resident` |
//! | | | [`KEPT_COUNTS`], [`BROUGHT`]: how many those are, what the grid brought to a barrier, behind the first [`warp_counts`] | `resident` |
//! | | | [`warp_counts`]: one [`Counts`] per warp, at the start of the warp's list | `near_far`, `near_ahead`, `near_bulk`, `resident` |
//! | | | [`LOCAL_QUEUE`]: two words, from offset 0 | `expand`, `expand_hubs` |
//! | | | [`NEXT_TURN`]: the last word of the memory | `pull`, `bin_pull` |
//! | counters | [`COUNTERS`] words | [`Counter::of_digit`]: one per digit and warp | sorts |
//! | | | [`Counter::of_range`]: one per range | `bin_count`, `bin_place` |
//! | | | [`Counter::of_message`]: messages of a tile, word by word | `sort_lists`, `near_far`, `near_ahead`, `near_bulk` |
//! | | | [`Counter::of_waiting`]: a list of places per warp, between words of pending messages | `near_bulk` |
//! | | | [`Counter::of_found`]: vertices of a block's queue | `expand`, `expand_hubs` |
//! | staged | given by the launch | [`staged_offset`]: an array from offset 0 | `pull_hot`, `bin_send`, `bin_apart`, `bin_pull`, `bin_exchange`, `paths_close`, `paths_square` |
//! | | | [`staged_head`]: two heads of groups per warp | `pull_even` |
//! | | | [`left_offset`], [`right_offset`]: two pairs of panels | `paths_cross`, `paths_rest` |
//! | | | [`credits_offset`]: words for the credits of each warp | `triangles` |
//!
//! Regions of one memory overlap. A kernel that uses two of them puts a barrier
//! between the last access to one and the first to the other:
//!
//! * [`warp_values`] overlaps all other words, [`NEXT_TURN`] only when its values have
//!   the size of [`LARGEST_AGGREGATE`] and the block has 1,024 threads.
//! * [`warp_counts`] overlaps [`pending`] of the same warp, so the warp must flush its
//!   pending list first.
//!
//! Shared memory holds arbitrary bits when a block starts.
//!
//! [`credits_offset`]: super::solve::credits_offset
//! [`left_offset`]: super::solve::left_offset
//! [`right_offset`]: super::solve::right_offset

use core::marker::PhantomData;

use super::prepare::DIGITS;
use super::superstep::MOST_RANGES;
use super::{BLOCK, Counts, Piece, WARP};

/// Bytes of shared memory for words in every block.
pub const SHARED: u32 = 4096;

/// Words of shared memory for counters in every block, in addition to [`SHARED`]: one per
/// value of a digit and warp.
pub const COUNTERS: u32 = DIGITS * (BLOCK / WARP);

/// The largest aggregate that a device can reduce, in bytes: [`warp_values`] must hold one
/// per warp of a block of 1,024 threads.
pub const LARGEST_AGGREGATE: usize = (SHARED / WARP) as usize;

/// An array in the words of shared memory.
#[derive(Debug)]
pub struct Region<T> {
    offset: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Region<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Region<T> {}

impl<T> Region<T> {
    /// Bytes from one value to the next; values begin at multiples of 4.
    pub const STRIDE: u32 = (size_of::<T>() as u32).next_multiple_of(4);

    /// The region of `len` values that begins at byte `offset`.
    ///
    /// # Panics
    /// If it does not fit the memory. All callers are constants, so a region that does not
    /// fit is a compile error.
    const fn new(offset: u32, len: u32) -> Self {
        assert!(offset.is_multiple_of(4) && offset + len * Self::STRIDE <= SHARED);
        Self { offset, of: PhantomData }
    }

    /// Byte offset of value `i`.
    #[inline(always)]
    pub const fn offset(self, i: u32) -> u32 {
        self.offset + i * Self::STRIDE
    }
}

/// One value per warp of the block, for reductions and scans: [`WARP`] values at most.
#[inline(always)]
pub const fn warp_values<T>() -> Region<T> {
    const { Region::new(0, WARP) }
}

/// The item or bin that the block takes next: one value.
pub const NEXT_TURN: Region<u32> = Region::new(SHARED - 4, 1);

/// The queue of a block: how many vertices were found for it, and where those that had room go
/// in the common queue.
pub const LOCAL_QUEUE: Region<u32> = Region::new(0, 2);

/// The capacity of a pending list, in places.
pub const PENDING: u32 = 2 * WARP;

const ALL_PENDING: Region<[u32; PENDING as usize]> = Region::new(0, BLOCK / WARP);

/// The pending list of a warp of the block. For blocks of [`BLOCK`] threads.
#[inline(always)]
pub const fn pending(warp: u32) -> Region<u32> {
    Region { offset: ALL_PENDING.offset(warp), of: PhantomData }
}

/// The number, in the tile of messages, of the message that belongs to place `i` of a
/// warp's pending list. The tile has room for all if messages have at most 16 bytes. For
/// blocks of [`BLOCK`] threads.
#[inline(always)]
pub const fn pending_message(warp: u32, i: u32) -> u32 {
    warp * PENDING + i
}

const _: () = assert!(tile_messages::<[u32; 4]>() >= PENDING * (BLOCK / WARP));

/// The capacity of the queue of vertices with which a warp goes ahead: two generations.
pub const AHEAD: u32 = 2 * WARP;

const ALL_AHEAD: Region<[u32; AHEAD as usize]> =
    Region::new(ALL_PENDING.offset(BLOCK / WARP), BLOCK / WARP);

/// The vertices with which a warp of the block goes ahead. For blocks of [`BLOCK`] threads.
#[inline(always)]
pub const fn ahead(warp: u32) -> Region<u32> {
    Region { offset: ALL_AHEAD.offset(warp), of: PhantomData }
}

/// The capacity of a warp's list of near vertices.
pub const NEAR: u32 = AHEAD;

/// The near vertices that a warp of the block is going to list: in the words of [`ahead`], since
/// such a warp does not go ahead. For blocks of [`BLOCK`] threads.
#[inline(always)]
pub const fn near(warp: u32) -> Region<u32> {
    ahead(warp)
}

/// How many items a block can keep for a superstep, at most.
pub const KEPT: u32 = 64;

const ALL_KEPT: Region<[Piece; KEPT as usize]> = Region::new(ALL_AHEAD.offset(0), 2);

/// The items that a block keeps for a superstep of this turn, 0 or 1: in the words of [`ahead`], since
/// no warp goes ahead in a superstep. For blocks of [`BLOCK`] threads.
#[inline(always)]
pub const fn kept(turn: u32) -> Region<Piece> {
    Region { offset: ALL_KEPT.offset(turn), of: PhantomData }
}

/// How many items the block would have kept in each of the two turns, had there been room: at the end of
/// the words whose first are the [`warp_counts`] of warp 0.
pub const KEPT_COUNTS: Region<u32> = Region::new(ALL_PENDING.offset(1) - 8, 2);

/// What all blocks together have brought to a barrier of the grid: one value, before [`KEPT_COUNTS`].
pub const BROUGHT: Region<u64> = Region::new(ALL_PENDING.offset(1) - 16, 1);

/// The capacity of a warp's list of waiting vertices.
pub const WAITING: u32 = 2 * PENDING;

const _: () = assert!(Region::<Counts>::STRIDE <= BROUGHT.offset(0));

/// What a warp of the block counted: one value.
#[inline(always)]
pub const fn warp_counts(warp: u32) -> Region<Counts> {
    Region { offset: pending(warp).offset, of: PhantomData }
}

impl Region<Counts> {
    /// The fields of the first value as an array of numbers.
    #[inline(always)]
    pub const fn numbers(self) -> Region<u64> {
        Region { offset: self.offset, of: PhantomData }
    }
}

/// One word of the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter(u32);

const _: () = assert!(MOST_RANGES <= COUNTERS);

impl Counter {
    /// How often a warp of the block has seen a digit, below [`DIGITS`]. For blocks of
    /// [`BLOCK`] threads.
    #[inline(always)]
    pub const fn of_digit(warp: u32, digit: u32) -> Self {
        Self(warp * DIGITS + digit)
    }

    /// The counter of a digit, given that of digit 0 of the same warp.
    #[inline(always)]
    pub const fn plus(self, digit: u32) -> Self {
        Self(self.0 + digit)
    }

    /// How many messages of a range, below [`MOST_RANGES`], the block has seen.
    #[inline(always)]
    pub const fn of_range(range: u32) -> Self {
        Self(range)
    }

    /// Vertex `i` of the block's queue, below [`COUNTERS`].
    #[inline(always)]
    pub const fn of_found(i: u32) -> Self {
        Self(i)
    }

    /// Word `word` of message `i`, below [`tile_messages`]. Equal words of
    /// neighbouring messages lie in neighbouring banks.
    #[inline(always)]
    pub const fn of_message<T>(i: u32, word: u32) -> Self {
        Self(word * tile_messages::<T>() + i)
    }

    /// Entry `i`, below [`WAITING`], of a warp's list of waiting vertices: behind those words of
    /// [`of_message`](Self::of_message) in which messages of up to 8 bytes are
    /// [pending](pending_message). For blocks of [`BLOCK`] threads.
    #[inline(always)]
    pub const fn of_waiting(warp: u32, i: u32) -> Self {
        let pending = pending_message(BLOCK / WARP, 0);
        Self((2 * (i / PENDING) + 1) * pending + pending_message(warp, i % PENDING))
    }

    /// Its number, below [`COUNTERS`].
    #[inline(always)]
    pub const fn index(self) -> u32 {
        self.0
    }
}

/// How many messages of type `T` a tile that is sorted in the counters can have: a power
/// of two.
pub const fn tile_messages<T>() -> u32 {
    let words = size_of::<T>().div_ceil(4) as u32;
    1 << (COUNTERS / if words > 0 { words } else { 1 }).ilog2()
}

/// The first layers of a group, whose senders `pull_even` reads ahead: its head.
pub const HEAD_LAYERS: u32 = 4;

/// The first staged word of a head of a warp, of which there are two, taken in turns.
#[inline(always)]
pub const fn staged_head(warp: u32, turn: u32) -> u32 {
    (2 * warp + turn) * HEAD_LAYERS * WARP
}

/// Bytes of staged memory for the heads of a block of this many threads.
pub const fn heads_bytes(threads: u32) -> u32 {
    staged_offset::<u32>(staged_head(threads / WARP, 0))
}

/// Byte offset of staged value `i`.
#[inline(always)]
pub const fn staged_offset<T>(i: u32) -> u32 {
    i * size_of::<T>() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_lie_where_the_map_says() {
        assert_eq!(warp_values::<[u64; 2]>().offset(3), 48);
        assert_eq!(warp_values::<[u8; 5]>().offset(1), 8);
        assert_eq!(NEXT_TURN.offset(0), SHARED - 4);
        assert_eq!(pending(1).offset(0), 256);
        assert_eq!(pending(BLOCK / WARP - 1).offset(PENDING), SHARED / 2);
        assert_eq!(pending_message(BLOCK / WARP - 1, PENDING - 1), 511);
        assert_eq!((tile_messages::<[u64; 2]>(), tile_messages::<()>()), (512, 2048));
        assert_eq!(warp_counts(1).numbers().offset(3), pending(1).offset(6));
        assert_eq!((kept(0).offset(0), kept(1).offset(KEPT)), (SHARED / 2, SHARED));
        assert_eq!((BROUGHT.offset(1), KEPT_COUNTS.offset(2)), (248, pending(1).offset(0)));
    }

    #[test]
    fn the_largest_aggregate_fits_a_block_of_1024_threads() {
        assert_eq!(warp_values::<[u8; LARGEST_AGGREGATE]>().offset(WARP), SHARED);
    }

    #[test]
    fn counters_lie_within_their_memory() {
        assert_eq!(Counter::of_digit(BLOCK / WARP - 1, DIGITS - 1).index(), COUNTERS - 1);
        assert_eq!(Counter::of_range(MOST_RANGES - 1).index(), COUNTERS - 1);
        let last = tile_messages::<[u32; 3]>() - 1;
        assert_eq!(tile_messages::<[u32; 3]>(), 512);
        assert!(Counter::of_message::<[u32; 3]>(last, 2).index() < COUNTERS);
    }

    #[test]
    fn waiting_vertices_lie_between_pending_messages() {
        let warps = 0..BLOCK / WARP;
        let of = |warp| (0..WAITING).map(move |i| Counter::of_waiting(warp, i).index());
        let mut words: Vec<u32> = warps.clone().flat_map(of).collect();
        let messages = warps.flat_map(|warp| (0..PENDING).map(move |i| pending_message(warp, i)));
        words.extend(
            messages.flat_map(|i| [0, 1].map(|word| Counter::of_message::<u64>(i, word).index())),
        );
        words.sort_unstable();
        assert_eq!(words, (0..COUNTERS).collect::<Vec<_>>());
    }
}

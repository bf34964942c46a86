//! What resident kernels have in common: lists that grow while others are worked off,
//! edges shared among lanes, counts.

use core::marker::PhantomData;

use bytemuck::Pod;
use pregel_core::device::shared::{PENDING, pending, pending_message, warp_counts};
use pregel_core::device::{BLOCK, Control, Counts, Global, Piece, ResidentArguments, Row, WARP};
use pregel_core::program::Program;

use crate::collective::{warp_scan_u32, warp_sum_u64};
use crate::rows;
use crate::simt::{
    add_u32, add_u64, ballot, barrier, blocks, exchange_u32, grid_barrier, lane, lanes_before,
    load, load_once, load_relaxed_u32, shared_load, shared_store, shuffle, shuffle_value, store,
    thread, tile_load, tile_store, warp, warp_barrier, warp_sum,
};

/// Address of a word of [`Control`].
#[inline(always)]
pub(super) fn control<P: Program>(a: &ResidentArguments<P>, word: Control, turn: u32) -> u64 {
    a.work.control.element(word.word(turn))
}

/// The list of this turn.
#[inline(always)]
pub(super) fn list_of_turn<T>(lists: [Global<T>; 2], turn: u32) -> Global<T> {
    match turn % 2 {
        0 => lists[0],
        _ => lists[1],
    }
}

/// Waits for the whole grid.
///
/// # Safety
/// `work` is whole (I1), its barrier was 0 at the launch, all blocks are resident (I4),
/// and all threads of the grid take part (I5).
#[inline(always)]
pub(super) unsafe fn wait_for_grid<P: Program>(a: &ResidentArguments<P>) {
    // SAFETY: the caller's promise: only this function touches the word.
    unsafe { grid_barrier(control(a, Control::Barrier, 0)) }
}

/// The value of a word of [`Control`]: what was written before the last barrier of the
/// grid, at least.
///
/// # Safety
/// `work` is whole (I1), and the word has such a turn (I2).
#[inline(always)]
pub(super) unsafe fn get<P: Program>(a: &ResidentArguments<P>, word: Control, turn: u32) -> u32 {
    // SAFETY: the caller's promise; I8.
    unsafe { load_relaxed_u32(control(a, word, turn)) }
}

/// Sets a word of [`Control`], by one thread of the grid.
///
/// # Safety
/// As [`get`].
#[inline(always)]
pub(super) unsafe fn set<P: Program>(
    a: &ResidentArguments<P>,
    word: Control,
    turn: u32,
    value: u32,
) {
    // SAFETY: the caller's promise; I8: an exchange, since other blocks read the word.
    unsafe {
        exchange_u32(control(a, word, turn), value);
    }
}

/// The row of the vertex at `place`.
///
/// # Safety
/// `rows` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn row<P: Program>(a: &ResidentArguments<P>, place: u32) -> Row {
    // SAFETY: the caller's promise: every row has an end; I7.
    unsafe { rows::row(a.rows.offsets, place.into()) }
}

/// Appends to a list whose length is the word at `length`: an entry for each lane that has
/// one. `put` writes the entry of the lane to its index, which is its own (I6).
///
/// # Safety
/// The word exists, and is only added to until the next barrier of the grid (I8). All
/// lanes of the warp take part (I5).
#[inline(always)]
pub(super) unsafe fn append(length: u64, has_entry: bool, put: impl FnOnce(u64)) {
    let some = ballot(has_entry);
    if some == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let first = unsafe { reserve(length, some.count_ones()) };
    if has_entry {
        put(u64::from(first + (some & lanes_before()).count_ones()));
    }
}

/// Makes room for `entries` more in a list whose length is the word at `length`. Returns the
/// index of the first, in every lane.
///
/// # Safety
/// As [`append`]; all lanes bring the same number.
#[inline(always)]
unsafe fn reserve(length: u64, entries: u32) -> u32 {
    let mut first = 0;
    if lane() == 0 {
        // SAFETY: the caller's promise.
        first = unsafe { add_u32(length, entries) };
    }
    shuffle(first, 0)
}

/// Appends the pieces of a row, that of `place`, to the items of a superstep: for each lane
/// whose row has edges.
///
/// # Safety
/// `rows` and `work` are whole (I1), it is the row of this place (I2), and no lane appends it to
/// this superstep again, so that the list has room (I2). All lanes of the warp take part (I5).
#[inline(always)]
pub(super) unsafe fn append_row<P: Program>(
    a: &ResidentArguments<P>,
    superstep: u32,
    place: u32,
    row: Row,
) {
    let pieces = row.pieces();
    let items = list_of_turn(a.work.items, superstep);
    let length = control(a, Control::Items, superstep % 3);
    let some = ballot(pieces > 0);
    if some == 0 {
        return;
    }
    let mut long = ballot(pieces > 1);
    if long == 0 {
        // SAFETY: the caller's promise: the list has room for every piece of every row once.
        unsafe {
            let first = reserve(length, some.count_ones());
            if pieces > 0 {
                let at = first + (some & lanes_before()).count_ones();
                store(items, at.into(), row.piece(place, 0));
            }
        }
        return;
    }
    // A hub has thousands of pieces. One addition serves the pieces of all lanes, and all
    // lanes write those of a long row: a warp that appended them one by one would keep the
    // grid waiting.
    let up_to_here = warp_scan_u32(pieces);
    // SAFETY: the caller's promise.
    let first = unsafe { reserve(length, shuffle(up_to_here, WARP - 1)) } + up_to_here - pieces;
    if pieces == 1 {
        // SAFETY: as above.
        unsafe { store(items, first.into(), row.piece(place, 0)) };
    }
    while long != 0 {
        let from = long.trailing_zeros();
        let (first, place) = (shuffle(first, from), shuffle(place, from));
        // Read once more: few rows are long, and registers are short.
        // SAFETY: the caller's promise: it is the place of a row.
        let row = unsafe { self::row(a, place) };
        let mut number = lane();
        while number < row.pieces() {
            // SAFETY: as above; I6: each lane writes entries of its own.
            unsafe { store(items, u64::from(first + number), row.piece(place, number)) };
            number += WARP;
        }
        long &= long - 1;
    }
}

/// Messages, of at most 16 bytes, that a warp has yet to hand over, with the places of their
/// receivers, in shared memory. Few messages change their receiver: were each handed over as
/// soon as it is sent, the whole warp would wait for one or two lanes.
pub(super) struct Pending<T> {
    /// How many; the same in every lane.
    len: u32,
    of: PhantomData<T>,
}

impl<T: Pod> Pending<T> {
    /// None yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { len: 0, of: PhantomData }
    }

    /// Adds a message for each lane that has one. Once there are enough, `hand_over` takes
    /// one per lane.
    ///
    /// # Safety
    /// Blocks have [`BLOCK`] threads (I4), messages at most 16 bytes. Nothing else touches the
    /// warp's pending list or the tile until [`finish`](Self::finish) (I9). All lanes of the
    /// warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn push(
        &mut self,
        message: Option<(u32, T)>,
        hand_over: impl FnOnce(Option<(u32, T)>),
    ) {
        let some = ballot(message.is_some());
        if some == 0 {
            return;
        }
        if let Some((place, message)) = message {
            let i = self.len + (some & lanes_before()).count_ones();
            // SAFETY: I9: fewer than 32 were pending, so there is room for 32 more; I6: no
            // other lane has `i`.
            unsafe {
                shared_store(pending(thread() / WARP), i, place);
                tile_store(pending_message(thread() / WARP, i), message);
            }
        }
        self.len += some.count_ones();
        if self.len >= WARP {
            self.len -= WARP;
            warp_barrier();
            // SAFETY: I9: the last 32 were stored before the barrier. Those before them stay
            // where they are.
            let message = unsafe { Self::load(self.len + lane()) };
            warp_barrier();
            hand_over(Some(message));
        }
    }

    /// Hands over what is left.
    ///
    /// # Safety
    /// As [`push`](Self::push).
    #[inline(always)]
    pub(super) unsafe fn finish(self, hand_over: impl FnOnce(Option<(u32, T)>)) {
        if self.len > 0 {
            warp_barrier();
            // SAFETY: I9: `len` messages were stored before the barrier.
            hand_over((lane() < self.len).then(|| unsafe { Self::load(lane()) }));
            warp_barrier();
        }
    }

    /// Message `i` and its receiver.
    ///
    /// # Safety
    /// It was stored before the last barrier of the warp (I9).
    #[inline(always)]
    unsafe fn load(i: u32) -> (u32, T) {
        let warp = thread() / WARP;
        // SAFETY: the caller's promise.
        unsafe { (shared_load(pending(warp), i), tile_load(pending_message(warp, i))) }
    }
}

const _: () = assert!(PENDING >= 2 * WARP, "room for 32 more than fewer than 32");

/// Marks a vertex as listed in `superstep`; returns whether it was not before.
///
/// # Safety
/// `work` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn mark<P: Program>(
    a: &ResidentArguments<P>,
    place: u32,
    superstep: u32,
) -> bool {
    // SAFETY: the caller's promise: there is a mark for every vertex; I8.
    unsafe { exchange_u32(a.work.marks.element(place.into()), superstep) != superstep }
}

/// What is read of an edge: its value and its receiver.
#[derive(Clone, Copy)]
pub(super) struct Along<P: Program> {
    pub(super) value: P::Edge,
    pub(super) target: u32,
}

/// What a superstep has to do.
#[derive(Clone, Copy)]
pub(super) struct Items {
    superstep: u32,
    /// How many items it has.
    pub(super) count: u32,
    /// This lane's first item, if it was requested [early](Self::early); of no meaning if the
    /// superstep has fewer items.
    first: Option<Piece>,
}

impl Items {
    /// The items of a superstep, which were listed before the last barrier of the grid.
    ///
    /// # Safety
    /// `work` is whole (I1).
    #[inline(always)]
    pub(super) unsafe fn of<P: Program>(a: &ResidentArguments<P>, superstep: u32) -> Self {
        // SAFETY: the caller's promise; I2: the word has this turn.
        let count = unsafe { get(a, Control::Items, superstep % 3) };
        Self { superstep, count, first: None }
    }

    /// The same. The first item of this lane is requested along with their number, not when that
    /// has come; until it is used it takes registers.
    ///
    /// # Safety
    /// `work` is whole (I1), and no thread writes the list (I6).
    #[inline(always)]
    pub(super) unsafe fn early<P: Program>(a: &ResidentArguments<P>, superstep: u32) -> Self {
        let at = warp() * u64::from(WARP / a.work.lanes) + u64::from(lane() / a.work.lanes);
        let list = list_of_turn(a.work.items, superstep);
        // SAFETY: the caller's promise; I2: below `room`. What the list holds behind its items is
        // not used.
        unsafe {
            let first = Some(load(list, at.min(a.work.room - 1)));
            Self { first, ..Self::of(a, superstep) }
        }
    }
}

/// Goes through the items of a superstep, with `work.lanes` lanes per item. `begin` is called
/// once per lane and item, with the place and whether this is the first lane of the row's first
/// piece. `edge` is called with what it returned and an edge, when the next edge has been
/// requested, by all lanes of a warp together: with `None` by those that have no edge left.
///
/// # Safety
/// `rows` and `work` are whole (I1), and no thread writes the items (I6). All threads of the
/// grid take part (I5).
#[inline(always)]
pub(super) unsafe fn for_each_edge<P: Program, B>(
    a: &ResidentArguments<P>,
    items: Items,
    mut begin: impl FnMut(u32, bool) -> B,
    mut edge: impl FnMut(&B, Option<Along<P>>),
) {
    let list = list_of_turn(a.work.items, items.superstep);
    let shift = a.work.lanes.trailing_zeros();
    let (group, own) = (lane() >> shift, lane() & (a.work.lanes - 1));
    let per_warp = u64::from(WARP >> shift);
    let stride = u64::from(blocks()) * u64::from(BLOCK / WARP) * per_warp;
    let count = u64::from(items.count);
    let mut first = warp() * per_warp;
    let mut early = items.first;
    while first < count {
        let item = first + u64::from(group);
        let piece = match early.take() {
            _ if item >= count => Piece::default(),
            Some(piece) => piece,
            // SAFETY: I2: the item exists; I6: written before the last barrier of the grid.
            None => unsafe { load(list, item) },
        };
        let end = piece.begin + u64::from(piece.edges());
        let mut at = piece.begin + u64::from(own);
        let read = |at| {
            // SAFETY: I2: the edge is in the row; I7.
            (at < end).then(|| unsafe {
                let value = load_once(a.rows.values, at);
                Along { value, target: load_once(a.rows.targets, at) }
            })
        };
        let mut next = read(at);
        let of_item = begin(piece.place, piece.is_first() && own == 0);
        while ballot(at < end) != 0 {
            let along = next;
            at += u64::from(a.work.lanes);
            next = read(at);
            edge(&of_item, along);
        }
        first += stride;
    }
}

/// Goes through a list of `count` vertices. `f` is called by all lanes of a warp together:
/// with `None` by those that have no vertex left.
///
/// # Safety
/// The list has this many entries (I2), which no thread writes (I6). All threads of the
/// grid take part (I5).
#[inline(always)]
pub(super) unsafe fn for_each_vertex(
    list: Global<u32>,
    count: u32,
    mut f: impl FnMut(Option<u32>),
) {
    let stride = u64::from(blocks()) * u64::from(BLOCK);
    let mut first = warp() * u64::from(WARP);
    while first < count.into() {
        let at = first + u64::from(lane());
        // SAFETY: the caller's promise; checked: the entry exists.
        f((at < count.into()).then(|| unsafe { load(list, at) }));
        first += stride;
    }
}

/// Adds what the threads of a block counted to entry `i` of the trace: once per block,
/// since all blocks add to the same few words.
///
/// # Safety
/// `work` is whole (I1), and the trace has such an entry (I2). Blocks have [`BLOCK`]
/// threads (I4), which all take part (I5); no message is [`Pending`] (I9).
#[inline(always)]
pub(super) unsafe fn count<P: Program>(a: &ResidentArguments<P>, i: u32, counts: &Counts) {
    /// Numbers of [`Counts`].
    const KINDS: u32 = (size_of::<Counts>() / size_of::<u64>()) as u32;
    const { assert!(KINDS * (BLOCK / WARP) == WARP, "a lane for each sum of each warp") };
    let sums = Counts {
        active: sum(counts.active),
        scattering: sum(counts.scattering),
        awake: sum(counts.awake),
        messages: sum(counts.messages),
    };
    if lane() == 0 {
        // SAFETY: I9: each warp has a place of its own, where nothing is pending any more.
        unsafe { shared_store(warp_counts(thread() / WARP), 0, sums) };
    }
    barrier();
    if thread() < WARP {
        let kind = lane() % KINDS;
        // SAFETY: I9: each warp stored its sums before the barrier.
        let mut total: u64 = unsafe { shared_load(warp_counts(lane() / KINDS).numbers(), kind) };
        let mut distance = KINDS;
        while distance < WARP {
            total += shuffle_value(total, lane() ^ distance);
            distance *= 2;
        }
        if lane() < KINDS && total > 0 {
            // SAFETY: I2: the entry exists, and has this number; I8.
            unsafe { add_u64(a.work.trace.element(i.into()) + 8 * u64::from(kind), total) };
        }
        // The additions come before the arrival of the block's thread 0 at the grid's
        // barrier.
        warp_barrier();
    }
}

/// The sum of the lanes' numbers, in lane 0: by one instruction while they are small. All
/// lanes of the warp take part (I5).
#[inline(always)]
fn sum(number: u64) -> u64 {
    match ballot(number >= 1 << 27) {
        0 => warp_sum(number as u32).into(),
        _ => warp_sum_u64(number),
    }
}

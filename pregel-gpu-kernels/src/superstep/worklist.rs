//! What kernels that stay for many supersteps have in common: lists that grow
//! while others are worked off, edges shared among lanes, counts.

use pregel_core::device::{Arguments, BLOCK, Control, Counts, Global, PUSH_EDGES, SHARED, WARP};
use pregel_core::program::{Program, Zeroable};

use crate::collective::warp_sum_u64;
use crate::simt::{
    add_u32, add_u64, ballot, barrier, blocks, exchange_u32, grid_barrier, lane, lanes_before,
    load, load_const, load_once, read_u32, shared_load, shared_load_u32, shared_store,
    shared_store_u32, shuffle, shuffle_value, store, thread, warp, warp_barrier, warp_sum,
};

/// Address of a word of [`Control`].
#[inline(always)]
pub(super) fn control<P: Program>(a: &Arguments<P>, word: Control, turn: u32) -> u64 {
    a.work.control.element(word.word(turn))
}

/// The list of this turn.
#[inline(always)]
pub(super) fn of_turn<T>(lists: [Global<T>; 2], turn: u32) -> Global<T> {
    match turn % 2 {
        0 => lists[0],
        _ => lists[1],
    }
}

/// Waits for the whole grid.
#[inline(always)]
pub(super) unsafe fn everyone<P: Program>(a: &Arguments<P>) {
    // SAFETY: the word is the barrier's own.
    unsafe { grid_barrier(control(a, Control::Barrier, 0)) }
}

/// The value of a word of [`Control`]; that of its writers before the last
/// barrier.
#[inline(always)]
pub(super) unsafe fn get<P: Program>(a: &Arguments<P>, word: Control, turn: u32) -> u32 {
    // SAFETY: the word exists.
    unsafe { read_u32(control(a, word, turn)) }
}

/// Sets a word of [`Control`], by one thread of the grid.
#[inline(always)]
pub(super) unsafe fn set<P: Program>(a: &Arguments<P>, word: Control, turn: u32, value: u32) {
    // SAFETY: the word exists; an exchange, since other blocks read it.
    unsafe {
        exchange_u32(control(a, word, turn), value);
    }
}

/// Pieces that a row of so many edges has.
#[inline(always)]
pub(super) fn pieces(edges: u32) -> u32 {
    edges.div_ceil(PUSH_EDGES)
}

/// Appends to a list whose length is the word at `count`. Each lane brings any
/// number of entries, `put` writes entry `i` of the lane at its index. All lanes
/// of the warp take part.
#[inline(always)]
pub(super) unsafe fn append(count: u64, entries: u32, put: impl Fn(u64, u32)) {
    let mut i = 0;
    // One entry a lane at a time: few lanes have more than one.
    let mut some = ballot(i < entries);
    while some != 0 {
        let mut first = 0;
        if lane() == 0 {
            // SAFETY: the caller's word.
            first = unsafe { add_u32(count, some.count_ones()) };
        }
        let at = shuffle(first, 0) + (some & lanes_before()).count_ones();
        if i < entries {
            put(at.into(), i);
        }
        i += 1;
        some = ballot(i < entries);
    }
}

/// Appends the pieces of the row of `place`, so many, to the items of superstep
/// `superstep`. All lanes of the warp take part.
#[inline(always)]
pub(super) unsafe fn append_items<P: Program>(
    a: &Arguments<P>,
    superstep: u32,
    place: u32,
    pieces: u32,
) {
    let items = of_turn(a.work.items, superstep);
    // SAFETY: the list has room for every piece of every row once, and a vertex
    // is listed once a superstep.
    unsafe {
        append(control(a, Control::Items, superstep % 3), pieces, |at, piece| {
            store(items, at, [place, piece]);
        });
    }
}

/// Vertices that a warp has yet to append to a list, in shared memory: one
/// addition to the list's length for 32 of them, since all warps of the device
/// would wait for each other there.
pub(super) struct Pending {
    /// Byte offset in shared memory.
    at: u32,
    /// How many; the same in every lane.
    len: u32,
}

/// Vertices that one [`Pending`] holds at most.
const PENDING: u32 = 2 * WARP;

/// Lists that a warp can have pending.
const LISTS: u32 = 2;

/// Where, in shared memory, list `which` of a warp of the block is pending.
#[inline(always)]
fn pending(warp: u32, which: u32) -> u32 {
    (warp * LISTS + which) * PENDING * 4
}

impl Pending {
    /// Nothing yet, for list `which` of this warp, below [`LISTS`].
    #[inline(always)]
    pub(super) fn new(which: u32) -> Self {
        const { assert!(LISTS * PENDING * 4 * (BLOCK / WARP) <= SHARED, "no room") };
        Self { at: pending(thread() / WARP, which), len: 0 }
    }

    /// Adds a vertex for each lane that has one; `write` appends one a lane, once
    /// there are enough. All lanes of the warp take part.
    #[inline(always)]
    pub(super) unsafe fn push(&mut self, place: Option<u32>, write: impl FnOnce(Option<u32>)) {
        let some = ballot(place.is_some());
        if some == 0 {
            return;
        }
        // SAFETY: below 32 were pending, so that there is room for 32 more;
        // each lane has a place of its own.
        unsafe {
            if let Some(place) = place {
                let i = self.len + (some & lanes_before()).count_ones();
                shared_store_u32(self.at + 4 * i, place);
            }
            self.len += some.count_ones();
            if self.len >= WARP {
                self.len -= WARP;
                warp_barrier();
                // The last 32, so that those before stay where they are.
                let place = shared_load_u32(self.at + 4 * (self.len + lane()));
                warp_barrier();
                write(Some(place));
            }
        }
    }

    /// Appends what is left. All lanes of the warp take part.
    #[inline(always)]
    pub(super) unsafe fn finish(self, write: impl FnOnce(Option<u32>)) {
        if self.len > 0 {
            warp_barrier();
            // SAFETY: so many were stored.
            write((lane() < self.len).then(|| unsafe { shared_load_u32(self.at + 4 * lane()) }));
            warp_barrier();
        }
    }
}

/// Marks a vertex as listed in `superstep`; whether it was not before.
#[inline(always)]
pub(super) unsafe fn mark<P: Program>(a: &Arguments<P>, place: u32, superstep: u32) -> bool {
    // SAFETY: there is a mark for every vertex.
    unsafe { exchange_u32(a.work.marks.element(place.into()), superstep) != superstep }
}

/// What is read of an edge: its value, and the receiver.
pub(super) type Along<P> = (<P as Program>::Edge, u32);

/// Goes through the items of a superstep, `work.lanes` lanes an item. `begin`
/// gets the place and whether this is the row's first piece, once a lane; `edge`
/// what it made of that, and an edge; the next edge has been asked for then. `edge`
/// is called by all lanes of a warp at a time, with `None` by those that have no edge
/// left.
#[inline(always)]
pub(super) unsafe fn each_edge<P: Program, B>(
    a: &Arguments<P>,
    superstep: u32,
    count: u32,
    mut begin: impl FnMut(u32, bool) -> B,
    mut edge: impl FnMut(&B, Option<Along<P>>),
) {
    let items = of_turn(a.work.items, superstep);
    let shift = a.work.lanes.trailing_zeros();
    let (group, own) = (lane() >> shift, lane() & (a.work.lanes - 1));
    let per_warp = u64::from(WARP >> shift);
    let stride = u64::from(blocks()) * u64::from(BLOCK / WARP) * per_warp;
    let mut first = warp() * per_warp;
    while first < count.into() {
        let item = first + u64::from(group);
        let (mut at, mut end) = (0, 0);
        let (mut place, mut piece) = (0, 1);
        // SAFETY: the item exists, and its edges are those of a vertex.
        unsafe {
            if item < count.into() {
                [place, piece] = load(items, item);
                let begin = load_const(a.senders.offsets, place.into());
                let row_end = load_const(a.senders.offsets, u64::from(place) + 1);
                let piece_begin = begin + u64::from(piece) * u64::from(PUSH_EDGES);
                end = row_end.min(piece_begin + u64::from(PUSH_EDGES));
                at = piece_begin + u64::from(own);
            }
        }
        let read = |at| {
            // SAFETY: the edge exists.
            (at < end).then(|| unsafe {
                (load_once(a.senders.values, at), load_once(a.senders.targets, at))
            })
        };
        let mut next = read(at);
        let of_item = begin(place, piece == 0 && own == 0);
        while ballot(at < end) != 0 {
            let along = next;
            at += u64::from(a.work.lanes);
            next = read(at);
            edge(&of_item, along);
        }
        first += stride;
    }
}

/// Goes through a list of so many vertices; `f` is called by all lanes of a
/// warp at a time, with `None` by those that have no vertex left.
#[inline(always)]
pub(super) unsafe fn each_vertex(list: Global<u32>, count: u32, mut f: impl FnMut(Option<u32>)) {
    let stride = u64::from(blocks()) * u64::from(BLOCK);
    let mut first = warp() * u64::from(WARP);
    while first < count.into() {
        let at = first + u64::from(lane());
        // SAFETY: the entry exists.
        f((at < count.into()).then(|| unsafe { load(list, at) }));
        first += stride;
    }
}

/// Adds what the threads of a block counted to entry `i` of the trace: once a block,
/// since all blocks add to the same few words. All threads of the block take part; what
/// is [`Pending`] has been written.
#[inline(always)]
pub(super) unsafe fn count<P: Program>(a: &Arguments<P>, i: u32, counts: &Counts) {
    /// Numbers of [`Counts`].
    const KINDS: u32 = (size_of::<Counts>() / size_of::<u64>()) as u32;
    const { assert!(KINDS * (BLOCK / WARP) == WARP, "a lane for each sum of each warp") };
    let sums = Counts {
        active: sum(counts.active),
        scattering: sum(counts.scattering),
        awake: sum(counts.awake),
        messages: sum(counts.messages),
    };
    // SAFETY: each warp has a place of its own, where nothing is pending any more; the
    // entry exists.
    unsafe {
        if lane() == 0 {
            shared_store(pending(thread() / WARP, 0), sums);
        }
        barrier();
        if thread() < WARP {
            let kind = lane() % KINDS;
            let mut of_all: u64 = shared_load(pending(lane() / KINDS, 0) + 8 * kind);
            let mut apart = KINDS;
            while apart < WARP {
                of_all += shuffle_value(of_all, lane() ^ apart);
                apart *= 2;
            }
            if lane() < KINDS && of_all > 0 {
                add_u64(a.work.trace.element(i.into()) + 8 * u64::from(kind), of_all);
            }
            // Before the thread that speaks for the block comes to the grid's barrier.
            warp_barrier();
        }
    }
}

/// The sum of the lanes' numbers, in lane 0: by one instruction while they are small.
#[inline(always)]
fn sum(number: u64) -> u64 {
    match ballot(number >= 1 << 27) {
        0 => warp_sum(number as u32).into(),
        _ => warp_sum_u64(number),
    }
}

/// Nothing counted yet.
#[inline(always)]
pub(super) fn nothing() -> Counts {
    Counts::zeroed()
}

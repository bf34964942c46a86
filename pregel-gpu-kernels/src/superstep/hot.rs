//! Pulling with a copy of the hot signals in the shared memory of each block.
//!
//! In a power law few vertices send most of the messages. Sorted by degree they come
//! first, and their signals fit the memory of a multiprocessor, which is as fast as a
//! cache that never misses. A pull spends its time on the gather from the L2 cache, which
//! moves a sector of 32 bytes for each signal.

use core::ops::Range;

use pregel_core::device::{HotArguments, WARP, columns};
use pregel_core::program::{Edge, Message, VertexCompute};

use super::gather::{
    Column, Source, all_layers, combine, group_base, group_of_item, layers_of_chunk, partial_slot,
    store_partial,
};
use super::steady::has_halted;
use super::vertex::{Own, Tally, compute_with_own};
use crate::simt::{
    add_u32, barrier, block, blocks, lane, load_const, load_hot, load_once, shuffle,
    stage_16_bytes, thread, threads, wait_for_staged,
};

/// From the sender's signal, which the block has staged if it is hot. Every vertex
/// scatters, so that no vote is read.
struct Staged;

impl<P: VertexCompute> Source<P> for Staged {
    type Arguments = HotArguments<P>;
    type Ticket = u32;
    const EAGER: bool = true;

    #[inline(always)]
    unsafe fn ticket(a: &HotArguments<P>, slot: u64) -> u32 {
        // SAFETY: the caller's promise, for `senders`; I7.
        unsafe { load_once(a.pull.senders.places, slot) }
    }

    #[inline(always)]
    unsafe fn message(a: &HotArguments<P>, slot: u64, sender: u32) -> Option<Message<P>> {
        // SAFETY: I2: the sender is a place; I7: `signals` is not written; the block has
        // staged the first `hot` of them (I9).
        let signal = unsafe { load_hot(a.pull.run.step.signals, sender, a.hot) };
        // SAFETY: the caller's promise, for `senders`; I7.
        let value = unsafe { load_once(a.pull.senders.values, slot) };
        a.pull.run.program.edge_compute(&signal, Edge::new(value))
    }
}

/// Copies the hot signals to the block's memory.
///
/// # Safety
/// `step` is whole (I1), the block has room for `hot` signals, a multiple of 16 bytes
/// (I4), and all its threads take part (I5).
#[inline(always)]
unsafe fn stage_hot_signals<P: VertexCompute>(a: &HotArguments<P>) {
    let bytes = a.hot * size_of::<P::Signal>() as u32;
    let mut offset = thread() * 16;
    while offset < bytes {
        // SAFETY: I3, I4: both offsets are multiples of 16 below `bytes`; I7: `signals` is
        // not written; I9: no thread reads them before the barrier.
        unsafe { stage_16_bytes(offset, a.pull.run.step.signals.address() + u64::from(offset)) };
        offset += threads() * 16;
    }
    wait_for_staged();
    barrier();
}

/// What warps take in turns: the chunks of heavy groups, then the groups up to the last
/// that is not short, one by one; then `batch` of the others at a time. Falling degrees
/// put the most expensive first, so that all warps end at about the same time.
struct Turns {
    /// How many items there are.
    items: u32,
    /// How many of these are a chunk or one group.
    single: u32,
    /// Groups of each other item.
    batch: u32,
    /// The current item, and the group within it.
    item: u32,
    group: u32,
    /// The next item, in lane 0.
    next: u32,
}

impl Turns {
    /// The first turn of this warp.
    ///
    /// # Safety
    /// `turns` and `chunks` are whole (I1), and all lanes of the warp take part (I5).
    #[inline(always)]
    unsafe fn new<P: VertexCompute>(a: &HotArguments<P>) -> Self {
        let groups = columns::groups(a.pull.run.vertices.count, WARP.trailing_zeros());
        let single = a.pull.chunks.count + (a.pull.chunks.long - a.pull.chunks.heavy);
        let batch = a.pull.chunks.batch;
        let items = single + (groups - a.pull.chunks.long).div_ceil(batch);
        // Neighbours are about equal work: they go to different multiprocessors.
        let own = thread() / WARP * blocks() + block();
        let mut turns = Self { items, single, batch, item: 0, group: 0, next: own };
        // SAFETY: the caller's promise.
        unsafe {
            if a.pull.turns.fixed == 0 {
                turns.request(a);
            }
            turns.item = shuffle(turns.next, 0);
            turns.request(a);
        }
        turns
    }

    /// Requests the item after the next; does not wait for the answer.
    ///
    /// # Safety
    /// `turns` is whole (I1).
    #[inline(always)]
    unsafe fn request<P: VertexCompute>(&mut self, a: &HotArguments<P>) {
        if a.pull.turns.fixed != 0 {
            self.next += threads() / WARP * blocks();
        } else if lane() == 0 {
            // SAFETY: I1: `next` is one value; I8: it is only added to.
            self.next = unsafe { add_u32(a.pull.turns.next.address(), 1) };
        }
    }

    /// Goes on to the next group or item.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline(always)]
    unsafe fn advance<P: VertexCompute>(&mut self, a: &HotArguments<P>) {
        self.group += 1;
        if self.item < self.single || self.group == self.batch {
            (self.item, self.group) = (shuffle(self.next, 0), 0);
            // SAFETY: the caller's promise.
            unsafe { self.request(a) };
        }
    }
}

/// A part of a column, and the vertex that it belongs to.
struct Part<P: VertexCompute> {
    place: u32,
    base: u64,
    layers: Range<u32>,
    own: Own<P>,
    /// The chunk, if it is one of a heavy group.
    chunk: Option<u32>,
}

impl<P: VertexCompute> Part<P> {
    /// This lane's part; without layers if there is no such vertex, or if it wants no
    /// messages.
    ///
    /// # Safety
    /// `vertices`, `columns` and `chunks` are whole (I1); no thread but this writes the
    /// state of a vertex of this turn (I6).
    #[inline(always)]
    unsafe fn read(a: &HotArguments<P>, turns: &Turns) -> Self {
        let mut part = Self {
            place: u32::MAX,
            base: 0,
            layers: 0..0,
            own: Own::none(),
            chunk: (turns.item < a.pull.chunks.count).then_some(turns.item),
        };
        if turns.item >= turns.items {
            return part;
        }
        let layers = match part.chunk {
            // SAFETY: I2: the chunk is below `chunks.count`.
            Some(chunk) => unsafe { layers_of_chunk(&a.pull.chunks, chunk.into()) },
            None if turns.item < turns.single => {
                all_layers(group_of_item(&a.pull.chunks, turns.item))
            }
            None => {
                let short = (turns.item - turns.single) * turns.batch + turns.group;
                all_layers(short + a.pull.chunks.long)
            }
        };
        part.place = layers.group * WARP + lane();
        if part.place < a.pull.run.vertices.count {
            // SAFETY: I2: the place is below `vertices.count`; the caller's promise.
            part.own = unsafe { Own::ahead(&a.pull.run, part.place) };
            if a.pull.run.program.wants_message(&part.own.state) {
                // SAFETY: I2, as above; I7.
                let degree: u32 = unsafe { load_const(a.pull.columns.degrees, part.place.into()) };
                // SAFETY: I2, as above.
                part.base = unsafe { group_base(&a.pull.columns, part.place) };
                part.layers = layers.first..degree.min(layers.end);
            }
        }
        part
    }

    #[inline(always)]
    fn column(&self) -> Column {
        Column { place: self.place, base: self.base, layers: self.layers.clone() }
    }
}

/// `pull_hot`: as `pull` where every vertex scattered, on any number of blocks of up to
/// 1,024 threads, each with room for `hot` signals, a multiple of 16 bytes.
///
/// Few such blocks fit a multiprocessor. To make up for the missing warps, a warp reads
/// what it needs for the next part of a column before the messages of this one.
///
/// # Safety
/// As [`pull`](super::pull); every vertex scattered.
#[inline(always)]
pub unsafe fn pull_hot<P: VertexCompute>(a: &HotArguments<P>) {
    // SAFETY: I1.
    let mut tally = unsafe { Tally::<P>::with_last(&a.pull.run) };
    // SAFETY: I1. I5: all threads read the same word, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) } {
        return;
    }
    // SAFETY: I1, I4; I5: every thread arrives here.
    unsafe { stage_hot_signals(a) };
    // SAFETY: I1; I5: the lanes of a warp take the same turns.
    let mut turns = unsafe { Turns::new(a) };
    // SAFETY: I1; I6: only this warp has the turn.
    let mut part = unsafe { Part::read(a, &turns) };
    while turns.item < turns.items {
        // SAFETY: as above.
        let next = unsafe {
            turns.advance(a);
            Part::read(a, &turns)
        };
        // SAFETY: I1; I2: the layers lie below the degree; I9: the signals are staged.
        let sum = unsafe { combine::<P, Staged>(a, a.pull.columns.shift, part.column()) };
        if let Some(chunk) = part.chunk {
            // SAFETY: I2: the chunk exists; I6: only this warp has the turn.
            unsafe { store_partial(&a.pull.chunks, partial_slot(chunk), sum.get()) };
        } else if part.place < a.pull.run.vertices.count {
            let (run, place) = (&a.pull.run, part.place);
            // SAFETY: I2: checked; I6: only this warp has the turn.
            unsafe {
                let own = || part.own.whole(run, place);
                compute_with_own(run, place, own, sum.get(), &mut tally);
            }
        }
        part = next;
    }
    // SAFETY: I5: every thread arrives here; I9: other shared memory was not used before.
    unsafe { tally.finish(&a.pull.run, a.pull.chunks.aggregates + block()) };
}

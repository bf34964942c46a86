//! Combines columns of messages: whole ones, or chunk by chunk.

use core::ops::Range;

use pregel_core::device::{CHUNK_LAYERS, Chunks, Columns, WARP, any_will_do, columns};
use pregel_core::program::{Delivery, Message, VertexCompute};

use crate::simt::{lane, load_const, store};

/// Where messages come from, slot by slot.
pub(super) trait Source<P: VertexCompute> {
    /// The argument block of its kernels.
    type Arguments;
    /// What is read for several slots before any is used, so that the reads overlap.
    type Ticket: Copy + Default;

    /// Whether the next tickets are read before these are used.
    const EAGER: bool;

    /// The first read.
    ///
    /// # Safety
    /// The parts of the block that the source reads are whole (I1), and the slot is one of
    /// an edge (I2).
    unsafe fn ticket(a: &Self::Arguments, slot: u64) -> Self::Ticket;

    /// The message, if there is one.
    ///
    /// # Safety
    /// As [`ticket`](Self::ticket), which gave this ticket for this slot.
    unsafe fn message(a: &Self::Arguments, slot: u64, ticket: Self::Ticket) -> Option<Message<P>>;
}

/// What messages have been combined to so far.
pub(super) struct Sum<P: VertexCompute> {
    value: Message<P>,
    any: bool,
}

impl<P: VertexCompute> Sum<P> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { value: P::Combiner::neutral(), any: false }
    }

    /// That of one message, or of none.
    #[inline(always)]
    pub(super) fn of(message: Option<Message<P>>) -> Self {
        Self { value: message.unwrap_or(P::Combiner::neutral()), any: message.is_some() }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, message: Option<Message<P>>) {
        if let Some(message) = message {
            self.value = if self.any { P::Combiner::merge(self.value, message) } else { message };
            self.any = true;
        }
    }

    /// The sum of both.
    #[inline(always)]
    pub(super) fn join(self, other: Self) -> Self {
        if any_will_do::<P>() {
            return if self.any { self } else { other };
        }
        // Without a message, the value is neutral.
        let value = P::Combiner::merge(self.value, other.value);
        Self { value, any: self.any | other.any }
    }

    /// Whether no further message changes it.
    #[inline(always)]
    fn is_settled(&self) -> bool {
        self.any && P::Combiner::settled(&self.value)
    }

    #[inline(always)]
    pub(super) fn get(&self) -> Option<Message<P>> {
        self.any.then_some(self.value)
    }
}

/// The column of one vertex, or a part of it.
pub(super) struct Column {
    /// The place of the vertex.
    pub(super) place: u32,
    /// Where its group begins.
    pub(super) base: u64,
    /// Which layers.
    pub(super) layers: Range<u32>,
}

/// Consecutive layers of a group, from `first` to before `end`, or fewer in a short column.
#[derive(Clone, Copy)]
pub(super) struct Layers {
    pub(super) group: u32,
    pub(super) first: u32,
    pub(super) end: u32,
}

/// Where the group of the vertex at `place` begins.
///
/// # Safety
/// `columns` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn group_base(of: &Columns, place: u32) -> u64 {
    // SAFETY: the caller's promise; there is a base for every group, which no kernel of a
    // superstep writes (I7).
    unsafe { load_const(of.bases, columns::group(place, of.shift).into()) }
}

/// Slots that are read before any is used. Written out below: an array of them would end
/// up in local memory.
const AHEAD: u32 = 4;

/// Combines the messages of a column.
///
/// # Safety
/// `columns` and what `S` reads are whole (I1), and the layers exist in the column (I2).
#[inline(always)]
pub(super) unsafe fn combine<P: VertexCompute, S: Source<P>>(
    a: &S::Arguments,
    shift: u32,
    column: Column,
) -> Sum<P> {
    let Column { place, base, layers: Range { start: mut layer, end } } = column;
    let slot = |layer: u32| columns::slot(base, place, layer.into(), shift);
    // SAFETY: the caller's promise: only called with layers below `end`.
    let ticket = |layer| unsafe { S::ticket(a, slot(layer)) };
    // SAFETY: the same.
    let message = |layer, ticket| unsafe { S::message(a, slot(layer), ticket) };
    let mut sum = Sum::new();
    // Where any message will do, the first sender often has one: it is that of the highest
    // degree, if this is a column of senders.
    if any_will_do::<P>() && layer < end {
        sum.add(message(layer, ticket(layer)));
        layer += 1;
    }
    let first = || if layer + AHEAD <= end { four(layer, ticket) } else { Default::default() };
    add_layers(sum, layer..end, S::EAGER.then(first), ticket, message)
}

/// The tickets of as many layers as are read ahead.
pub(super) type Four<T> = (T, T, T, T);

/// The tickets from a layer on.
#[inline(always)]
pub(super) fn four<T>(layer: u32, ticket: impl Fn(u32) -> T) -> Four<T> {
    (ticket(layer), ticket(layer + 1), ticket(layer + 2), ticket(layer + 3))
}

/// Adds the messages of some layers to a sum, each made of a ticket. If `next` are the first tickets,
/// those that follow are read before the ones at hand are used. Neither function is called with other layers.
#[inline(always)]
pub(super) fn add_layers<P: VertexCompute, T: Copy>(
    mut sum: Sum<P>,
    Range { start: mut layer, end }: Range<u32>,
    mut next: Option<Four<T>>,
    ticket: impl Fn(u32) -> T,
    message: impl Fn(u32, T) -> Option<Message<P>>,
) -> Sum<P> {
    while layer + AHEAD <= end && !sum.is_settled() {
        let (t0, t1, t2, t3) = next.unwrap_or_else(|| four(layer, &ticket));
        if let Some(next) = &mut next
            && layer + 2 * AHEAD <= end
        {
            *next = four(layer + AHEAD, &ticket);
        }
        let m0 = message(layer, t0);
        let m1 = message(layer + 1, t1);
        let m2 = message(layer + 2, t2);
        let m3 = message(layer + 3, t3);
        sum.add(m0);
        sum.add(m1);
        sum.add(m2);
        sum.add(m3);
        layer += AHEAD;
    }
    if sum.is_settled() { sum } else { add_last(sum, layer..end, ticket, message) }
}

/// Adds the messages of the last layers, three at most.
#[inline(always)]
pub(super) fn add_last<P: VertexCompute, T: Copy>(
    mut sum: Sum<P>,
    Range { start: layer, end }: Range<u32>,
    ticket: impl Fn(u32) -> T,
    message: impl Fn(u32, T) -> Option<Message<P>>,
) -> Sum<P> {
    if layer < end {
        let (two, three) = (layer + 1 < end, layer + 2 < end);
        let t0 = ticket(layer);
        let t1 = if two { ticket(layer + 1) } else { t0 };
        let t2 = if three { ticket(layer + 2) } else { t0 };
        let m0 = message(layer, t0);
        let m1 = if two { message(layer + 1, t1) } else { None };
        let m2 = if three { message(layer + 2, t2) } else { None };
        sum.add(m0);
        sum.add(m1);
        sum.add(m2);
    }
    sum
}

/// The layers of a chunk.
///
/// # Safety
/// `chunks` is whole (I1), and `chunk` is below `chunks.count` (I2).
#[inline(always)]
pub(super) unsafe fn layers_of_chunk<P: VertexCompute>(chunks: &Chunks<P>, chunk: u64) -> Layers {
    // SAFETY: the caller's promise; I7.
    let chunk = unsafe { load_const(chunks.list, chunk) };
    Layers { group: chunk.group, first: chunk.layer, end: chunk.layer + CHUNK_LAYERS }
}

/// All layers of a group.
#[inline(always)]
pub(super) fn all_layers(group: u32) -> Layers {
    Layers { group, first: 0, end: u32::MAX }
}

/// The group of an item after the chunks: one of those that are not heavy.
#[inline(always)]
pub(super) fn group_of_item<P: VertexCompute>(chunks: &Chunks<P>, item: u32) -> u32 {
    item - chunks.count + chunks.heavy
}

/// Where the partial result of this lane of a chunk is.
#[inline(always)]
pub(super) fn partial_slot(chunk: u32) -> u64 {
    u64::from(chunk) * u64::from(WARP) + u64::from(lane())
}

/// Writes the partial result of a lane of a chunk, to its [`partial_slot`].
///
/// # Safety
/// `chunks` is whole (I1), the chunk is below `chunks.count` (I2), and this lane owns the
/// partial result (I6).
#[inline(always)]
pub(super) unsafe fn store_partial<P: VertexCompute>(
    chunks: &Chunks<P>,
    at: u64,
    sum: Option<Message<P>>,
) {
    // SAFETY: the caller's promise; I1: there are 32 partial results per chunk.
    unsafe {
        store(chunks.present, at, u8::from(sum.is_some()));
        if let Some(sum) = sum {
            store(chunks.messages, at, sum);
        }
    }
}

//! Combines columns of messages: whole ones, or chunk by chunk and then together.

use core::ops::Range;

use pregel_core::device::{
    CHUNK_LAYERS, Chunks, Columns, JOIN_BLOCK, MailboxArguments, PullArguments, Run, WARP,
    any_will_do, columns,
};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::steady::has_halted;
use super::vertex::{Tally, compute_combined};
use crate::simt::{barrier, block, blocks, lane, load, load_const, load_pair, store, thread};

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
    fn of(message: Option<Message<P>>) -> Self {
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
    fn join(self, other: Self) -> Self {
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
    let Column { place, base, layers: Range { start: first, end } } = column;
    let mut sum = Sum::new();
    let slot = |layer: u32| columns::slot(base, place, layer.into(), shift);
    // SAFETY: the caller's promise: only called with layers below `end`.
    let ticket = |layer| unsafe { S::ticket(a, slot(layer)) };
    // SAFETY: the same.
    let message = |layer, ticket| unsafe { S::message(a, slot(layer), ticket) };
    let read = |layer| (ticket(layer), ticket(layer + 1), ticket(layer + 2), ticket(layer + 3));
    let mut layer = first;
    // Where any message will do, the first sender often has one: it is that of the highest
    // degree, if this is a column of senders.
    if any_will_do::<P>() && layer < end {
        sum.add(message(layer, ticket(layer)));
        layer += 1;
    }
    let mut next = Default::default();
    if S::EAGER && layer + AHEAD <= end {
        next = read(layer);
    }
    while layer + AHEAD <= end && !sum.is_settled() {
        let (t0, t1, t2, t3) = if S::EAGER { next } else { read(layer) };
        if S::EAGER && layer + 2 * AHEAD <= end {
            next = read(layer + AHEAD);
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
    if layer < end && !sum.is_settled() {
        // At most three are left.
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

/// Combines this lane's partial results of the chunks from `first` to before `end`.
///
/// # Safety
/// `chunks` is whole (I1), `first` is at most `end`, and `end` at most `chunks.count` (I2), and no other
/// thread writes these partial results meanwhile (I6).
#[inline(always)]
unsafe fn combine_partials<P: VertexCompute>(chunks: &Chunks<P>, [first, end]: [u32; 2]) -> Sum<P> {
    let read = |at: u64, exists: bool| {
        // SAFETY: I2: only called with slots of chunks below `end`. I10: the bits of an absent
        // message are read, and not used.
        let (present, message) = unsafe { (load(chunks.present, at), load(chunks.messages, at)) };
        Sum::<P>::of((exists && present != 0).then_some(message))
    };
    let (mut chunk, mut sum) = (first, Sum::<P>::new());
    // Eight are read before any is used. Of wide ones, only four fit the registers.
    while size_of::<Message<P>>() <= 8 && end - chunk >= 8 {
        let at = partial_slot(chunk);
        let early = join_four(|k| read(at + u64::from(k * WARP), true));
        let late = join_four(|k| read(at + u64::from((4 + k) * WARP), true));
        sum = sum.join(early.join(late));
        chunk += 8;
    }
    while chunk < end {
        // After the end the last is read again, to avoid branches.
        let last = end - chunk - 1;
        sum = sum.join(join_four(|k| read(partial_slot(chunk + k.min(last)), k <= last)));
        chunk += 4;
    }
    sum
}

/// Joins four sums by pairs: where each waits for the one before, the assembler also reads one after
/// the other.
#[inline(always)]
fn join_four<P: VertexCompute>(read: impl Fn(u32) -> Sum<P>) -> Sum<P> {
    let (s0, s1, s2, s3) = (read(0), read(1), read(2), read(3));
    s0.join(s1).join(s2.join(s3))
}

/// What a warp combines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Its part of a huge group.
    Part,
    /// The results of such parts.
    Parts,
    /// Another group.
    Whole,
}

/// Combines partial results and runs the vertices of heavy groups: a block takes one of
/// the first `chunks.huge`, a warp takes others in turns. The order depends only on the
/// number of partial results.
///
/// # Safety
/// `vertices`, `step` and `chunks` are whole (I1), and all partial results are written.
/// All threads of the block, [`JOIN_BLOCK`], take part (I5).
#[inline(always)]
unsafe fn compute_heavy<P: VertexCompute>(run: &Run<P>, chunks: &Chunks<P>) {
    /// Warps of a block.
    const WARPS: u32 = JOIN_BLOCK / WARP;
    let mut tally = Tally::<P>::new();
    let own = thread() / WARP;
    // Neighbours have about as many chunks: they go to different multiprocessors.
    let others = blocks() - chunks.huge;
    let (mut task, mut group) = if block() < chunks.huge {
        (Task::Part, block())
    } else {
        (Task::Whole, block() + own * others)
    };
    while group < chunks.heavy {
        // SAFETY: I2: the group is heavy; `firsts` has one entry more; I7.
        let [first, end] = unsafe { load_pair(chunks.firsts, group.into()) };
        // At least one, since the group has chunks; said here, division needs no check.
        let of_warp = (end - first).div_ceil(WARPS).max(1);
        let range = match task {
            Task::Part => [first + own * of_warp, first + (own + 1) * of_warp],
            Task::Parts => [first, first + (end - first).div_ceil(of_warp)],
            Task::Whole => [first, end],
        };
        let range = range.map(|chunk| chunk.min(end));
        // SAFETY: I2: the chunks are the group's; I6: no thread writes them meanwhile.
        let sum = unsafe { combine_partials::<P>(chunks, range) };
        if task == Task::Part {
            // I5: it is the first task of each warp of the block.
            barrier();
            if range[0] < range[1] {
                // SAFETY: I2: there are no more parts than chunks; I6: only this warp has the part.
                unsafe { store_partial(chunks, partial_slot(first + own), sum.get()) };
            }
            barrier();
            if own > 0 {
                break;
            }
            task = Task::Parts;
        } else {
            let place = group * WARP + lane();
            if place < run.vertices.count {
                // SAFETY: I2: checked; I6: only this warp has the group.
                unsafe { compute_combined(run, place, sum.get(), &mut tally) };
            }
            if task == Task::Parts {
                break;
            }
            group += WARPS * others;
        }
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(run, block()) };
}

/// `pull_heavy`, after `pull`, on more than `chunks.huge` blocks of [`JOIN_BLOCK`] threads.
///
/// # Safety
/// `vertices`, `step`, `chunks` and `batch` are whole (I1); `pull` has run.
#[inline(always)]
pub unsafe fn pull_heavy<P: VertexCompute>(a: &PullArguments<P>) {
    // SAFETY: the caller's promise; I5: all threads read the same word, which no thread
    // writes meanwhile.
    unsafe {
        if !has_halted(&a.batch) {
            compute_heavy(&a.run, &a.chunks);
        }
    }
}

/// `read_heavy`, after `read_chunks`, on more than `chunks.huge` blocks of [`JOIN_BLOCK`] threads.
///
/// # Safety
/// `vertices`, `step` and `chunks` are whole (I1); `read_chunks` has run.
#[inline(always)]
pub unsafe fn read_heavy<P: VertexCompute>(a: &MailboxArguments<P>) {
    // SAFETY: the caller's promise.
    unsafe { compute_heavy(&a.run, &a.chunks) }
}

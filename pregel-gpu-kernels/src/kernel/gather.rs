//! Columns of messages, combined: in one go, or by the chunk and then together.

use pregel_core::device::{Arguments, BLOCK, WARP, columns};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::steady::halted;
use super::vertex::{Tally, compute_combined};
use crate::simt::{barrier, block, blocks, lane, load, load_const, store, thread};

/// Where messages come from, slot by slot.
pub(super) trait Source<P: VertexCompute> {
    /// What is read of several slots before any is used, so that the reads
    /// overlap.
    type Ticket: Copy + Default;
    /// Whether the next tickets are read before these are used.
    const EAGER: bool;
    /// The first read.
    unsafe fn ticket(a: &Arguments<P>, slot: u64) -> Self::Ticket;
    /// The message, if there is one.
    unsafe fn message(a: &Arguments<P>, slot: u64, ticket: Self::Ticket) -> Option<Message<P>>;
}

/// A sum so far.
pub(super) struct Sum<P: VertexCompute> {
    value: Message<P>,
    any: bool,
}

impl<P: VertexCompute> Sum<P> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { value: P::Combiner::neutral(), any: false }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, message: Option<Message<P>>) {
        if let Some(message) = message {
            self.value = if self.any { P::Combiner::merge(self.value, message) } else { message };
            self.any = true;
        }
    }

    #[inline(always)]
    fn settled(&self) -> bool {
        self.any && P::Combiner::settled(&self.value)
    }

    #[inline(always)]
    pub(super) fn get(&self) -> Option<Message<P>> {
        self.any.then_some(self.value)
    }
}

/// Slots read before any is used. Written out below, since an array of them
/// would end up in memory.
const AHEAD: u32 = 4;

/// Combines the messages of the vertex at `place` in rows `first..end`.
#[inline(always)]
pub(super) unsafe fn combine<P: VertexCompute, S: Source<P>>(
    a: &Arguments<P>,
    place: u32,
    (first, end): (u32, u32),
) -> Sum<P> {
    let shift = a.columns.shift;
    let mut sum = Sum::new();
    // SAFETY: there is a base for every group, and the rows are the vertex's.
    unsafe {
        let base = load_const(a.columns.bases, columns::group(place, shift).into());
        let slot = |row: u32| columns::slot(base, place, row.into(), shift);
        let read = |row| {
            let ticket = |i| S::ticket(a, slot(row + i));
            (ticket(0), ticket(1), ticket(2), ticket(3))
        };
        let mut row = first;
        let mut next = Default::default();
        if S::EAGER && row + AHEAD <= end {
            next = read(row);
        }
        while row + AHEAD <= end && !sum.settled() {
            let (t0, t1, t2, t3) = if S::EAGER { next } else { read(row) };
            if S::EAGER && row + 2 * AHEAD <= end {
                next = read(row + AHEAD);
            }
            let m0 = S::message(a, slot(row), t0);
            let m1 = S::message(a, slot(row + 1), t1);
            let m2 = S::message(a, slot(row + 2), t2);
            let m3 = S::message(a, slot(row + 3), t3);
            sum.add(m0);
            sum.add(m1);
            sum.add(m2);
            sum.add(m3);
            row += AHEAD;
        }
        while row < end && !sum.settled() {
            sum.add(S::message(a, slot(row), S::ticket(a, slot(row))));
            row += 1;
        }
    }
    sum
}

/// Keeps the partial result of a lane of a chunk.
#[inline(always)]
pub(super) unsafe fn put_partial<P: VertexCompute>(
    a: &Arguments<P>,
    at: u64,
    sum: Option<Message<P>>,
) {
    // SAFETY: each lane of a chunk has a place of its own.
    unsafe {
        store(a.chunks.present, at, u8::from(sum.is_some()));
        if let Some(sum) = sum {
            store(a.chunks.messages, at, sum);
        }
    }
}

#[inline(always)]
unsafe fn partial<P: VertexCompute>(a: &Arguments<P>, at: u64) -> Option<Message<P>> {
    // SAFETY: each lane of a chunk has a place of its own.
    unsafe { (load(a.chunks.present, at) != 0).then(|| load(a.chunks.messages, at)) }
}

/// Combines every eighth partial result of a lane from chunk `first` on, one
/// for each warp of a block; four are read before any is used.
#[inline(always)]
unsafe fn partials<P: VertexCompute>(a: &Arguments<P>, (first, end): (u32, u32)) -> Sum<P> {
    let warps = BLOCK / WARP;
    let at = |chunk: u32| u64::from(chunk) * u64::from(WARP) + u64::from(lane());
    let mut sum = Sum::<P>::new();
    let mut chunk = first;
    // SAFETY: the chunks exist; what an absent message's place holds is not
    // used.
    unsafe {
        let read = |chunk| (load(a.chunks.present, at(chunk)), load(a.chunks.messages, at(chunk)));
        while chunk + 3 * warps < end {
            let (p0, m0) = read(chunk);
            let (p1, m1) = read(chunk + warps);
            let (p2, m2) = read(chunk + 2 * warps);
            let (p3, m3) = read(chunk + 3 * warps);
            sum.add((p0 != 0).then_some(m0));
            sum.add((p1 != 0).then_some(m1));
            sum.add((p2 != 0).then_some(m2));
            sum.add((p3 != 0).then_some(m3));
            chunk += 4 * warps;
        }
        while chunk < end {
            sum.add(partial(a, at(chunk)));
            chunk += warps;
        }
    }
    sum
}

/// Blocks take heavy groups in turns: combine partial results, in an order that
/// depends on their number alone, and run the vertices.
#[inline(always)]
unsafe fn heavy<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let warps = BLOCK / WARP;
    let own = thread() / WARP;
    let mut group = block();
    // SAFETY: the groups are heavy; the first chunks of a group hold the results of
    // the block's warps once all have read them.
    unsafe {
        while group < a.chunks.heavy {
            let place = group * WARP + lane();
            let first = load_const(a.chunks.firsts, group.into());
            let end = load_const(a.chunks.firsts, u64::from(group) + 1);
            let at = |chunk: u32| u64::from(chunk) * u64::from(WARP) + u64::from(lane());
            if first + own < end {
                let sum = partials::<P>(a, (first + own, end));
                put_partial(a, at(first + own), sum.get());
            }
            barrier();
            if own == 0 && place < a.vertices.count {
                let mut sum = Sum::<P>::new();
                for chunk in first..end.min(first + warps) {
                    sum.add(partial(a, at(chunk)));
                }
                compute_combined(a, place, sum.get(), &mut tally);
            }
            group += blocks();
        }
        tally.finish(a, block());
    }
}

/// `pull_heavy`, on any number of blocks, after `pull`.
///
/// # Safety
/// `chunks` is whole.
#[inline(always)]
pub unsafe fn pull_heavy<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe {
        if !halted(a) {
            heavy(a);
        }
    }
}

/// `read_heavy`, on any number of blocks, after `read_chunks`.
///
/// # Safety
/// `chunks` is whole.
#[inline(always)]
pub unsafe fn read_heavy<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { heavy(a) }
}

//! Columns of messages, combined: in one go, or by the chunk and then together.

use pregel_core::device::{Arguments, CHUNK_ROWS, WARP, columns};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::steady::halted;
use super::vertex::{Tally, compute_combined};
use crate::simt::{barrier, block, blocks, lane, load, load_const, store, thread, threads};

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

/// Where the group of the vertex at `place` begins.
#[inline(always)]
pub(super) unsafe fn base<P: VertexCompute>(a: &Arguments<P>, place: u32) -> u64 {
    // SAFETY: there is a base for every group.
    unsafe { load_const(a.columns.bases, columns::group(place, a.columns.shift).into()) }
}

/// Slots read before any is used. Written out below, since an array of them
/// would end up in memory.
const AHEAD: u32 = 4;

/// Combines the messages of the vertex at `place` in rows `first..end`; its group
/// begins at slot `base`.
#[inline(always)]
pub(super) unsafe fn combine<P: VertexCompute, S: Source<P>>(
    a: &Arguments<P>,
    (base, place): (u64, u32),
    (first, end): (u32, u32),
) -> Sum<P> {
    let shift = a.columns.shift;
    let mut sum = Sum::new();
    // SAFETY: the rows are the vertex's.
    unsafe {
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
        if row < end && !sum.settled() {
            // At most three are left.
            let (two, three) = (row + 1 < end, row + 2 < end);
            let t0 = S::ticket(a, slot(row));
            let t1 = if two { S::ticket(a, slot(row + 1)) } else { t0 };
            let t2 = if three { S::ticket(a, slot(row + 2)) } else { t0 };
            let m0 = S::message(a, slot(row), t0);
            let m1 = if two { S::message(a, slot(row + 1), t1) } else { None };
            let m2 = if three { S::message(a, slot(row + 2), t2) } else { None };
            sum.add(m0);
            sum.add(m1);
            sum.add(m2);
        }
    }
    sum
}

/// The group of a chunk, and its rows in it: `first..end`, or fewer in short columns.
#[inline(always)]
pub(super) unsafe fn piece<P: VertexCompute>(a: &Arguments<P>, chunk: u32) -> (u32, u32, u32) {
    // SAFETY: the caller's chunk exists.
    let piece = unsafe { load_const(a.chunks.list, chunk.into()) };
    (piece.group, piece.row, piece.row + CHUNK_ROWS)
}

/// The group of an item behind the chunks: those that are not heavy, one by one.
#[inline(always)]
pub(super) fn whole_group<P: VertexCompute>(a: &Arguments<P>, item: u32) -> u32 {
    item - a.chunks.count + a.chunks.heavy
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

/// Combines every `step`th partial result of a lane from chunk `first` on; four are
/// read before any is used.
#[inline(always)]
unsafe fn partials<P: VertexCompute>(
    a: &Arguments<P>,
    (first, end): (u32, u32),
    step: u32,
) -> Sum<P> {
    let mut sum = Sum::<P>::new();
    let mut chunk = first;
    // SAFETY: the chunks exist; what an absent message's place holds is not
    // used.
    unsafe {
        let read = |chunk| {
            let at = at(chunk);
            (load(a.chunks.present, at), load(a.chunks.messages, at))
        };
        while chunk + 3 * step < end {
            let (p0, m0) = read(chunk);
            let (p1, m1) = read(chunk + step);
            let (p2, m2) = read(chunk + 2 * step);
            let (p3, m3) = read(chunk + 3 * step);
            sum.add((p0 != 0).then_some(m0));
            sum.add((p1 != 0).then_some(m1));
            sum.add((p2 != 0).then_some(m2));
            sum.add((p3 != 0).then_some(m3));
            chunk += 4 * step;
        }
        while chunk < end {
            let (present, message) = read(chunk);
            sum.add((present != 0).then_some(message));
            chunk += step;
        }
    }
    sum
}

/// Where the partial result of this lane of a chunk is.
#[inline(always)]
pub(super) fn at(chunk: u32) -> u64 {
    u64::from(chunk) * u64::from(WARP) + u64::from(lane())
}

/// Combines partial results and runs the vertices of heavy groups: a block each of
/// the first, `chunks.huge`, a warp those of the others in turns. The order depends
/// on the number of partial results alone.
#[inline(always)]
unsafe fn heavy<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let (warps, own) = (threads() / WARP, thread() / WARP);
    // SAFETY: the groups are heavy; the first chunks of a huge group hold the results
    // of the block's warps once all have read them.
    unsafe {
        let chunks = |group: u32| {
            let first = load_const(a.chunks.firsts, group.into());
            (first, load_const(a.chunks.firsts, u64::from(group) + 1))
        };
        let (mut group, mut step) = (block(), u32::MAX);
        if block() < a.chunks.huge {
            let (first, end) = chunks(group);
            if first + own < end {
                let sum = partials::<P>(a, (first + own, end), warps);
                put_partial(a, at(first + own), sum.get());
            }
            barrier();
        } else {
            group = a.chunks.huge + (block() - a.chunks.huge) * warps + own;
            step = (blocks() - a.chunks.huge) * warps;
        }
        while group < a.chunks.heavy && (step < u32::MAX || own == 0) {
            let (first, end) = chunks(group);
            let end = if step < u32::MAX { end } else { end.min(first + warps) };
            let sum = partials::<P>(a, (first, end), 1);
            let place = group * WARP + lane();
            if place < a.vertices.count {
                compute_combined(a, place, sum.get(), &mut tally);
            }
            group = group.saturating_add(step);
        }
        tally.finish(a, block());
    }
}

/// `pull_heavy`, on more than `chunks.huge` blocks, after `pull`.
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

/// `read_heavy`, on more than `chunks.huge` blocks, after `read_chunks`.
///
/// # Safety
/// `chunks` is whole.
#[inline(always)]
pub unsafe fn read_heavy<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { heavy(a) }
}

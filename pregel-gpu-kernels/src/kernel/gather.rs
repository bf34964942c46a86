//! Vertices that combine their messages: pulled, or read from the buffer.

use pregel_core::device::{Arguments, BLOCK, CHUNK_ROWS, WARP, columns};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute};

use super::vertex::{Tally, compute_combined, vote, wants};
use crate::simt::{barrier, block, lane, load, load_const, load_once, store, thread, warp};

/// Where messages come from, slot by slot.
trait Source<P: VertexCompute> {
    /// What is read of several slots before any is used, so that the reads
    /// overlap.
    type Ticket: Copy;
    /// The first read.
    unsafe fn ticket(a: &Arguments<P>, slot: u64) -> Self::Ticket;
    /// The message, if there is one.
    unsafe fn message(a: &Arguments<P>, slot: u64, ticket: Self::Ticket) -> Option<Message<P>>;
}

/// From the sender's signal, without a buffer; `EVERYONE` scatters, so that
/// nobody's vote is read.
struct Pulled<const EVERYONE: bool>;

impl<P: VertexCompute, const EVERYONE: bool> Source<P> for Pulled<EVERYONE> {
    type Ticket = u32;

    #[inline(always)]
    unsafe fn ticket(a: &Arguments<P>, slot: u64) -> u32 {
        // SAFETY: the caller's slot is one of an edge.
        unsafe { load_once(a.columns.senders, slot) }
    }

    #[inline(always)]
    unsafe fn message(a: &Arguments<P>, slot: u64, sender: u32) -> Option<Message<P>> {
        // SAFETY: the slot is one of an edge, the sender a vertex.
        unsafe {
            if !EVERYONE && !vote(a.step.votes, sender).scatters() {
                return None;
            }
            let edge = Edge::new(load_once(a.columns.values, slot));
            a.program.edge_compute(&load_const(a.step.signals, sender.into()), edge)
        }
    }
}

/// From the message buffer.
struct Stored;

impl<P: VertexCompute> Source<P> for Stored {
    type Ticket = u8;

    #[inline(always)]
    unsafe fn ticket(a: &Arguments<P>, slot: u64) -> u8 {
        // SAFETY: the caller's slot is one of an edge.
        unsafe { load_const(a.mailbox.present, slot) }
    }

    #[inline(always)]
    unsafe fn message(a: &Arguments<P>, slot: u64, present: u8) -> Option<Message<P>> {
        // SAFETY: the caller's slot is one of an edge.
        (present != 0).then(|| unsafe { load_const(a.mailbox.messages, slot) })
    }
}

/// How the messages of a vertex are combined.
trait Column<P: VertexCompute> {
    /// Those of the vertex at `place` in rows `first..end`.
    unsafe fn combine(a: &Arguments<P>, place: u32, rows: (u32, u32)) -> Sum<P>;
}

/// From signals.
struct Signals;

impl<P: VertexCompute> Column<P> for Signals {
    #[inline(always)]
    unsafe fn combine(a: &Arguments<P>, place: u32, rows: (u32, u32)) -> Sum<P> {
        // SAFETY: as the caller promises.
        unsafe {
            match a.step.everyone {
                0 => combine::<P, Pulled<false>>(a, place, rows),
                _ => combine::<P, Pulled<true>>(a, place, rows),
            }
        }
    }
}

/// From the message buffer.
struct Buffer;

impl<P: VertexCompute> Column<P> for Buffer {
    #[inline(always)]
    unsafe fn combine(a: &Arguments<P>, place: u32, rows: (u32, u32)) -> Sum<P> {
        // SAFETY: as the caller promises.
        unsafe { combine::<P, Stored>(a, place, rows) }
    }
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
unsafe fn combine<P: VertexCompute, S: Source<P>>(
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
        let mut row = first;
        while row + AHEAD <= end && !sum.settled() {
            let (t0, t1, t2, t3) = (
                S::ticket(a, slot(row)),
                S::ticket(a, slot(row + 1)),
                S::ticket(a, slot(row + 2)),
                S::ticket(a, slot(row + 3)),
            );
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

/// A thread for every `step.each` vertices, heavy groups left out; a block's
/// threads take neighbouring vertices at a time.
#[inline(always)]
unsafe fn light<P: VertexCompute, C: Column<P>>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let first = u64::from(block()) * u64::from(a.step.each) * u64::from(BLOCK);
    let mut place = u64::from(a.chunks.heavy) * u64::from(WARP) + first + u64::from(thread());
    for _ in 0..a.step.each {
        if place < a.vertices.count.into() {
            let place = place as u32;
            // SAFETY: the place is that of a vertex.
            unsafe {
                let message = match wants(a, place) {
                    true => {
                        let degree = load_const(a.columns.degrees, place.into());
                        C::combine(a, place, (0, degree)).get()
                    }
                    false => None,
                };
                compute_combined(a, place, message, &mut tally);
            }
        }
        place += u64::from(BLOCK);
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, a.chunks.heavy + block()) };
}

/// A warp a chunk, a lane a vertex: partial results of heavy groups.
#[inline(always)]
unsafe fn chunks<P: VertexCompute, C: Column<P>>(a: &Arguments<P>) {
    let chunk = warp();
    if chunk >= a.chunks.count.into() {
        return;
    }
    // SAFETY: the chunk exists, and its places are those of vertices.
    unsafe {
        let piece = load_const(a.chunks.list, chunk);
        let place = piece.group * WARP + lane();
        let mut sum = Sum::<P>::new();
        if place < a.vertices.count && wants(a, place) {
            let degree = load_const(a.columns.degrees, place.into());
            let rows = (piece.row, degree.min(piece.row + CHUNK_ROWS));
            sum = C::combine(a, place, rows);
        }
        put_partial(a, chunk * u64::from(WARP) + u64::from(lane()), sum.get());
    }
}

#[inline(always)]
unsafe fn put_partial<P: VertexCompute>(a: &Arguments<P>, at: u64, sum: Option<Message<P>>) {
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

/// A block a heavy group: combines partial results, in an order that depends
/// on their number alone, and runs the vertices.
#[inline(always)]
unsafe fn heavy<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let place = block() * WARP + lane();
    let warps = BLOCK / WARP;
    let own = thread() / WARP;
    // SAFETY: there is a block for each heavy group; the first chunks of a
    // group hold the results of its warps once all have read them.
    unsafe {
        let first = load_const(a.chunks.firsts, block().into());
        let end = load_const(a.chunks.firsts, u64::from(block()) + 1);
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
        tally.finish(a, block());
    }
}

/// `pull`, a thread for every `step.each` vertices that are not in a heavy group.
///
/// # Safety
/// `columns` is whole; heavy groups have been done.
#[inline(always)]
pub unsafe fn pull<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { light::<P, Signals>(a) }
}

/// `pull_chunks`, a warp a chunk.
///
/// # Safety
/// `columns` and `chunks` are whole; groups are of 32.
#[inline(always)]
pub unsafe fn pull_chunks<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { chunks::<P, Signals>(a) }
}

/// `pull_heavy`, a block a heavy group, after `pull_chunks`.
///
/// # Safety
/// `chunks` is whole.
#[inline(always)]
pub unsafe fn pull_heavy<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { heavy(a) }
}

/// `read_chunks`, a warp a chunk of the message buffer.
///
/// # Safety
/// `columns`, `mailbox` and `chunks` are whole; groups are of 32.
#[inline(always)]
pub unsafe fn read_chunks<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { chunks::<P, Buffer>(a) }
}

/// `read_heavy`, a block a heavy group, after `read_chunks`.
///
/// # Safety
/// `chunks` is whole.
#[inline(always)]
pub unsafe fn read_heavy<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { heavy(a) }
}

/// A thread for every `step.each` vertices that are not in a heavy group, from
/// the message buffer.
///
/// # Safety
/// `columns` and `mailbox` are whole; heavy groups have been done.
#[inline(always)]
pub(super) unsafe fn read_light<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe { light::<P, Buffer>(a) }
}

//! The message buffer: edges write, vertices read.

use pregel_core::device::{Arguments, CHUNK_ROWS, WARP};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute};

use super::gather::{Source, Sum, at, base, combine, put_partial};
use super::lists::read_list;
use super::vertex::{Tally, compute_combined, vote, wants};
use crate::simt::{block, index, lane, load_const, load_once, store, warp};

/// From the message buffer.
struct Stored;

impl<P: VertexCompute> Source<P> for Stored {
    type Ticket = u8;
    const EAGER: bool = false;

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

/// `send`, a thread an edge: writes the edge's message into its slot, or that
/// there is none (*PregelGPU*, §3.2.2).
///
/// # Safety
/// `mailbox` is whole.
#[inline(always)]
pub unsafe fn send<P: VertexCompute>(a: &Arguments<P>) {
    let edge = index();
    if edge >= a.mailbox.edges {
        return;
    }
    // SAFETY: the edge exists, its source is a vertex, and no other edge has
    // its slot.
    unsafe {
        let source = load_once(a.mailbox.sources, edge);
        let slot = u64::from(load_once(a.mailbox.positions, edge));
        let message = match a.step.everyone != 0 || vote(a.step.votes, source).scatters() {
            true => {
                let signal = load_const(a.step.signals, source.into());
                a.program.edge_compute(&signal, Edge::new(load_once(a.mailbox.values, edge)))
            }
            false => None,
        };
        store(a.mailbox.present, slot, u8::from(message.is_some()));
        if let Some(message) = message {
            store(a.mailbox.messages, slot, message);
        }
    }
}

/// `read`, a thread for every vertex that is not in a heavy group: reads its
/// column, combines, computes, votes (*PregelGPU*, §3.2.3). A message list is made
/// in place.
///
/// # Safety
/// `columns` and `mailbox` are whole; heavy groups have been done, and `sort_lists`,
/// where lists are sorted.
#[inline(always)]
pub unsafe fn read<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe {
        match P::Combiner::COMBINES {
            true => read_column(a),
            false => read_list(a),
        }
    }
}

#[inline(always)]
unsafe fn read_column<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let place = u64::from(a.chunks.heavy) * u64::from(WARP) + index();
    if place < a.vertices.count.into() {
        let place = place as u32;
        // SAFETY: the place is that of a vertex.
        unsafe {
            let message = match wants(a, place) {
                true => {
                    let degree = load_const(a.columns.degrees, place.into());
                    combine::<P, Stored>(a, (base(a, place), place), (0, degree)).get()
                }
                false => None,
            };
            compute_combined(a, place, message, &mut tally);
        }
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, a.chunks.joiners + block()) };
}

/// `read_chunks`, a warp a chunk, a lane a vertex: partial results of heavy groups,
/// for `read_heavy`.
///
/// # Safety
/// `columns`, `mailbox` and `chunks` are whole; groups are of 32.
#[inline(always)]
pub unsafe fn read_chunks<P: VertexCompute>(a: &Arguments<P>) {
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
            sum = combine::<P, Stored>(a, (base(a, place), place), rows);
        }
        put_partial(a, at(chunk as u32), sum.get());
    }
}

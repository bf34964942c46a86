//! The message buffer: edges write, vertices read.

use pregel_core::device::{MailboxArguments, WARP};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute};

use super::gather::{
    Column, Source, Sum, combine, group_base, layers_of_chunk, partial_slot, store_partial,
};
use super::lists::read_list;
use super::vertex::{Tally, compute_combined, vote, wants_message};
use crate::simt::{block, index, lane, load_const, load_once, store, warp};

/// From the message buffer.
struct Stored;

impl<P: VertexCompute> Source<P> for Stored {
    type Arguments = MailboxArguments<P>;
    type Ticket = u8;
    const EAGER: bool = false;

    #[inline(always)]
    unsafe fn ticket(a: &MailboxArguments<P>, slot: u64) -> u8 {
        // SAFETY: the caller's promise, for `mailbox`; I7.
        unsafe { load_const(a.mailbox.present, slot) }
    }

    #[inline(always)]
    unsafe fn message(a: &MailboxArguments<P>, slot: u64, present: u8) -> Option<Message<P>> {
        // SAFETY: the caller's promise, for `mailbox`; I7.
        (present != 0).then(|| unsafe { load_const(a.mailbox.messages, slot) })
    }
}

/// `send`, one thread per edge: writes the edge's message into its slot, or that there is
/// none (*PregelGPU*, §3.2.2).
///
/// # Safety
/// `step` and `mailbox` are whole (I1).
#[inline(always)]
pub unsafe fn send<P: VertexCompute>(a: &MailboxArguments<P>) {
    let edge = index();
    if edge >= a.mailbox.edges {
        return;
    }
    // SAFETY: I2: the edge exists, and its source is a place; I7.
    let (source, slot): (u32, u32) =
        unsafe { (load_once(a.mailbox.sources, edge), load_once(a.mailbox.positions, edge)) };
    let slot = u64::from(slot);
    // SAFETY: I2: the source is a place; I7: no kernel of a superstep writes `step.votes`.
    let scatters = a.run.step.everyone != 0 || unsafe { vote(a.run.step.votes, source) }.scatters();
    let message = if scatters {
        // SAFETY: I2: the source is a place, and the edge exists; I7.
        let (signal, value) = unsafe {
            (load_const(a.run.step.signals, source.into()), load_once(a.mailbox.values, edge))
        };
        a.run.program.edge_compute(&signal, Edge::new(value))
    } else {
        None
    };
    // SAFETY: I2: the slot exists; I6: no other edge has it.
    unsafe {
        store(a.mailbox.present, slot, u8::from(message.is_some()));
        if let Some(message) = message {
            store(a.mailbox.messages, slot, message);
        }
    }
}

/// `read`, one thread per vertex that is not in a heavy group: reads its column, combines,
/// computes, votes (*PregelGPU*, §3.2.3). A message list is made in place.
///
/// # Safety
/// `vertices`, `step`, `columns`, `mailbox` and `chunks` are whole (I1). `send` has run,
/// and `sort_lists` where lists are sorted.
#[inline(always)]
pub unsafe fn read<P: VertexCompute>(a: &MailboxArguments<P>) {
    // SAFETY: the caller's promise.
    unsafe {
        if P::Combiner::COMBINES {
            read_column(a);
        } else {
            read_list(a);
        }
    }
}

/// `read` of a program with a combiner.
///
/// # Safety
/// As [`read`].
#[inline(always)]
unsafe fn read_column<P: VertexCompute>(a: &MailboxArguments<P>) {
    let mut tally = Tally::<P>::new();
    let place = u64::from(a.chunks.heavy) * u64::from(WARP) + index();
    if place < a.run.vertices.count.into() {
        let place = place as u32;
        // SAFETY: I2: the place is below `vertices.count`; I6: this thread owns it.
        let message = if unsafe { wants_message(&a.run, place) } {
            // SAFETY: I2, as above: the layers lie below the degree; I7.
            unsafe {
                let end = load_const(a.columns.degrees, place.into());
                let column = Column { place, base: group_base(&a.columns, place), layers: 0..end };
                combine::<P, Stored>(a, a.columns.shift, column).get()
            }
        } else {
            None
        };
        // SAFETY: I2, I6, as above.
        unsafe { compute_combined(&a.run, place, message, &mut tally) };
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(&a.run, a.chunks.aggregates + block()) };
}

/// `read_chunks`, one warp per chunk, one lane per vertex: partial results of heavy groups,
/// for `read_heavy`.
///
/// # Safety
/// `vertices`, `columns`, `mailbox` and `chunks` are whole (I1); groups have 32 vertices;
/// `send` has run.
#[inline(always)]
pub unsafe fn read_chunks<P: VertexCompute>(a: &MailboxArguments<P>) {
    let chunk = warp();
    if chunk >= a.chunks.count.into() {
        return;
    }
    // SAFETY: I2: the chunk is below `chunks.count`.
    let layers = unsafe { layers_of_chunk(&a.chunks, chunk) };
    let place = layers.group * WARP + lane();
    let mut sum = Sum::<P>::new();
    // SAFETY: I2: the place is checked first; I6: no state is written by this kernel.
    if place < a.run.vertices.count && unsafe { wants_message(&a.run, place) } {
        // SAFETY: I2, as above: the layers lie below the degree; I7.
        sum = unsafe {
            let degree: u32 = load_const(a.columns.degrees, place.into());
            let layers = layers.first..degree.min(layers.end);
            let column = Column { place, base: group_base(&a.columns, place), layers };
            combine::<P, Stored>(a, a.columns.shift, column)
        };
    }
    // SAFETY: I2: the chunk exists; I6: only this warp has it.
    unsafe { store_partial(&a.chunks, partial_slot(chunk as u32), sum.get()) };
}

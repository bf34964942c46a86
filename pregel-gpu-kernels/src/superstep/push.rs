//! Scattering vertices combine their messages into one slot per receiver.

use pregel_core::device::{
    BLOCK, Global, PUSH_EDGES, PushArguments, VERTICES_PER_THREAD, WARP, holds_messages,
};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Vote};

use super::held::HeldMessage;
use super::vertex::{Tally, compute_combined, wants_message};
use crate::simt::{
    ballot, block, blocks, combine, lane, load, load_const, load_once, own_places, packed_votes,
    store, warp,
};

/// `push`, on any number of blocks: a warp takes one piece of a row after the other.
///
/// # Safety
/// `vertices`, `step`, `rows`, `frontier` and `slots` are whole (I1).
#[inline(always)]
pub unsafe fn push<P: VertexCompute>(a: &PushArguments<P>) {
    // SAFETY: I1: the count is one value; I7.
    let items = u64::from(unsafe { load_const(a.frontier.count, 0) });
    let mut held = HeldMessage::<P>::none();
    let mut item = warp();
    while item < items {
        // SAFETY: I2: the item exists, its place is a row, and rows have an end; I7.
        let (place, piece, begin, row_end) = unsafe {
            let [place, piece] = load_const(a.frontier.items, item);
            let begin = load_const(a.rows.offsets, u64::from(place));
            (place, piece, begin, load_const(a.rows.offsets, u64::from(place) + 1))
        };
        let first = begin + u64::from(piece) * u64::from(PUSH_EDGES);
        let end = row_end.min(first + u64::from(PUSH_EDGES));
        // SAFETY: I2: the place is that of a vertex; I7.
        let signal = unsafe { load_const(a.run.step.signals, place.into()) };
        let mut edge = first + u64::from(lane());
        if holds_messages::<P>() {
            while ballot(edge < end) != 0 {
                let mut new = None;
                if edge < end {
                    // SAFETY: I2: the edge exists, and its target is a place; I7; I6: no
                    // state is written by this kernel.
                    unsafe {
                        let target = load_once(a.rows.targets, edge);
                        if wants_message(&a.run, target) {
                            new = message_along(a, &signal, edge).map(|message| (target, message));
                        }
                    }
                }
                // SAFETY: I2: the target is a place; I5: the whole warp is in this loop.
                unsafe { held.put(a, new) };
                edge += u64::from(WARP);
            }
        }
        while edge < end {
            // SAFETY: I2: the edge exists, and its target is a place, which has a slot; I6:
            // no state is written by this kernel; I8: only `combine` touches the slots.
            unsafe {
                let target = load_once(a.rows.targets, edge);
                if wants_message(&a.run, target)
                    && let Some(message) = message_along(a, &signal, edge)
                {
                    let slots = a.slots;
                    combine::<P::Combiner>(slots.messages, slots.arrived, target.into(), message);
                }
            }
            edge += u64::from(WARP);
        }
        item += u64::from(blocks()) * u64::from(BLOCK / WARP);
    }
    if holds_messages::<P>() {
        // SAFETY: I1, I2: its place has a slot; I5: every lane arrives here.
        unsafe { held.finish(a) }
    }
}

/// The message along an edge of a sender with this signal.
///
/// # Safety
/// `rows` is whole (I1), and the edge is below the last offset (I2).
#[inline(always)]
unsafe fn message_along<P: VertexCompute>(
    a: &PushArguments<P>,
    signal: &P::Signal,
    edge: u64,
) -> Option<Message<P>> {
    // SAFETY: the caller's promise; I7.
    let value = unsafe { load_once(a.rows.values, edge) };
    a.run.program.edge_compute(signal, Edge::new(value))
}

/// `arrive`, one thread per vertex, or per [four](VERTICES_PER_THREAD): takes what was pushed and
/// computes.
///
/// # Safety
/// `vertices`, `step` and `slots` are whole (I1); `push` has run.
#[inline(always)]
pub unsafe fn arrive<P: VertexCompute>(a: &PushArguments<P>) {
    let mut tally = Tally::<P>::new();
    let places = own_places(a.run.step.places);
    // SAFETY: I1; I7: no kernel of a superstep writes `step.votes`.
    if let Some(votes) = unsafe { packed_votes(a.run.step.votes, &places) } {
        let mut awake = votes & u32::from_ne_bytes([Vote::Wait as u8; 4]);
        // SAFETY: I1; I2: there are four places; I6: they are this thread's own.
        let [mut arrived, mut later] = unsafe { arrived_at_four(a.slots.arrived, places.start) };
        let packed = Global::at(a.run.step.votes_next.address());
        // SAFETY: I3: four votes from a multiple of four on are one word; I6: these places
        // are this thread's own.
        unsafe { store(packed, places.start / u64::from(VERTICES_PER_THREAD), 0u32) };
        // Of most vertices nothing more is read.
        for place in places {
            if arrived as u32 != 0 || awake as u8 != 0 {
                // SAFETY: I2: the place is below `step.places`; I6: it is this thread's own.
                unsafe { take::<P>(a, place, arrived as u32, &mut tally) };
            }
            // What belongs to the next place moves to the lowest bits.
            (arrived, later) = (arrived >> 32 | later << 32, later >> 32);
            awake >>= 8;
        }
    } else {
        for place in places {
            // SAFETY: I2: the place is below `step.places`; I6: it is this thread's own.
            unsafe { take::<P>(a, place, load(a.slots.arrived, place), &mut tally) };
        }
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(&a.run, block()) };
}

/// Computes the vertex at `place` with its message, if one has `arrived`, and empties its slot.
///
/// # Safety
/// `vertices`, `step` and `slots` are whole (I1), the place is below `step.places` (I2), and this
/// thread owns the vertex (I6).
#[inline(always)]
unsafe fn take<P: VertexCompute>(
    a: &PushArguments<P>,
    place: u64,
    arrived: u32,
    tally: &mut Tally<P>,
) {
    let mut message = None;
    // SAFETY: the caller's promise.
    unsafe {
        if arrived != 0 {
            message = Some(load(a.slots.messages, place));
            store(a.slots.arrived, place, 0);
            store(a.slots.messages, place, P::Combiner::neutral());
        }
        compute_combined(&a.run, place as u32, message, tally);
    }
}

/// Whether something arrived at the vertex at `place`, and at the three behind it: a word each,
/// the first in the lowest bits of the first number.
///
/// # Safety
/// `place` is a multiple of four, `arrived` has these four elements (I2), and this thread
/// owns them (I6).
#[inline(always)]
unsafe fn arrived_at_four(arrived: Global<u32>, place: u64) -> [u64; 2] {
    let pairs = Global::<u64>::at(arrived.address());
    // SAFETY: the caller's promise; I3: two words from an even index on are aligned to 8.
    unsafe { [load(pairs, place / 2), load(pairs, place / 2 + 1)] }
}

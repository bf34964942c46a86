//! Scattering vertices combine into one slot a receiver.

use pregel_core::device::{Arguments, BLOCK, FOUR, Global, PUSH_EDGES, WARP, holds_messages};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Vote};

use super::held::Held;
use super::vertex::{Tally, compute_combined, wants};
use crate::simt::{
    ballot, block, blocks, combine, four_votes, lane, load, load_const, load_once, places, store,
    warp,
};

/// `push`, any number of blocks: a warp takes a piece of a row after the other.
///
/// # Safety
/// `senders`, `frontier` and `slots` are whole.
#[inline(always)]
pub unsafe fn push<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: the count is one value.
    let items = u64::from(unsafe { load_const(a.frontier.count, 0) });
    let mut held = Held::<P>::nothing();
    let mut item = warp();
    while item < items {
        // SAFETY: the item exists, and its edges are those of a vertex.
        unsafe {
            let [place, piece] = load_const(a.frontier.items, item);
            let begin = load_const(a.senders.offsets, place.into());
            let end = load_const(a.senders.offsets, u64::from(place) + 1);
            let first = begin + u64::from(piece) * u64::from(PUSH_EDGES);
            let end = end.min(first + u64::from(PUSH_EDGES));
            let signal = load_const(a.step.signals, place.into());
            let mut edge = first + u64::from(lane());
            if holds_messages::<P>() {
                while ballot(edge < end) != 0 {
                    let mut new = None;
                    if edge < end {
                        let target = load_once(a.senders.targets, edge);
                        if wants(a, target) {
                            new = along(a, &signal, edge).map(|message| (target, message));
                        }
                    }
                    held.put(a, new);
                    edge += u64::from(WARP);
                }
            }
            while edge < end {
                let target = load_once(a.senders.targets, edge);
                if wants(a, target)
                    && let Some(message) = along(a, &signal, edge)
                {
                    let slots = a.slots;
                    combine::<P::Combiner>(slots.messages, slots.arrived, target.into(), message);
                }
                edge += u64::from(WARP);
            }
        }
        item += u64::from(blocks()) * u64::from(BLOCK / WARP);
    }
    if holds_messages::<P>() {
        // SAFETY: the slots are those of all vertices.
        unsafe { held.finish(a) }
    }
}

/// The message along an edge of a sender with this signal.
#[inline(always)]
unsafe fn along<P: VertexCompute>(
    a: &Arguments<P>,
    signal: &P::Signal,
    edge: u64,
) -> Option<Message<P>> {
    // SAFETY: the caller's edge exists.
    let value = unsafe { load_once(a.senders.values, edge) };
    a.program.edge_compute(signal, Edge::new(value))
}

/// `arrive`, a thread a vertex, or [four](FOUR): takes what was pushed and computes.
///
/// # Safety
/// `slots` is whole.
#[inline(always)]
pub unsafe fn arrive<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let (mut place, end) = places(a.vertices.count);
    // SAFETY: there is a slot and a vote for every vertex.
    unsafe {
        if let Some(votes) = four_votes(a.step.votes, (place, end))
            && votes & u32::from_ne_bytes([Vote::Wait as u8; 4]) == 0
            && none_of_four(a.slots.arrived, place)
        {
            // All four keep silent.
            store(Global::at(a.step.votes_next.address()), place / u64::from(FOUR), 0u32);
            place = end;
        }
        while place < end {
            let mut message = None;
            if load(a.slots.arrived, place) != 0 {
                message = Some(load(a.slots.messages, place));
                store(a.slots.arrived, place, 0);
                store(a.slots.messages, place, P::Combiner::neutral());
            }
            compute_combined(a, place as u32, message, &mut tally);
            place += 1;
        }
        // Every thread arrives here.
        tally.finish(a, block());
    }
}

/// Whether nothing arrived at the vertex at `place` and the three behind it.
#[inline(always)]
unsafe fn none_of_four(arrived: Global<u32>, place: u64) -> bool {
    let pairs = Global::<u64>::at(arrived.address());
    // SAFETY: as the caller promises; `place` is a multiple of four.
    let (one, two) = unsafe { (load(pairs, place / 2), load(pairs, place / 2 + 1)) };
    one | two == 0
}

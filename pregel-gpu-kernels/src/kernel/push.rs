//! Scattering vertices combine into one slot a receiver.

use pregel_core::device::{Arguments, BLOCK, PUSH_EDGES, WARP};
use pregel_core::program::{Delivery, Edge, VertexCompute};

use super::vertex::{Tally, compute_combined, wants};
use crate::simt::{block, blocks, combine, index, lane, load, load_const, load_once, store, warp};

/// `push`, any number of blocks: a warp takes a piece of a row after the other.
///
/// # Safety
/// `senders`, `frontier` and `slots` are whole.
#[inline(always)]
pub unsafe fn push<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: the count is one value.
    let items = u64::from(unsafe { load_const(a.frontier.count, 0) });
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
            while edge < end {
                let target = load_once(a.senders.targets, edge);
                if wants(a, target) {
                    let value = Edge::new(load_once(a.senders.values, edge));
                    if let Some(message) = a.program.edge_compute(&signal, value) {
                        let slots = a.slots;
                        combine::<P::Combiner>(
                            slots.messages,
                            slots.arrived,
                            target.into(),
                            message,
                        );
                    }
                }
                edge += u64::from(WARP);
            }
        }
        item += u64::from(blocks()) * u64::from(BLOCK / WARP);
    }
}

/// `arrive`, a thread a vertex: takes what was pushed and computes.
///
/// # Safety
/// `slots` is whole.
#[inline(always)]
pub unsafe fn arrive<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    if index() < a.vertices.count.into() {
        let place = index();
        // SAFETY: there is a slot for every vertex.
        unsafe {
            let mut message = None;
            if load(a.slots.arrived, place) != 0 {
                message = Some(load(a.slots.messages, place));
                store(a.slots.arrived, place, 0);
                store(a.slots.messages, place, P::Combiner::neutral());
            }
            compute_combined(a, place as u32, message, &mut tally);
        }
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, block()) };
}

//! Scattering vertices combine their messages into one slot per receiver.

use core::ops::Range;

use pregel_core::device::{
    BLOCK, Global, PushArguments, VERTICES_PER_THREAD, WARP, holds_messages,
};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Vote};

use super::held::HeldMessage;
use super::vertex::{Tally, compute_combined, vote, wants_message};
use crate::simt::{
    ballot, block, blocks, combine, has_several, lane, load, load_const, load_once, own_places,
    packed_votes, store, warp, warp_barrier,
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
        // SAFETY: I2: the item exists; I7.
        let piece = unsafe { load_const(a.frontier.items, item) };
        let end = piece.begin + u64::from(piece.edges());
        // SAFETY: I2: the place is that of a vertex; I7.
        let signal = unsafe { load_const(a.run.step.signals, piece.place.into()) };
        let mut edge = piece.begin + u64::from(lane());
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
    if has_several(a.run.step.places) {
        // SAFETY: the caller's promise; I5: the condition is the same in the whole grid.
        unsafe { arrive_at_several(a, &mut tally) };
    } else {
        for place in own_places(a.run.step.places) {
            // SAFETY: I2: the place is below `step.places`; I6: it is this thread's own.
            unsafe { take::<P>(a, place, load(a.slots.arrived, place) != 0, &mut tally) };
        }
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(&a.run, block()) };
}

/// The same for the places of a warp, four for each lane. Most have nothing to do; the others are
/// dealt out to the lanes, so that none works for several, one after the other.
///
/// # Safety
/// As [`arrive`]; all lanes of the warp take part (I5).
#[inline(always)]
unsafe fn arrive_at_several<P: VertexCompute>(a: &PushArguments<P>, tally: &mut Tally<P>) {
    // SAFETY: the caller's promise; I6: these places are this thread's own.
    let own = unsafe { silence(a, &own_places(a.run.step.places)) };
    if ballot(own.arrived | own.awake != 0) == 0 {
        return;
    }
    // Votes that other lanes write from here on replace those that `silence` has written.
    warp_barrier();
    let all = [0, 1, 2, 3].map(|k| {
        let arrived = ballot(own.arrived >> k & 1 != 0);
        Taken { arrived, any: arrived | ballot(own.awake >> k & 1 != 0) }
    });
    let first = warp() * u64::from(WARP * VERTICES_PER_THREAD);
    let mut item = lane();
    while let Some((k, owner, arrived)) = nth_taken(&all, item) {
        let place = first + u64::from(owner * VERTICES_PER_THREAD + k);
        // SAFETY: I2: it is a place of `owner`; I6: only this lane has the item.
        unsafe { take::<P>(a, place, arrived, tally) };
        item += WARP;
    }
}

/// The places of a thread that have something to do: a bit for each.
struct Own {
    arrived: u32,
    awake: u32,
}

/// The lanes of which one of the places has something to do: a bit for each.
struct Taken {
    /// Something arrived.
    arrived: u32,
    /// Or the vertex is awake.
    any: u32,
}

/// Which of its places, which lane, and whether something arrived, of item `nth` of all.
#[inline(always)]
fn nth_taken(
    all: &[Taken; VERTICES_PER_THREAD as usize],
    mut nth: u32,
) -> Option<(u32, u32, bool)> {
    for (k, Taken { arrived, any }) in (0..).zip(all) {
        if nth < any.count_ones() {
            let lane = nth_one(*any, nth);
            return Some((k, lane, arrived >> lane & 1 != 0));
        }
        nth -= any.count_ones();
    }
    None
}

/// The number of the `nth` bit that is 1, of more than `nth`; both count from 0, the lowest.
#[inline(always)]
fn nth_one(word: u32, mut nth: u32) -> u32 {
    // Widths in an array would be read from memory.
    let (mut at, mut width) = (0, u32::BITS / 2);
    while width > 0 {
        let ones = (word >> at & ((1 << width) - 1)).count_ones();
        if nth >= ones {
            nth -= ones;
            at += width;
        }
        width /= 2;
    }
    at
}

/// Writes votes to halt for these places, and reads which of them have something to do.
///
/// # Safety
/// `step` and `slots` are whole (I1), the places are [`own_places`] below `step.places` (I2), and
/// this thread owns them (I6).
#[inline(always)]
unsafe fn silence<P: VertexCompute>(a: &PushArguments<P>, places: &Range<u64>) -> Own {
    let (mut arrived, mut awake) = (0, 0);
    // SAFETY: the caller's promise; I7: no kernel of a superstep writes `step.votes`.
    if let Some(votes) = unsafe { packed_votes(a.run.step.votes, places) } {
        let packed = Global::at(a.run.step.votes_next.address());
        // SAFETY: I2: there are four places. I3: four votes from a multiple of four on are one
        // word.
        let [low, high] = unsafe {
            store(packed, places.start / u64::from(VERTICES_PER_THREAD), 0u32);
            arrived_at_four(a.slots.arrived, places.start)
        };
        for (k, word) in [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
            .into_iter()
            .enumerate()
        {
            arrived |= u32::from(word != 0) << k;
            awake |= (votes >> (8 * k) & Vote::Wait as u32) >> 1 << k;
        }
    } else {
        for (k, place) in places.clone().enumerate() {
            // SAFETY: the caller's promise; I7, as above.
            unsafe {
                store(a.run.step.votes_next, place, Vote::Halt as u8);
                arrived |= u32::from(load(a.slots.arrived, place) != 0) << k;
                awake |= u32::from(vote(a.run.step.votes, place as u32).awake()) << k;
            }
        }
    }
    Own { arrived, awake }
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
    arrived: bool,
    tally: &mut Tally<P>,
) {
    let mut message = None;
    // SAFETY: the caller's promise.
    unsafe {
        if arrived {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_found_by_their_number() {
        for word in [1u32, 0x8000_0000, 0xffff_ffff, 0x8001_0203, 0x1234_5678, 0x0040_0000] {
            let expected: Vec<u32> = (0..32).filter(|k| word >> k & 1 != 0).collect();
            let found: Vec<u32> = (0..word.count_ones()).map(|nth| nth_one(word, nth)).collect();
            assert_eq!(found, expected, "{word:x}");
        }
    }

    #[test]
    fn items_are_dealt_out_place_by_place() {
        let all = [(0b101, 0b001), (0, 0), (1 << 31, 0), (0b10, 0b10)];
        let all = all.map(|(any, arrived)| Taken { arrived, any });
        let items: Vec<_> = (0..6).map(|nth| nth_taken(&all, nth)).collect();
        let of = |k, lane, arrived| Some((k, lane, arrived));
        assert_eq!(
            items,
            [of(0, 0, true), of(0, 2, false), of(2, 31, false), of(3, 1, true), None, None]
        );
    }
}

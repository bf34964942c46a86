//! Pulling: gather, combine, compute, vote, without a message buffer.

use pregel_core::device::shared::NEXT_TURN;
use pregel_core::device::{PullArguments, WARP, columns};
use pregel_core::program::{Edge, Message, VertexCompute};

use super::gather::{
    Column, Source, Sum, all_layers, combine, group_base, group_of_item, layers_of_chunk,
    partial_slot, store_partial,
};
use super::steady::has_halted;
use super::vertex::{Own, Tally, compute_with_own, vote};
use crate::simt::{
    barrier, block, blocks, lane, load, load_const, load_once, prefetch, shared_add, shared_store,
    shuffle, thread, threads,
};

/// From the sender's signal, if `S` says that it scatters.
pub(super) struct Pulled<S>(S);

/// What says whether a vertex scatters.
pub(super) trait Scattering<P: VertexCompute> {
    /// Whether all do.
    const ALL: bool;

    /// Whether the vertex at `place` does.
    ///
    /// # Safety
    /// What is read is whole (I1), and the place is that of a vertex (I2).
    unsafe fn scatters(a: &PullArguments<P>, place: u32) -> bool;
}

/// Nothing needs to: all vertices do.
pub(super) struct Everyone;

impl<P: VertexCompute> Scattering<P> for Everyone {
    const ALL: bool = true;

    #[inline(always)]
    unsafe fn scatters(_: &PullArguments<P>, _: u32) -> bool {
        true
    }
}

/// Its vote.
struct Votes;

impl<P: VertexCompute> Scattering<P> for Votes {
    const ALL: bool = false;

    #[inline(always)]
    unsafe fn scatters(a: &PullArguments<P>, place: u32) -> bool {
        // SAFETY: the caller's promise, for `step`; I7: votes are not written.
        unsafe { vote(a.run.step.votes, place) }.scatters()
    }
}

/// Its bit.
struct Bits;

impl<P: VertexCompute> Scattering<P> for Bits {
    const ALL: bool = false;

    #[inline(always)]
    unsafe fn scatters(a: &PullArguments<P>, place: u32) -> bool {
        // SAFETY: the caller's promise, for `scattering`; I7: no kernel of a superstep writes it.
        let byte = unsafe { load_const(a.scattering, (place / 8).into()) };
        byte >> (place % 8) & 1 != 0
    }
}

impl<P: VertexCompute, S: Scattering<P>> Source<P> for Pulled<S> {
    type Arguments = PullArguments<P>;
    type Ticket = u32;
    // Where some keep silent, a vertex may have had enough before.
    const EAGER: bool = S::ALL;

    #[inline(always)]
    unsafe fn ticket(a: &PullArguments<P>, slot: u64) -> u32 {
        // SAFETY: the caller's promise, for `senders`; I7.
        unsafe { load_once(a.senders.places, slot) }
    }

    #[inline(always)]
    unsafe fn message(a: &PullArguments<P>, slot: u64, sender: u32) -> Option<Message<P>> {
        // SAFETY: the caller's promise, for what `S` reads; I2: the sender is a place.
        if !unsafe { S::scatters(a, sender) } {
            return None;
        }
        // SAFETY: I2: the sender is a place; I7: `signals` is not written.
        let signal = unsafe { load_const(a.run.step.signals, sender.into()) };
        // SAFETY: the caller's promise, for `senders`; I7.
        let value = unsafe { load_once(a.senders.values, slot) };
        a.run.program.edge_compute(&signal, Edge::new(value))
    }
}

/// The turn that this warp of its block takes after `before`.
///
/// # Safety
/// [`NEXT_TURN`] is the turn that no warp has taken, and a barrier lies between its first
/// value and this call (I9). All lanes of the warp take part (I5).
#[inline(always)]
unsafe fn next_turn<P: VertexCompute>(a: &PullArguments<P>, before: u32) -> u32 {
    if a.turns.fixed != 0 {
        return before.wrapping_add(threads() / WARP);
    }
    let mut turn = 0;
    if lane() == 0 {
        // SAFETY: the caller's promise; I8: the word is only added to.
        turn = unsafe { shared_add(NEXT_TURN, 0, 1) };
    }
    shuffle(turn, 0)
}

/// Prefetches what the vertices of an item need first. Nothing is prefetched for a chunk:
/// its group would have to be waited for.
///
/// # Safety
/// `vertices`, `columns` and `chunks` are whole (I1); the item may lie behind the last.
#[inline(always)]
unsafe fn prefetch_item<P: VertexCompute>(a: &PullArguments<P>, item: u32) {
    if item < a.chunks.count {
        return;
    }
    let group = group_of_item(&a.chunks, item);
    let place = u64::from(group) * u64::from(WARP) + u64::from(lane());
    if place < a.run.step.places.into() {
        // SAFETY: I2: the place is below `step.places`, and its group has a base.
        unsafe {
            prefetch(a.columns.degrees.element(place));
            if size_of::<P::State>() > 0 {
                prefetch(a.run.vertices.states.element(place));
            }
            if lane() == 0 {
                prefetch(a.columns.bases.element(group.into()));
            }
        }
    }
}

/// Whether this pull is only the fallback of bins, and can be skipped.
///
/// # Safety
/// `only_if` is whole (I1).
#[inline(always)]
unsafe fn is_skipped<P: VertexCompute>(a: &PullArguments<P>) -> bool {
    // SAFETY: I1: if there is such a word, it is one; no kernel writes it meanwhile (I6).
    !a.only_if.is_none() && unsafe { load(a.only_if, 0) } == 0
}

/// The warps of a pull, on any number of blocks, take the chunks of heavy groups, then the other
/// groups, one lane per vertex. The partial results of chunks are written for
/// `pull_heavy`; the vertices of other groups compute. Falling degrees balance the blocks:
/// the work of two of them differs by no more than the first item.
///
/// # Safety
/// `vertices`, `step`, `columns`, `senders`, `chunks`, `turns` and `batch` are whole (I1),
/// `only_if` is one value or none; groups have 32 vertices. `combine` may be called with columns
/// whose layers exist (I2).
#[inline(always)]
unsafe fn pull_by<P: VertexCompute>(a: &PullArguments<P>, combine: impl Fn(Column) -> Sum<P>) {
    // SAFETY: I1.
    let mut tally = unsafe { Tally::<P>::with_last(&a.run) };
    let (n, chunks) = (a.run.step.places, a.chunks.count);
    let items = chunks + (columns::groups(n, WARP.trailing_zeros()) - a.chunks.heavy);
    // SAFETY: I1. I5: all threads read the same words, which no thread writes meanwhile.
    if unsafe { has_halted(&a.batch) || is_skipped(a) } {
        return;
    }
    if thread() == 0 {
        // SAFETY: I6, I9: no other thread touches the word before the barrier.
        unsafe { shared_store(NEXT_TURN, 0, 0) };
    }
    barrier();
    // Neighbours in the list are about equal work: each block gets every `blocks()`th
    // item, and its warps take the next of these.
    let item_of = |turn: u32| turn * blocks() + block();
    let mut turn = match a.turns.fixed {
        // SAFETY: I9: `NEXT_TURN` was set before the barrier.
        0 => unsafe { next_turn(a, 0) },
        _ => thread() / WARP,
    };
    while item_of(turn) < items {
        let item = item_of(turn);
        // SAFETY: I9, as above; I5: the lanes of a warp have the same turn.
        turn = unsafe { next_turn(a, turn) };
        // SAFETY: I1.
        unsafe { prefetch_item(a, item_of(turn)) };
        let layers = if item < chunks {
            // SAFETY: I2: the chunk is below `chunks.count`.
            unsafe { layers_of_chunk(&a.chunks, item.into()) }
        } else {
            all_layers(group_of_item(&a.chunks, item))
        };
        let place = layers.group * WARP + lane();
        let mut sum = Sum::<P>::new();
        // Read together with the degree, it is there when the messages are.
        let mut own = Own::none();
        if place < n {
            // SAFETY: I2: the place is below `step.places`. I6: of a heavy group no state
            // is written, of another only by this warp.
            own = unsafe { Own::ahead(&a.run, place) };
            if a.run.program.wants_message(&own.state) {
                // SAFETY: I2: the layers lie below the degree, so they exist; I7.
                sum = unsafe {
                    let degree: u32 = load_const(a.columns.degrees, place.into());
                    let layers = layers.first..degree.min(layers.end);
                    combine(Column { place, base: group_base(&a.columns, place), layers })
                };
            }
        }
        if item < chunks {
            // SAFETY: I2; I6: only this warp has the item.
            unsafe { store_partial(&a.chunks, partial_slot(item), sum.get()) };
        } else if place < n {
            // SAFETY: I2; I6: only this warp has the item.
            unsafe {
                let own = || own.whole(&a.run, place);
                compute_with_own(&a.run, place, own, sum.get(), &mut tally);
            }
        }
    }
    barrier();
    // SAFETY: I5: every thread arrives here; I9: after a barrier.
    unsafe { tally.finish(&a.run, a.chunks.aggregates + block()) };
}

/// `pull`: each vertex gathers from its senders. The votes tell which of them scatter, if not all.
///
/// # Safety
/// `vertices`, `step`, `columns`, `senders`, `chunks`, `turns` and `batch` are whole (I1),
/// `only_if` is one value or none; groups have 32 vertices.
#[inline(always)]
pub unsafe fn pull<P: VertexCompute>(a: &PullArguments<P>) {
    // SAFETY: the caller's promise; `pull_by` calls this with layers that exist.
    let from_all = |column| unsafe {
        match a.run.step.everyone {
            0 => combine::<P, Pulled<Votes>>(a, a.columns.shift, column),
            _ => combine::<P, Pulled<Everyone>>(a, a.columns.shift, column),
        }
    };
    // SAFETY: the caller's promise.
    unsafe { pull_by(a, from_all) }
}

/// `pull_packed`: as `pull` where not every vertex scattered, after `pack_votes`.
///
/// # Safety
/// As [`pull`], and `scattering` has a bit for each vertex (I1).
#[inline(always)]
pub unsafe fn pull_packed<P: VertexCompute>(a: &PullArguments<P>) {
    // SAFETY: the caller's promise; `pull_by` calls this with layers that exist.
    let from_some = |column| unsafe { combine::<P, Pulled<Bits>>(a, a.columns.shift, column) };
    // SAFETY: the caller's promise.
    unsafe { pull_by(a, from_some) }
}

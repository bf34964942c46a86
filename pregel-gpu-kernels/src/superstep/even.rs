//! Pulling where every vertex scattered and no group is long, with what a group needs read ahead.
//!
//! In a sparse graph a warp of `pull` waits three times for a group, each time for what it needs to ask
//! for next: where the columns begin and how long they are, their senders, the signals of these. Here
//! a warp takes groups a fixed distance apart, so it knows which will follow. While a group
//! computes, the first senders of the next are copied to shared memory, past all registers, and where the
//! columns of the one after begin is read. How long they are is not read at all where
//! all vertices of a group have as many senders, as in most groups of a sorted sparse graph.
//!
//! Nothing balances the warps but that groups are short: a single chunk of a hub would take as long as
//! tens of them.

use pregel_core::device::shared::{HEAD_LAYERS, staged_head};
use pregel_core::device::{Profile, PullArguments, WARP, columns};
use pregel_core::program::VertexCompute;

use super::gather::{Column, Source, Sum, add_last, add_layers, four};
use super::pull::{Everyone, Pulled};
use super::steady::has_halted;
use super::vertex::{Own, Tally, compute_with_own};
use crate::simt::{
    block, blocks, lane, load_const, load_staged, prefetch, stage_16_bytes, thread, threads,
    wait_for_staged, warp_barrier,
};

/// What a warp knows of a group before it takes it.
#[derive(Clone, Copy)]
struct Head {
    /// Its first slot.
    base: u64,
    profile: Profile,
}

impl Head {
    /// That of a group, or of none if it lies behind the last, which is before `end`.
    ///
    /// # Safety
    /// `columns` is whole, with profiles (I1), and there are `end` groups (I2).
    #[inline(always)]
    unsafe fn read<P: VertexCompute>(a: &PullArguments<P>, group: u32, end: u32) -> Self {
        if group >= end {
            return Self { base: 0, profile: Profile::NONE };
        }
        // SAFETY: the caller's promise; I7.
        unsafe {
            Self {
                base: load_const(a.columns.bases, group.into()),
                profile: load_const(a.columns.profiles, group.into()),
            }
        }
    }
}

/// Whether a vertex has as many receivers as senders, because edges have no direction.
#[inline(always)]
fn has_one_degree<P: VertexCompute>(a: &PullArguments<P>) -> bool {
    a.run.vertices.send_degrees.address() == a.columns.degrees.address()
}

/// Begins to copy the first senders of a group to staged memory, from word `to` on, and prefetches what
/// its vertices compute with. Of no group there is nothing to copy.
///
/// # Safety
/// `vertices`, `columns` and `senders` are whole (I1), and the head is that of the group. Word `to` is a
/// [`staged_head`] of this warp (I4), which no lane reads before it has waited (I9).
#[inline(always)]
unsafe fn read_ahead<P: VertexCompute>(a: &PullArguments<P>, group: u32, head: Head, to: u32) {
    let slots = head.profile.layers().min(HEAD_LAYERS) * WARP;
    // Four slots a lane.
    for first in (0..HEAD_LAYERS * WARP).step_by(4 * WARP as usize) {
        let slot = first + 4 * lane();
        if slot < slots {
            let from = a.senders.places.element(head.base + u64::from(slot));
            // SAFETY: I2: the group has these slots; I3: four of them are 16 bytes, and groups begin
            // at multiples of 32 slots; the caller's promise.
            unsafe { stage_16_bytes(4 * (to + slot), from) };
        }
    }
    let place = u64::from(group) * u64::from(WARP) + u64::from(lane());
    if place < a.run.step.places.into() {
        // SAFETY: I2: the place is below `step.places`.
        unsafe {
            if size_of::<P::State>() > 0 {
                prefetch(a.run.vertices.states.element(place));
            }
            if head.profile.degree().is_none() {
                prefetch(a.columns.degrees.element(place));
            }
            if !has_one_degree(a) {
                prefetch(a.run.vertices.send_degrees.element(place));
            }
        }
    }
}

/// Combines the messages of a column, whose first senders are staged from word `from` on.
///
/// # Safety
/// `senders` is whole (I1), the layers exist in the column (I2), and what is staged has been waited
/// for (I9).
#[inline(always)]
unsafe fn combine_staged<P: VertexCompute>(
    a: &PullArguments<P>,
    Column { place, base, layers }: Column,
    from: u32,
) -> Sum<P> {
    let slot = |layer: u32| columns::slot(base, place, layer.into(), WARP.trailing_zeros());
    // SAFETY: the caller's promise: only called with layers below `end`.
    let message = |layer, sender| unsafe { Pulled::<Everyone>::message(a, slot(layer), sender) };
    // SAFETY: the same.
    let ticket = |layer| unsafe { <Pulled<Everyone> as Source<P>>::ticket(a, slot(layer)) };
    // SAFETY: the same, for layers of the head.
    let staged = |layer: u32| unsafe { load_staged::<u32>(from + layer * WARP + lane()) };
    if layers.end < HEAD_LAYERS {
        return add_last(Sum::new(), layers, staged, message);
    }
    add_layers(Sum::new(), layers, Some(four(0, staged)), ticket, message)
}

/// Combines and computes this lane's vertex of a group whose first senders are staged from word `from`
/// on.
///
/// # Safety
/// `vertices`, `step`, `columns` and `senders` are whole (I1); there is such a group (I2), with this
/// head, and only this warp has it (I6). What is staged has been waited for (I9).
#[inline(always)]
unsafe fn compute_lane<P: VertexCompute>(
    a: &PullArguments<P>,
    group: u32,
    head: Head,
    from: u32,
    tally: &mut Tally<P>,
) {
    let place = group * WARP + lane();
    if place >= a.run.step.places {
        return;
    }
    // SAFETY: I2: the place is below `step.places`; I7.
    let read = || unsafe { load_const(a.columns.degrees, place.into()) };
    let degree = head.profile.degree().unwrap_or_else(read);
    let known = has_one_degree(a).then_some(degree);
    // SAFETY: I2; the caller's promise.
    let own = unsafe { Own::with_degree(&a.run, place, known) };
    let mut sum = Sum::<P>::new();
    if a.run.program.wants_message(&own.state) {
        let column = Column { place, base: head.base, layers: 0..degree };
        // SAFETY: I2: the layers lie below the degree; the caller's promise.
        sum = unsafe { combine_staged(a, column, from) };
    }
    // SAFETY: I2; the caller's promise.
    unsafe { compute_with_own(&a.run, place, || own, sum.get(), tally) };
}

/// `pull_even`: as `pull` where every vertex scattered and no group is heavy, on any number of blocks.
/// Warps take groups a fixed distance apart.
///
/// # Safety
/// `vertices`, `step`, `columns`, `senders` and `batch` are whole (I1), with profiles; groups have 32
/// vertices, and none is heavy. Every vertex scattered, and a block has staged memory for two heads of
/// each of its warps (I4).
#[inline(always)]
pub unsafe fn pull_even<P: VertexCompute>(a: &PullArguments<P>) {
    // SAFETY: I1.
    let mut tally = unsafe { Tally::<P>::with_last(&a.run) };
    // SAFETY: I1. I5: all threads read the same word, which no thread writes meanwhile.
    if unsafe { has_halted(&a.batch) } {
        return;
    }
    // Neighbours are about equal work: they go to different multiprocessors.
    let apart = threads() / WARP * blocks();
    let mut group = thread() / WARP * blocks() + block();
    let end = columns::groups(a.run.step.places, WARP.trailing_zeros());
    let [mut from, mut to] = [0, 1].map(|turn| staged_head(thread() / WARP, turn));
    // SAFETY: I1; I4; I9: no lane reads before it has waited.
    let (mut head, mut next) = unsafe {
        let head = Head::read(a, group, end);
        read_ahead(a, group, head, from);
        (head, Head::read(a, group + apart, end))
    };
    while group < end {
        wait_for_staged();
        // I5: the lanes of a warp have the same group. I9: what the other lanes have staged is there,
        // and all have done with what will be overwritten.
        warp_barrier();
        // SAFETY: I1, I2: the group exists; I6: only this warp has it; I9: as above.
        let after = unsafe {
            read_ahead(a, group + apart, next, to);
            let after = Head::read(a, group + 2 * apart, end);
            compute_lane(a, group, head, from, &mut tally);
            after
        };
        (head, next) = (next, after);
        (from, to) = (to, from);
        group += apart;
    }
    // SAFETY: I5: every thread arrives here; I9: other shared memory was not used before.
    unsafe { tally.finish(&a.run, block()) };
}

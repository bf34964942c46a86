//! Monotone programs with priorities, updated in place: near vertices first.
//!
//! Delta-stepping (Meyer and Sanders, J. Algorithms 49, 2003) with two lists instead of
//! buckets, as is usual on GPUs (Davidson, Baxter, Garland and Owens, *Work-Efficient
//! Parallel GPU Methods for Single-Source Shortest Paths*, IPDPS 2014). A message goes
//! straight into its receiver's state, by compare-and-swap. A vertex that changed is
//! listed: among the near ones if its priority is below the limit, otherwise among those
//! that wait. When no near one is left, the limit rises above the least priority that
//! waits: by the width of the near list, which grows once the vertices that wait become
//! fewer and going through them costs more than sending.

use pregel_core::device::{Control, ResidentArguments, limit as limit_above, updates_in_place};
use pregel_core::program::VertexCompute;

use super::append::append_row_or_waiting;
use super::items::{Groups, Items, for_each_vertex};
use super::listing::Listing;
use super::phase::{Phase, messages_of};
use super::relax::{Found, Gathered, GoneAhead, Listed, Round, lower_nearest, rank_of, relax};
use super::worklist::{get, list_of_turn, row, set, wait_for_grid};
use crate::simt::{index, load_relaxed_word, store_relaxed_u32};

/// `near_far`, on as many blocks as run together: rounds until nothing changes or
/// `work.supersteps` are done. The items of the first round are near whatever their
/// priorities.
///
/// # Safety
/// `vertices`, `step`, `rows` and `work` are whole (I1), and `work.trace` is 0.
/// `work.control` is as the launch before left it, with a barrier of 0; in the first launch
/// it is 0 except for the round, its number of items, and the limit. All blocks are
/// resident (I4).
#[inline(always)]
pub unsafe fn near_far<P: VertexCompute>(a: &ResidentArguments<P>) {
    // SAFETY: the caller's promise.
    unsafe { rounds::<P, Listed>(a) }
}

/// `near_ahead`: the same, where a warp may go ahead in a round. It is for graphs on
/// which little happens in a round, so that there are registers enough for it.
///
/// # Safety
/// As [`near_far`].
#[inline(always)]
pub unsafe fn near_ahead<P: VertexCompute>(a: &ResidentArguments<P>) {
    // SAFETY: the caller's promise.
    unsafe { rounds::<P, GoneAhead>(a) }
}

/// `near_bulk`: the same, where a warp gathers what it lists in a round. It is for graphs on which
/// millions of vertices may change in a round: on smaller ones gathering takes longer than it saves.
///
/// # Safety
/// As [`near_far`].
#[inline(always)]
pub unsafe fn near_bulk<P: VertexCompute>(a: &ResidentArguments<P>) {
    // SAFETY: the caller's promise.
    unsafe { rounds::<P, Gathered>(a) }
}

/// All three kernels.
///
/// # Safety
/// As [`near_far`].
#[inline(always)]
unsafe fn rounds<P: VertexCompute, F: Found>(a: &ResidentArguments<P>) {
    if !updates_in_place::<P>() {
        return;
    }
    // SAFETY: I1, I2: only called with turns that the words have.
    let word = |word: Control, turn: u32| unsafe { get(a, word, turn) };
    let first = word(Control::Next, 0);
    let mut limit = word(Control::Limit, 0);
    let mut turns = word(Control::Turns, 0);
    let mut sent = word(Control::Sent, 0);
    let mut round = first;
    // SAFETY: I1.
    let mut items = unsafe { Items::of(a, round) };
    let mut done = false;
    // I5: all threads of the grid go through these loops alike: they read the same words,
    // each of which was last written before a barrier of the grid.
    while !done && round - first < a.work.supersteps {
        if index() == 0 {
            // SAFETY: I1, I2. They were last read in the round before, and are first added to
            // in the next, each beyond a barrier.
            unsafe {
                set(a, Control::Items, (round + 2) % 3, 0);
                set(a, Control::Edges, (round + 2) % 3, 0);
            }
        }
        let groups = if F::GATHERED {
            Groups::fitting(a, items.count, word(Control::Edges, round % 3))
        } else {
            Groups::of(a)
        };
        // SAFETY: I1; I2: the items are those of the list; I4, I5.
        unsafe {
            let entry = round - first;
            relax::<P, F>(a, Round { round, entry, items, groups, limit, turns });
        }
        // SAFETY: I1; I2: the trace has the round's entry.
        sent = sent.saturating_add(unsafe { messages_of(a, round - first) });
        round += 1;
        // SAFETY: I1.
        items = unsafe { Items::of(a, round) };
        while items.count == 0 && !done {
            let waiting = word(Control::Vertices, turns % 2);
            let least = word(Control::Nearest, turns % 2);
            // Even if nothing waits: all of these are requested at the same time.
            // SAFETY: I1: last written before a barrier of the grid.
            let before = unsafe { Phase::load(a, sent) };
            done = waiting == 0;
            if !done {
                let phase = before.after(waiting, a.work.pass_messages, a.work.growth);
                let next = limit_above(least, phase.width());
                // SAFETY: I1; I2: the list has `waiting` vertices; I4, I5.
                unsafe {
                    if index() == 0 {
                        // Last read in the turn before.
                        set(a, Control::Vertices, (turns + 1) % 2, 0);
                        set(a, Control::Nearest, (turns + 1) % 2, u32::MAX);
                    }
                    // All have seen that there is no item before there is one, and the
                    // phase before the next.
                    wait_for_grid(a);
                    if index() == 0 {
                        phase.store(a);
                    }
                    separate::<P, F>(a, Separation { round, waiting, turns, limit, next });
                    wait_for_grid(a);
                }
                (limit, turns, sent) = (next, turns + 1, 0);
                // SAFETY: I1.
                items = unsafe { Items::of(a, round) };
            }
        }
    }
    if index() == 0 {
        // SAFETY: I1, I2.
        unsafe {
            set(a, Control::Next, 0, round);
            set(a, Control::Limit, 0, limit);
            set(a, Control::Turns, 0, turns);
            set(a, Control::Sent, 0, sent);
            set(a, Control::Done, 0, u32::from(done));
        }
    }
}

/// Which waiting vertices become near.
struct Separation {
    /// The round that they are near in.
    round: u32,
    /// How many vertices wait.
    waiting: u32,
    /// How often the waiting vertices were gone through.
    turns: u32,
    /// The rank below which vertices were near so far.
    limit: u32,
    /// The rank below which they are near now.
    next: u32,
}

/// Lists the waiting vertices anew: near ones for the round, the others for the next turn.
///
/// # Safety
/// As [`near_far`]; `waiting` vertices are listed in this turn (I2), and all threads of the
/// grid take part (I5).
#[inline(always)]
unsafe fn separate<P: VertexCompute, F: Found>(a: &ResidentArguments<P>, this: Separation) {
    let Separation { round, waiting, turns, limit, next } = this;
    let mut least = u32::MAX;
    let listing = Listing::new(round, turns + 1);
    let vertex = |place: Option<u32>, were_last| {
        let (mut listed, mut waits) = (None, None);
        if let Some(place) = place {
            // SAFETY: I2: the place is below `vertices.count`; I8.
            unsafe {
                let state: P::State = load_relaxed_word(a.run.vertices.states, place.into());
                let rank = rank_of(a, &state);
                if rank >= next {
                    waits = Some(place);
                    least = least.min(rank);
                } else {
                    // It waits once, and no vertex has been listed for the round otherwise.
                    store_relaxed_u32(a.work.waiting.element(place.into()), 0);
                    listed = (rank >= limit).then_some(place);
                }
            }
        }
        // SAFETY: I2: a vertex waits once, and is listed once; I5: all lanes call this
        // together.
        unsafe {
            if F::GATHERED {
                listing.push(listed, waits);
                listing.flush(a, were_last);
            } else {
                let listed = listed.map(|place| (place, row(a, place)));
                append_row_or_waiting(a, round, turns + 1, listed, waits);
            }
        }
    };
    // SAFETY: I2: the caller's promise; I5.
    unsafe {
        for_each_vertex(list_of_turn(a.work.vertices, turns), waiting, vertex);
        lower_nearest(a, turns + 1, least, u32::MAX);
    }
}

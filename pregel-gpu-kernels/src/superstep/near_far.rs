//! Monotone programs with priorities, updated in place: those near first.
//!
//! Delta-stepping (Meyer and Sanders, J. Algorithms 49, 2003) with two lists in
//! place of buckets, as is usual on GPUs (Davidson, Baxter, Garland and Owens,
//! *Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths*, IPDPS
//! 2014). A message goes straight into its receiver's state, by compare-and-swap;
//! a vertex that changed is listed, among the near ones if its priority is below
//! the limit, else among those that wait. When no near one is left, the limit
//! rises above the least priority that waits.

use pregel_core::device::{
    Arguments, Control, Counts, limit as limit_above, rank, updates_in_place,
};
use pregel_core::program::{Context, Delivery, Edge, Message, Monoid, VertexCompute, Vote};

use super::vertex::facts;
use super::worklist::{
    Along, Pending, append, append_items, control, count, each_edge, each_vertex, everyone, get,
    mark, nothing, of_turn, pieces, set,
};
use crate::collective::warp_reduce;
use crate::simt::{
    ballot, exchange_u32, index, lane, load, load_const, min_u32, read_word, same_word, store,
    update_seen_word,
};

/// `near_far`, as many blocks as run together: rounds until nothing changes or
/// `work.supersteps` are done. The items of the first round are near whatever
/// their priorities.
///
/// # Safety
/// `senders` and `work` are whole, `work.trace` is 0; `work.control` is as the
/// launch before left it but for the barrier, which is 0, or 0 but for the round,
/// its number of items, and the limit; the blocks run together.
#[inline(always)]
pub unsafe fn near_far<P: VertexCompute>(a: &Arguments<P>) {
    if !updates_in_place::<P>() {
        return;
    }
    // SAFETY: every thread of the grid goes the same way, since all read the
    // same words after a barrier; the rest as the caller promises.
    unsafe {
        let first = get(a, Control::Next, 0);
        let mut limit = get(a, Control::Limit, 0);
        let mut turns = get(a, Control::Turns, 0);
        let mut round = first;
        let mut items = get(a, Control::Items, round % 3);
        let mut done = false;
        while !done && round - first < a.work.supersteps {
            if index() == 0 {
                // Read last in the round before, written first in the next.
                set(a, Control::Items, (round + 2) % 3, 0);
            }
            relax(a, (round, round - first, items), limit, turns);
            everyone(a);
            round += 1;
            items = get(a, Control::Items, round % 3);
            while items == 0 && !done {
                let waiting = get(a, Control::Vertices, turns % 2);
                let least = get(a, Control::Nearest, turns % 2);
                done = waiting == 0;
                if !done {
                    let next = limit_above(least, a.work.delta);
                    if index() == 0 {
                        // Read last in the turn before.
                        set(a, Control::Vertices, (turns + 1) % 2, 0);
                        set(a, Control::Nearest, (turns + 1) % 2, u32::MAX);
                    }
                    // All have seen that there is no item, before there is one.
                    everyone(a);
                    separate(a, round, (waiting, turns), (limit, next));
                    everyone(a);
                    (limit, turns) = (next, turns + 1);
                    items = get(a, Control::Items, round % 3);
                }
            }
        }
        if index() == 0 {
            set(a, Control::Next, 0, round);
            set(a, Control::Limit, 0, limit);
            set(a, Control::Turns, 0, turns);
            set(a, Control::Done, 0, u32::from(done));
        }
    }
}

#[inline(always)]
fn rank_of<P: VertexCompute>(a: &Arguments<P>, state: &P::State) -> u32 {
    match a.program.priority(state) {
        Some(priority) => rank(priority),
        None => 0,
    }
}

/// Vertex `place`, in state `state`, computes with one message.
#[inline(always)]
unsafe fn compute<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    mut state: P::State,
    message: Message<P>,
) -> (P::State, Vote) {
    if !a.program.wants_message(&state) {
        return (state, Vote::Halt);
    }
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    // SAFETY: the place is that of a vertex.
    let facts = unsafe { facts(a, place, a.step.superstep) };
    let mut context = Context::new(facts, &last, &mut total);
    let mut message = Some(message);
    let inbox = P::Combiner::inbox_of_one(&mut message);
    let vote = a.program.vertex_compute(&mut state, inbox, &mut context);
    (state, vote)
}

/// A round: the near vertices send, and who changes is listed.
#[inline(always)]
unsafe fn relax<P: VertexCompute>(
    a: &Arguments<P>,
    (round, entry, items): (u32, u32, u32),
    limit: u32,
    turns: u32,
) {
    let (mut active, mut messages) = (0, 0);
    let (mut near, mut far) = (Pending::new(0), Pending::new(1));
    let mut least = u32::MAX;
    // SAFETY: as the caller of the kernel promises; a vertex is listed once.
    unsafe {
        let known = get(a, Control::Nearest, turns % 2);
        each_edge(
            a,
            round,
            items,
            |place, counts| {
                active += u64::from(counts);
                let state = read_word(a.vertices.states, place.into());
                let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
                let facts = facts(a, place, a.step.superstep);
                a.program.signal(&state, &Context::new(facts, &last, &mut total))
            },
            |signal, along| {
                let (mut listed, mut waits) = (None, None);
                if let Some(along) = along {
                    messages += 1;
                    if let Some((place, state)) = deliver(a, signal, along) {
                        let rank = rank_of(a, &state);
                        if rank < limit {
                            listed = mark(a, place, round + 1).then_some(place);
                        } else {
                            let before = exchange_u32(a.work.waiting.element(place.into()), 1);
                            waits = (before == 0).then_some(place);
                            least = least.min(rank);
                        }
                    }
                }
                near.push(listed, |place| append_rows(a, round + 1, place));
                far.push(waits, |place| append_waiting(a, turns, place));
            },
        );
        near.finish(|place| append_rows(a, round + 1, place));
        far.finish(|place| append_waiting(a, turns, place));
        lower(a, turns, least, known);
        count(a, entry, &Counts { active, messages, ..nothing() });
    }
}

/// Sends along an edge: the receiver and its new state, if it changed so that it
/// will send.
#[inline(always)]
unsafe fn deliver<P: VertexCompute>(
    a: &Arguments<P>,
    signal: &P::Signal,
    (value, place): Along<P>,
) -> Option<(u32, P::State)> {
    // SAFETY: the target of an edge is a vertex.
    unsafe {
        let message = a.program.edge_compute(signal, Edge::new(value))?;
        // What this block has seen of the state is at most too old, and what
        // changes nothing there changes nothing now.
        let seen = load(a.vertices.states, place.into());
        let (new, vote) = compute(a, place, seen, message);
        if same_word(seen, new) && !vote.scatters() {
            return None;
        }
        // A message that changes nothing may still make the vertex send what it has now.
        let states = a.vertices.states;
        let old = if same_word(seen, new) { read_word(states, place.into()) } else { seen };
        let changed = update_seen_word(states, place.into(), old, |old| {
            let (new, vote) = compute(a, place, old, message);
            (new, vote.scatters().then_some(new))
        });
        changed.map(|state| (place, state))
    }
}

/// Appends the row of a vertex, for each lane that has one, to the items of a
/// round.
#[inline(always)]
unsafe fn append_rows<P: VertexCompute>(a: &Arguments<P>, round: u32, place: Option<u32>) {
    // SAFETY: the place is that of a vertex, which is listed once.
    unsafe {
        let row = |place: u32| pieces(load_const(a.vertices.send_degrees, place.into()));
        append_items(a, round, place.unwrap_or(0), place.map_or(0, row));
    }
}

/// Appends a vertex, for each lane that has one, to those that wait in a turn.
#[inline(always)]
unsafe fn append_waiting<P: VertexCompute>(a: &Arguments<P>, turns: u32, place: Option<u32>) {
    let list = of_turn(a.work.vertices, turns);
    // SAFETY: the list has room for every vertex, which waits once.
    unsafe {
        append(control(a, Control::Vertices, turns % 2), u32::from(place.is_some()), |at, _| {
            store(list, at, place.unwrap_or(0));
        });
    }
}

/// Makes the rank below which nobody waits in a turn as low as `least` of any lane; it
/// is no higher than `known`.
#[inline(always)]
unsafe fn lower<P: VertexCompute>(a: &Arguments<P>, turns: u32, least: u32, known: u32) {
    if ballot(least < known) != 0 {
        let least = warp_reduce(least, u32::min);
        if lane() == 0 {
            // SAFETY: the word exists.
            unsafe { min_u32(control(a, Control::Nearest, turns % 2), least) };
        }
    }
}

/// Lists those that wait anew: the near ones for round `round`, the others for
/// the next turn.
#[inline(always)]
unsafe fn separate<P: VertexCompute>(
    a: &Arguments<P>,
    round: u32,
    (waiting, turns): (u32, u32),
    (limit, next): (u32, u32),
) {
    let mut least = u32::MAX;
    // SAFETY: as the caller of the kernel promises; a vertex is listed once.
    unsafe {
        each_vertex(of_turn(a.work.vertices, turns), waiting, |place| {
            let (mut listed, mut waits) = (None, None);
            if let Some(place) = place {
                let rank = rank_of(a, &read_word::<P::State>(a.vertices.states, place.into()));
                if rank >= next {
                    waits = Some(place);
                    least = least.min(rank);
                } else {
                    exchange_u32(a.work.waiting.element(place.into()), 0);
                    listed = (rank >= limit && mark(a, place, round)).then_some(place);
                }
            }
            append_rows(a, round, listed);
            append_waiting(a, turns + 1, waits);
        });
        lower(a, turns + 1, least, u32::MAX);
    }
}

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

use pregel_core::device::{
    Control, Counts, ResidentArguments, Row, limit as limit_above, rank, updates_in_place,
};
use pregel_core::program::{
    Context, Delivery, Edge, Message, Monoid, VertexCompute, Vote, Zeroable,
};

use super::phase::{Phase, messages_of};
use super::vertex::facts;
use super::worklist::{
    Along, Items, Pending, append, append_row, control, count, for_each_edge, for_each_vertex, get,
    list_of_turn, mark, row, set, wait_for_grid,
};
use crate::collective::warp_reduce;
use crate::simt::{
    ballot, exchange_u32, index, lane, load, load_relaxed_word, min_u32, same_word, store,
    update_seen_word,
};

/// A round: the near vertices send.
#[derive(Clone, Copy)]
struct Round {
    round: u32,
    /// Its number in the launch.
    entry: u32,
    items: Items,
    /// The rank below which vertices are near.
    limit: u32,
    /// How often the waiting vertices were gone through.
    turns: u32,
}

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
            // SAFETY: I1, I2. It was last read in the round before, and is first added to
            // in the next, each beyond a barrier.
            unsafe { set(a, Control::Items, (round + 2) % 3, 0) };
        }
        // SAFETY: I1; I2: the items are those of the list; I4, I5.
        unsafe {
            relax(a, Round { round, entry: round - first, items, limit, turns });
            wait_for_grid(a);
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
                    separate(a, Separation { round, waiting, turns, limit, next });
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

#[inline(always)]
fn rank_of<P: VertexCompute>(a: &ResidentArguments<P>, state: &P::State) -> u32 {
    match a.run.program.priority(state) {
        Some(priority) => rank(priority),
        None => 0,
    }
}

/// What the vertex at `place` would do with one message in this state: its new state, and
/// its vote.
///
/// # Safety
/// `vertices` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
unsafe fn compute<P: VertexCompute>(
    a: &ResidentArguments<P>,
    place: u32,
    mut state: P::State,
    message: Message<P>,
) -> (P::State, Vote) {
    if !a.run.program.wants_message(&state) {
        return (state, Vote::Halt);
    }
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    // SAFETY: the caller's promise.
    let facts = unsafe { facts(&a.run, place, a.run.step.superstep) };
    let mut context = Context::new(facts, &last, &mut total);
    let mut message = Some(message);
    let inbox = P::Combiner::inbox_of_one(&mut message);
    let vote = a.run.program.vertex_compute(&mut state, inbox, &mut context);
    (state, vote)
}

/// A round: the near vertices send, and vertices that change are listed.
///
/// # Safety
/// As [`near_far`]; the round's list has its items (I2), and all threads of the grid take
/// part (I5).
#[inline(always)]
unsafe fn relax<P: VertexCompute>(a: &ResidentArguments<P>, this: Round) {
    let Round { round, entry, items, limit, turns } = this;
    // No device holds as many edges per thread as would overflow.
    let (mut active, mut messages) = (0u32, 0u32);
    let mut pending = Pending::<Message<P>>::new();
    let mut least = u32::MAX;
    // SAFETY: I1, I2.
    let known = unsafe { get(a, Control::Nearest, turns % 2) };
    let mut hand_over = |message: Option<(u32, Message<P>)>| {
        let (mut listed, mut waits) = (None, None);
        if let Some((place, message)) = message
            // SAFETY: I1; I2: targets are places; I8: only this changes states.
            && let Some(state) = unsafe { deliver(a, place, message) }
        {
            let rank = rank_of(a, &state);
            // SAFETY: I1, I2: places are those of vertices, with a mark; I8.
            unsafe {
                if rank < limit {
                    listed = mark(a, place, round + 1).then_some(place);
                } else {
                    let before = exchange_u32(a.work.waiting.element(place.into()), 1);
                    waits = (before == 0).then_some(place);
                    least = least.min(rank);
                }
            }
        }
        // SAFETY: I1; I2: a vertex is listed once in each list; I5: all lanes call this
        // together.
        unsafe {
            append_listed(a, round + 1, listed);
            append_waiting(a, turns, waits);
        }
    };
    // SAFETY: the caller's promise; the closures: I1, I2: places and targets are those of
    // vertices; I8 for states; I4, I5: all lanes call `push` together; I9: nothing else is
    // in shared memory.
    unsafe {
        for_each_edge(
            a,
            items,
            |place, counts| {
                active += u32::from(counts);
                let state = load_relaxed_word(a.run.vertices.states, place.into());
                let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
                let facts = facts(&a.run, place, a.run.step.superstep);
                a.run.program.signal(&state, &Context::new(facts, &last, &mut total))
            },
            |signal, along| {
                messages += u32::from(along.is_some());
                let message = along.and_then(|along| send(a, signal, along));
                pending.push(message, &mut hand_over);
            },
        );
        pending.finish(&mut hand_over);
    }
    // SAFETY: I5, I9, as above; I2: the trace has an entry for each round of the launch.
    unsafe {
        lower_nearest(a, turns, least, known);
        let (active, messages) = (active.into(), messages.into());
        count(a, entry, &Counts { active, messages, ..Counts::zeroed() });
    }
}

/// Sends along an edge: the receiver and the message, if it would change the receiver or
/// make it send.
///
/// # Safety
/// `vertices` is whole (I1), the target is a place (I2), and states are changed only by
/// [`deliver`] (I8).
#[inline(always)]
unsafe fn send<P: VertexCompute>(
    a: &ResidentArguments<P>,
    signal: &P::Signal,
    along: Along<P>,
) -> Option<(u32, Message<P>)> {
    let place = along.target;
    let message = a.run.program.edge_compute(signal, Edge::new(along.value))?;
    // SAFETY: the caller's promise. I8: what this block has seen of the state is at most too
    // old, and a message that changes nothing there changes nothing now.
    unsafe {
        let seen = load(a.run.vertices.states, place.into());
        let (new, vote) = compute(a, place, seen, message);
        (!same_word(seen, new) || vote.scatters()).then_some((place, message))
    }
}

/// Hands a message over to the vertex at `place`: its new state, if it changed so that it
/// will send.
///
/// # Safety
/// `vertices` is whole (I1), `place` is one (I2), and states are changed only by this
/// function (I8).
#[inline(always)]
unsafe fn deliver<P: VertexCompute>(
    a: &ResidentArguments<P>,
    place: u32,
    message: Message<P>,
) -> Option<P::State> {
    let (states, at) = (a.run.vertices.states, u64::from(place));
    let after = |old| {
        // SAFETY: the caller's promise.
        let (new, vote) = unsafe { compute(a, place, old, message) };
        (new, vote.scatters().then_some(new))
    };
    // SAFETY: the caller's promise. What this block has seen is most likely in its cache, and
    // if it is too old, the swap says so. A message that changes nothing may still make the
    // vertex send what it has now.
    unsafe {
        let seen = load(states, at);
        let is_news = !same_word(seen, after(seen).0);
        update_seen_word(
            states,
            at,
            if is_news { seen } else { load_relaxed_word(states, at) },
            after,
        )
    }
}

/// Appends the row of a vertex, for each lane that has one, to the items of a round.
///
/// # Safety
/// `rows` and `work` are whole (I1), the place is below `vertices.count` and is listed once (I2).
/// All lanes of the warp take part (I5).
#[inline(always)]
unsafe fn append_listed<P: VertexCompute>(
    a: &ResidentArguments<P>,
    round: u32,
    place: Option<u32>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let row = place.map_or(Row::default(), |place| row(a, place));
        append_row(a, round, place.unwrap_or(0), row);
    }
}

/// Appends a vertex, for each lane that has one, to those that wait in a turn.
///
/// # Safety
/// `work` is whole (I1), and a vertex waits once, so that the list has room (I2). All lanes
/// of the warp take part (I5).
#[inline(always)]
unsafe fn append_waiting<P: VertexCompute>(
    a: &ResidentArguments<P>,
    turns: u32,
    place: Option<u32>,
) {
    let list = list_of_turn(a.work.vertices, turns);
    // SAFETY: the caller's promise.
    unsafe {
        append(control(a, Control::Vertices, turns % 2), place.is_some(), |at| {
            store(list, at, place.unwrap_or(0));
        });
    }
}

/// Lowers the rank below which no vertex waits in a turn to the least of all lanes, if one
/// is below `known`, which the rank is not above.
///
/// # Safety
/// `work` is whole (I1). All lanes of the warp take part (I5).
#[inline(always)]
unsafe fn lower_nearest<P: VertexCompute>(
    a: &ResidentArguments<P>,
    turns: u32,
    least: u32,
    known: u32,
) {
    if ballot(least < known) != 0 {
        let least = warp_reduce(least, u32::min);
        if lane() == 0 {
            // SAFETY: I1, I2: the word exists; I8.
            unsafe { min_u32(control(a, Control::Nearest, turns % 2), least) };
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
unsafe fn separate<P: VertexCompute>(a: &ResidentArguments<P>, this: Separation) {
    let Separation { round, waiting, turns, limit, next } = this;
    let mut least = u32::MAX;
    let vertex = |place: Option<u32>| {
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
                    exchange_u32(a.work.waiting.element(place.into()), 0);
                    listed = (rank >= limit && mark(a, place, round)).then_some(place);
                }
            }
        }
        // SAFETY: I2: a vertex waits once, and is listed once; I5: all lanes call this
        // together.
        unsafe {
            append_listed(a, round, listed);
            append_waiting(a, turns + 1, waits);
        }
    };
    // SAFETY: I2: the caller's promise; I5.
    unsafe {
        for_each_vertex(list_of_turn(a.work.vertices, turns), waiting, vertex);
        lower_nearest(a, turns + 1, least, u32::MAX);
    }
}

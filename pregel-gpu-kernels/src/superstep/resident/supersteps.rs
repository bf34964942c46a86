//! Supersteps of small frontiers, many in one launch: between them the blocks wait for
//! each other, not for the host.

use bytemuck::Pod;
use pregel_core::device::{Control, Global, ResidentArguments, Row, any_will_do, stays_resident};
use pregel_core::program::{Context, Delivery, Edge, Facts, Message, Monoid, VertexCompute};

use super::append::append;
use super::items::{Along, Items, for_each_vertex};
use super::kept::{Keeping, Kept, Known, for_each_edge, keep_or_append_row};
use super::worklist::{
    Counted, Ended, clear_brought, control, count_and_learn, get, list_of_turn, mark, row, set,
    wait_for_grid,
};
use crate::simt::{
    combine_word, index, load, load_relaxed, load_relaxed_word, prefetch, store, thread,
};
use crate::superstep::vertex::facts;

/// The superstep that runs, and the arrays that change places.
struct Turn<P: VertexCompute> {
    superstep: u32,
    /// Its number in the launch.
    entry: u32,
    items: Items,
    /// Whether blocks keep items for the next superstep.
    keeps: bool,
    signals: Global<P::Signal>,
    signals_next: Global<P::Signal>,
    votes_next: Global<u8>,
}

/// `resident`, on as many blocks as run together: supersteps by push, until none is left,
/// `work.supersteps` are done, a frontier has more than `work.most_edges`, or a vertex
/// stays awake.
///
/// The frontier of a superstep is pieces of rows, in a list of the grid or kept by the
/// blocks that found them. If any message will do ([`any_will_do`]), the lane that first reaches a vertex
/// computes it at once. Otherwise messages are combined in slots, and their receivers, a second list,
/// compute after a barrier.
///
/// # Safety
/// `vertices`, `step`, `rows`, `slots` and `work` are whole (I1). `work.control` is 0
/// except for the number of items of the first superstep, `work.trace` and all votes are 0;
/// no vertex is awake. All blocks are resident (I4).
#[inline(always)]
pub unsafe fn resident<P: VertexCompute>(a: &ResidentArguments<P>) {
    if !stays_resident::<P>() {
        return;
    }
    let first = a.run.step.superstep;
    let mut superstep = first;
    // SAFETY: I1; I6: a superstep writes the list of the next.
    let mut items = unsafe { Items::early(a, superstep) };
    // SAFETY: I5; I9: nothing else is in that part of shared memory.
    let mut kept = unsafe { Kept::begin() };
    let mut keeping = Keeping::none();
    // I5: all threads of the grid go through this loop alike: they read the same words, each
    // of which was last written before a barrier of the grid.
    loop {
        let entry = superstep - first;
        let (signals, signals_next, votes_next) = if entry.is_multiple_of(2) {
            (a.run.step.signals, a.run.step.signals_next, a.run.step.votes_next)
        } else {
            (a.run.step.signals_next, a.run.step.signals, a.run.step.votes)
        };
        let keeps = keeping.keeps;
        let turn = Turn { superstep, entry, items, keeps, signals, signals_next, votes_next };
        // SAFETY: I1; I5, I9: all threads have passed a barrier since what was kept was taken.
        unsafe { forget(a, superstep) };
        // SAFETY: I1; I2: the items are those of the list, what was kept is for this superstep; I5.
        let (ended, for_next) = unsafe {
            if any_will_do::<P>() {
                compute_first_message(a, &turn, kept)
            } else {
                combine_then_compute(a, &turn, kept)
            }
        };
        (superstep, kept) = (superstep + 1, for_next);
        items = Items::none(superstep);
        let mut stays_awake = false;
        if ended.more {
            // SAFETY: I1; I2: `entry` is below `work.supersteps`; I6: as above.
            unsafe {
                items = Items::early(a, superstep);
                stays_awake = load(a.work.trace, entry.into()).awake > 0;
            }
        }
        keeping = keeping.next(ended.messages, items.count);
        if ended.messages == 0
            || stays_awake
            || ended.messages > a.work.most_edges
            || superstep - first == a.work.supersteps
        {
            break;
        }
    }
    // SAFETY: I1; I2: taken for this superstep; I5.
    unsafe { kept.list(a, superstep) };
    if index() == 0 {
        // SAFETY: I1, I2.
        unsafe { set(a, Control::Next, 0, superstep) };
    }
}

/// Sets to 0 what is counted in supersteps after this one, before any thread counts there.
///
/// # Safety
/// `work` is whole (I1). All threads of the grid take part (I5), and have passed a barrier since what
/// was kept for this superstep was taken (I9).
#[inline(always)]
unsafe fn forget<P: VertexCompute>(a: &ResidentArguments<P>, superstep: u32) {
    if index() == 0 {
        // SAFETY: I1, I2. They were last read in the superstep before, and are first added to in the
        // next, each beyond a barrier.
        unsafe {
            set(a, Control::Items, (superstep + 2) % 3, 0);
            set(a, Control::Vertices, (superstep + 1) % 2, 0);
            clear_brought(a, superstep + 2);
        }
    }
    if thread() == 0 {
        // SAFETY: the caller's promise.
        unsafe { Kept::<P>::forget(superstep) };
    }
}

/// The message along an edge, if there is one.
#[inline(always)]
fn message_along<P: VertexCompute>(
    a: &ResidentArguments<P>,
    signal: &P::Signal,
    along: Along<P>,
) -> Option<(u32, Message<P>)> {
    let message = a.run.program.edge_compute(signal, Edge::new(along.value));
    message.map(|message| (along.target, message))
}

/// The element for the vertex at `place` of an array that other blocks may be writing.
///
/// # Safety
/// The array has such an element (I2). If it is not a word of 4 or 8 bytes, no thread
/// writes it meanwhile, or its bits are not used (I8, I10).
#[inline(always)]
unsafe fn load_volatile<T: Pod>(array: Global<T>, place: u32) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        match size_of::<T>() {
            4 | 8 => load_relaxed_word(array, place.into()),
            _ => load_relaxed(array, place.into()),
        }
    }
}

/// A vertex that is about to compute.
struct Receiver<P: VertexCompute> {
    place: u32,
    state: P::State,
    row: Row,
    facts: Facts<P::Input>,
    message: Message<P>,
}

/// Runs a vertex; returns the row that is to be listed, one without edges if none is. The first of
/// its edges are prefetched.
///
/// # Safety
/// `vertices`, `step` and `rows` are whole (I1), the place is below `vertices.count`
/// (I2), and this lane owns the vertex (I6).
#[inline(always)]
unsafe fn compute<P: VertexCompute>(
    a: &ResidentArguments<P>,
    turn: &Turn<P>,
    receiver: Receiver<P>,
    counted: &mut Counted,
) -> Row {
    let Receiver { place, mut state, row, facts, message } = receiver;
    let at = u64::from(place);
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    let mut context = Context::new(facts, &last, &mut total);
    let mut message = Some(message);
    let inbox = P::Combiner::inbox_of_one(&mut message);
    let vote = a.run.program.vertex_compute(&mut state, inbox, &mut context);
    // SAFETY: the caller's promise: there is a state for every vertex.
    unsafe { store(a.run.vertices.states, at, state) };
    counted.active += 1;
    if vote.awake() {
        // Other votes are known from the frontier.
        // SAFETY: the same, for votes.
        unsafe { store(turn.votes_next, at, vote as u8) };
        counted.awake += 1;
    }
    if !vote.scatters() {
        return Row::default();
    }
    // SAFETY: the same, for signals.
    unsafe { store(turn.signals_next, at, a.run.program.signal(&state, &context)) };
    counted.scattering += 1;
    counted.messages += u64::from(row.edges);
    if row.edges > 0 {
        // SAFETY: I2: the row has a first edge.
        unsafe {
            prefetch(a.rows.targets.element(row.begin));
            if size_of::<P::Edge>() > 0 {
                prefetch(a.rows.values.element(row.begin));
            }
        }
    }
    row
}

/// A superstep in which a vertex takes the first message that comes.
///
/// # Safety
/// As [`resident`]; the turn's list has its items (I2), and all threads of the grid take
/// part (I5).
#[inline(always)]
unsafe fn compute_first_message<P: VertexCompute>(
    a: &ResidentArguments<P>,
    turn: &Turn<P>,
    kept: Kept<P>,
) -> (Ended, Kept<P>) {
    let mut counted = Counted::default();
    let edge = |signal: &P::Signal, along: Option<Along<P>>, known: Option<Known<P>>| {
        let (mut listed, mut place) = (Row::default(), 0);
        if let Some(along) = along
            && let Some((target, message)) = message_along(a, signal, along)
        {
            // State and mark are requested before either is used. The lane that marks a vertex first
            // owns it, so that the state that it has read is still the state; what other
            // lanes have read is not used.
            // SAFETY: I2: the target is a place; I8, I10.
            let (state, is_first, row, facts) = unsafe {
                let state = load_volatile(a.run.vertices.states, target);
                let is_first = mark(a, target, turn.superstep);
                match known {
                    Some(Known { row, facts }) => (state, is_first, row, facts),
                    None => {
                        let facts = facts(&a.run, target, turn.superstep);
                        (state, is_first, row(a, target), facts)
                    }
                }
            };
            if is_first && a.run.program.wants_message(&state) {
                place = target;
                let receiver = Receiver { place, state, row, facts, message };
                // SAFETY: I2, as above; I6: this lane marked the vertex first.
                listed = unsafe { compute(a, turn, receiver, &mut counted) };
            }
        }
        // SAFETY: I2: it is the row of this place, and the vertex computes once; I5.
        counted.listed |=
            unsafe { keep_or_append_row(a, turn.superstep + 1, place, listed, turn.keeps) };
    };
    // SAFETY: the caller's promise.
    unsafe { for_each_edge(a, turn.items, kept, turn.signals, edge) };
    // SAFETY: I2: the trace has an entry for each superstep of the launch; I4, I5.
    unsafe {
        let next = turn.superstep + 1;
        count_and_learn(a, next, turn.entry, counted, || Kept::take(a, next, turn.signals_next))
    }
}

/// A superstep in which messages are combined before their receivers compute.
///
/// # Safety
/// As [`compute_first_message`].
#[inline(always)]
unsafe fn combine_then_compute<P: VertexCompute>(
    a: &ResidentArguments<P>,
    turn: &Turn<P>,
    kept: Kept<P>,
) -> (Ended, Kept<P>) {
    let mut counted = Counted::default();
    let which = turn.superstep % 2;
    let receivers = list_of_turn(a.work.vertices, which);
    let length = control(a, Control::Vertices, which);
    let edge = |signal: &P::Signal, along: Option<Along<P>>, _: Option<Known<P>>| {
        let mut receiver = None;
        if let Some(along) = along
            && let Some((target, message)) = message_along(a, signal, along)
            // SAFETY: I2: the target is a place; no state is written before the barrier.
            && a.run.program.wants_message(&unsafe { load_volatile(a.run.vertices.states, target) })
        {
            // SAFETY: I2: it has a slot and a mark; I8.
            unsafe {
                combine_word::<P::Combiner>(a.slots.messages, target.into(), message);
                receiver = mark(a, target, turn.superstep).then_some(target);
            }
        }
        // SAFETY: I2: the list has room for every vertex, and one lane marks it first; I5.
        unsafe {
            append(length, receiver.is_some(), |at| {
                if let Some(receiver) = receiver {
                    store(receivers, at, receiver);
                }
            });
        }
    };
    // SAFETY: the caller's promise.
    unsafe { for_each_edge(a, turn.items, kept, turn.signals, edge) };
    // SAFETY: I4, I5.
    unsafe { wait_for_grid(a) };
    let vertex = |place: Option<u32>, _| {
        let mut listed = Row::default();
        if let Some(place) = place {
            // SAFETY: I2: the place is below `vertices.count`; I6: it is listed once.
            unsafe {
                let message = load_volatile(a.slots.messages, place);
                store(a.slots.messages, place.into(), P::Combiner::neutral());
                let state = load_volatile(a.run.vertices.states, place);
                let facts = facts(&a.run, place, turn.superstep);
                let receiver = Receiver { place, state, row: row(a, place), facts, message };
                listed = compute(a, turn, receiver, &mut counted);
            }
        }
        // SAFETY: I2: it is the row of this place, and the vertex computes once; I5.
        counted.listed |= unsafe {
            keep_or_append_row(a, turn.superstep + 1, place.unwrap_or(0), listed, turn.keeps)
        };
    };
    // SAFETY: I2: the length was written before the barrier; I5.
    unsafe { for_each_vertex(receivers, get(a, Control::Vertices, which), vertex) };
    // SAFETY: I2: the trace has an entry for each superstep of the launch; I4, I5.
    unsafe {
        let next = turn.superstep + 1;
        count_and_learn(a, next, turn.entry, counted, || Kept::take(a, next, turn.signals_next))
    }
}

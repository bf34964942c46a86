//! Supersteps of small frontiers, many in one launch: between them the blocks wait for
//! each other, not for the host.

use bytemuck::Pod;
use pregel_core::device::{Control, Global, ResidentArguments, Row, any_will_do, stays_resident};
use pregel_core::program::{Context, Delivery, Edge, Message, Monoid, VertexCompute};

use super::append::{append, append_row};
use super::items::{Along, Items, for_each_edge, for_each_vertex};
use super::worklist::{
    Counted, control, count_and_wait, get, list_of_turn, mark, row, set, wait_for_grid,
};
use crate::simt::{combine_word, index, load, load_relaxed, load_relaxed_word, prefetch, store};
use crate::superstep::vertex::facts;

/// The superstep that runs, and the arrays that change places.
struct Turn<P: VertexCompute> {
    superstep: u32,
    /// Its number in the launch.
    entry: u32,
    items: Items,
    signals: Global<P::Signal>,
    signals_next: Global<P::Signal>,
    votes_next: Global<u8>,
}

/// `resident`, on as many blocks as run together: supersteps by push, until none is left,
/// `work.supersteps` are done, a frontier has more than `work.most_edges`, or a vertex
/// stays awake.
///
/// The frontier of a superstep is a list of pieces of rows. If any message will do
/// ([`any_will_do`]), the lane that first reaches a vertex computes it at once. Otherwise
/// messages are combined in slots, and their receivers, a second list, compute after a
/// barrier.
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
    // I5: all threads of the grid go through this loop alike: they read the same words, each
    // of which was last written before a barrier of the grid.
    loop {
        let entry = superstep - first;
        let (signals, signals_next, votes_next) = if entry.is_multiple_of(2) {
            (a.run.step.signals, a.run.step.signals_next, a.run.step.votes_next)
        } else {
            (a.run.step.signals_next, a.run.step.signals, a.run.step.votes)
        };
        let turn = Turn { superstep, entry, items, signals, signals_next, votes_next };
        if index() == 0 {
            // SAFETY: I1, I2. They were last read in the superstep before, and are first
            // added to in the next, each beyond a barrier.
            unsafe {
                set(a, Control::Items, (superstep + 2) % 3, 0);
                set(a, Control::Vertices, (superstep + 1) % 2, 0);
            }
        }
        // SAFETY: I1; I2: the items are those of the list; I5.
        unsafe {
            if any_will_do::<P>() {
                compute_first_message(a, &turn);
            } else {
                combine_then_compute(a, &turn);
            }
        }
        // SAFETY: I2: `entry` is below `work.supersteps`; written before the barrier.
        let past = unsafe { load(a.work.trace, entry.into()) };
        superstep += 1;
        // SAFETY: I1; I6: as above.
        items = unsafe { Items::early(a, superstep) };
        if items.count == 0
            || past.awake > 0
            || past.messages > a.work.most_edges
            || superstep - first == a.work.supersteps
        {
            break;
        }
    }
    if index() == 0 {
        // SAFETY: I1, I2.
        unsafe { set(a, Control::Next, 0, superstep) };
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
    let Receiver { place, mut state, row, message } = receiver;
    let at = u64::from(place);
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    // SAFETY: the caller's promise.
    let facts = unsafe { facts(&a.run, place, turn.superstep) };
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
unsafe fn compute_first_message<P: VertexCompute>(a: &ResidentArguments<P>, turn: &Turn<P>) {
    let mut counted = Counted::default();
    // SAFETY: I2: the items' places have signals, written before the last barrier.
    let begin = |place: u32, _| unsafe { load(turn.signals, place.into()) };
    let edge = |signal: &P::Signal, along: Option<Along<P>>| {
        let (mut listed, mut place) = (Row::default(), 0);
        if let Some(along) = along
            && let Some((target, message)) = message_along(a, signal, along)
        {
            // All three are requested before any is used. The lane that marks a vertex first
            // owns it, so that the state that it has read is still the state; what other
            // lanes have read is not used.
            // SAFETY: I2: the target is a place; I8, I10.
            let (state, is_first, row) = unsafe {
                let state = load_volatile(a.run.vertices.states, target);
                (state, mark(a, target, turn.superstep), row(a, target))
            };
            if is_first && a.run.program.wants_message(&state) {
                place = target;
                let receiver = Receiver { place, state, row, message };
                // SAFETY: I2, as above; I6: this lane marked the vertex first.
                listed = unsafe { compute(a, turn, receiver, &mut counted) };
            }
        }
        // SAFETY: I2: it is the row of this place, and the vertex computes once; I5.
        unsafe { append_row(a, turn.superstep + 1, place, listed) };
    };
    // SAFETY: the caller's promise.
    unsafe { for_each_edge(a, turn.items, begin, edge) };
    // SAFETY: I2: the trace has an entry for each superstep of the launch; I4, I5.
    unsafe { count_and_wait(a, turn.entry, counted) };
}

/// A superstep in which messages are combined before their receivers compute.
///
/// # Safety
/// As [`compute_first_message`].
#[inline(always)]
unsafe fn combine_then_compute<P: VertexCompute>(a: &ResidentArguments<P>, turn: &Turn<P>) {
    let mut counted = Counted::default();
    let which = turn.superstep % 2;
    let receivers = list_of_turn(a.work.vertices, which);
    let length = control(a, Control::Vertices, which);
    // SAFETY: I2: the items' places have signals, written before the last barrier.
    let begin = |place: u32, _| unsafe { load(turn.signals, place.into()) };
    let edge = |signal: &P::Signal, along: Option<Along<P>>| {
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
    unsafe { for_each_edge(a, turn.items, begin, edge) };
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
                let receiver = Receiver { place, state, row: row(a, place), message };
                listed = compute(a, turn, receiver, &mut counted);
            }
        }
        // SAFETY: I2: it is the row of this place, and the vertex computes once; I5.
        unsafe { append_row(a, turn.superstep + 1, place.unwrap_or(0), listed) };
    };
    // SAFETY: I2: the length was written before the barrier; I5.
    unsafe { for_each_vertex(receivers, get(a, Control::Vertices, which), vertex) };
    // SAFETY: I2: the trace has an entry for each superstep of the launch; I4, I5.
    unsafe { count_and_wait(a, turn.entry, counted) };
}

//! Supersteps of small frontiers, many in one launch: between them the blocks
//! wait for each other, not for the host.

use bytemuck::Pod;
use pregel_core::device::{Arguments, Control, Counts, Global, any_will_do, stays_resident};
use pregel_core::program::{Context, Delivery, Edge, Message, Monoid, VertexCompute};

use super::vertex::facts;
use super::worklist::{
    Along, append, append_items, control, count, each_edge, each_vertex, everyone, get, mark,
    nothing, of_turn, pieces, set,
};
use crate::simt::{combine_word, index, load, load_const, prefetch, read, read_word, store};

/// The superstep that runs, and the arrays that change places.
struct Turn<P: VertexCompute> {
    superstep: u32,
    signals: Global<P::Signal>,
    signals_next: Global<P::Signal>,
    votes_next: Global<u8>,
}

/// `resident`, as many blocks as run together: supersteps by push, until none
/// is left, `work.supersteps` are done, a frontier has more than
/// `work.most_edges`, or a vertex stays awake.
///
/// The frontier of a superstep is a list of pieces of rows. If any message will
/// do ([`any_will_do`]), the lane that first reaches a vertex computes it at
/// once; otherwise messages meet in slots, and their receivers, a second list,
/// compute after a barrier.
///
/// # Safety
/// `senders`, `slots` and `work` are whole; `work.control` is 0 but for the
/// number of items of the first superstep, `work.trace` and all votes are 0; no
/// vertex is awake; the blocks run together.
#[inline(always)]
pub unsafe fn resident<P: VertexCompute>(a: &Arguments<P>) {
    if !stays_resident::<P>() {
        return;
    }
    let first = a.step.superstep;
    let mut superstep = first;
    // SAFETY: every thread of the grid goes the same way, since all read the
    // same words after a barrier; the rest as the caller promises.
    unsafe {
        let mut items = get(a, Control::Items, superstep % 3);
        loop {
            let even = (superstep - first).is_multiple_of(2);
            let (signals, signals_next, votes_next) = match even {
                true => (a.step.signals, a.step.signals_next, a.step.votes_next),
                false => (a.step.signals_next, a.step.signals, a.step.votes),
            };
            let turn = Turn { superstep, signals, signals_next, votes_next };
            if index() == 0 {
                // Read last in the superstep before, written first in the next.
                set(a, Control::Items, (superstep + 2) % 3, 0);
                set(a, Control::Vertices, (superstep + 1) % 2, 0);
            }
            match any_will_do::<P>() {
                true => first_come(a, &turn, superstep - first, items),
                false => meet(a, &turn, superstep - first, items),
            }
            everyone(a);
            let past = load(a.work.trace, (superstep - first).into());
            superstep += 1;
            items = get(a, Control::Items, superstep % 3);
            if items == 0
                || past.awake > 0
                || past.messages > a.work.most_edges
                || superstep - first == a.work.supersteps
            {
                break;
            }
        }
        if index() == 0 {
            set(a, Control::Next, 0, superstep);
        }
    }
}

/// The receiver of an edge, and the message, if there is one.
#[inline(always)]
fn sent<P: VertexCompute>(
    a: &Arguments<P>,
    signal: &P::Signal,
    (value, target): Along<P>,
) -> Option<(u32, Message<P>)> {
    a.program.edge_compute(signal, Edge::new(value)).map(|message| (target, message))
}

/// Where the row of a vertex begins, and how many edges it has.
#[inline(always)]
unsafe fn row<P: VertexCompute>(a: &Arguments<P>, place: u32) -> (u64, u32) {
    let (offsets, at) = (a.senders.offsets, u64::from(place));
    // SAFETY: there is a row for every vertex.
    unsafe {
        let begin = load_const(offsets, at);
        (begin, (load_const(offsets, at + 1) - begin) as u32)
    }
}

/// What an array that other blocks may be writing holds for a vertex.
#[inline(always)]
unsafe fn live<T: Pod>(array: Global<T>, place: u32) -> T {
    // SAFETY: there is an element for every vertex.
    unsafe {
        match size_of::<T>() {
            4 | 8 => read_word(array, place.into()),
            _ => read(array, place.into()),
        }
    }
}

/// Runs a vertex in this state, with this row, with a message; how many pieces of its row
/// are to be listed. The first are asked for, so that they are in the second cache then.
#[inline(always)]
unsafe fn compute<P: VertexCompute>(
    a: &Arguments<P>,
    turn: &Turn<P>,
    (place, mut state, (begin, edges), message): (u32, P::State, (u64, u32), Message<P>),
    counts: &mut Counts,
) -> u32 {
    let at = u64::from(place);
    // SAFETY: these arrays have an element for every vertex, and this lane
    // alone has this one.
    unsafe {
        let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
        let mut context = Context::new(facts(a, place, turn.superstep), &last, &mut total);
        let mut message = Some(message);
        let inbox = P::Combiner::inbox_of_one(&mut message);
        let vote = a.program.vertex_compute(&mut state, inbox, &mut context);
        store(a.vertices.states, at, state);
        counts.active += 1;
        if vote.awake() {
            // The others' votes are known by the frontier.
            store(turn.votes_next, at, vote as u8);
            counts.awake += 1;
        }
        if !vote.scatters() {
            return 0;
        }
        store(turn.signals_next, at, a.program.signal(&state, &context));
        counts.scattering += 1;
        counts.messages += u64::from(edges);
        if edges > 0 {
            prefetch(a.senders.targets.element(begin));
            if size_of::<P::Edge>() > 0 {
                prefetch(a.senders.values.element(begin));
            }
        }
        pieces(edges)
    }
}

/// A superstep in which the first message that comes is taken.
#[inline(always)]
unsafe fn first_come<P: VertexCompute>(a: &Arguments<P>, turn: &Turn<P>, entry: u32, items: u32) {
    let mut counts = nothing();
    // SAFETY: as the caller of the kernel promises.
    unsafe {
        each_edge(
            a,
            turn.superstep,
            items,
            |place, _| load(turn.signals, place.into()),
            |signal, along| {
                let (mut listed, mut place) = (0, 0);
                if let Some(along) = along
                    && let Some((target, message)) = sent(a, signal, along)
                {
                    // All three are asked for before any is looked at. Who marks a
                    // vertex first is alone with it, so that the state that was
                    // read is still the state; what others read is for naught.
                    let state = live(a.vertices.states, target);
                    let first = mark(a, target, turn.superstep);
                    let row = row(a, target);
                    if first && a.program.wants_message(&state) {
                        place = target;
                        listed = compute(a, turn, (target, state, row, message), &mut counts);
                    }
                }
                append_items(a, turn.superstep + 1, place, listed);
            },
        );
        count(a, entry, &counts);
    }
}

/// A superstep in which messages meet before their receivers compute.
#[inline(always)]
unsafe fn meet<P: VertexCompute>(a: &Arguments<P>, turn: &Turn<P>, entry: u32, items: u32) {
    let mut counts = nothing();
    let which = turn.superstep % 2;
    let receivers = of_turn(a.work.vertices, which);
    // SAFETY: as the caller of the kernel promises; a vertex is listed once.
    unsafe {
        let length = control(a, Control::Vertices, which);
        each_edge(
            a,
            turn.superstep,
            items,
            |place, _| load(turn.signals, place.into()),
            |signal, along| {
                let mut receiver = None;
                if let Some(along) = along
                    && let Some((target, message)) = sent(a, signal, along)
                    && a.program.wants_message(&live(a.vertices.states, target))
                {
                    combine_word::<P::Combiner>(a.slots.messages, target.into(), message);
                    receiver = mark(a, target, turn.superstep).then_some(target);
                }
                append(length, u32::from(receiver.is_some()), |at, _| {
                    if let Some(receiver) = receiver {
                        store(receivers, at, receiver);
                    }
                });
            },
        );
        everyone(a);
        each_vertex(receivers, get(a, Control::Vertices, which), |place| {
            let mut listed = 0;
            if let Some(place) = place {
                let message = live(a.slots.messages, place);
                store(a.slots.messages, place.into(), P::Combiner::neutral());
                let state = live(a.vertices.states, place);
                let vertex = (place, state, row(a, place), message);
                listed = compute(a, turn, vertex, &mut counts);
            }
            append_items(a, turn.superstep + 1, place.unwrap_or(0), listed);
        });
        count(a, entry, &counts);
    }
}

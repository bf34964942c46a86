//! A round in place: the near vertices send, and what changes is listed.

use pregel_core::device::{Control, Piece, ResidentArguments, Row, WARP, rank};
use pregel_core::program::{Context, Delivery, Edge, Message, Monoid, VertexCompute, Vote};

use super::ahead::Ahead;
use super::append::append_row_or_waiting;
use super::items::{Along, Batches, Groups, Items, edges_of};
use super::listing::Listing;
use super::pending::Pending;
use super::worklist::{Counted, control, count_and_wait, get, mark, row};
use crate::collective::warp_reduce;
use crate::simt::{
    ballot, exchange_u32, lane, load, load_relaxed_word, min_u32, prefetch, same_word,
    update_seen_word,
};
use crate::superstep::vertex::facts;

/// A round: the near vertices send.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub(super) round: u32,
    /// Its number in the launch.
    pub(super) entry: u32,
    pub(super) items: Items,
    /// The lanes that share an item in `near_bulk`.
    pub(super) groups: Groups,
    /// The rank below which vertices are near.
    pub(super) limit: u32,
    /// How often the waiting vertices were gone through.
    pub(super) turns: u32,
}

/// The rank of a vertex with this state.
#[inline(always)]
pub(super) fn rank_of<P: VertexCompute>(a: &ResidentArguments<P>, state: &P::State) -> u32 {
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

/// A warp does not go ahead from a vertex with more edges, while others wait for it.
const AHEAD_EDGES: u32 = WARP;

/// What the warps of a kernel do with the vertices that they change in a round.
pub(super) trait Found {
    /// Whether they send from near ones at once, as far as they may.
    const AHEAD: bool;
    /// Whether they gather many before they list them.
    const GATHERED: bool;
}

/// They list them, those of all lanes at a time.
pub(super) struct Listed;

impl Found for Listed {
    const AHEAD: bool = false;
    const GATHERED: bool = false;
}

/// They go ahead.
pub(super) struct GoneAhead;

impl Found for GoneAhead {
    const AHEAD: bool = true;
    const GATHERED: bool = false;
}

/// They gather them.
pub(super) struct Gathered;

impl Found for Gathered {
    const AHEAD: bool = false;
    const GATHERED: bool = true;
}

/// A round: the near vertices send, and vertices that change are listed.
///
/// # Safety
/// As `near_far`; the round's list has its items (I2), and all threads of the grid take
/// part (I5).
#[inline(always)]
pub(super) unsafe fn relax<P: VertexCompute, F: Found>(a: &ResidentArguments<P>, this: Round) {
    let Round { round, entry, items, groups, limit, turns } = this;
    // No device holds as many edges per thread as would overflow.
    let (mut active, mut messages) = (0u32, 0u32);
    let generations = if F::AHEAD { a.work.ahead } else { 0 };
    let ahead = Ahead::new(generations, a.work.ahead_vertices);
    let mut pending = Pending::<Message<P>>::new();
    let listing = Listing::new(round + 1, turns);
    let mut least = u32::MAX;
    // SAFETY: I1, I2.
    let known = unsafe { get(a, Control::Nearest, turns % 2) };
    let mut hand_over = |message: Option<(u32, Message<P>)>| {
        let (mut near, mut waits, mut row) = (None, None, Row::default());
        if let Some((place, message)) = message {
            if F::AHEAD {
                // While the state is being changed, what is needed afterwards comes closer.
                // SAFETY: I1; I2: targets are places, with a mark and a row.
                unsafe {
                    prefetch(a.work.marks.element(place.into()));
                    prefetch(a.rows.offsets.element(place.into()));
                }
            }
            // SAFETY: I1; I2: targets are places; I8: only this changes states.
            if let Some(state) = unsafe { deliver(a, place, message) } {
                let rank = rank_of(a, &state);
                // SAFETY: I1, I2: places are those of vertices, with a row; I8.
                unsafe {
                    if rank < limit {
                        near = Some(place);
                        if F::AHEAD {
                            row = self::row(a, place);
                            prefetch_edges(a, row);
                        }
                    } else {
                        let before = exchange_u32(a.work.waiting.element(place.into()), 1);
                        waits = (before == 0).then_some(place);
                        least = least.min(rank);
                    }
                }
            }
        }
        // SAFETY: I1; I2: a vertex is listed once in each list; I4; I8; I9: nothing else is in
        // this part of shared memory; I5: all lanes call this together.
        unsafe {
            let short = near.filter(|_| F::AHEAD && (1..=AHEAD_EDGES).contains(&row.edges));
            let listed = match near {
                _ if F::AHEAD && ahead.push(short) => None,
                Some(place) => mark(a, place, round + 1).then_some(place),
                None => None,
            };
            if F::GATHERED {
                listing.push(listed, waits);
                return;
            }
            let row_of = |place| (place, if F::AHEAD { row } else { self::row(a, place) });
            append_row_or_waiting(a, round + 1, turns, listed.map(row_of), waits);
        }
    };
    let groups = if F::GATHERED { groups } else { Groups::of(a) };
    let mut batches = Batches::of(items, groups);
    let mut ends = false;
    // SAFETY: the caller's promise; the closures: I1, I2: places and targets are those of
    // vertices; I8 for states; I4, I5: all lanes call `push` together; I9: nothing else is
    // in shared memory.
    unsafe {
        loop {
            let piece = if let Some(piece) = batches.next(a) {
                piece
            } else if F::AHEAD
                && let Some(place) = ahead.take(groups)
            {
                place.map_or(Piece::default(), |place| row(a, place).piece(place, 0))
            } else if F::GATHERED {
                // One more turn for the messages that are left, so that the code which lists
                // vertices is there once.
                ends = true;
                Piece::default()
            } else {
                pending.push(None, true, &mut hand_over);
                if F::AHEAD && ahead.next_generation() {
                    continue;
                }
                break;
            };
            let place = piece.place;
            let begin = |counts| {
                active += u32::from(counts);
                let state = load_relaxed_word(a.run.vertices.states, place.into());
                let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
                let facts = facts(&a.run, place, a.run.step.superstep);
                a.run.program.signal(&state, &Context::new(facts, &last, &mut total))
            };
            edges_of(a, groups, piece, None, ends, begin, |signal, along| {
                messages += u32::from(along.is_some());
                let message = along.and_then(|along| send(a, signal, along));
                pending.push(message, ends, &mut hand_over);
                if F::GATHERED {
                    listing.flush(a, ends);
                }
            });
            if F::GATHERED && ends {
                break;
            }
        }
    }
    // SAFETY: I5, I9, as above; I2: the trace has an entry for each round of the launch.
    unsafe {
        lower_nearest(a, turns, least, known);
        let messages = messages.into();
        count_and_wait(a, entry, Counted { active, messages, ..Counted::default() });
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

/// Requests the first edges of a row.
///
/// # Safety
/// `rows` is whole (I1), and it is a row (I2).
#[inline(always)]
unsafe fn prefetch_edges<P: VertexCompute>(a: &ResidentArguments<P>, row: Row) {
    if row.edges > 0 {
        // SAFETY: the caller's promise: the row has a first edge.
        unsafe {
            prefetch(a.rows.targets.element(row.begin));
            if size_of::<P::Edge>() > 0 {
                prefetch(a.rows.values.element(row.begin));
            }
        }
    }
}

/// Lowers the rank below which no vertex waits in a turn to the least of all lanes, if one
/// is below `known`, which the rank is not above.
///
/// # Safety
/// `work` is whole (I1). All lanes of the warp take part (I5).
#[inline(always)]
pub(super) unsafe fn lower_nearest<P: VertexCompute>(
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

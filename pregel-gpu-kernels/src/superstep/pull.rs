//! Pulling: gather, combine, compute, vote, without a message buffer.

use pregel_core::device::{Arguments, SHARED, WARP, columns};
use pregel_core::program::{Edge, Message, VertexCompute, Zeroable};

use super::bins::spared;
use super::gather::{Source, Sum, at, base, combine, piece, put_partial, whole_group};
use super::steady::halted;
use super::vertex::{Tally, compute_in, state, vote};
use crate::simt::{
    barrier, block, blocks, lane, load_const, load_hot, load_once, prefetch, shared_add_u32,
    shared_store_u32, shuffle, thread, threads,
};

/// From the sender's signal; `EVERYONE` scatters, so that nobody's vote is read,
/// and `HOT` signals are in the block's memory.
pub(super) struct Pulled<const EVERYONE: bool, const HOT: bool>;

impl<P: VertexCompute, const EVERYONE: bool, const HOT: bool> Source<P> for Pulled<EVERYONE, HOT> {
    type Ticket = u32;
    // Where some keep silent a vertex may have had enough before.
    const EAGER: bool = EVERYONE;

    #[inline(always)]
    unsafe fn ticket(a: &Arguments<P>, slot: u64) -> u32 {
        // SAFETY: the caller's slot is one of an edge.
        unsafe { load_once(a.columns.senders, slot) }
    }

    #[inline(always)]
    unsafe fn message(a: &Arguments<P>, slot: u64, sender: u32) -> Option<Message<P>> {
        // SAFETY: the slot is one of an edge, the sender a vertex.
        unsafe {
            if !EVERYONE && !vote(a.step.votes, sender).scatters() {
                return None;
            }
            let signal = match HOT {
                true => load_hot(a.step.signals, sender, a.step.hot),
                false => load_const(a.step.signals, sender.into()),
            };
            a.program.edge_compute(&signal, Edge::new(load_once(a.columns.values, slot)))
        }
    }
}

/// Where, in shared memory, is written whose turn is next in a block.
const NEXT: u32 = SHARED - 4;

/// The turn that this warp takes in its block, after `before`.
#[inline(always)]
unsafe fn next<P: VertexCompute>(a: &Arguments<P>, before: u32) -> u32 {
    if a.step.fixed != 0 {
        return before.wrapping_add(threads() / WARP);
    }
    let mut turn = 0;
    if lane() == 0 {
        // SAFETY: the word is within shared memory.
        turn = unsafe { shared_add_u32(NEXT, 1) };
    }
    shuffle(turn, 0)
}

/// Asks for what the vertices of an item begin with. A chunk is not asked for: which
/// group it is of would have to be waited for.
#[inline(always)]
unsafe fn ask_for<P: VertexCompute>(a: &Arguments<P>, item: u32) {
    if item < a.chunks.count {
        return;
    }
    let group = whole_group(a, item);
    let place = u64::from(group) * u64::from(WARP) + u64::from(lane());
    if place < a.vertices.count.into() {
        // SAFETY: the place is that of a vertex, and its group has a base.
        unsafe {
            prefetch(a.columns.degrees.element(place));
            prefetch(a.vertices.states.element(place));
            if lane() == 0 {
                prefetch(a.columns.bases.element(group.into()));
            }
        }
    }
}

/// What the vertex at `place` gets in these rows.
#[inline(always)]
unsafe fn pulled<P: VertexCompute>(a: &Arguments<P>, place: u32, rows: (u32, u32)) -> Sum<P> {
    // SAFETY: as the caller promises.
    unsafe {
        let vertex = (base(a, place), place);
        match a.step.everyone {
            0 => combine::<P, Pulled<false, false>>(a, vertex, rows),
            _ => combine::<P, Pulled<true, false>>(a, vertex, rows),
        }
    }
}

/// `pull`, on any number of blocks: warps take the chunks of heavy groups, then the
/// other groups, a lane a vertex. Of a chunk the partial result is kept, for
/// `pull_heavy`; the vertices of other groups compute. Falling degrees balance the
/// blocks: what two of them take differs by no more than the first item.
///
/// # Safety
/// `columns` and `chunks` are whole; groups are of 32.
#[inline(always)]
pub unsafe fn pull<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let (n, chunks) = (a.vertices.count, a.chunks.count);
    let items = chunks + (columns::groups(n, WARP.trailing_zeros()) - a.chunks.heavy);
    // SAFETY: every thread arrives here, or none; items are chunks or groups, whose
    // places are those of vertices.
    unsafe {
        if halted(a) || spared(a) {
            return;
        }
        if thread() == 0 {
            shared_store_u32(NEXT, 0);
        }
        barrier();
        // Neighbours in the list are about as much work: each block gets every so
        // many, of which its warps take the next.
        let item_of = |turn: u32| turn * blocks() + block();
        let mut turn = match a.step.fixed {
            0 => next(a, 0),
            _ => thread() / WARP,
        };
        while item_of(turn) < items {
            let item = item_of(turn);
            turn = next(a, turn);
            ask_for(a, item_of(turn));
            let (group, first, end) = match item < chunks {
                true => piece(a, item),
                false => (whole_group(a, item), 0, u32::MAX),
            };
            let place = group * WARP + lane();
            let mut sum = Sum::<P>::new();
            // Read with the degree, it is there once the messages are.
            let mut own = Zeroable::zeroed();
            if place < n {
                own = state(a, place);
                if a.program.wants_message(&own) {
                    let degree: u32 = load_const(a.columns.degrees, place.into());
                    sum = pulled(a, place, (first, degree.min(end)));
                }
            }
            if item < chunks {
                put_partial(a, at(item), sum.get());
            } else if place < n {
                compute_in(a, (place, || own), sum.get(), &mut tally);
            }
        }
        barrier();
        tally.finish(a, a.chunks.joiners + block());
    }
}

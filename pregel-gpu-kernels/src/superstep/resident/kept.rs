//! Items that a block keeps for itself from one superstep to the next.
//!
//! An item in the grid's list takes an addition to the list's length, a word that all warps add to.
//! Whoever works it off first reads the length, then the item, then its edges. An item that stays with
//! the block that found it is in shared memory, and the block knows of it before the grid's barrier. So
//! while it waits there it reads what does not change: the edges, and the rows and facts of their
//! receivers. What others may still change, it prefetches.
//!
//! A block keeps as many items as its warps take at once, and lists the rest. Once any block has listed
//! some, all blocks list what they find in the next superstep, so that it is shared out anew.

use core::mem;

use bytemuck::Zeroable;
use pregel_core::device::shared::{KEPT, KEPT_COUNTS, kept};
use pregel_core::device::{
    BLOCK, Control, Global, Piece, ResidentArguments, Row, WARP, any_will_do,
};
use pregel_core::program::{Facts, VertexCompute};

use super::append::{append, append_row};
use super::items::{Along, Batches, Groups, Items, edges_of, first_along};
use super::worklist::{control, list_of_turn, row};
use crate::simt::{
    ballot, barrier, blocks, lane, lanes_before, load, prefetch, shared_add, shared_load,
    shared_store, shuffle, store, thread,
};
use crate::superstep::vertex::facts;

/// Whether blocks keep what they find in a superstep; the same for the whole grid.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) struct Keeping {
    pub(super) keeps: bool,
    /// The edges of the frontier.
    edges: u64,
}

impl Keeping {
    /// Not in the first superstep of a launch.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self { keeps: false, edges: 0 }
    }

    /// Whether they do in the next superstep, which has this many edges, and items in the list: if the
    /// frontier hardly grows, and all blocks most likely have room for it. Otherwise some would have much
    /// to do and others nothing.
    #[inline(always)]
    pub(super) fn next(self, edges: u64, listed: u32) -> Self {
        self.next_of(edges, listed, blocks() * BLOCK)
    }

    /// The same for a grid of this many threads.
    #[inline(always)]
    fn next_of(self, edges: u64, listed: u32, threads: u32) -> Self {
        let has_room = edges <= u64::from(threads / 4 * 3);
        let is_steady = 2 * edges <= 3 * self.edges;
        Self { keeps: has_room && is_steady && !(self.keeps && listed > 0), edges }
    }
}

/// What a lane has of the items that its block keeps for a superstep: one item for each group of lanes,
/// at most.
#[derive(Clone, Copy)]
pub(super) struct Kept<P: VertexCompute> {
    /// Whether any lane of the warp has one.
    any: bool,
    /// The item; without edges if the group has none.
    piece: Piece,
    /// The signal of the vertex whose row it is.
    signal: P::Signal,
    /// The lane's first edge, if it has one.
    along: Along<P>,
    /// What is known of that edge's receiver.
    known: Known<P>,
}

/// What no thread writes of an edge's receiver.
#[derive(Clone, Copy)]
pub(super) struct Known<P: VertexCompute> {
    pub(super) row: Row,
    pub(super) facts: Facts<P::Input>,
}

impl<P: VertexCompute> Known<P> {
    /// That of no vertex.
    #[inline(always)]
    fn none() -> Self {
        let facts = Facts {
            vertex: 0,
            in_degree: 0,
            out_degree: 0,
            vertex_count: 0,
            superstep: 0,
            input: Zeroable::zeroed(),
        };
        Self { row: Row::default(), facts }
    }
}

impl<P: VertexCompute> Kept<P> {
    /// Nothing.
    #[inline(always)]
    fn none() -> Self {
        Self {
            any: false,
            piece: Piece::default(),
            signal: Zeroable::zeroed(),
            along: Along::none(),
            known: Known::none(),
        }
    }

    /// Nothing, when a launch begins: from then on items can be kept.
    ///
    /// # Safety
    /// All threads of the block take part (I5). Nothing else touches the regions of shared memory in
    /// which items are kept and counted (I9).
    #[inline(always)]
    pub(super) unsafe fn begin() -> Self {
        if thread() < 2 {
            // SAFETY: I9; I6: one thread for each word.
            unsafe { shared_store(KEPT_COUNTS, thread(), 0) };
        }
        barrier();
        Self::none()
    }

    /// What was kept for `superstep`, whose signals these are.
    ///
    /// # Safety
    /// `vertices`, `rows`, `slots` and `work` are whole (I1). The block has passed a barrier since the
    /// last item was kept (I9), and its vertices have written their signals (I6).
    #[inline(always)]
    pub(super) unsafe fn take(
        a: &ResidentArguments<P>,
        superstep: u32,
        signals: Global<P::Signal>,
    ) -> Self {
        let groups = Groups::of(a);
        // SAFETY: the caller's promise.
        let count = unsafe { shared_load(KEPT_COUNTS, superstep % 2) }.min(capacity(groups));
        let first = thread() / WARP * groups.count();
        let mut this = Self::none();
        if first >= count {
            return this;
        }
        this.any = true;
        let i = first + groups.own();
        // SAFETY: the caller's promise; I2: it is the piece of a row, and targets are places.
        unsafe {
            if i < count {
                this.piece = shared_load(kept(superstep % 2), i);
                this.signal = load(signals, this.piece.place.into());
            }
            this.along = first_along(a, groups, this.piece);
            if groups.has_edge(this.piece) {
                let place = this.along.target;
                prefetch(a.run.vertices.states.element(place.into()));
                prefetch(a.work.marks.element(place.into()));
                if !any_will_do::<P>() {
                    prefetch(a.slots.messages.element(place.into()));
                }
                this.known = Known { row: row(a, place), facts: facts(&a.run, place, superstep) };
            }
        }
        this
    }

    /// Forgets what was kept for `superstep`, by one thread of the block. The next superstep keeps items
    /// in the same place.
    ///
    /// # Safety
    /// The block has passed a barrier since it was [taken](Self::take), and passes another before the
    /// next superstep (I9).
    #[inline(always)]
    pub(super) unsafe fn forget(superstep: u32) {
        // SAFETY: the caller's promise.
        unsafe { shared_store(KEPT_COUNTS, superstep % 2, 0) };
    }

    /// Lists it among the items of `superstep`.
    ///
    /// # Safety
    /// `work` is whole (I1), and it was taken for this superstep, whose list has room for every
    /// item once (I2). All lanes of the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn list(&self, a: &ResidentArguments<P>, superstep: u32) {
        let length = control(a, Control::Items, superstep % 3);
        let items = list_of_turn(a.work.items, superstep);
        let is_own = self.piece.edges() > 0 && Groups::of(a).is_first_lane();
        // SAFETY: the caller's promise.
        unsafe { append(length, is_own, |at| store(items, at, self.piece)) };
    }
}

/// How many items a block keeps: as many as its warps take at once.
#[inline(always)]
fn capacity(groups: Groups) -> u32 {
    (BLOCK / WARP * groups.count()).min(KEPT)
}

/// Keeps the row of each lane's `place` for a superstep, if the block `keeps` items, the row is of one
/// piece, and there is room. Otherwise lists it as [`append_row`] does; returns whether any lane did.
///
/// # Safety
/// As [`append_row`]. Nothing else touches the regions of shared memory in which items are kept and
/// counted (I9).
#[inline(always)]
pub(super) unsafe fn keep_or_append_row<P: VertexCompute>(
    a: &ResidentArguments<P>,
    superstep: u32,
    place: u32,
    row: Row,
    keeps: bool,
) -> bool {
    let is_short = keeps && row.pieces() == 1;
    let short = ballot(is_short);
    let mut is_kept = false;
    if short != 0 {
        let mut first = 0;
        if lane() == 0 {
            // SAFETY: I9: the count of this turn; I8.
            first = unsafe { shared_add(KEPT_COUNTS, superstep % 2, short.count_ones()) };
        }
        let i = shuffle(first, 0) + (short & lanes_before()).count_ones();
        is_kept = is_short && i < capacity(Groups::of(a));
        if is_kept {
            // SAFETY: I9: below `KEPT`; I6: no other lane has this number.
            unsafe { shared_store(kept(superstep % 2), i, row.piece(place, 0)) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { append_row(a, superstep, place, if is_kept { Row::default() } else { row }) }
}

/// Goes through the items of a superstep, with `work.lanes` lanes per item: those that the block has
/// `kept`, and its share of the list. `edge` is called as by [`edges_of`], with the sender's signal and
/// with what is known of the edge's receiver already.
///
/// # Safety
/// `rows` and `work` are whole (I1), the items' places have a signal (I2), which was written before the
/// last barrier of the grid, and no thread writes the items (I6). All threads of the grid take part
/// (I5).
#[inline(always)]
pub(super) unsafe fn for_each_edge<P: VertexCompute>(
    a: &ResidentArguments<P>,
    items: Items,
    mut kept: Kept<P>,
    signals: Global<P::Signal>,
    mut edge: impl FnMut(&P::Signal, Option<Along<P>>, Option<Known<P>>),
) {
    let groups = Groups::of(a);
    let mut batches = Batches::of(items, groups);
    // SAFETY: the caller's promise: a piece is that of a row.
    unsafe {
        loop {
            let mut known = None;
            let (piece, first, signal) = if mem::take(&mut kept.any) {
                known = Some(kept.known);
                (kept.piece, kept.along, kept.signal)
            } else if let Some(piece) = batches.next(a) {
                (piece, first_along(a, groups, piece), load(signals, piece.place.into()))
            } else {
                break;
            };
            let mut edge = |signal: &P::Signal, along| edge(signal, along, known.take());
            edges_of(a, groups, piece, Some(first), false, |_| signal, &mut edge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_items_while_the_frontier_is_steady_and_has_room() {
        let keeping = |keeps, edges| Keeping { keeps, edges };
        let next = |before: Keeping, edges, listed| before.next_of(edges, listed, 1024).keeps;
        let first = Keeping::none();
        assert!(!first.keeps && !next(first, 4, 1));
        assert_eq!(first.next_of(4, 1, 1024), keeping(false, 4));
        // What was listed so far does not matter until something was kept.
        assert!(next(keeping(false, 4), 6, 2) && !next(keeping(false, 4), 7, 2));
        assert!(next(keeping(true, 4), 6, 0) && !next(keeping(true, 4), 6, 1));
        assert!(next(keeping(true, 900), 768, 0) && !next(keeping(true, 900), 769, 0));
        assert!(next(keeping(true, 768), 1, 0));
    }
}

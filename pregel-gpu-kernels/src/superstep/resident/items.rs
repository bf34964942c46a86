//! What a superstep or round has to do, shared out among the warps of the grid.

use core::mem;

use bytemuck::Zeroable;
use pregel_core::device::{BLOCK, Control, Global, Piece, ResidentArguments, WARP};
use pregel_core::program::Program;

use super::worklist::{get, list_of_turn};
use crate::simt::{ballot, block, blocks, lane, load, load_once, thread};

/// What is read of an edge: its value and its receiver.
#[derive(Clone, Copy)]
pub(super) struct Along<P: Program> {
    pub(super) value: P::Edge,
    pub(super) target: u32,
}

impl<P: Program> Along<P> {
    /// That of no edge.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self { value: Zeroable::zeroed(), target: 0 }
    }
}

/// What a superstep has to do.
#[derive(Clone, Copy)]
pub(super) struct Items {
    superstep: u32,
    /// How many items it has.
    pub(super) count: u32,
    /// This lane's first item, if it was requested [early](Self::early); of no meaning if the
    /// superstep has fewer items.
    first: Option<Piece>,
}

impl Items {
    /// None in the list.
    #[inline(always)]
    pub(super) fn none(superstep: u32) -> Self {
        Self { superstep, count: 0, first: None }
    }

    /// The items of a superstep, which were listed before the last barrier of the grid.
    ///
    /// # Safety
    /// `work` is whole (I1).
    #[inline(always)]
    pub(super) unsafe fn of<P: Program>(a: &ResidentArguments<P>, superstep: u32) -> Self {
        // SAFETY: the caller's promise; I2: the word has this turn.
        let count = unsafe { get(a, Control::Items, superstep % 3) };
        Self { superstep, count, first: None }
    }

    /// The same. The first item of this lane is requested along with their number, not when that
    /// has come; until it is used it takes registers.
    ///
    /// # Safety
    /// `work` is whole (I1), and no thread writes the list (I6).
    #[inline(always)]
    pub(super) unsafe fn early<P: Program>(a: &ResidentArguments<P>, superstep: u32) -> Self {
        let groups = Groups::of(a);
        let first = spread_warp() * groups.count() + groups.own();
        let list = list_of_turn(a.work.items, superstep);
        // SAFETY: the caller's promise; I2: below `room`. What the list holds behind its items is
        // not used.
        unsafe {
            let first = Some(load(list, u64::from(first).min(a.work.room - 1)));
            Self { first, ..Self::of(a, superstep) }
        }
    }
}

/// The number of this warp among those of the grid. Consecutive ones are in different blocks, so that
/// little work is spread over all multiprocessors.
#[inline(always)]
fn spread_warp() -> u32 {
    thread() / WARP * blocks() + block()
}

/// The groups of lanes of a warp that share the edges of a piece.
#[derive(Clone, Copy)]
pub(super) struct Groups {
    /// How many lanes each has.
    lanes: u32,
}

impl Groups {
    /// Those of `work.lanes` lanes.
    #[inline(always)]
    pub(super) fn of<P: Program>(a: &ResidentArguments<P>) -> Self {
        Self { lanes: a.work.lanes }
    }

    /// Those for a number of items that have these edges in all: of as many lanes as an item has
    /// edges on average, or more if otherwise lanes would be idle, but of no more than `work.lanes`;
    /// of `work.lanes` if the edges were not counted.
    #[inline(always)]
    pub(super) fn fitting<P: Program>(a: &ResidentArguments<P>, items: u32, edges: u32) -> Self {
        Self { lanes: fitting_lanes(items, edges, blocks() * BLOCK, a.work.lanes) }
    }

    /// How many there are.
    #[inline(always)]
    pub(super) fn count(self) -> u32 {
        WARP >> self.lanes.trailing_zeros()
    }

    /// The number of this lane's group.
    #[inline(always)]
    pub(super) fn own(self) -> u32 {
        lane() >> self.lanes.trailing_zeros()
    }

    /// The number of this lane in its group.
    #[inline(always)]
    fn lane_of(self) -> u32 {
        lane() & (self.lanes - 1)
    }

    /// Whether this lane is the first of its group.
    #[inline(always)]
    pub(super) fn is_first_lane(self) -> bool {
        self.lane_of() == 0
    }

    /// Whether this lane has an edge of its group's piece.
    #[inline(always)]
    pub(super) fn has_edge(self, piece: Piece) -> bool {
        self.lane_of() < piece.edges()
    }
}

/// How many lanes share an item: see [`Groups::fitting`]. `most` is a power of two.
#[inline(always)]
fn fitting_lanes(items: u32, edges: u32, threads: u32, most: u32) -> u32 {
    if items == 0 || edges == 0 {
        return most;
    }
    edges.div_ceil(items).max(threads / items).min(most).next_power_of_two()
}

/// The items of a superstep that a warp goes through, one for each group of its lanes at a time.
pub(super) struct Batches {
    items: Items,
    groups: Groups,
    /// The first item of the next batch; none if there is no item from there on.
    first: u32,
}

impl Batches {
    /// All that this warp has to do. All threads of the grid take their share (I5).
    #[inline(always)]
    pub(super) fn of(items: Items, groups: Groups) -> Self {
        Self { items, groups, first: spread_warp() * groups.count() }
    }

    /// The next batch: this lane's piece, without edges if its group has none. `None` after the
    /// last.
    ///
    /// # Safety
    /// `work` is whole (I1), and no thread writes the items (I6).
    #[inline(always)]
    pub(super) unsafe fn next<P: Program>(&mut self, a: &ResidentArguments<P>) -> Option<Piece> {
        let Self { items: Items { superstep, count, .. }, groups, first } = *self;
        if first >= count {
            return None;
        }
        let (left, list) = (count - first, list_of_turn(a.work.items, superstep));
        let piece = match self.items.first.take() {
            _ if groups.own() >= left => Piece::default(),
            Some(piece) => piece,
            // SAFETY: I2: the item exists; I6: written before the last barrier of the grid.
            None => unsafe { load(list, (first + groups.own()).into()) },
        };
        self.first = first.saturating_add(blocks() * (BLOCK / WARP) * groups.count());
        Some(piece)
    }
}

/// The edge at `at`, or none if no edges are `left` from there on.
///
/// # Safety
/// `rows` is whole (I1), and if any edge is left, it is one of them (I2).
#[inline(always)]
unsafe fn along<P: Program>(a: &ResidentArguments<P>, at: u64, left: u32) -> Along<P> {
    if left == 0 {
        return Along::none();
    }
    // SAFETY: the caller's promise; I7.
    unsafe {
        let value = load_once(a.rows.values, at);
        Along { value, target: load_once(a.rows.targets, at) }
    }
}

/// This lane's first edge of its group's piece, none if the lane [has none](Groups::has_edge).
///
/// # Safety
/// `rows` is whole (I1), and the piece is of one of them (I2).
#[inline(always)]
pub(super) unsafe fn first_along<P: Program>(
    a: &ResidentArguments<P>,
    groups: Groups,
    piece: Piece,
) -> Along<P> {
    let own = groups.lane_of();
    // SAFETY: the caller's promise.
    unsafe { along(a, piece.begin + u64::from(own), piece.edges().saturating_sub(own)) }
}

/// Goes through the edges of a piece per group of lanes, of which the lane's `first` one may have been
/// read before. `begin` is called once, with whether this
/// is the first lane of the row's first piece. `edge` is called with what it returned and an edge,
/// when the next edge has been requested, by all lanes of a warp together: with `None` by those
/// that have no edge left; at least once if this `ends` a round, and the piece is empty then.
///
/// # Safety
/// `rows` is whole (I1), and the piece is of one of them (I2). All lanes of the warp take part
/// (I5), with the same piece in each group of lanes.
#[inline(always)]
pub(super) unsafe fn edges_of<P: Program, B>(
    a: &ResidentArguments<P>,
    groups: Groups,
    piece: Piece,
    first: Option<Along<P>>,
    ends: bool,
    begin: impl FnOnce(bool) -> B,
    mut edge: impl FnMut(&B, Option<Along<P>>),
) {
    let (own, lanes) = (groups.lane_of(), groups.lanes);
    let mut at = piece.begin + u64::from(own);
    // Edges from there on.
    let mut left = piece.edges().saturating_sub(own);
    // SAFETY: the caller's promise: the edge is in the row.
    let read = |at, left| unsafe { along(a, at, left) };
    let mut next = first.unwrap_or_else(|| read(at, left));
    let of_item = begin(piece.is_first() && own == 0);
    let mut once_more = ends;
    while ballot(left > 0) != 0 || mem::take(&mut once_more) {
        let along = (left > 0).then_some(next);
        at += u64::from(lanes);
        left = left.saturating_sub(lanes);
        next = read(at, left);
        edge(&of_item, along);
    }
}

/// Goes through a list of `count` vertices. `f` is called by all lanes of a warp together, when the
/// next vertex has been requested: with `None` by those that have no vertex left, and with whether
/// these are the warp's last.
///
/// # Safety
/// The list has this many entries (I2), which no thread writes (I6). All threads of the
/// grid take part (I5).
#[inline(always)]
pub(super) unsafe fn for_each_vertex(
    list: Global<u32>,
    count: u32,
    mut f: impl FnMut(Option<u32>, bool),
) {
    let stride = blocks() * BLOCK;
    let mut first = spread_warp() * WARP;
    let read = |first: u32| {
        // SAFETY: the caller's promise; checked: the entry exists.
        (first + lane() < count).then(|| unsafe { load(list, (first + lane()).into()) })
    };
    let mut next = if first < count { read(first) } else { None };
    while first < count {
        let this = next;
        let is_last = count - first <= stride;
        first = if is_last { count } else { first + stride };
        next = if is_last { None } else { read(first) };
        f(this, is_last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_fit_the_edges_of_an_item_unless_they_would_be_idle() {
        let lanes = |items, edges| fitting_lanes(items, edges, 1000, 32);
        assert_eq!([lanes(5000, 5000), lanes(5000, 5001), lanes(5000, 12_000)], [1, 2, 4]);
        assert_eq!([lanes(5000, 80_000), lanes(5000, 85_000), lanes(1, u32::MAX)], [16, 32, 32]);
        // Few items: each gets what there is.
        assert_eq!([lanes(1000, 1000), lanes(500, 500), lanes(10, 10)], [1, 2, 32]);
        // The edges were not counted.
        assert_eq!([lanes(5000, 0), lanes(0, 0)], [32, 32]);
        assert_eq!(fitting_lanes(5000, 80_000, 1000, 8), 8);
    }
}

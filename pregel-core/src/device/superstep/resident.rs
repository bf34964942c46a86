//! The argument block of the resident kernels, which stay on the device for many
//! supersteps or rounds.

use super::{Aggregated, Counts, Frontier, Piece, Rows, Run, Slots, needs_lock};
use crate::device::Global;
use crate::program::{Delivery, Message, Program};

/// The distance between words of [`Worklist::control`] that are written often, so that
/// each has a cache line to itself.
const APART: u64 = 32;

/// The most supersteps in one launch, and the capacity of [`Worklist::trace`].
pub const RESIDENT_SUPERSTEPS: u32 = 1024;

/// The words of [`Worklist::control`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Control {
    /// How many blocks have arrived at the grid barrier since the launch began.
    Barrier = 0,
    /// Number of items of a superstep's frontier; three words, in turns.
    Items = 1,
    /// Number of receivers of a superstep, or of waiting vertices; two words, in turns.
    Vertices = 4,
    /// A lower bound of the [`rank`]s of waiting vertices; two words, in turns.
    Nearest = 6,
    /// The superstep or round that comes next.
    Next = 8,
    /// The [`rank`] below which vertices are near.
    Limit = 9,
    /// How many passes over the waiting vertices there were.
    Turns = 10,
    /// Not 0 when nothing is left to do.
    Done = 11,
    /// The width of the near list, that is, the range of priorities that run together: the
    /// bits of an `f32`.
    Width = 12,
    /// How many waiting vertices the last pass went through.
    Waited = 13,
    /// How many messages were sent since then, [`u32::MAX`] if there were more.
    Sent = 14,
    /// How many edges the items of a round have, modulo 2³²; 0 if they were not counted. Three words,
    /// in turns.
    Edges = 15,
    /// What the blocks bring to the barrier at the end of a superstep; three times 64 bits, in turns.
    Brought = 18,
}

impl Control {
    /// The size of [`Worklist::control`] in words.
    pub const WORDS: u64 = 21 * APART;

    /// The index of the word for turn `turn`.
    #[inline(always)]
    pub const fn word(self, turn: u32) -> u64 {
        (self as u64 + turn as u64) * APART
    }
}

/// The argument block of `resident`, `near_far`, `near_ahead` and `near_bulk`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct ResidentArguments<P: Program> {
    /// The arguments that every kernel takes.
    pub run: Run<P>,
    /// Rows to push along.
    pub rows: Rows<P>,
    /// Where pushed messages are combined; `near_far` does not use it.
    pub slots: Slots<P>,
    /// The lists of what there is to do.
    pub work: Worklist,
}

/// The lists of what a resident kernel has to do, and its control words.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Worklist {
    /// Pieces of rows to push along, as [`Frontier::items`]; supersteps use the two lists
    /// in turns.
    pub items: [Global<Piece>; 2],
    /// How many each of the two has room for, at least 1.
    pub room: u64,
    /// Receivers, or waiting vertices; two lists, in turns.
    pub vertices: [Global<u32>; 2],
    /// The superstep or round in which each vertex was last listed.
    pub marks: Global<u32>,
    /// 1 for every waiting vertex.
    pub waiting: Global<u32>,
    /// See [`Control`].
    pub control: Global<u32>,
    /// The counts of each superstep.
    pub trace: Global<Counts>,
    /// The most supersteps to run, at most [`RESIDENT_SUPERSTEPS`].
    pub supersteps: u32,
    /// The launch ends before a superstep with more edges than this.
    pub most_edges: u64,
    /// How much wider the near list becomes when it grows; 1 if it never does.
    pub growth: f32,
    /// It grows if going through a waiting vertex costs as much as this many messages or
    /// more, on average since the last pass.
    pub pass_messages: f32,
    /// Lanes that share the edges of an item: a power of two, at most 32.
    pub lanes: u32,
    /// How often a warp goes ahead in a round: sends at once from vertices that it has changed.
    pub ahead: u32,
    /// The most vertices of a warp, at most 32, with which it goes ahead each time.
    pub ahead_vertices: u32,
}

impl Worklist {
    /// The frontier of a superstep, for the kernel that lists it.
    pub fn frontier(&self, superstep: u32) -> Frontier {
        let word = self.control.element(Control::Items.word(superstep % 3));
        Frontier { items: self.items[superstep as usize % 2], count: Global::at(word) }
    }
}

/// Whether many supersteps of a program can run in one launch: it has no aggregate, and
/// its messages can be combined in one word, or any of them will do.
pub const fn stays_resident<P: Program>() -> bool {
    P::Combiner::COMBINES && size_of::<Aggregated<P>>() == 0 && !needs_lock::<P::Combiner>()
}

/// Whether a program can run in rounds, which update states in place: a state must fit a
/// word that an atomic instruction can swap, and a message must fit one too.
pub const fn updates_in_place<P: Program>() -> bool {
    P::MONOTONE
        && P::Combiner::COMBINES
        && size_of::<Aggregated<P>>() == 0
        && matches!(size_of::<P::State>(), 4 | 8)
        && size_of::<Message<P>>() <= 8
}

/// A priority as an integer that sorts the same way; 0 for priorities that are not
/// positive.
///
/// ```
/// use pregel_core::device::rank;
/// assert!(rank(0.5) < rank(2.0));
/// assert_eq!(rank(f32::NAN), rank(-1.0));
/// ```
#[inline(always)]
pub const fn rank(priority: f32) -> u32 {
    if priority > 0.0 { priority.to_bits() } else { 0 }
}

/// The rank below which vertices are near, if `nearest` is the least rank and the near
/// list has width `delta`. Always above `nearest`, so that some vertex is near.
#[inline(always)]
pub const fn limit(nearest: u32, delta: f32) -> u32 {
    let limit = rank(f32::from_bits(nearest) + delta);
    if limit > nearest { limit } else { nearest + 1 }
}

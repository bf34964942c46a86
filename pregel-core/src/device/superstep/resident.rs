//! What a kernel that stays on the device for many supersteps is given.

use super::{Aggregated, Counts, Frontier, Rows, Run, Slots, needs_lock};
use crate::device::Global;
use crate::program::{Delivery, Program};

/// Words of [`Worklist::control`] between two that are written often, so that
/// each has a line of the cache to itself.
const APART: u64 = 32;

/// Supersteps that run in one launch at most: so many [`Counts`] are kept.
pub const RESIDENT_SUPERSTEPS: u32 = 1024;

/// The words of [`Worklist::control`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Control {
    /// Blocks that have come to the grid's barrier, ever.
    Barrier = 0,
    /// Items of a superstep's frontier; three words, in turns.
    Items = 1,
    /// Receivers of a superstep, or vertices that wait; two words, in turns.
    Vertices = 4,
    /// No vertex that waits has a lower priority, by [`rank`]; two words, in turns.
    Nearest = 6,
    /// The superstep, or round, that comes next.
    Next = 8,
    /// The priority below which vertices are near, by [`rank`].
    Limit = 9,
    /// How often the vertices that wait were gone through.
    Turns = 10,
    /// Not 0 when nothing is left to do.
    Done = 11,
}

impl Control {
    /// Words in all.
    pub const WORDS: u64 = 12 * APART;

    /// Number of the word `turn` words on.
    #[inline(always)]
    pub const fn word(self, turn: u32) -> u64 {
        (self as u64 + turn as u64) * APART
    }
}

/// The argument block of `resident` and `near_far`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct ResidentArguments<P: Program> {
    /// What every kernel is given.
    pub run: Run<P>,
    /// Rows to push along.
    pub rows: Rows<P>,
    /// Where pushed messages meet; not for `near_far`.
    pub slots: Slots<P>,
    /// The lists that the kernel works through.
    pub work: Worklist,
}

/// The lists that a resident kernel works through, and where it keeps count.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Worklist {
    /// Pieces of rows to push along, superstep by superstep in turns; as
    /// [`Frontier::items`].
    pub items: [Global<[u32; 2]>; 2],
    /// Receivers, or vertices that wait, in turns.
    pub vertices: [Global<u32>; 2],
    /// The superstep or round in which each vertex was listed last.
    pub marks: Global<u32>,
    /// 1 for every vertex that waits.
    pub waiting: Global<u32>,
    /// See [`Control`].
    pub control: Global<u32>,
    /// What happened, superstep by superstep.
    pub trace: Global<Counts>,
    /// Supersteps to run at most; not more than [`RESIDENT_SUPERSTEPS`].
    pub supersteps: u32,
    /// Ends before a superstep of more edges than this.
    pub most_edges: u64,
    /// How far apart the priorities are that run together.
    pub delta: f32,
    /// Lanes that share the edges of an item: a power of two, 32 at most.
    pub lanes: u32,
}

impl Worklist {
    /// The frontier of a superstep, for the kernel that lists it.
    pub fn frontier(&self, superstep: u32) -> Frontier {
        let word = self.control.element(Control::Items.word(superstep % 3));
        Frontier { items: self.items[superstep as usize % 2], count: Global::at(word) }
    }
}

/// Whether many supersteps of a program can run in one launch: its messages
/// combine in a word, or any of them will do, and it has no aggregate.
pub const fn stays_resident<P: Program>() -> bool {
    P::Combiner::COMBINES && size_of::<Aggregated<P>>() == 0 && !needs_lock::<P::Combiner>()
}

/// Whether a program's states can be updated in place: a state fits a word that
/// is swapped in one step.
pub const fn updates_in_place<P: Program>() -> bool {
    P::MONOTONE
        && P::Combiner::COMBINES
        && size_of::<Aggregated<P>>() == 0
        && matches!(size_of::<P::State>(), 4 | 8)
}

/// A priority as a number in the same order; what is not positive is 0.
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

/// The rank below which vertices are near, when `nearest` is the least rank of
/// all and priorities up to `delta` apart run together; above `nearest`.
#[inline(always)]
pub const fn limit(nearest: u32, delta: f32) -> u32 {
    let limit = rank(f32::from_bits(nearest) + delta);
    if limit > nearest { limit } else { nearest + 1 }
}

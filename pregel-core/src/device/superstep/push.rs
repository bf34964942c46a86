//! The argument block of the kernels that push.

use bytemuck::{Pod, Zeroable};

use super::{Run, Slots};
use crate::device::{Global, PUSH_EDGES};
use crate::program::Program;

/// The argument block of `push` and `arrive`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct PushArguments<P: Program> {
    /// The arguments that every kernel takes.
    pub run: Run<P>,
    /// Rows to push along.
    pub rows: Rows<P>,
    /// Which of them are pushed.
    pub frontier: Frontier,
    /// Where pushed messages are combined.
    pub slots: Slots<P>,
}

/// Rows to push along: the edges by sender.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Rows<P: Program> {
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// The place of the receiver of each edge.
    pub targets: Global<u32>,
    /// The value of each edge.
    pub values: Global<P::Edge>,
}

/// A row to push along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Its first edge.
    pub begin: u64,
    /// How many edges it has.
    pub edges: u32,
}

impl Row {
    /// How many pieces it has.
    #[inline(always)]
    pub const fn pieces(self) -> u32 {
        self.edges.div_ceil(PUSH_EDGES)
    }

    /// One of its pieces; `place` is that of its vertex.
    ///
    /// ```
    /// use pregel_core::device::Row;
    /// let row = Row { begin: 1000, edges: 300 };
    /// let (first, second) = (row.piece(7, 0), row.piece(7, 1));
    /// assert_eq!((first.begin, first.edges(), first.is_first()), (1000, 256, true));
    /// assert_eq!((second.begin, second.edges(), second.is_first()), (1256, 44, false));
    /// ```
    #[inline(always)]
    pub const fn piece(self, place: u32, number: u32) -> Piece {
        let before = number * PUSH_EDGES;
        let left = self.edges - before;
        let edges = if left < PUSH_EDGES { left } else { PUSH_EDGES };
        let mark = if number == 0 { Piece::FIRST } else { 0 };
        Piece { begin: self.begin + before as u64, place, edges: edges | mark }
    }
}

/// A piece of a row, of up to [`PUSH_EDGES`] edges. It says where they are, so that no thread has
/// to wait for the bounds of the row before it can read an edge.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Piece {
    /// Its first edge.
    pub begin: u64,
    /// The place of the vertex whose row it is.
    pub place: u32,
    /// How many edges it has; with [`FIRST`](Self::FIRST), if the row begins with it.
    edges: u32,
}

impl Piece {
    const FIRST: u32 = 1 << 31;

    /// How many edges it has.
    #[inline(always)]
    pub const fn edges(self) -> u32 {
        self.edges & !Self::FIRST
    }

    /// Whether the row begins with it.
    #[inline(always)]
    pub const fn is_first(self) -> bool {
        self.edges & Self::FIRST != 0
    }
}

/// Which vertices push: a list of the pieces of their rows.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Frontier {
    /// The pieces.
    pub items: Global<Piece>,
    /// How many items there are: one value.
    pub count: Global<u32>,
}

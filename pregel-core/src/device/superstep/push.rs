//! What the kernels that push are given.

use super::{Run, Slots};
use crate::device::Global;
use crate::program::Program;

/// The argument block of `push` and `arrive`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct PushArguments<P: Program> {
    /// What every kernel is given.
    pub run: Run<P>,
    /// Rows to push along.
    pub rows: Rows<P>,
    /// Which of them are pushed.
    pub frontier: Frontier,
    /// Where pushed messages meet.
    pub slots: Slots<P>,
}

/// Rows to push along: the edges by sender.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Rows<P: Program> {
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// Place of the receiver of each edge.
    pub targets: Global<u32>,
    /// Value of each edge.
    pub values: Global<P::Edge>,
}

/// Which vertices push: a list of pieces of their rows, of
/// [`PUSH_EDGES`](crate::device::PUSH_EDGES) edges.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Frontier {
    /// Place of the vertex, number of the piece.
    pub items: Global<[u32; 2]>,
    /// How many items there are: one value.
    pub count: Global<u32>,
}

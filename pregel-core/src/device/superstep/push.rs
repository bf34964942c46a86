//! The argument block of the kernels that push.

use super::{Run, Slots};
use crate::device::Global;
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

/// Which vertices push: a list of the pieces of their rows, of up to
/// [`PUSH_EDGES`](crate::device::PUSH_EDGES) edges each.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Frontier {
    /// The place of the vertex, and the number of the piece in its row.
    pub items: Global<[u32; 2]>,
    /// How many items there are: one value.
    pub count: Global<u32>,
}

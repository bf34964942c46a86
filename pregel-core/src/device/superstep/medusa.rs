//! What the kernels of the Medusa baseline are given.

use super::MailboxArguments;
use crate::device::Global;
use crate::program::{Message, Program};

/// The argument block of `segments` and `segment_vertices`; groups are of one vertex.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct MedusaArguments<P: Program> {
    /// The message buffer, as `send` fills it.
    pub mail: MailboxArguments<P>,
    /// The same buffer in tiles.
    pub segments: Segments<P>,
}

/// The message buffer, row-major, cut into tiles of
/// [`SEGMENT_TILE`](crate::device::SEGMENT_TILE) slots; a warp combines the messages
/// of a tile vertex by vertex. A vertex within one tile is done; what reaches
/// over an edge of a tile is left as its head or its tail.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Segments<P: Program> {
    /// Number of slots.
    pub slots: u64,
    /// Place of each slot's receiver.
    pub receivers: Global<u32>,
    /// The combined message of each vertex within one tile.
    pub combined: Global<Message<P>>,
    /// 1 where such a message is.
    pub combined_present: Global<u8>,
    /// For each tile the combined messages of the vertex that began before it.
    pub heads: Global<Message<P>>,
    /// 1 where a head is.
    pub heads_present: Global<u8>,
    /// For each tile the combined messages of the vertex that begins in it and
    /// ends after it.
    pub tails: Global<Message<P>>,
    /// 1 where a tail is.
    pub tails_present: Global<u8>,
}

//! The argument block of the kernels of the Medusa baseline.

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

/// The row-major message buffer, cut into tiles of
/// [`SEGMENT_TILE`](crate::device::SEGMENT_TILE) slots. A warp combines the messages of a
/// tile vertex by vertex. A vertex with all messages in one tile is then done. Where the
/// messages of a vertex cross the boundary of a tile, their combination within the tile is
/// its head or its tail.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Segments<P: Program> {
    /// Number of slots.
    pub slots: u64,
    /// Place of each slot's receiver.
    pub receivers: Global<u32>,
    /// The combined message of each vertex with all messages in one tile.
    pub combined: Global<Message<P>>,
    /// 1 where there is such a message.
    pub combined_present: Global<u8>,
    /// For each tile, the combined messages of the vertex that begins before it.
    pub heads: Global<Message<P>>,
    /// 1 where there is a head.
    pub heads_present: Global<u8>,
    /// For each tile, the combined messages of the vertex that begins in it and ends after
    /// it.
    pub tails: Global<Message<P>>,
    /// 1 where there is a tail.
    pub tails_present: Global<u8>,
}

//! The argument block of the kernels that write and read a message buffer.

use super::{Chunks, Columns, Run};
use crate::device::Global;
use crate::program::{Message, Program};

/// The argument block of `send`, `sort_lists`, `read_chunks`, `read_heavy` and `read`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct MailboxArguments<P: Program> {
    /// The arguments that every kernel takes.
    pub run: Run<P>,
    /// Where the messages of each vertex lie.
    pub columns: Columns,
    /// Heavy groups in chunks; none if hubs are not split.
    pub chunks: Chunks<P>,
    /// The message buffer.
    pub mailbox: Mailbox<P>,
}

/// The message buffer: one slot per edge.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Mailbox<P: Program> {
    /// Number of edges.
    pub edges: u64,
    /// Place of each edge's sender.
    pub sources: Global<u32>,
    /// Slot of each edge's message.
    pub positions: Global<u32>,
    /// Value of each edge.
    pub values: Global<P::Edge>,
    /// The messages, by slot.
    pub messages: Global<Message<P>>,
    /// By slot, 1 if there is a message, 0 if the edge kept silent.
    pub present: Global<u8>,
}

//! What the kernels that pull are given.

use super::{Aggregated, Chunks, Columns, Counts, Run};
use crate::device::Global;
use crate::program::Program;

/// The argument block of `pull`, `pull_hot`, `pull_heavy` and `close`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct PullArguments<P: Program> {
    /// What every kernel is given.
    pub run: Run<P>,
    /// Where the senders of each vertex lie.
    pub columns: Columns,
    /// The senders.
    pub senders: Senders<P>,
    /// Heavy groups in chunks.
    pub chunks: Chunks<P>,
    /// How warps share the work.
    pub turns: Turns,
    /// For supersteps that are queued one after the other.
    pub batch: Batched<P>,
    /// If given, one value: the kernel does nothing while it is 0. A plain pull that
    /// only stands in for bins reads it.
    pub only_if: Global<u32>,
}

/// The senders of each vertex, in columns.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Senders<P: Program> {
    /// The sender's place, by slot.
    pub places: Global<u32>,
    /// The edge's value, by slot.
    pub values: Global<P::Edge>,
}

/// How the warps of a pull share the work.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// How many vertices, the first by place, have hot signals: `pull_hot` keeps them
    /// in the shared memory of each block. 0 for every other kernel.
    pub hot: u32,
    /// Not 0 if it must not depend on chance which warp computes a vertex.
    pub fixed: u32,
    /// The item, or bin, that is taken next if it may: one value, 0 before.
    pub next: Global<u32>,
}

/// Supersteps that are queued before it is known how those before end: each is like
/// the last, every vertex scatters and pulls. If one ends otherwise, those after it
/// do nothing.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Batched<P: Program> {
    /// 0, or how many ran when one ended otherwise: one value; none in a superstep
    /// that is queued alone.
    pub halt: Global<u32>,
    /// Number of this superstep among those queued, below
    /// [`BATCH_SUPERSTEPS`](crate::device::BATCH_SUPERSTEPS).
    pub entry: u32,
    /// What happened in each.
    pub counts: Global<Counts>,
    /// What each aggregated.
    pub totals: Global<Aggregated<P>>,
}

impl<P: Program> Batched<P> {
    /// A superstep that is queued alone.
    pub const ALONE: Self =
        Self { halt: Global::NONE, entry: 0, counts: Global::NONE, totals: Global::NONE };
}

//! The argument block of the kernels that pull.

use super::{Aggregated, Chunks, Columns, Counts, Run};
use crate::device::Global;
use crate::program::Program;

/// The argument block of `pull`, `pull_packed`, `pull_even`, `pull_heavy` and `close`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct PullArguments<P: Program> {
    /// The arguments that every kernel takes.
    pub run: Run<P>,
    /// Where the senders of each vertex lie.
    pub columns: Columns,
    /// The senders.
    pub senders: Senders<P>,
    /// For `pull_packed`, one bit per vertex, lowest first in each byte: whether it scatters. None
    /// for the others.
    pub scattering: Global<u8>,
    /// Heavy groups in chunks.
    pub chunks: Chunks<P>,
    /// How warps share the work.
    pub turns: Turns,
    /// The batch that the superstep belongs to.
    pub batch: Batched<P>,
    /// One value, or none. If it is 0, the kernel does nothing: a plain pull that is only
    /// the fallback for bins can be skipped.
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
    /// Not 0 if each warp must take the same vertices in every run, not the next ones
    /// that are left.
    pub fixed: u32,
    /// The item or bin that is taken next, unless turns are fixed: one value, 0 before.
    pub next: Global<u32>,
}

/// Supersteps that are queued before the host knows how the earlier ones end. They assume
/// that every vertex scatters. If a superstep ends otherwise, those after it do nothing.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Batched<P: Program> {
    /// One value: 0, or how many supersteps had run when one ended otherwise. None if the
    /// superstep is queued alone.
    pub halt: Global<u32>,
    /// Number of this superstep among those queued, below
    /// [`BATCH_SUPERSTEPS`](crate::device::BATCH_SUPERSTEPS).
    pub entry: u32,
    /// The counts of each superstep.
    pub counts: Global<Counts>,
    /// The aggregate of each superstep.
    pub totals: Global<Aggregated<P>>,
}

impl<P: Program> Batched<P> {
    /// A superstep that is queued alone.
    pub const ALONE: Self =
        Self { halt: Global::NONE, entry: 0, counts: Global::NONE, totals: Global::NONE };
}

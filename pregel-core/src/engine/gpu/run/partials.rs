//! The partial results of heavy groups, with columns that several warps share.

use crate::device::{Chunks, WARP};
use crate::engine::gpu::layout::{Chunked, most_split};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Message, Program};

/// Memory for the partial results of chunks, and of parts of groups.
pub(super) struct Partials<D: Device, P: Program> {
    messages: Array<D, Message<P>>,
    present: Array<D, u8>,
    arrived: Array<D, u32>,
}

impl<D: Device, P: Program> Partials<D, P> {
    /// Memory for these chunks.
    pub(super) fn of(arrays: &mut Arrays<D>, chunks: &Chunked<D>) -> Result<Self, DeviceError> {
        Self::room(arrays, chunks.count.into(), chunks.split.into())
    }

    /// Memory for no more than this many chunks.
    pub(super) fn at_most(arrays: &mut Arrays<D>, chunks: u64) -> Result<Self, DeviceError> {
        Self::room(arrays, chunks, most_split(chunks))
    }

    fn room(arrays: &mut Arrays<D>, chunks: u64, split: u64) -> Result<Self, DeviceError> {
        let lanes = (chunks + split) * u64::from(WARP);
        Ok(Self {
            messages: arrays.array("partial results of hubs", lanes)?,
            present: arrays.array("presence of partial results", lanes)?,
            arrived: arrays.filled("parts of hubs joined so far", split, 0)?,
        })
    }

    /// The argument block's view of these chunks, in a graph of `vertices` vertices, whose aggregates are
    /// added up `in_order` or not.
    pub(super) fn global(&self, chunks: &Chunked<D>, vertices: u32, in_order: bool) -> Chunks<P> {
        Chunks {
            list: chunks.list.global(),
            count: chunks.count,
            heavy: chunks.heavy,
            long: chunks.long,
            // Small batches balance the work; large ones reduce contention for the counter
            // of the next item.
            batch: (vertices >> 20).clamp(1, 16),
            aggregates: chunks.aggregates(in_order),
            in_order: in_order.into(),
            parts: chunks.parts,
            joined: chunks.joined.global(),
            arrived: self.arrived.global(),
            messages: self.messages.global(),
            present: self.present.global(),
        }
    }
}

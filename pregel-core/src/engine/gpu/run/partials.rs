//! The partial results of heavy groups, with columns that several warps share.

use crate::device::{Chunks, WARP};
use crate::engine::gpu::layout::Chunked;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Message, Program};

/// Memory for the partial results of chunks, 32 per chunk.
pub(super) struct Partials<D: Device, P: Program> {
    messages: Array<D, Message<P>>,
    present: Array<D, u8>,
}

impl<D: Device, P: Program> Partials<D, P> {
    pub(super) fn room(arrays: &mut Arrays<D>, chunks: u64) -> Result<Self, DeviceError> {
        let lanes = chunks * u64::from(WARP);
        Ok(Self {
            messages: arrays.array("partial results of hubs", lanes)?,
            present: arrays.array("presence of partial results", lanes)?,
        })
    }

    /// The argument block's view of these chunks, in a graph of `vertices` vertices.
    pub(super) fn global(&self, chunks: &Chunked<D>, vertices: u32) -> Chunks<P> {
        Chunks {
            list: chunks.list.global(),
            count: chunks.count,
            heavy: chunks.heavy,
            long: chunks.long,
            // Small batches balance the work; large ones reduce contention for the counter
            // of the next item.
            batch: (vertices >> 20).clamp(1, 16),
            huge: chunks.huge,
            joiners: chunks.joiners(),
            firsts: chunks.firsts.global(),
            messages: self.messages.global(),
            present: self.present.global(),
        }
    }
}

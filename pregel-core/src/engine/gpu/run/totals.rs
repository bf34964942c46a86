//! The counts and the aggregate of a superstep, in one array, so that one copy fetches
//! them.

use crate::device::kernels::program as k;
use crate::device::{
    Aggregated, BATCH_SUPERSTEPS, BLOCK, Batched, COUNTS, Counts, Global, LARGEST_AGGREGATE, Run,
};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::VertexCompute;

/// The result of a superstep.
pub(super) struct Ended<P: VertexCompute> {
    pub(super) counts: Counts,
    pub(super) aggregate: Aggregated<P>,
}

/// Bytes for one aggregate.
const ROOM: u64 = LARGEST_AGGREGATE as u64;

/// Bytes of the counts, after the aggregates of this superstep and the last.
const COUNT_BYTES: u64 = COUNTS as u64 * size_of::<Counts>() as u64;

/// Offset of the item that is taken next, which is cleared together with the counts.
const NEXT: u64 = 2 * ROOM + COUNT_BYTES;

/// Offset of the number of items in the frontier of a push, which is cleared with them.
const FOUND: u64 = NEXT + size_of::<u32>() as u64;

/// Offset of [`Batched::halt`]. It has as many bytes as an aggregate, which keeps what
/// follows aligned.
const HALT: u64 = NEXT + ROOM;

/// Offset of the counts of the supersteps of a batch.
const TRACE: u64 = HALT + ROOM;

/// Offset of the aggregates of the supersteps of a batch.
const TRACE_TOTALS: u64 = TRACE + BATCH_SUPERSTEPS as u64 * size_of::<Counts>() as u64;

/// The size of all.
const BYTES: u64 = TRACE_TOTALS + BATCH_SUPERSTEPS as u64 * ROOM;

/// The sums over all vertices, and the partial sums that they are made of.
pub(super) struct Totals<D: Device, P: VertexCompute> {
    memory: Array<D, u8>,
    /// The aggregate of each block.
    partials: Array<D, Aggregated<P>>,
    /// Level by level, the aggregates of [`BLOCK`] values of the level before, until one
    /// block can reduce the rest.
    tops: Vec<Array<D, Aggregated<P>>>,
}

impl<D: Device, P: VertexCompute> Totals<D, P> {
    /// Memory for supersteps of at most this many blocks.
    pub(super) fn room(arrays: &mut Arrays<D>, blocks: u64) -> Result<Self, DeviceError> {
        let memory = arrays.filled("sums over vertices", BYTES, 0)?;
        let (mut tops, mut left) = (Vec::new(), blocks);
        while left > BLOCK.into() {
            left = left.div_ceil(BLOCK.into());
            tops.push(arrays.array("aggregates of blocks", left)?);
        }
        Ok(Self { memory, partials: arrays.array("aggregates of blocks", blocks)?, tops })
    }

    /// The array at this byte offset.
    fn at<T>(&self, byte: u64) -> Global<T> {
        Global::at(self.memory.global().element(byte))
    }

    /// The array of aggregates at this byte offset; none if they have no size.
    fn aggregates(&self, byte: u64) -> Global<Aggregated<P>> {
        if size_of::<Aggregated<P>>() == 0 { Global::NONE } else { self.at(byte) }
    }

    /// The aggregate for turn 0 or 1; supersteps use the two in turns.
    pub(super) fn aggregate(&self, turn: usize) -> Global<Aggregated<P>> {
        self.aggregates(turn as u64 * ROOM)
    }

    pub(super) fn counts(&self) -> Global<Counts> {
        self.at(2 * ROOM)
    }

    /// The counter of the item that is taken next.
    pub(super) fn next(&self) -> Global<u32> {
        self.at(NEXT)
    }

    /// The number of items in the frontier of a push.
    pub(super) fn found(&self) -> Global<u32> {
        self.at(FOUND)
    }

    pub(super) fn partials(&self) -> Global<Aggregated<P>> {
        self.partials.global()
    }

    /// Queues clearing the counts of a superstep.
    pub(super) fn clear(&self) -> Result<(), DeviceError> {
        self.memory.fill_range(2 * ROOM..HALT, 0)
    }

    /// Queues clearing the counts of a batch of supersteps.
    pub(super) fn begin_batch(&self) -> Result<(), DeviceError> {
        self.memory.fill_range(2 * ROOM..TRACE_TOTALS, 0)
    }

    /// The argument block's view of superstep `entry` of a batch.
    pub(super) fn batched(&self, entry: u32) -> Batched<P> {
        Batched {
            halt: self.at(HALT),
            entry,
            counts: self.at(TRACE),
            totals: self.aggregates(TRACE_TOTALS),
        }
    }

    /// Waits for a batch of `queued` supersteps, and fetches the results of those that ran.
    pub(super) fn end_batch(&self, queued: u32) -> Result<Vec<Ended<P>>, DeviceError> {
        let bytes = self.memory.range(HALT..BYTES)?;
        let last: u32 = bytemuck::pod_read_unaligned(&bytes[..4]);
        let ran = if last == 0 { queued } else { last };
        let counts = &bytes[(TRACE - HALT) as usize..];
        let totals = &bytes[(TRACE_TOTALS - HALT) as usize..];
        let (one, other) = (size_of::<Counts>(), size_of::<Aggregated<P>>());
        let entry = |i: usize| Ended {
            counts: bytemuck::pod_read_unaligned(&counts[i * one..][..one]),
            aggregate: bytemuck::pod_read_unaligned(&totals[i * other..][..other]),
        };
        Ok((0..ran.min(BATCH_SUPERSTEPS) as usize).map(entry).collect())
    }

    /// Queues reducing the partial aggregates to one.
    pub(super) fn reduce(&self, kernels: &Kernels<D, P>, run: &Run<P>) -> Result<(), DeviceError> {
        if size_of::<Aggregated<P>>() == 0 {
            return Ok(());
        }
        let mut level = *run;
        let launch = |blocks: u32, level: &Run<P>| {
            // SAFETY: `partials` has `partial_count` values, at most `BLOCK` per block, and
            // `total` has room for one value per block.
            unsafe { kernels.blocks::<k::Reduce>(blocks.into(), level) }
        };
        for top in &self.tops {
            let blocks = level.step.partial_count.div_ceil(BLOCK);
            if blocks == 1 {
                break;
            }
            level.step.total = top.global();
            launch(blocks, &level)?;
            level.step.partials = top.global();
            level.step.partial_count = blocks;
        }
        level.step.total = run.step.total;
        launch(1, &level)
    }

    /// Sets the aggregate of this turn.
    pub(super) fn put(&self, turn: usize, aggregate: &Aggregated<P>) -> Result<(), DeviceError> {
        let mut bytes = vec![0; 2 * ROOM as usize];
        bytes[turn * ROOM as usize..][..size_of::<Aggregated<P>>()]
            .copy_from_slice(bytemuck::bytes_of(aggregate));
        self.memory.write(&bytes)
    }

    /// Waits, fetches the counts and the aggregate of this turn, and queues [clearing](Self::clear)
    /// the counts.
    pub(super) fn take(&self, turn: usize) -> Result<Ended<P>, DeviceError> {
        let bytes = self.memory.take(0..2 * ROOM + COUNT_BYTES, 2 * ROOM..HALT)?;
        let (aggregates, counts) = bytes.split_at(2 * ROOM as usize);
        let counts = counts.chunks_exact(size_of::<Counts>()).map(bytemuck::pod_read_unaligned);
        let aggregate = &aggregates[turn * ROOM as usize..][..size_of::<Aggregated<P>>()];
        Ok(Ended {
            counts: Counts::sum(counts),
            aggregate: bytemuck::pod_read_unaligned(aggregate),
        })
    }
}

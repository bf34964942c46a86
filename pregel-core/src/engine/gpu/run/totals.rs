//! What a superstep adds up: kept in one piece, so that one copy fetches it.

use crate::device::kernels::program as k;
use crate::device::{
    Aggregated, BATCH_SUPERSTEPS, BLOCK, Batched, COUNTS, Counts, Global, LARGEST_AGGREGATE, Run,
};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::VertexCompute;

/// What a superstep came to.
pub(super) struct Ended<P: VertexCompute> {
    pub(super) counts: Counts,
    pub(super) aggregate: Aggregated<P>,
}

/// Bytes for one aggregate.
const ROOM: u64 = LARGEST_AGGREGATE as u64;

/// Bytes of the counts, after the aggregates of this superstep and the last.
const COUNT_BYTES: u64 = COUNTS as u64 * size_of::<Counts>() as u64;

/// The item that is taken next, after the counts; cleared with them.
const NEXT: u64 = 2 * ROOM + COUNT_BYTES;

/// Where batched supersteps say that they halt, and what happened in each: after the
/// counts, with as many bytes as an aggregate, so that all is aligned.
const HALT: u64 = NEXT + ROOM;
const TRACE: u64 = HALT + ROOM;
const TRACE_TOTALS: u64 = TRACE + BATCH_SUPERSTEPS as u64 * size_of::<Counts>() as u64;
const BYTES: u64 = TRACE_TOTALS + BATCH_SUPERSTEPS as u64 * ROOM;

/// The sums over all vertices, and what leads to them.
pub(super) struct Totals<D: Device, P: VertexCompute> {
    memory: Array<D, u8>,
    /// The aggregate of each block.
    partials: Array<D, Aggregated<P>>,
    /// Of [`BLOCK`] blocks each, level by level, down to one block's worth.
    tops: Vec<Array<D, Aggregated<P>>>,
}

impl<D: Device, P: VertexCompute> Totals<D, P> {
    /// For supersteps of at most this many blocks.
    pub(super) fn room(arrays: &mut Arrays<D>, blocks: u64) -> Result<Self, DeviceError> {
        let memory = arrays.filled("sums over vertices", BYTES, 0)?;
        let (mut tops, mut left) = (Vec::new(), blocks);
        while left > BLOCK.into() {
            left = left.div_ceil(BLOCK.into());
            tops.push(arrays.array("aggregates of blocks", left)?);
        }
        Ok(Self { memory, partials: arrays.array("aggregates of blocks", blocks)?, tops })
    }

    /// The array that begins at this byte.
    fn at<T>(&self, byte: u64) -> Global<T> {
        Global::at(self.memory.global().element(byte))
    }

    /// An array of aggregates; none if they have no size.
    fn aggregates(&self, byte: u64) -> Global<Aggregated<P>> {
        if size_of::<Aggregated<P>>() == 0 { Global::NONE } else { self.at(byte) }
    }

    /// The aggregate of this superstep, 0 or 1 in turns.
    pub(super) fn aggregate(&self, turn: usize) -> Global<Aggregated<P>> {
        self.aggregates(turn as u64 * ROOM)
    }

    pub(super) fn counts(&self) -> Global<Counts> {
        self.at(2 * ROOM)
    }

    /// The item that is taken next.
    pub(super) fn next(&self) -> Global<u32> {
        self.at(NEXT)
    }

    pub(super) fn partials(&self) -> Global<Aggregated<P>> {
        self.partials.global()
    }

    /// Queues counting from 0 again.
    pub(super) fn clear(&self) -> Result<(), DeviceError> {
        self.memory.fill_range(2 * ROOM..HALT, 0)
    }

    /// Queues the begin of a batch of supersteps, which do not wait for the host.
    pub(super) fn begin_batch(&self) -> Result<(), DeviceError> {
        self.memory.fill_range(2 * ROOM..TRACE_TOTALS, 0)
    }

    /// What the kernels of superstep `entry` of a batch are given.
    pub(super) fn batched(&self, entry: u32) -> Batched<P> {
        Batched {
            halt: self.at(HALT),
            entry,
            counts: self.at(TRACE),
            totals: self.aggregates(TRACE_TOTALS),
        }
    }

    /// Waits for a batch of `queued` supersteps, and fetches what happened in each that
    /// ran.
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

    /// Queues reducing the aggregates of all blocks.
    pub(super) fn reduce(&self, kernels: &Kernels<D, P>, run: &Run<P>) -> Result<(), DeviceError> {
        if size_of::<Aggregated<P>>() == 0 {
            return Ok(());
        }
        let mut level = *run;
        let launch = |blocks: u32, level: &Run<P>| {
            // SAFETY: there are that many partial results, and room for one of each block.
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

    /// Waits, and fetches the counts and the aggregate of this turn.
    pub(super) fn read(&self, turn: usize) -> Result<Ended<P>, DeviceError> {
        let bytes = self.memory.range(0..2 * ROOM + COUNT_BYTES)?;
        let (aggregates, counts) = bytes.split_at(2 * ROOM as usize);
        let counts = counts.chunks_exact(size_of::<Counts>()).map(bytemuck::pod_read_unaligned);
        let aggregate = &aggregates[turn * ROOM as usize..][..size_of::<Aggregated<P>>()];
        Ok(Ended {
            counts: Counts::sum(counts),
            aggregate: bytemuck::pod_read_unaligned(aggregate),
        })
    }
}

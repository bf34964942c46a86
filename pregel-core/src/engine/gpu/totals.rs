//! What a superstep adds up: kept in one piece, so that one copy fetches it.

use super::device::{Allocation, Array, Device, DeviceError};
use crate::device::{
    Arguments, BLOCK, COUNTS, Counts, Global, LARGEST_AGGREGATE, STEADY_SUPERSTEPS, Steady,
};
use crate::program::{Monoid, Program, VertexCompute};

/// What a program aggregates.
pub(super) type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

/// Bytes for one aggregate.
const ROOM: u64 = LARGEST_AGGREGATE as u64;

/// Bytes of the counts, after the aggregates of this superstep and the last.
const COUNT_BYTES: u64 = COUNTS as u64 * size_of::<Counts>() as u64;

/// Whose turn is next, after the counts; cleared with them.
const NEXT: u64 = 2 * ROOM + COUNT_BYTES;

/// Where queued supersteps say that they halt, and what happened in each: after the
/// counts, with as many bytes as an aggregate, so that all is aligned.
const HALT: u64 = NEXT + ROOM;
const TRACE: u64 = HALT + ROOM;
const TRACE_TOTALS: u64 = TRACE + STEADY_SUPERSTEPS as u64 * size_of::<Counts>() as u64;
const BYTES: u64 = TRACE_TOTALS + STEADY_SUPERSTEPS as u64 * ROOM;

/// The sums over all vertices, and what leads to them.
pub(super) struct Totals<D: Device, P: VertexCompute> {
    memory: D::Memory,
    /// The aggregate of each block.
    partials: Array<D, Aggregated<P>>,
    /// Of so many blocks each, level by level, down to one block's worth.
    tops: Vec<Array<D, Aggregated<P>>>,
}

impl<D: Device, P: VertexCompute> Totals<D, P> {
    /// For supersteps of at most so many blocks.
    pub(super) fn new(device: &D, blocks: u64) -> Result<Self, DeviceError> {
        let memory = device.allocate(BYTES)?;
        device.fill(&memory, 0..BYTES, 0)?;
        let (mut tops, mut left) = (Vec::new(), blocks);
        while left > BLOCK.into() {
            left = left.div_ceil(BLOCK.into());
            tops.push(Array::new(device, left)?);
        }
        Ok(Self { memory, partials: Array::new(device, blocks)?, tops })
    }

    /// The aggregate of this superstep, 0 or 1 in turns.
    pub(super) fn aggregate(&self, turn: usize) -> Global<Aggregated<P>> {
        match size_of::<Aggregated<P>>() {
            0 => Global::NONE,
            _ => Global::at(self.memory.address() + turn as u64 * ROOM),
        }
    }

    pub(super) fn counts(&self) -> Global<Counts> {
        Global::at(self.memory.address() + 2 * ROOM)
    }

    /// Whose turn is next.
    pub(super) fn next(&self) -> Global<u32> {
        Global::at(self.memory.address() + NEXT)
    }

    pub(super) fn partials(&self) -> Global<Aggregated<P>> {
        self.partials.global()
    }

    /// Queues counting from 0 again.
    pub(super) fn clear(&self, device: &D) -> Result<(), DeviceError> {
        device.fill(&self.memory, 2 * ROOM..HALT, 0)
    }

    /// Queues beginning a number of supersteps that do not wait for the host.
    pub(super) fn begin(&self, device: &D) -> Result<(), DeviceError> {
        device.fill(&self.memory, 2 * ROOM..TRACE_TOTALS, 0)
    }

    /// What the kernels of such a superstep are given.
    pub(super) fn steady(&self, entry: u32) -> Steady<P> {
        let at = self.memory.address();
        Steady {
            halt: Global::at(at + HALT),
            entry,
            counts: Global::at(at + TRACE),
            totals: match size_of::<Aggregated<P>>() {
                0 => Global::NONE,
                _ => Global::at(at + TRACE_TOTALS),
            },
        }
    }

    /// Waits for `queued` such supersteps, and fetches what happened in each that ran.
    pub(super) fn end(
        &self,
        device: &D,
        queued: u32,
    ) -> Result<Vec<(Counts, Aggregated<P>)>, DeviceError> {
        let mut bytes = [0; (BYTES - HALT) as usize];
        device.read(&self.memory, HALT, &mut bytes)?;
        let last: u32 = bytemuck::pod_read_unaligned(&bytes[..4]);
        let ran = if last == 0 { queued } else { last };
        let counts = &bytes[(TRACE - HALT) as usize..];
        let totals = &bytes[(TRACE_TOTALS - HALT) as usize..];
        let (one, other) = (size_of::<Counts>(), size_of::<Aggregated<P>>());
        let entry = |i: usize| {
            let counts = bytemuck::pod_read_unaligned(&counts[i * one..][..one]);
            (counts, bytemuck::pod_read_unaligned(&totals[i * other..][..other]))
        };
        Ok((0..ran as usize).map(entry).collect())
    }

    /// Queues reducing the aggregates of all blocks: `launch` queues the kernel
    /// on so many blocks.
    pub(super) fn reduce(
        &self,
        a: &Arguments<P>,
        launch: impl Fn(u64, &Arguments<P>) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        if size_of::<Aggregated<P>>() == 0 {
            return Ok(());
        }
        let mut level = *a;
        for top in &self.tops {
            let blocks = level.step.partial_count.div_ceil(BLOCK);
            if blocks == 1 {
                break;
            }
            level.step.total = top.global();
            launch(blocks.into(), &level)?;
            level.step.partials = top.global();
            level.step.partial_count = blocks;
        }
        level.step.total = a.step.total;
        launch(1, &level)
    }

    /// Waits, and fetches the counts and the aggregate.
    pub(super) fn read(
        &self,
        device: &D,
        turn: usize,
    ) -> Result<(Counts, Aggregated<P>), DeviceError> {
        let mut bytes = [0; (2 * ROOM + COUNT_BYTES) as usize];
        device.read(&self.memory, 0, &mut bytes)?;
        let (aggregates, counts) = bytes.split_at(2 * ROOM as usize);
        let counts = counts.chunks_exact(size_of::<Counts>()).map(bytemuck::pod_read_unaligned);
        let aggregate = &aggregates[turn * ROOM as usize..][..size_of::<Aggregated<P>>()];
        Ok((Counts::sum(counts), bytemuck::pod_read_unaligned(aggregate)))
    }
}

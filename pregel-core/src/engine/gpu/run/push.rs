//! The push strategy: scattering vertices send along their edges into one slot per
//! receiver.

use super::core::Core;
use crate::device::kernels::{Set, program as k, tools};
use crate::device::prepare::FindFrontier;
use crate::device::{
    BLOCK, Counts, Frontier, PUSH_EDGES, Piece, PushArguments, Rows, Run, Slots,
    VERTICES_PER_THREAD, WARP, holds_messages,
};
use crate::engine::gpu::layout::{PushRows, Shape, Uploaded};
use crate::engine::gpu::policy::{Costs, LaunchSize};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Delivery, Message, VertexCompute};

/// The kernels of a push.
pub(super) const SET: Set = Set::Push;

/// The kernels that lay out rows to push along.
pub(super) const TOOLS: &[Set] = &[Set::RowsToPush, Set::Sums];

/// Pushing along rows, which are laid out before the first push.
pub(super) struct Push<D: Device, P: VertexCompute> {
    /// The rows as uploaded, until they are laid out.
    given: Option<Uploaded<D, P::Edge>>,
    laid: Option<PushRows<D, P::Edge>>,
    meeting: Meeting<D, P>,
    launch: LaunchSize,
    /// Whether each thread handles several vertices.
    several: bool,
}

/// The slots in which messages are combined.
pub(super) struct Meeting<D: Device, P: VertexCompute> {
    messages: Array<D, Message<P>>,
    arrived: Array<D, u32>,
}

impl<D: Device, P: VertexCompute> Meeting<D, P> {
    pub(super) fn room(arrays: &mut Arrays<D>, shape: Shape) -> Result<Self, DeviceError> {
        let arrived = arrays.array("arrivals", shape.n())?;
        Ok(Self { messages: arrays.array("slots", shape.n())?, arrived })
    }

    /// Empties every slot.
    fn clear(&self) -> Result<(), DeviceError> {
        self.arrived.fill(0)?;
        self.messages.write(&vec![P::Combiner::neutral(); self.messages.len() as usize])
    }

    pub(super) fn global(&self) -> Slots<P> {
        Slots { messages: self.messages.global(), arrived: self.arrived.global() }
    }
}

impl<D: Device, P: VertexCompute> Push<D, P> {
    pub(super) fn new(
        core: &Core<D, P>,
        given: Uploaded<D, P::Edge>,
        launch: LaunchSize,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let shape = core.placed.shape;
        let meeting = Meeting::room(&mut Arrays::on(core.tools.device()), shape)?;
        let several = shape.n() >= costs.multi_vertex_threshold;
        Ok(Self { given: Some(given), laid: None, meeting, launch, several })
    }

    /// Empties every slot, after a run that ended in an error. Until the rows are laid out
    /// no message has been pushed.
    pub(super) fn reset(&self) -> Result<(), DeviceError> {
        if self.is_laid_out() { self.meeting.clear() } else { Ok(()) }
    }

    pub(super) fn is_laid_out(&self) -> bool {
        self.laid.is_some()
    }

    /// Lays out the rows and empties every slot, unless that is done. If this fails, the
    /// uploaded rows are kept.
    pub(super) fn lay_out(&mut self, core: &Core<D, P>) -> Result<(), DeviceError> {
        if let Some(given) = &self.given {
            self.meeting.clear()?;
            self.laid = Some(PushRows::lay_out(&core.tools, &core.placed, given)?);
            // The kernels that read the uploaded rows are queued, and memory is freed in
            // the order of the queue.
            self.given = None;
        }
        Ok(())
    }

    /// The list of pieces of rows that supersteps with an even number read.
    pub(super) fn items(&self) -> Result<&Array<D, Piece>, DeviceError> {
        Ok(&self.laid()?.items)
    }

    /// Bytes of memory that laying out the rows still needs.
    pub(super) fn still_needed(&self, core: &Core<D, P>) -> Result<u64, DeviceError> {
        let mut planned = Arrays::planned();
        if !self.is_laid_out() {
            PushRows::<D, P::Edge>::room(&mut planned, core.placed.shape)?;
        }
        Ok(planned.bytes())
    }

    /// The rows that are laid out.
    ///
    /// # Errors
    /// If they are not laid out, which is an error of the engine.
    fn laid(&self) -> Result<&PushRows<D, P::Edge>, DeviceError> {
        self.laid.as_ref().ok_or_else(|| DeviceError::Call {
            call: "a push",
            reason: "its rows are not laid out".into(),
        })
    }

    /// The argument block's view of the rows and the slots.
    pub(super) fn global(&self) -> Result<(Rows<P>, Slots<P>), DeviceError> {
        Ok((self.laid()?.global(), self.meeting.global()))
    }

    /// Queues a superstep, for which the totals are cleared; `before` counts what the one before
    /// it left to send, and none but the vertices at the first `senders` places may have sent it.
    pub(super) fn queue(
        &self,
        core: &Core<D, P>,
        run: &mut Run<P>,
        before: &Counts,
        senders: u32,
    ) -> Result<(), DeviceError> {
        let (rows, slots) = self.global()?;
        let (items, count) = (self.items()?.global(), core.memory.totals.found());
        let frontier = Frontier { items, count };
        let threads = self.threads(core.placed.shape);
        run.step.partial_count = threads.div_ceil(BLOCK.into()) as u32;
        self.find_frontier(core, run, frontier, senders)?;
        let a = PushArguments { run: *run, rows, frontier, slots };
        let blocks = self.blocks(core, before)?;
        // SAFETY: there is a row, a slot and a vote per vertex, the frontier lists pieces of
        // these rows, and there is room for a partial aggregate per block of `arrive`, which
        // runs after `push`.
        unsafe {
            core.kernels.blocks::<k::Push>(blocks, &a)?;
            core.kernels.each::<k::Arrive>(threads, &a)
        }
    }

    /// Queues listing the vertices that scatter, of those at the first `senders` places. The
    /// count of the list must be 0 before.
    pub(super) fn find_frontier(
        &self,
        core: &Core<D, P>,
        run: &Run<P>,
        frontier: Frontier,
        senders: u32,
    ) -> Result<(), DeviceError> {
        let find = FindFrontier {
            vertices: senders,
            votes: run.step.votes,
            offsets: self.laid()?.offsets.sums.global(),
            frontier,
        };
        let threads = self.threads(core.placed.shape);
        // SAFETY: there is a vote and an offset per vertex; the list is one of `PushRows` or
        // `Lists`, which have room for every piece of every row.
        unsafe { core.tools.each::<tools::FindFrontier>(threads, &find) }
    }

    /// Blocks of a push: one warp per piece of a row, or as the options say. Warps take one
    /// piece after the other, so that any number will do.
    ///
    /// A warp that holds messages back sends one combined message to a hub, and the hub
    /// takes the messages of different warps one after the other. So there are no more
    /// warps than the device runs at a time.
    fn blocks(&self, core: &Core<D, P>, before: &Counts) -> Result<u64, DeviceError> {
        let most = core.placed.shape.n().min(u16::MAX.into());
        // A row ends in a piece that is not full.
        let pieces = before.scattering + before.messages / u64::from(PUSH_EDGES);
        let threads = self.launch.threads(pieces, most, WARP);
        let blocks = threads.div_ceil(BLOCK.into()).max(1);
        if !holds_messages::<P>() {
            return Ok(blocks);
        }
        Ok(blocks.min(core.kernels.resident_blocks::<k::Push>(0)?.into()))
    }

    /// Threads that handle all vertices.
    fn threads(&self, shape: Shape) -> u64 {
        if self.several { shape.n().div_ceil(VERTICES_PER_THREAD.into()) } else { shape.n() }
    }
}

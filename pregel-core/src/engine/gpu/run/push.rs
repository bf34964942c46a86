//! Push: scattering vertices send along their edges into one slot for each receiver.

use super::core::Core;
use crate::device::kernels::{Set, program as k, tools};
use crate::device::prepare::FindFrontier;
use crate::device::{
    BLOCK, Frontier, PushArguments, Rows, Run, Slots, VERTICES_PER_THREAD, WARP, holds_messages,
};
use crate::engine::gpu::layout::{PushRows, Shape, Uploaded};
use crate::engine::gpu::policy::Costs;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Delivery, Message, VertexCompute};

/// The kernels of a push, and those of the preparation that it needs.
pub(super) const SET: Set = Set::Push;
pub(super) const TOOLS: &[Set] = &[Set::RowsToPush, Set::Sums];

/// Pushing along rows, which are laid out when something is pushed first.
pub(super) struct Push<D: Device, P: VertexCompute> {
    /// Rows as given, until they are laid out.
    given: Option<Uploaded<D, P::Edge>>,
    laid: Option<PushRows<D, P::Edge>>,
    meeting: Meeting<D, P>,
    /// Whether a thread looks after several vertices: most have nothing to do.
    several: bool,
}

/// Where messages meet.
pub(super) struct Meeting<D: Device, P: VertexCompute> {
    messages: Array<D, Message<P>>,
    arrived: Array<D, u32>,
}

impl<D: Device, P: VertexCompute> Meeting<D, P> {
    pub(super) fn room(arrays: &mut Arrays<D>, shape: Shape) -> Result<Self, DeviceError> {
        let arrived = arrays.array("arrivals", shape.n())?;
        Ok(Self { messages: arrays.array("slots", shape.n())?, arrived })
    }

    /// Makes every slot empty.
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
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let shape = core.placed.shape;
        let meeting = Meeting::room(&mut Arrays::on(core.tools.device()), shape)?;
        meeting.clear()?;
        let several = shape.n() >= costs.four_vertices;
        Ok(Self { given: Some(given), laid: None, meeting, several })
    }

    /// Makes every slot empty, after a run that ended in an error.
    pub(super) fn reset(&self) -> Result<(), DeviceError> {
        self.meeting.clear()
    }

    pub(super) fn is_laid_out(&self) -> bool {
        self.laid.is_some()
    }

    /// Lays the rows out, if that has not been done; if it fails, they are as they were.
    pub(super) fn lay_out(&mut self, core: &Core<D, P>) -> Result<(), DeviceError> {
        if let Some(given) = &self.given {
            self.laid = Some(PushRows::lay_out(&core.tools, &core.placed, given)?);
            // Kernels that read the given rows are queued before their memory is freed.
            self.given = None;
        }
        Ok(())
    }

    /// The rows that are laid out.
    ///
    /// # Errors
    /// When they are not.
    fn laid(&self) -> Result<&PushRows<D, P::Edge>, DeviceError> {
        self.laid.as_ref().ok_or_else(|| DeviceError::Call {
            call: "a push",
            reason: "its rows are not laid out".into(),
        })
    }

    /// What kernels are given of the rows, the slots, and the room for a frontier.
    pub(super) fn global(&self) -> Result<(Rows<P>, Slots<P>, Frontier), DeviceError> {
        let laid = self.laid()?;
        let frontier = Frontier { items: laid.items.global(), count: laid.count.global() };
        Ok((laid.global(), self.meeting.global(), frontier))
    }

    /// Queues a superstep.
    pub(super) fn queue(&self, core: &Core<D, P>, run: &mut Run<P>) -> Result<(), DeviceError> {
        let (rows, slots, frontier) = self.global()?;
        let threads = self.threads(core.placed.shape);
        run.step.partial_count = threads.div_ceil(BLOCK.into()) as u32;
        self.laid()?.count.fill(0)?;
        self.find_frontier(core, run, frontier)?;
        let a = PushArguments { run: *run, rows, frontier, slots };
        let blocks = self.blocks(core)?;
        // SAFETY: there is a row, a slot and a vote for every vertex, and the frontier
        // lists pieces of these rows.
        unsafe {
            core.kernels.blocks::<k::Push>(blocks, &a)?;
            core.kernels.each::<k::Arrive>(threads, &a)
        }
    }

    /// Queues listing the vertices that scatter; the count is 0 before.
    pub(super) fn find_frontier(
        &self,
        core: &Core<D, P>,
        run: &Run<P>,
        frontier: Frontier,
    ) -> Result<(), DeviceError> {
        let find = FindFrontier {
            vertices: core.placed.shape.vertices,
            votes: run.step.votes,
            offsets: self.laid()?.offsets.sums.global(),
            frontier,
        };
        let threads = self.threads(core.placed.shape);
        // SAFETY: the list has room for every piece of every row.
        unsafe { core.tools.each::<tools::FindFrontier>(threads, &find) }
    }

    /// Blocks of a push: a warp for each vertex at most.
    ///
    /// A warp that holds messages hands them to a hub once, and the hub takes them one
    /// after the other: no more warps then than the device runs at a time.
    fn blocks(&self, core: &Core<D, P>) -> Result<u64, DeviceError> {
        let most = core.placed.shape.n().min(u16::MAX.into());
        let blocks = most.div_ceil(u64::from(BLOCK / WARP));
        if !holds_messages::<P>() {
            return Ok(blocks);
        }
        Ok(blocks.min(core.kernels.resident_blocks::<k::Push>(0)?.into()))
    }

    /// Threads that look after all vertices.
    fn threads(&self, shape: Shape) -> u64 {
        if self.several { shape.n().div_ceil(VERTICES_PER_THREAD.into()) } else { shape.n() }
    }
}

//! The packed pull: where not every vertex scattered, a bit for each sender is read in place of
//! its vote. Where any message will do and there are hubs it would not pay: few senders are looked
//! at, most of them hubs.

use super::core::Core;
use super::pull::Blocks;
use crate::device::kernels::{Set, program as k, tools};
use crate::device::prepare::PackVotes;
use crate::device::{PullArguments, any_will_do};
use crate::engine::gpu::layout::Shape;
use crate::engine::gpu::policy::Costs;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::VertexCompute;

/// The kernels, of the program and of the preparation.
pub(super) const SET: Set = Set::PackedPull;

/// The bits, if packing them pays.
pub(super) struct Packed<D: Device> {
    is_used: bool,
    bits: Array<D, u8>,
    blocks: Blocks,
}

impl<D: Device> Packed<D> {
    pub(super) fn new<P: VertexCompute>(
        core: &Core<D, P>,
        costs: &Costs,
        has_hubs: bool,
    ) -> Result<Self, DeviceError> {
        let shape = core.placed.shape;
        let pays = !(any_will_do::<P>() && has_hubs);
        Ok(Self {
            is_used: pays && shape.n() >= costs.packed_votes,
            bits: Self::room(&mut Arrays::on(core.tools.device()), shape)?,
            blocks: Blocks::default(),
        })
    }

    /// Room for a bit per vertex.
    pub(super) fn room(arrays: &mut Arrays<D>, shape: Shape) -> Result<Array<D, u8>, DeviceError> {
        arrays.array("packed votes", shape.n().div_ceil(8))
    }

    /// Whether pulls read bits where not every vertex scattered.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// The number of blocks of the kernel, whose warps take this many items.
    pub(super) fn blocks<P: VertexCompute>(
        &self,
        core: &Core<D, P>,
        items: u32,
    ) -> Result<u32, DeviceError> {
        self.blocks.of::<D, P, k::PullPacked>(core, items, 0)
    }

    /// Queues a superstep on this many blocks.
    ///
    /// # Safety
    /// The block is that of a pull.
    pub(super) unsafe fn queue<P: VertexCompute>(
        &self,
        core: &Core<D, P>,
        blocks: u32,
        pull: &PullArguments<P>,
    ) -> Result<(), DeviceError> {
        let bits = self.bits.global();
        let vertices = core.placed.shape.vertices;
        let pack = PackVotes { vertices, votes: pull.run.step.votes, bits };
        let a = PullArguments { scattering: bits, ..*pull };
        // SAFETY: there is a vote per vertex, and room for a bit of each in whole bytes. The
        // caller promises the arguments of a pull.
        unsafe {
            core.tools.each::<tools::PackVotes>(self.bits.len(), &pack)?;
            core.kernels.shared::<k::PullPacked>(blocks, 0, &a)
        }
    }
}

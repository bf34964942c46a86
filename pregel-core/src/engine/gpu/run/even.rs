//! The even pull: where every vertex scattered and no group is long, warps take groups a fixed distance
//! apart, so that they can read ahead. Elsewhere groups differ too much to be shared out in advance.

use super::core::Core;
use super::pull::Blocks;
use crate::device::kernels::{Set, program as k};
use crate::device::shared::heads_bytes;
use crate::device::{BLOCK, PullArguments};
use crate::engine::gpu::layout::Groups;
use crate::engine::gpu::policy::Costs;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// The kernel.
pub(super) const SET: Set = Set::EvenPull;

/// Staged memory of a block.
const SHARED: u32 = heads_bytes(BLOCK);

/// Whether warps read ahead.
pub(super) struct Even {
    is_used: bool,
    blocks: Blocks,
}

impl Even {
    /// For these columns of the session's graph.
    pub(super) fn new<D: Device, P: VertexCompute>(
        core: &Core<D, P>,
        of: &Groups<D>,
        costs: &Costs,
    ) -> Self {
        let pays = of.chunks.long == 0 && core.placed.shape.n() >= costs.even_vertices;
        let is_used = pays && core.tools.device().shared() >= SHARED;
        Self { is_used, blocks: Blocks::default() }
    }

    /// Whether plain pulls read ahead where every vertex scattered.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// The number of blocks of the kernel, whose warps take this many items.
    pub(super) fn blocks<D: Device, P: VertexCompute>(
        &self,
        core: &Core<D, P>,
        items: u32,
    ) -> Result<u32, DeviceError> {
        self.blocks.of::<D, P, k::PullEven>(core, items, SHARED)
    }

    /// Queues a superstep on this many blocks.
    ///
    /// # Safety
    /// The block is that of a pull in which every vertex scattered and no group is heavy, and groups have
    /// profiles.
    pub(super) unsafe fn queue<D: Device, P: VertexCompute>(
        &self,
        core: &Core<D, P>,
        blocks: u32,
        pull: &PullArguments<P>,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller promises the arguments of a pull; each block has room for the heads of its
        // warps.
        unsafe { core.kernels.shared::<k::PullEven>(blocks, SHARED, pull) }
    }
}

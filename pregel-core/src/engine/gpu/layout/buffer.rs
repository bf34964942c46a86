//! The layout of the message buffer, which has a slot for every edge.

use super::Shape;
use super::columns::{Groups, no_labels, placing};
use super::order::Placed;
use super::upload::Uploaded;
use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::engine::RunError;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::Value;

/// Edges, each with the slot of its message.
pub(crate) struct Buffer<D: Device, E> {
    pub(crate) groups: Groups<D>,
    pub(crate) edges: u64,
    pub(crate) sources: Array<D, u32>,
    pub(crate) positions: Array<D, u32>,
    pub(crate) values: Array<D, E>,
}

/// Memory for the sender's place and the slot of every edge.
pub(super) struct BufferRoom<D: Device> {
    pub(super) sources: Array<D, u32>,
    pub(super) positions: Array<D, u32>,
}

impl<D: Device> BufferRoom<D> {
    pub(super) fn new(arrays: &mut Arrays<D>, shape: Shape) -> Result<Self, DeviceError> {
        Ok(Self {
            sources: arrays.array("sources of edges", shape.edges)?,
            positions: arrays.array("positions of messages", shape.edges)?,
        })
    }
}

/// How the slots of a buffer are arranged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grouping {
    /// Groups are of `1 << shift` vertices.
    pub(super) shift: u32,
    /// Whether heavy groups are cut into chunks.
    pub(super) split: bool,
    /// Whether rows are by receiver, which gives the messages of a vertex a fixed order.
    pub(super) by_receiver: bool,
}

impl<D: Device, E: Value> Buffer<D, E> {
    /// Assigns a slot to every edge of `rows`. Waits.
    ///
    /// # Errors
    /// [`RunError::DeviceLimit`] if there are more slots than `u32` can number, and
    /// [`RunError::Device`] if the device fails or has too little memory.
    pub(super) fn lay_out(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        placed: &Placed<D>,
        rows: Uploaded<D, E>,
        grouping: Grouping,
    ) -> Result<Self, RunError> {
        let groups = Groups::lay_out(tools, arrays, placed, grouping.shift, grouping.split)?;
        if groups.slots > u32::MAX.into() {
            return Err(RunError::DeviceLimit(
                "a message buffer on a GPU has at most 4,294,967,295 slots, and the graph needs more",
            ));
        }
        let BufferRoom { sources, positions } = BufferRoom::new(arrays, placed.shape)?;
        let labels = no_labels(arrays, placed.shape)?;
        let mut a = placing(placed, &rows, &groups, &labels);
        a.sources = sources.global();
        a.positions = positions.global();
        // SAFETY: `placing` describes these edges and groups, `labels` are 0, and there is
        // room for the sender and the slot of every edge.
        unsafe {
            if grouping.by_receiver {
                tools.each::<k::PlaceRows>(rows.edges, &a)?;
            } else {
                tools.each::<k::PlaceEdges>(rows.edges, &a)?;
            }
        }
        Ok(Self { groups, edges: rows.edges, sources, positions, values: rows.values })
    }
}

//! The baseline: a message buffer in the rows of the reverse graph, as in Medusa, with
//! messages combined by segments, or read by one thread per vertex.

use super::core::Core;
use super::hosted::Hosted;
use super::mailbox::{Messages, list_sets, sort_lists};
use super::partials::Partials;
use crate::device::kernels::{Set, program as k};
use crate::device::{BLOCK, MedusaArguments, Run, SEGMENT_TILE, Segments, WARP};
use crate::engine::gpu::layout::{Buffer, Shape};
use crate::engine::gpu::policy::Way;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Delivery, Message, VertexCompute};

/// Sending and combining as Medusa does.
pub(super) struct Medusa<D: Device, P: VertexCompute> {
    buffer: Buffer<D, P::Edge>,
    /// The receiver of each slot, if messages are combined by segments.
    receivers: Option<Array<D, u32>>,
    messages: Messages<D, P>,
    partials: Partials<D, P>,
    combined: Combined<D, P>,
}

/// The messages combined by segments.
struct Combined<D: Device, P: VertexCompute> {
    vertices: Part<D, P>,
    heads: Part<D, P>,
    tails: Part<D, P>,
}

/// Combined messages, and whether there are any.
struct Part<D: Device, P: VertexCompute> {
    messages: Array<D, Message<P>>,
    present: Array<D, u8>,
}

impl<D: Device, P: VertexCompute> Part<D, P> {
    fn room(arrays: &mut Arrays<D>, len: u64) -> Result<Self, DeviceError> {
        let messages = arrays.array("combined messages", len)?;
        Ok(Self { messages, present: arrays.filled("presence of combined messages", len, 0)? })
    }
}

impl<D: Device, P: VertexCompute> Combined<D, P> {
    /// Memory for a buffer of `slots` slots; none without segments.
    fn room(
        arrays: &mut Arrays<D>,
        shape: Shape,
        segments: bool,
        slots: u64,
    ) -> Result<Self, DeviceError> {
        let (n, tiles) = if segments { (shape.n(), slots.div_ceil(SEGMENT_TILE)) } else { (0, 0) };
        Ok(Self {
            vertices: Part::room(arrays, n)?,
            heads: Part::room(arrays, tiles)?,
            tails: Part::room(arrays, tiles)?,
        })
    }
}

impl<D: Device, P: VertexCompute> Medusa<D, P> {
    pub(super) fn new(
        core: &Core<D, P>,
        buffer: Buffer<D, P::Edge>,
        receivers: Option<Array<D, u32>>,
    ) -> Result<Self, DeviceError> {
        let arrays = &mut Arrays::on(core.tools.device());
        let (shape, slots) = (core.placed.shape, buffer.groups.slots);
        Ok(Self {
            messages: Messages::room(arrays, slots)?,
            partials: Partials::at_most(arrays, 0)?,
            combined: Combined::room(arrays, shape, receivers.is_some(), slots)?,
            buffer,
            receivers,
        })
    }

    /// Adds its memory to a plan.
    pub(super) fn plan(
        arrays: &mut Arrays<D>,
        shape: Shape,
        segments: bool,
        slots: u64,
    ) -> Result<(), DeviceError> {
        Messages::<D, P>::room(arrays, slots)?;
        Combined::<D, P>::room(arrays, shape, segments, slots).map(drop)
    }

    fn segments(&self, receivers: &Array<D, u32>) -> Segments<P> {
        let Combined { vertices, heads, tails } = &self.combined;
        Segments {
            slots: self.buffer.groups.slots,
            receivers: receivers.global(),
            combined: vertices.messages.global(),
            combined_present: vertices.present.global(),
            heads: heads.messages.global(),
            heads_present: heads.present.global(),
            tails: tails.messages.global(),
            tails_present: tails.present.global(),
        }
    }
}

impl<D: Device, P: VertexCompute> Hosted<D, P> for Medusa<D, P> {
    fn sets(&self) -> &'static [Set] {
        match self.receivers {
            Some(_) => &[Set::Medusa],
            None if P::Combiner::COMBINES => &[Set::Mailbox],
            None => list_sets::<P>(),
        }
    }

    fn queue(&self, core: &Core<D, P>, run: &mut Run<P>) -> Result<Way, DeviceError> {
        let n = core.placed.shape.n();
        run.step.partial_count = n.div_ceil(BLOCK.into()) as u32;
        let mail = self.messages.arguments(core, run, &self.buffer, &self.partials);
        let kernels = &core.kernels;
        // SAFETY: the buffer has a slot per edge, groups are of one vertex, and receivers
        // ascend with the slots if there are any, all as `layout::medusa` made them. `combined` has room for
        // every vertex and tile, with no head or tail present at first. The kernels run in
        // the order in which they depend on each other.
        unsafe {
            kernels.each::<k::Send>(mail.mailbox.edges, &mail)?;
            if let Some(receivers) = &self.receivers {
                self.combined.heads.present.fill(0)?;
                self.combined.tails.present.fill(0)?;
                let a = MedusaArguments { mail, segments: self.segments(receivers) };
                let tiles = a.segments.slots.div_ceil(SEGMENT_TILE);
                kernels.each::<k::Segments>(tiles * u64::from(WARP), &a)?;
                kernels.each::<k::SegmentVertices>(n, &a)?;
            } else {
                sort_lists(core, &mail)?;
                kernels.each::<k::Read>(n, &mail)?;
            }
        }
        Ok(Way::Medusa)
    }
}

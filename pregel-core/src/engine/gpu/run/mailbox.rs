//! The mailbox strategy: every message is written into a buffer and read by its receiver,
//! as in the thesis. Programs that need every message run this way.

use super::core::Core;
use super::hosted::Hosted;
use super::partials::Partials;
use crate::device::kernels::{Set, program as k};
use crate::device::{BLOCK, Mailbox as Buffered, MailboxArguments, Run, WARP};
use crate::engine::gpu::layout::Buffer;
use crate::engine::gpu::policy::Way;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Delivery, Message, VertexCompute};

/// The fewest vertices per block that sorts long lists. The block handles them in turn,
/// since few vertices have a long list.
const LISTS: u64 = 16;

/// The most blocks that sort long lists.
const LIST_BLOCKS: u64 = 4096;

/// Sending and reading through a message buffer.
pub(super) struct Mailbox<D: Device, P: VertexCompute> {
    buffer: Buffer<D, P::Edge>,
    messages: Messages<D, P>,
    partials: Partials<D, P>,
}

/// The messages of a buffer.
pub(super) struct Messages<D: Device, P: VertexCompute> {
    messages: Array<D, Message<P>>,
    present: Array<D, u8>,
}

impl<D: Device, P: VertexCompute> Messages<D, P> {
    pub(super) fn room(arrays: &mut Arrays<D>, slots: u64) -> Result<Self, DeviceError> {
        let messages = arrays.array("message buffer", slots)?;
        Ok(Self { messages, present: arrays.filled("presence of messages", slots, 0)? })
    }

    /// The arguments of the kernels that write and read this buffer.
    pub(super) fn arguments(
        &self,
        core: &Core<D, P>,
        run: &Run<P>,
        buffer: &Buffer<D, P::Edge>,
        partials: &Partials<D, P>,
    ) -> MailboxArguments<P> {
        MailboxArguments {
            run: *run,
            columns: buffer.groups.global(),
            chunks: partials.global(&buffer.groups.chunks, core.placed.shape.vertices, true),
            mailbox: Buffered {
                edges: buffer.edges,
                sources: buffer.sources.global(),
                positions: buffer.positions.global(),
                values: buffer.values.global(),
                messages: self.messages.global(),
                present: self.present.global(),
            },
        }
    }
}

/// The kernels of a program that needs every message.
pub(super) fn list_sets<P: VertexCompute>() -> &'static [Set] {
    if P::Combiner::SORTED { &[Set::Lists, Set::SortedLists] } else { &[Set::Lists] }
}

/// Queues sorting the long lists, if the program wants sorted messages.
pub(super) fn sort_lists<D: Device, P: VertexCompute>(
    core: &Core<D, P>,
    a: &MailboxArguments<P>,
) -> Result<(), DeviceError> {
    if !P::Combiner::SORTED {
        return Ok(());
    }
    let blocks = core.placed.shape.n().div_ceil(LISTS).min(LIST_BLOCKS);
    // SAFETY: `a` describes a buffer with a slot per edge, and callers have queued `send`,
    // which fills it.
    unsafe { core.kernels.blocks::<k::SortLists>(blocks, a) }
}

impl<D: Device, P: VertexCompute> Mailbox<D, P> {
    pub(super) fn new(core: &Core<D, P>, buffer: Buffer<D, P::Edge>) -> Result<Self, DeviceError> {
        let arrays = &mut Arrays::on(core.tools.device());
        let messages = Messages::room(arrays, buffer.groups.slots)?;
        Ok(Self { messages, partials: Partials::of(arrays, &buffer.groups.chunks)?, buffer })
    }

    /// Adds its memory to a plan.
    pub(super) fn plan(arrays: &mut Arrays<D>, slots: u64) -> Result<(), DeviceError> {
        Messages::<D, P>::room(arrays, slots).map(drop)
    }
}

impl<D: Device, P: VertexCompute> Hosted<D, P> for Mailbox<D, P> {
    fn sets(&self) -> &'static [Set] {
        if P::Combiner::COMBINES { &[Set::Mailbox] } else { list_sets::<P>() }
    }

    fn queue(&self, core: &Core<D, P>, run: &mut Run<P>) -> Result<Way, DeviceError> {
        let chunks = &self.buffer.groups.chunks;
        let heavy = u64::from(chunks.heavy) * u64::from(WARP);
        let light = core.placed.shape.n().saturating_sub(heavy).div_ceil(BLOCK.into());
        run.step.partial_count = light as u32 + chunks.aggregates(true);
        let a = self.messages.arguments(core, run, &self.buffer, &self.partials);
        let kernels = &core.kernels;
        // SAFETY: `buffer` has a slot per edge, `chunks` and `partials` belong to its
        // groups, and there is room for a partial aggregate per block. The kernels run in
        // the order in which they depend on each other.
        unsafe {
            kernels.each::<k::Send>(a.mailbox.edges, &a)?;
            kernels.each::<k::ReadChunks>(u64::from(chunks.count) * u64::from(WARP), &a)?;
            kernels.shared::<k::ReadHeavy>(chunks.joiners(), 0, &a)?;
            sort_lists(core, &a)?;
            kernels.blocks::<k::Read>(light, &a)?;
        }
        Ok(Way::Mailbox)
    }
}

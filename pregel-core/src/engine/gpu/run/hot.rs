//! The hot pull: the signals of the busiest senders are kept in shared memory, if every
//! vertex scattered.

use std::cell::OnceCell;

use super::core::Core;
use super::pull::blocks_for;
use crate::device::kernels::{Set, program as k};
use crate::device::{HotArguments, PullArguments, in_words};
use crate::engine::gpu::layout::Placed;
use crate::engine::gpu::policy::{Choice, Costs, HotSignals, WhyNot};
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// The kernel.
pub(super) const SET: Set = Set::HotPull;

/// Bytes that a thread copies to shared memory at a time.
const COPY: u32 = 16;

/// The signals that blocks copy, if that pays.
pub(super) struct Hot {
    pub(super) explained: HotSignals,
    /// Computed when it is first needed, since the kernel must be loaded.
    blocks: OnceCell<u32>,
}

impl Hot {
    pub(super) fn new<D: Device, P: VertexCompute>(
        core: &Core<D, P>,
        choice: Choice,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let device = &**core.tools.device();
        let explained = hot_signals::<D, P::Signal>(device, &core.placed, choice, costs)?;
        Ok(Self { explained, blocks: OnceCell::new() })
    }

    /// Whether any signal is hot.
    pub(super) fn is_any(&self) -> bool {
        self.explained.count() > 0
    }

    /// Bytes of the copies.
    fn shared<P: VertexCompute>(&self) -> u32 {
        self.explained.count() * size_of::<P::Signal>() as u32
    }

    /// The number of blocks of the kernel, whose warps take this many items.
    pub(super) fn blocks<D: Device, P: VertexCompute>(
        &self,
        core: &Core<D, P>,
        items: u32,
    ) -> Result<u32, DeviceError> {
        if let Some(blocks) = self.blocks.get() {
            return Ok(*blocks);
        }
        let blocks = blocks_for::<D, P, k::PullHot>(core, items, self.shared::<P>())?;
        Ok(*self.blocks.get_or_init(|| blocks))
    }

    /// Queues a superstep on this many blocks.
    ///
    /// # Safety
    /// The block is that of a pull in which every vertex scattered.
    pub(super) unsafe fn queue<D: Device, P: VertexCompute>(
        &self,
        core: &Core<D, P>,
        blocks: u32,
        pull: &PullArguments<P>,
    ) -> Result<(), DeviceError> {
        let a = HotArguments { pull: *pull, hot: self.explained.count() };
        // SAFETY: the caller promises the arguments of a pull; each block has room for the
        // hot signals.
        unsafe { core.kernels.shared::<k::PullHot>(blocks, self.shared::<P>(), &a) }
    }
}

/// Which signals of type `S` blocks copy where every vertex scattered.
fn hot_signals<D: Device, S>(
    device: &D,
    placed: &Placed<D>,
    choice: Choice,
    costs: &Costs,
) -> Result<HotSignals, DeviceError> {
    let none = |why| Ok(HotSignals::None(why));
    if choice == Choice::Never {
        return none(WhyNot::Off);
    }
    if !in_words::<S>() {
        return none(WhyNot::Words);
    }
    let edges = placed.shape.edges;
    let signals = fitting::<S>(device.shared(), placed.shape.vertices);
    let (auto, needed) = (choice == Choice::Auto, costs.edges_per_hot_signal);
    if signals == 0 {
        return none(WhyNot::Room);
    }
    if auto && edges < u64::from(signals).saturating_mul(needed) {
        return none(WhyNot::FewReads { signals, edges, needed });
    }
    let served = placed.sent_by_first(signals)?;
    let needed = costs.hot_share;
    if auto && (served as f64) < edges as f64 * needed {
        return none(WhyNot::FewServed { signals, served, edges, needed });
    }
    Ok(HotSignals::Kept { signals, served, edges })
}

/// How many signals of `n`, which are made of whole words, fit into this many bytes.
fn fitting<S>(bytes: u32, n: u32) -> u32 {
    let fits = n.min(bytes / size_of::<S>() as u32);
    // A signal is a multiple of 4 bytes: 4 of them are whole copies.
    fits - fits % (COPY / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_signals_are_whole_copies() {
        assert_eq!(fitting::<f32>(227 << 10, 1 << 20), 58_112);
        assert_eq!(fitting::<f64>(227 << 10, 1 << 20), 29_056);
        assert_eq!(fitting::<[u32; 3]>(64, 100), 4);
        assert_eq!(fitting::<f32>(64, 7), 4);
        assert_eq!(fitting::<f32>(64, 3), 0);
    }
}

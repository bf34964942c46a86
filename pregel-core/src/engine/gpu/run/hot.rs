//! The hot pull: the signals of the busiest senders are kept in shared memory, if every
//! vertex scattered.

use std::time::Duration;

use super::core::Core;
use super::pull::Blocks;
use crate::device::kernels::{Set, program as k};
use crate::device::{HotArguments, PullArguments, in_words};
use crate::engine::gpu::layout::Placed;
use crate::engine::gpu::policy::{Choice, Costs, HotSignals, Trial, Way, WhyNot};
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// The kernel.
pub(super) const SET: Set = Set::HotPull;

/// Bytes that a thread copies to shared memory at a time.
const COPY: u32 = 16;

/// The signals that blocks copy, if that pays.
pub(super) struct Hot {
    explained: HotSignals,
    /// Whether copying them is faster, if that is to be found out.
    trial: Trial,
    blocks: Blocks,
}

impl Hot {
    pub(super) fn new<D: Device, P: VertexCompute>(
        core: &Core<D, P>,
        choice: Choice,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let device = &**core.tools.device();
        let placed = &core.placed;
        let explained =
            hot_signals::<D, P::Signal>(device, placed, choice, core.deterministic, costs)?;
        Ok(Self { explained, trial: Trial::default(), blocks: Blocks::default() })
    }

    /// Whether any signal is hot.
    pub(super) fn is_any(&self) -> bool {
        self.explained.count() > 0
    }

    /// Whether the next superstep copies them, if every vertex scattered.
    pub(super) fn is_used(&self) -> bool {
        match self.explained {
            HotSignals::Tried { .. } => self.trial.is_with(),
            HotSignals::Kept { .. } => true,
            HotSignals::None(_) => false,
        }
    }

    /// How long the next batch should be, to be compared with the last.
    pub(super) fn batch_length(&self) -> Option<u32> {
        self.is_tried().then(|| self.trial.length()).flatten()
    }

    /// Notes the time of supersteps before which every vertex had scattered.
    pub(super) fn learn(&mut self, way: Way, supersteps: u32, each: Duration) {
        if self.is_tried() && matches!(way, Way::Pull | Way::PullHot) {
            self.trial.note(way == Way::PullHot, supersteps, each);
        }
    }

    fn is_tried(&self) -> bool {
        matches!(self.explained, HotSignals::Tried { .. })
    }

    /// What was chosen so far, for a report.
    pub(super) fn explain(&self) -> HotSignals {
        match self.explained {
            HotSignals::Tried { signals, served, edges, .. } => {
                let times = self.trial.times();
                let times_ns = times.map(|times| times.map(|time| time.as_nanos() as u64));
                HotSignals::Tried { signals, served, edges, times_ns, kept: self.trial.kept() }
            }
            explained => explained,
        }
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
        self.blocks.of::<D, P, k::PullHot>(core, items, self.shared::<P>())
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

/// Which signals of type `S` blocks copy, or may copy, where every vertex scattered.
fn hot_signals<D: Device, S>(
    device: &D,
    placed: &Placed<D>,
    choice: Choice,
    deterministic: bool,
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
    let signals = fitting::<S>(device.shared(), costs.l1_bytes, placed.shape.vertices);
    let (auto, needed) = (choice == Choice::Auto, costs.edges_per_hot_signal);
    if signals == 0 {
        return none(WhyNot::Room);
    }
    if auto && edges < u64::from(signals).saturating_mul(needed) {
        return none(WhyNot::FewReads { signals, edges, needed });
    }
    let served = placed.sent_by_first(signals)?;
    // A trial goes by times, and so it could change the order in which aggregates add up.
    let needed = if deterministic { costs.hot_share } else { costs.hot_part };
    if auto && (served as f64) < edges as f64 * needed {
        return none(WhyNot::FewServed { signals, served, edges, needed });
    }
    if auto && !deterministic {
        return Ok(HotSignals::Tried { signals, served, edges, times_ns: None, kept: None });
    }
    Ok(HotSignals::Kept { signals, served, edges })
}

/// How many signals of `n`, which are made of whole words, are copied into this many bytes. Unless
/// all fit, `spared` bytes stay free, but at most a quarter.
fn fitting<S>(bytes: u32, spared: u32, n: u32) -> u32 {
    let most = bytes / size_of::<S>() as u32;
    let fits = if n <= most { n } else { (bytes - spared.min(bytes / 4)) / size_of::<S>() as u32 };
    // A signal is a multiple of 4 bytes: 4 of them are whole copies.
    fits - fits % (COPY / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_signals_are_whole_copies() {
        assert_eq!(fitting::<f32>(227 << 10, 0, 1 << 20), 58_112);
        assert_eq!(fitting::<f64>(227 << 10, 0, 1 << 20), 29_056);
        assert_eq!(fitting::<[u32; 3]>(64, 0, 100), 4);
        assert_eq!(fitting::<f32>(64, 0, 7), 4);
        assert_eq!(fitting::<f32>(64, 0, 3), 0);
    }

    #[test]
    fn some_memory_is_spared_unless_all_signals_fit() {
        assert_eq!(fitting::<f32>(227 << 10, 32 << 10, 1 << 20), 49_920);
        assert_eq!(fitting::<f32>(227 << 10, 32 << 10, 58_112), 58_112);
        assert_eq!(fitting::<f32>(227 << 10, 32 << 10, 58_113), 49_920);
        // A quarter at most.
        assert_eq!(fitting::<f32>(64, 32 << 10, 100), 12);
        assert_eq!(fitting::<f32>(64, 32 << 10, 16), 16);
    }
}

//! The vertices with their states, votes and signals, on which every strategy runs.

use std::borrow::Cow;

use super::kept::GpuKept;
use super::totals::{Ended, Totals};
use crate::device::kernels::{Tools, program as k, tools};
use crate::device::prepare::Restore;
use crate::device::{BLOCK, Counts, Run, Step, Vertices};
use crate::engine::gpu::layout::{Placed, Shape};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels, MOST_BLOCKS};
use crate::engine::{Inputs, Kept, RunError, Saved};
use crate::program::{VertexCompute, VertexId};

/// The most blocks of superstep 0, each of which makes one partial aggregate. The number
/// does not depend on the device, so that sums match across devices.
const INIT_BLOCKS: u64 = 1024;

/// The vertices of a session, and the kernels that run on them.
pub(super) struct Core<D: Device, P: VertexCompute> {
    pub(super) tools: Kernels<D, Tools>,
    pub(super) kernels: Kernels<D, P>,
    pub(super) placed: Placed<D>,
    pub(super) memory: CoreMemory<D, P>,
    /// Whether results must be the same on every device.
    pub(super) deterministic: bool,
    /// Whether an observer is told of each superstep before the next, so that supersteps
    /// cannot be queued ahead.
    pub(super) observed: bool,
}

/// The memory for each vertex.
pub(super) struct CoreMemory<D: Device, P: VertexCompute> {
    pub(super) states: Array<D, P::State>,
    inputs: Array<D, P::Input>,
    votes: [Array<D, u8>; 2],
    signals: [Array<D, P::Signal>; 2],
    pub(super) totals: Totals<D, P>,
    restored: Array<D, P::State>,
}

/// What the array is called that holds the states in the order of the ids.
const RESTORED: &str = "states, by id";

impl<D: Device, P: VertexCompute> CoreMemory<D, P> {
    /// Memory for a graph, and for supersteps in which hubs add up to this many aggregates.
    pub(super) fn room(
        arrays: &mut Arrays<D>,
        shape: Shape,
        of_hubs: u64,
    ) -> Result<Self, DeviceError> {
        let n = shape.n();
        // Signals are copied 16 bytes at a time.
        let copied = n.next_multiple_of(4);
        let blocks = n.div_ceil(BLOCK.into()).max(MOST_BLOCKS.into()) + of_hubs;
        let mut votes = || arrays.filled("votes", n, 0);
        let votes = [votes()?, votes()?];
        let mut signals = || arrays.filled("signals", copied, 0);
        let signals = [signals()?, signals()?];
        Ok(Self {
            states: arrays.array("states", n)?,
            inputs: arrays.array("inputs", n)?,
            votes,
            signals,
            totals: Totals::room(arrays, blocks)?,
            restored: arrays.array(RESTORED, n)?,
        })
    }
}

impl<D: Device, P: VertexCompute> Core<D, P> {
    /// Takes the inputs of the vertices where they are, if that is on this device. Returns
    /// those that are still to be [copied](Self::copy_inputs).
    pub(super) fn take_inputs<'a>(
        &mut self,
        inputs: Inputs<'a, P::Input, GpuKept<D, P::Input>>,
    ) -> Result<Cow<'a, [P::Input]>, RunError> {
        match inputs {
            Inputs::Given(values) => Ok(values),
            Inputs::Kept(kept) => match kept.on(self.tools.device()) {
                Some(values) => {
                    self.memory.inputs = values;
                    Ok(Cow::Borrowed(&[]))
                }
                None => kept.into_vec().map(Cow::Owned),
            },
        }
    }

    /// Copies the inputs of the vertices to the device, unless they have no size.
    pub(super) fn copy_inputs(&self, inputs: &[P::Input]) -> Result<(), DeviceError> {
        self.memory.inputs.write(inputs)
    }

    /// The inputs of the vertices, of which `copied` were copied to the device; none were if
    /// they were there. Waits.
    pub(super) fn inputs_on_host<'a>(
        &self,
        copied: &'a [P::Input],
    ) -> Result<Cow<'a, [P::Input]>, DeviceError> {
        if copied.is_empty() && size_of::<P::Input>() > 0 {
            return self.memory.inputs.to_vec().map(Cow::Owned);
        }
        Ok(Cow::Borrowed(copied))
    }

    /// The arguments of kernels in superstep 0.
    pub(super) fn start(&self, program: &P) -> Run<P> {
        let (p, m) = (&self.placed, &self.memory);
        let mut run = Run {
            program: *program,
            vertices: Vertices {
                count: p.shape.vertices,
                vertex_at: p.vertex_at.global(),
                in_degrees: p.in_degrees.global(),
                out_degrees: p.out_degrees.global(),
                send_degrees: p.send_degrees.global(),
                inputs: m.inputs.global(),
                states: m.states.global(),
            },
            step: Step {
                superstep: 0,
                everyone: 0,
                votes: m.votes[0].global(),
                votes_next: m.votes[0].global(),
                signals: m.signals[0].global(),
                signals_next: m.signals[0].global(),
                last: m.totals.aggregate(0),
                partials: m.totals.partials(),
                partial_count: 0,
                places: p.shape.vertices,
                total: m.totals.aggregate(0),
                counts: m.totals.counts(),
            },
        };
        self.turn(&mut run, 0, &Counts::default());
        run
    }

    /// Sets the arguments that change with the superstep. `before` are the counts of the
    /// superstep before.
    pub(super) fn turn(&self, run: &mut Run<P>, superstep: u32, before: &Counts) {
        let (now, next) = ((superstep as usize + 1) % 2, superstep as usize % 2);
        let m = &self.memory;
        run.step.superstep = superstep;
        run.step.places = self.placed.shape.vertices;
        run.step.everyone = u32::from(superstep > 0 && self.everyone(before));
        run.step.votes = m.votes[now].global();
        run.step.votes_next = m.votes[next].global();
        run.step.signals = m.signals[now].global();
        run.step.signals_next = m.signals[next].global();
        run.step.last = m.totals.aggregate(now);
        run.step.total = m.totals.aggregate(next);
    }

    /// Whether every vertex scattered in a superstep with these counts.
    pub(super) fn everyone(&self, counts: &Counts) -> bool {
        counts.scattering == self.placed.shape.n()
    }

    /// The votes that superstep `superstep` reads.
    pub(super) fn votes_of(&self, superstep: u32) -> &Array<D, u8> {
        &self.memory.votes[(superstep as usize + 1) % 2]
    }

    /// Queues clearing all votes.
    pub(super) fn clear_votes(&self) -> Result<(), DeviceError> {
        self.memory.votes.iter().try_for_each(|votes| votes.fill(0))
    }

    /// Queues superstep 0.
    pub(super) fn init(&self, run: &mut Run<P>) -> Result<(), DeviceError> {
        let blocks = self.placed.shape.n().div_ceil(BLOCK.into()).min(INIT_BLOCKS);
        run.step.partial_count = blocks as u32;
        // SAFETY: the arrays of `start` have a value per vertex, and there is room for a
        // partial aggregate per block.
        unsafe { self.kernels.blocks::<k::Init>(blocks, run) }
    }

    /// Adds up the counts and the aggregate of a superstep, and clears the counts. Waits.
    pub(super) fn end(&self, run: &Run<P>) -> Result<Ended<P>, DeviceError> {
        self.memory.totals.reduce(&self.kernels, run)?;
        self.memory.totals.take(run.step.superstep as usize % 2)
    }

    /// Makes room again for what the last run [kept](Self::keep).
    pub(super) fn make_room(&mut self) -> Result<(), DeviceError> {
        let n = self.placed.shape.n();
        if self.memory.restored.len() < n {
            self.memory.restored = Arrays::on(self.tools.device()).array(RESTORED, n)?;
        }
        Ok(())
    }

    /// Waits, and copies the states, by id.
    pub(super) fn states(&self) -> Result<Vec<P::State>, DeviceError> {
        self.restore()?;
        self.memory.restored.to_vec()
    }

    /// Waits, and hands out the states, by id. There is then no room for more of them.
    pub(super) fn keep(&mut self) -> Result<GpuKept<D, P::State>, DeviceError> {
        self.restore()?;
        let device = self.tools.device();
        device.wait()?;
        let states = std::mem::replace(&mut self.memory.restored, Array::none());
        Ok(GpuKept::new(states, device))
    }

    /// Queues copying the states in the order of the ids.
    fn restore(&self) -> Result<(), DeviceError> {
        let n = self.placed.shape.vertices;
        let a = Restore {
            count: n,
            width: size_of::<P::State>() as u32,
            place_of: self.placed.place_of.global(),
            from: self.memory.states.bytes(),
            to: self.memory.restored.bytes(),
        };
        if size_of::<P::State>() > 0 {
            // SAFETY: both arrays have a state per vertex, and `width` is the size of one.
            unsafe { self.tools.each::<tools::Restore>(n.into(), &a)? };
        }
        Ok(())
    }

    /// Copies states, votes and signals by id to their places, so that superstep `next` can
    /// run, and the aggregate that it sees.
    pub(super) fn put(
        &self,
        next: u32,
        saved: &Saved<P>,
        signals: &[P::Signal],
        vertex_at: &[VertexId],
    ) -> Result<(), DeviceError> {
        let now = (next as usize + 1) % 2;
        let states: Vec<P::State> = vertex_at.iter().map(|v| saved.states[*v as usize]).collect();
        let votes: Vec<u8> = vertex_at.iter().map(|v| saved.votes[*v as usize] as u8).collect();
        let signals: Vec<P::Signal> = vertex_at.iter().map(|v| signals[*v as usize]).collect();
        self.memory.states.write(&states)?;
        self.memory.votes[now].write(&votes)?;
        self.memory.signals[now].write(&signals)?;
        self.memory.totals.put(now, &saved.aggregate)
    }

    /// Kernels launched so far.
    pub(super) fn launches(&self) -> u64 {
        self.tools.launches() + self.kernels.launches()
    }
}

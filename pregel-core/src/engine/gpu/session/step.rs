//! The kernels of one superstep.

use super::super::device::{Device, DeviceError, Grid};
use super::super::pull::Pulling;
use super::GpuSession;
use super::steady::Ended;
use crate::device::prepare::FindFrontier;
use crate::device::{
    Arguments, BLOCK, Counts, FOUR, Frontier, JOIN_BLOCK, SEGMENT_TILE, WARP, holds_messages,
};
use crate::engine::Strategy;
use crate::program::{Delivery, VertexCompute};

/// Vertices of a block that sorts long lists, one after the other, at least; and the most
/// blocks that do. Few vertices have a long list.
const LISTS: u64 = 16;
const LIST_BLOCKS: u64 = 4096;

/// Blocks of superstep 0 at most: each adds up once what its vertices come to. As many on
/// every device, so that sums are the same.
const INIT_BLOCKS: u64 = 1024;

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Queues a kernel of the program, a thread for each of `items`.
    pub(super) fn each(
        &self,
        name: &'static str,
        items: u64,
        a: &Arguments<P>,
    ) -> Result<(), DeviceError> {
        // SAFETY: the arguments are those of `arguments` and `turn`, whose
        // arrays have the sizes that the kernels ask for.
        unsafe { self.kernels.each(&*self.device, name, items, a) }
    }

    /// Queues a kernel of the program on so many blocks.
    pub(super) fn blocks(
        &self,
        name: &'static str,
        blocks: u64,
        a: &Arguments<P>,
    ) -> Result<(), DeviceError> {
        // SAFETY: as in `each`.
        unsafe { self.kernels.blocks(&*self.device, name, blocks, a) }
    }

    /// Queues combining the partial results of heavy groups, if there are any.
    pub(super) fn join(&self, name: &'static str, a: &Arguments<P>) -> Result<(), DeviceError> {
        let grid = Grid { threads: JOIN_BLOCK, ..Grid::of(a.chunks.joiners) };
        if grid.blocks == 0 {
            return Ok(());
        }
        // SAFETY: as in `each`.
        unsafe { self.kernels.grid(&*self.device, name, grid, a) }
    }

    /// Queues one superstep from 1 on.
    pub(super) fn step(&self, strategy: Strategy, a: &mut Arguments<P>) -> Result<(), DeviceError> {
        let n = u64::from(self.prepared.vertices);
        match strategy {
            Strategy::Push => {
                let threads = self.threads(n);
                a.step.partial_count = threads.div_ceil(BLOCK.into()) as u32;
                if let Some(push) = &self.prepared.push {
                    push.count.fill(&self.device, 0)?;
                }
                self.find_frontier(a, a.frontier)?;
                self.push(n, a)?;
                self.each("arrive", threads, a)?;
            }
            Strategy::Mailbox => {
                let light = n.saturating_sub(u64::from(a.chunks.heavy) * u64::from(WARP));
                let light = light.div_ceil(BLOCK.into());
                a.step.partial_count = light as u32 + a.chunks.joiners;
                self.each("send", a.mailbox.edges, a)?;
                self.each("read_chunks", u64::from(a.chunks.count) * u64::from(WARP), a)?;
                self.join("read_heavy", a)?;
                self.sort_lists(n, a)?;
                self.blocks("read", light, a)?;
            }
            Strategy::Medusa => {
                a.step.partial_count = n.div_ceil(BLOCK.into()) as u32;
                self.each("send", a.mailbox.edges, a)?;
                match P::Combiner::COMBINES {
                    false => {
                        self.sort_lists(n, a)?;
                        self.each("read", n, a)?;
                    }
                    true => {
                        self.memory.heads_present.fill(&self.device, 0)?;
                        self.memory.tails_present.fill(&self.device, 0)?;
                        let tiles = a.segments.slots.div_ceil(SEGMENT_TILE);
                        self.each("segments", tiles * u64::from(WARP), a)?;
                        self.each("segment_vertices", n, a)?;
                    }
                }
            }
            _ => match self.bins.get() {
                Some(bins) if a.step.everyone != 0 => self.pull_by_bins(bins, a)?,
                _ => self.pull(a)?,
            },
        }
        Ok(())
    }

    /// Queues pushing, on a warp for each of `n` vertices at most.
    ///
    /// A warp that holds messages hands them to a hub once, and the hub takes them one
    /// after the other: no more warps then than the device runs at a time.
    fn push(&self, n: u64, a: &Arguments<P>) -> Result<(), DeviceError> {
        let mut blocks = n.min(u64::from(u16::MAX)).div_ceil(u64::from(BLOCK / WARP));
        if holds_messages::<P>() {
            let kernel = self.kernels.kernel(&*self.device, "push")?;
            blocks = blocks.min(self.device.together(&kernel, BLOCK, 0)?.into());
        }
        self.blocks("push", blocks, a)
    }

    /// Queues sorting the long lists of `n` vertices, if the program wants that.
    fn sort_lists(&self, n: u64, a: &Arguments<P>) -> Result<(), DeviceError> {
        match P::Combiner::SORTED {
            true => self.blocks("sort_lists", n.div_ceil(LISTS).min(LIST_BLOCKS), a),
            false => Ok(()),
        }
    }

    /// Queues a superstep by pull.
    fn pull(&self, a: &mut Arguments<P>) -> Result<(), DeviceError> {
        let (hot, grid) = self.pulling()?.grid(a.step.everyone != 0);
        a.step.hot = hot;
        a.step.partial_count = grid.blocks + a.chunks.joiners;
        let name = if hot > 0 { "pull_hot" } else { "pull" };
        if grid.blocks > 0 {
            // SAFETY: as in `each`; the grid has room for the hot signals.
            unsafe { self.kernels.grid(&*self.device, name, grid, a)? };
        }
        self.join("pull_heavy", a)
    }

    /// How supersteps are pulled.
    fn pulling(&self) -> Result<Pulling, DeviceError> {
        if let Some(pulling) = self.pulling.get() {
            return Ok(*pulling);
        }
        let tools = (&*self.device, &self.kernels);
        let (hot, fixed) = ((self.hot, size_of::<P::Signal>()), self.options.deterministic);
        let found = Pulling::of(tools, &self.prepared, hot, fixed)?;
        Ok(*self.pulling.get_or_init(|| found))
    }

    /// Threads that look after `n` vertices, most of which have nothing to do.
    fn threads(&self, n: u64) -> u64 {
        match n >= self.planner.costs().four_vertices {
            true => n.div_ceil(FOUR.into()),
            false => n,
        }
    }

    /// Queues listing the vertices that scatter.
    pub(super) fn find_frontier(&self, a: &Arguments<P>, to: Frontier) -> Result<(), DeviceError> {
        let Some(push) = &self.prepared.push else { return Ok(()) };
        let find = FindFrontier {
            vertices: self.prepared.vertices,
            votes: a.step.votes,
            offsets: push.offsets.global(),
            frontier: to,
        };
        let threads = self.threads(self.prepared.vertices.into());
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.tools.each(&*self.device, "frontier", threads, &find) }
    }

    /// Runs one superstep; what it came to.
    pub(super) fn one(
        &self,
        a: &mut Arguments<P>,
        superstep: u32,
        before: &Counts,
        strategy: Strategy,
    ) -> Result<Ended<P>, DeviceError> {
        self.turn(a, superstep, before);
        self.memory.totals.clear(&self.device)?;
        match superstep {
            0 => {
                let blocks = u64::from(self.prepared.vertices).div_ceil(BLOCK.into());
                let blocks = blocks.min(INIT_BLOCKS);
                a.step.partial_count = blocks as u32;
                self.blocks("init", blocks, a)?;
            }
            _ => self.step(strategy, a)?,
        }
        self.sums(a, superstep)
    }

    /// Adds up the superstep and waits for it.
    fn sums(&self, a: &Arguments<P>, superstep: u32) -> Result<Ended<P>, DeviceError> {
        self.memory.totals.reduce(a, |blocks, a| self.blocks("reduce", blocks, a))?;
        self.memory.totals.read(&self.device, superstep as usize % 2)
    }
}

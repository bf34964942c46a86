//! Breadth-first search by queues, outside any run: FlexBFS, with each of its techniques as a
//! switch (Liu Gu and others, *Study on Optimizing Techniques of Breadth-first Search Algorithm
//! on Graphic Processing Unit*, 2014).

use std::fmt;
use std::time::{Duration, Instant};

use super::queue_options::{QueueOptions, QueueTraffic, Searched};
use crate::device::BLOCK;
use crate::device::kernels::{Set, Tools, tools as k};
use crate::device::solve::{NOT_FOUND, QueueSearch as Arguments, Tail};
use crate::engine::RunError;
use crate::engine::gpu::Gpu;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::graph::{Csr, Graph};
use crate::program::{Value, VertexId};

/// The most blocks that share the queue of hubs: about as many as a large GPU runs.
const HUB_BLOCKS: u64 = 1024;

/// A graph on a device, to be searched by queues, for tests and measurements. Programs such as
/// `Bfs` search by the engine's own strategies.
///
/// A level takes one launch, with hubs two, and a copy of 4 bytes for which the host waits.
/// Work O(V + E). The graph is neither sorted nor laid out.
pub struct QueueSearch<D: Device> {
    tools: Kernels<D, Tools>,
    memory: Memory<D>,
    degrees: Degrees,
}

/// The arrays of [`Arguments`].
struct Memory<D: Device> {
    offsets: Array<D, u64>,
    targets: Array<D, u32>,
    levels: Array<D, u32>,
    queues: [Array<D, u32>; 2],
    hubs: Array<D, u32>,
    tails: Array<D, u32>,
    counted: Array<D, u64>,
}

impl<D: Device> Memory<D> {
    fn room(arrays: &mut Arrays<D>, rows: &Csr) -> Result<Self, DeviceError> {
        let n = u64::from(rows.vertex_count());
        Ok(Self {
            offsets: arrays.array("row offsets", n + 1)?,
            targets: arrays.array("edges", rows.edge_count())?,
            levels: arrays.array("levels", n)?,
            queues: [arrays.array("queues", n)?, arrays.array("queues", n)?],
            hubs: arrays.array("the queue of hubs", n)?,
            tails: arrays.array("lengths of queues", Tail::WORDS)?,
            counted: arrays.array("counts", 2)?,
        })
    }
}

/// The degrees of a graph, so that it is known how many vertices are hubs.
struct Degrees {
    vertices: u32,
    /// How many vertices there are of each degree.
    counts: Vec<u32>,
}

impl Degrees {
    /// Counts them. O(V).
    fn of(rows: &Csr) -> Self {
        let mut counts = Vec::new();
        for ends in rows.offsets().windows(2) {
            // The edges of a row are in memory, so that an index can count them.
            let degree = (ends[1] - ends[0]) as usize;
            if degree >= counts.len() {
                counts.resize(degree + 1, 0);
            }
            counts[degree] += 1;
        }
        Self { vertices: rows.vertex_count(), counts }
    }

    /// How many vertices have more edges than this.
    fn above(&self, degree: u32) -> u64 {
        let counts = self.counts.iter().skip(degree as usize);
        counts.skip(1).map(|count| u64::from(*count)).sum()
    }
}

impl<D: Device> Gpu<D> {
    /// Copies a graph to the device, to be searched along its out-edges by queues. O(V + E).
    ///
    /// # Errors
    /// [`RunError::NoKernels`] and [`RunError::OtherKernels`] if there is no image for this
    /// version, [`RunError::TooLarge`] if the graph does not fit the device's free memory, and
    /// [`RunError::Device`] if kernels do not load, or the device fails.
    pub fn queue_search<E: Value>(&self, graph: &Graph<E>) -> Result<QueueSearch<D>, RunError> {
        let (tools, rows) = (self.tools()?, graph.out());
        let mut planned = Arrays::planned();
        Memory::<D>::room(&mut planned, rows)?;
        planned.check(&*self.device)?;
        tools.load(&[Set::Queues])?;
        let memory = Memory::room(&mut Arrays::on(&self.device), rows)?;
        memory.offsets.write(rows.offsets())?;
        memory.targets.write(rows.targets())?;
        self.device.wait()?;
        Ok(QueueSearch { tools, memory, degrees: Degrees::of(rows) })
    }
}

impl<D: Device> QueueSearch<D> {
    /// Searches from a vertex. [`levels`](Self::levels) are there afterwards.
    ///
    /// # Errors
    /// [`RunError::Unsupported`] if the vertex is not in the graph, [`RunError::Device`] if the
    /// device fails.
    pub fn run(&self, source: VertexId, options: &QueueOptions) -> Result<Searched, RunError> {
        self.search(source, options, false)
    }

    /// The same, and counts what filling the queues takes, which costs time.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_counted(
        &self,
        source: VertexId,
        options: &QueueOptions,
    ) -> Result<Searched, RunError> {
        self.search(source, options, true)
    }

    /// The number of edges from the source of the last search to each vertex; [`u32::MAX`] if
    /// there is no path.
    ///
    /// # Errors
    /// If the device fails.
    pub fn levels(&self) -> Result<Vec<u32>, RunError> {
        Ok(self.memory.levels.to_vec()?)
    }

    fn search(
        &self,
        source: VertexId,
        options: &QueueOptions,
        counts: bool,
    ) -> Result<Searched, RunError> {
        if source >= self.degrees.vertices {
            return Err(RunError::Unsupported("the source vertex is not in the graph"));
        }
        self.reset(source)?;
        let (most, hubs) = (u64::from(self.degrees.vertices), self.hubs(options));
        let mut searched =
            Searched { frontiers: vec![1], time: Duration::ZERO, threads: 0, counted: None };
        let (start, mut level, mut count) = (Instant::now(), 1, 1);
        while count > 0 {
            let threads = options.launch.threads(count.into(), most, 1);
            let blocks = threads.div_ceil(BLOCK.into()).max(1);
            let a = self.arguments(level, count, options, counts);
            // SAFETY: `Memory::room` made the arrays for this graph, and `queue_search` has
            // copied its rows. The queue holds the `count` vertices that the level before
            // found, and the tails of this level are 0: `reset` or the launch before has seen
            // to it.
            unsafe {
                self.tools.blocks::<k::Expand>(blocks, &a)?;
                self.tools.blocks::<k::ExpandHubs>(hubs.min(HUB_BLOCKS), &a)?;
            }
            count = self.memory.tails.get(Tail::Found.word(level))?;
            searched.threads += blocks * u64::from(BLOCK);
            if count > 0 {
                searched.frontiers.push(count);
            }
            level += 1;
        }
        searched.time = start.elapsed();
        if counts {
            let [additions, sectors] = [self.memory.counted.get(0)?, self.memory.counted.get(1)?];
            searched.counted = Some(QueueTraffic { additions, sectors });
        }
        Ok(searched)
    }

    /// How many vertices may wait in the queue of hubs.
    fn hubs(&self, options: &QueueOptions) -> u64 {
        options.hub_degree.map_or(0, |degree| self.degrees.above(degree))
    }

    /// Finds the source only, and waits.
    fn reset(&self, source: VertexId) -> Result<(), DeviceError> {
        let m = &self.memory;
        let at = u64::from(source);
        m.levels.fill(NOT_FOUND.to_ne_bytes()[0])?;
        m.levels.fill_range(at..at + 1, 0)?;
        m.tails.fill(0)?;
        m.counted.fill(0)?;
        m.queues[1].write(&[source])?;
        self.tools.device().wait()
    }

    fn arguments(&self, level: u32, count: u32, options: &QueueOptions, counts: bool) -> Arguments {
        let m = &self.memory;
        let [even, odd] = [m.queues[0].global(), m.queues[1].global()];
        let (from, to) = if level.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        Arguments {
            level,
            count,
            hub_degree: options.hub_degree.unwrap_or(u32::MAX),
            kind: options.queue,
            counts: counts.into(),
            offsets: m.offsets.global(),
            targets: m.targets.global(),
            levels: m.levels.global(),
            from,
            to,
            hubs: m.hubs.global(),
            tails: m.tails.global(),
            counted: m.counted.global(),
        }
    }
}

impl<D: Device> fmt::Debug for QueueSearch<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueSearch")
            .field("device", &self.tools.device().name())
            .field("vertices", &self.degrees.vertices)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn vertices_of_high_degree_are_counted() {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 0), (1, 2), (3, 0)];
        let degrees = Degrees::of(Graph::from_edges(edges).unwrap().out());
        assert_eq!(degrees.vertices, 4);
        assert_eq!(
            [0, 1, 2, 3, 9, u32::MAX].map(|degree| degrees.above(degree)),
            [3, 2, 1, 0, 0, 0]
        );
    }
}

//! Finds weakly connected components on the device, in the same steps as the solver on the
//! CPU, `engine/solve/components.rs`.
//!
//! The graph is uploaded as it is, neither sorted nor laid out. A run queues at most ten
//! kernels and waits once.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::device::kernels::{Kernel, Set, Tools, tools as k};
use crate::device::solve::{Forest, SEEN, pieces};
use crate::device::{COUNTS, WARP};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::engine::gpu::{DeviceReport, Gpu};
use crate::engine::solve::{PASSES, PassLog, Seen};
use crate::engine::{
    ConnectedComponents, Needs, RunError, Solution, Solve, SolveOptions, Solver, StopReason,
};
use crate::graph::{Csr, Graph};
use crate::program::{Value, VertexId};

/// The most warps that join pieces of long rows: about as many as a large GPU runs.
const PIECE_WARPS: u64 = 1 << 14;

/// About how many vertices are joined first, and then, before all are. A large GPU would join
/// some 300,000 at a time, most of them with the trees of a few roots, and all would read and swap
/// the same few words, one after the other. Joined before, they have one root.
const SAMPLES: [u64; 2] = [1 << 14, 1 << 16];

/// Properties of the rows that the host counts in advance.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    /// How many rows have at least one edge, and how many at least two.
    filled: [u64; 2],
    /// Pieces of long rows.
    pieces: u64,
}

impl Rows {
    /// Counts them. O(V), parallel.
    fn of(rows: &Csr) -> Self {
        let row = |ends: &[u64]| {
            let degree = ends[1] - ends[0];
            let filled = [u64::from(degree > 0), u64::from(degree > 1)];
            Self { filled, pieces: pieces(degree).into() }
        };
        let add = |a: Self, b: Self| Self {
            filled: [a.filled[0] + b.filled[0], a.filled[1] + b.filled[1]],
            pieces: a.pieces + b.pieces,
        };
        rows.offsets().par_windows(2).with_min_len(1 << 12).map(row).reduce(Self::default, add)
    }
}

/// A graph on a device, ready for its components to be found.
///
/// The passes run one after another without the host. An observer is therefore told of
/// them when all are done, the time of all is reported for the last, and a run that the
/// observer cancels is complete. The time does not include copying the labels.
pub struct GpuComponents<D: Device> {
    tools: Kernels<D, Tools>,
    options: SolveOptions,
    vertices: u32,
    rows: Rows,
    memory: Memory<D>,
    /// Whether an edge may be missing in the row of one of its ends.
    directed: bool,
    report: DeviceReport,
    prepare_time: Duration,
}

/// The arrays of [`Forest`].
struct Memory<D: Device> {
    offsets: Array<D, u64>,
    targets: Array<D, u32>,
    sampled: Array<D, [u32; 2]>,
    parents: Array<D, u32>,
    found: Array<D, u32>,
    pieces: Array<D, [u32; 2]>,
    seen: Array<D, u64>,
}

impl<D: Device> Memory<D> {
    fn room(arrays: &mut Arrays<D>, rows: &Csr, pieces: u64) -> Result<Self, DeviceError> {
        let n = u64::from(rows.vertex_count());
        Ok(Self {
            offsets: arrays.array("row offsets", n + 1)?,
            targets: arrays.array("edges", rows.edge_count())?,
            sampled: arrays.array("first neighbours", n)?,
            parents: arrays.array("parents", n)?,
            found: arrays.array("the frequent root", 2)?,
            pieces: arrays.array("pieces of long rows", pieces)?,
            seen: arrays.array("counts", SEEN)?,
        })
    }
}

/// What the rows of a graph are like, and a plan of the memory of a run.
fn plan<D: Device, E: Value>(graph: &Graph<E>) -> Result<(Rows, Arrays<D>), RunError> {
    let rows = Rows::of(graph.out());
    let mut arrays = Arrays::planned();
    Memory::room(&mut arrays, graph.out(), rows.pieces)?;
    Ok((rows, arrays))
}

impl<D: Device> Solve<ConnectedComponents> for Gpu<D> {
    type Solver<'g, E: Value> = GpuComponents<D>;

    fn prepare_solver<E: Value>(
        &self,
        _: ConnectedComponents,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Result<GpuComponents<D>, RunError> {
        let start = Instant::now();
        let _part = self.device.part(|| "prepare components".into());
        let tools = self.tools()?;
        let (rows, planned) = plan::<D, E>(graph)?;
        planned.check(&*self.device)?;
        let device = &self.device;

        let loading = Instant::now();
        tools.load(&[Set::Components])?;
        let load_time = loading.elapsed();

        let uploading = Instant::now();
        let csr = graph.out();
        let n = csr.vertex_count();
        let memory = Memory::room(&mut Arrays::on(device), csr, rows.pieces)?;
        memory.offsets.write(csr.offsets())?;
        memory.targets.write(csr.targets())?;
        device.wait()?;
        let report = DeviceReport {
            load_time,
            upload_time: uploading.elapsed(),
            ..DeviceReport::of(&**device, planned.into_needs())
        };
        Ok(GpuComponents {
            tools,
            options: options.clone(),
            vertices: n,
            rows,
            memory,
            directed: graph.directed(),
            report,
            prepare_time: start.elapsed(),
        })
    }

    fn can_solve<E: Value>(
        &self,
        _: ConnectedComponents,
        graph: &Graph<E>,
    ) -> Result<(), RunError> {
        self.images.tools()?;
        plan::<D, E>(graph)?.1.check(&*self.device)
    }

    fn needs<E: Value>(_: ConnectedComponents, graph: &Graph<E>) -> Result<Needs, RunError> {
        let device = plan::<D, E>(graph)?.1.into_needs();
        let labels = 4 * u64::from(graph.vertex_count());
        Ok(Needs { device, ..Needs::default().with_host("labels", labels) })
    }
}

impl<D: Device> Solver for GpuComponents<D> {
    type Answer = Vec<VertexId>;

    fn run(&mut self) -> Result<Solution<Vec<VertexId>>, RunError> {
        let _part = self.tools.device().part(|| "components".into());
        let n = u64::from(self.vertices);
        let before = self.tools.launches();
        let mut log = PassLog::new(&self.options);
        let start = Instant::now();
        let mut seen = [0; 2];
        let mut copies = 0;
        if n > 0 {
            self.queue()?;
            let parts = self.memory.seen.to_vec()?;
            let (vertices, edges) = parts.split_at(COUNTS as usize);
            seen = [vertices.iter().sum(), edges.iter().sum()];
            copies = 1;
        }
        let time = start.elapsed();
        let [first, second] = self.rows.filled;
        let all = |count| Seen { vertices: count, edges: count };
        let rest = Seen { vertices: seen[0], edges: seen[1] };
        let mut stop = StopReason::Halted;
        for ((pass, name), seen) in PASSES.iter().enumerate().zip([all(first), all(second), rest]) {
            let time = if pass + 1 == PASSES.len() { time } else { Duration::ZERO };
            if log.pass(name, seen, time) == ControlFlow::Break(()) {
                stop = StopReason::Cancelled;
                break;
            }
        }
        let mut report = log.finish("cuda", stop);
        let launches = self.tools.launches() - before;
        let start = Instant::now();
        let answer = self.memory.parents.to_vec()?;
        let download_time = start.elapsed();
        report.prepare_time = self.prepare_time;
        let device = DeviceReport { download_time, launches, copies, ..self.report.clone() };
        report.device = Some(Arc::new(device));
        Ok(Solution { answer, report })
    }
}

impl<D: Device> GpuComponents<D> {
    /// Queues all passes.
    fn queue(&self) -> Result<(), DeviceError> {
        let n = self.vertices.into();
        self.each::<k::Plant>(n)?;
        self.each::<k::Flatten>(n)?;
        for samples in SAMPLES {
            if n > samples {
                self.each_of::<k::JoinTwo>(n, n / samples)?;
            }
        }
        self.each::<k::JoinTwo>(n)?;
        self.each::<k::Flatten>(n)?;
        if !self.directed {
            self.each::<k::Frequent>(1)?;
        }
        self.each::<k::JoinRest>(n)?;
        self.each::<k::JoinPieces>(self.rows.pieces.min(PIECE_WARPS) * u64::from(WARP))?;
        self.each::<k::Flatten>(n)
    }

    /// Queues a kernel, one thread per item.
    fn each<K: Kernel<Tools, Arguments = Forest>>(&self, items: u64) -> Result<(), DeviceError> {
        self.each_of::<K>(items, 1)
    }

    /// The same for every `stride`-th of as many items.
    fn each_of<K: Kernel<Tools, Arguments = Forest>>(
        &self,
        items: u64,
        stride: u64,
    ) -> Result<(), DeviceError> {
        let m = &self.memory;
        let a = Forest {
            vertices: self.vertices,
            // The row of the other end does not list a directed edge.
            skip: u32::from(!self.directed),
            stride,
            offsets: m.offsets.global(),
            targets: m.targets.global(),
            sampled: m.sampled.global(),
            parents: m.parents.global(),
            found: m.found.global(),
            pieces: m.pieces.global(),
            seen: m.seen.global(),
        };
        // SAFETY: `Memory::room` made the arrays for this graph, `prepare_solver` has copied
        // its offsets and targets, all of which are vertices, and `queue` launches the
        // kernels in the order in which they depend on each other.
        unsafe { self.tools.each::<K>(items.div_ceil(stride), &a) }
    }
}

impl<D: Device> fmt::Debug for GpuComponents<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuComponents")
            .field("device", &self.report.name)
            .field("vertices", &self.vertices)
            .finish_non_exhaustive()
    }
}

//! Finds triangles on the device, as `engine/solve/search.rs` does on the CPU, and from them
//! what the CPU makes of them.
//!
//! All cores make the rows of the distinct pairs of neighbours, which are then copied. A run
//! launches one kernel and waits for it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::device::kernels::{Set, Tools, tools as k};
use crate::device::solve::{Corners, SEEN_CORNERS, UNIT, credit_bytes, window};
use crate::device::{BLOCK, COUNTS, WARP};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::engine::gpu::{DeviceReport, Gpu};
use crate::engine::solve::{Pairs, PassLog, Seen, Triangles};
use crate::engine::{
    Clustering, CountTriangles, LocalClustering, Needs, RunError, Solution, Solve, SolveOptions,
    SolveReport, Solver, StopReason, TriangleCounts,
};
use crate::graph::Graph;
use crate::program::Value;

/// The most blocks of a launch, many times as many as a large GPU holds at once, since some
/// pairs are much more work than others.
const MOST_BLOCKS: u64 = 1 << 14;

/// The arrays of [`Corners`].
struct Memory<D: Device> {
    offsets: Array<D, u64>,
    targets: Array<D, u32>,
    weights: Array<D, u8>,
    credits: Array<D, u64>,
    seen: Array<D, u64>,
}

impl<D: Device> Memory<D> {
    fn room(
        arrays: &mut Arrays<D>,
        vertices: u32,
        pairs: u64,
        weighted: bool,
    ) -> Result<Self, DeviceError> {
        let n = u64::from(vertices);
        Ok(Self {
            offsets: arrays.array("row offsets", n + 1)?,
            targets: arrays.array("pairs of neighbours", pairs)?,
            weights: if weighted {
                arrays.array("edges of each pair", pairs)?
            } else {
                Array::none()
            },
            credits: arrays.array("credits", n)?,
            seen: arrays.array("counts", SEEN_CORNERS)?,
        })
    }
}

/// A plan of the memory of a run.
fn plan<D: Device>(vertices: u32, pairs: u64, weighted: bool) -> Result<Arrays<D>, RunError> {
    let mut arrays = Arrays::planned();
    Memory::room(&mut arrays, vertices, pairs, weighted)?;
    Ok(arrays)
}

/// What a run takes; `answer` is what it makes of the credits, in bytes for each vertex.
fn needs<D: Device, E: Value>(
    graph: &Graph<E>,
    weighted: bool,
    answer: u64,
) -> Result<Needs, RunError> {
    let n = graph.vertex_count();
    let host = Pairs::needs(graph, weighted).with_host("credits", 8 * u64::from(n));
    let device = plan::<D>(n, Pairs::count_of(graph), weighted)?.into_needs();
    Ok(Needs { device, ..host.with_host("answer", answer * u64::from(n)) })
}

/// The window of a warp on this device.
///
/// # Errors
/// [`RunError::DeviceLimit`] if its blocks have too little shared memory.
fn window_of<D: Device>(device: &D) -> Result<u32, RunError> {
    const REASON: &str = "its blocks have less shared memory than the credits of their warps take";
    window(device.shared()).ok_or(RunError::DeviceLimit(REASON))
}

/// A graph on a device, ready for its triangles to be found.
struct Search<D: Device> {
    tools: Kernels<D, Tools>,
    options: SolveOptions,
    /// Number of distinct neighbours of each vertex.
    degrees: Vec<u32>,
    pairs: u64,
    weighted: bool,
    window: u32,
    memory: Memory<D>,
    report: DeviceReport,
    prepare_time: Duration,
}

impl<D: Device> Search<D> {
    /// If not `weighted`, every pair counts as one edge.
    fn new<E: Value>(
        gpu: &Gpu<D>,
        graph: &Graph<E>,
        weighted: bool,
        options: &SolveOptions,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        let tools = gpu.tools()?;
        let device = &gpu.device;
        let _part = device.part(|| "prepare triangles".into());
        let window = window_of(&**device)?;
        let Pairs { degrees, offsets, targets, weights } = Pairs::of(graph, weighted);
        let (n, pairs) = (graph.vertex_count(), targets.len() as u64);
        let preprocess_time = start.elapsed();
        let planned = plan::<D>(n, pairs, weighted)?;
        planned.check(&**device)?;

        let loading = Instant::now();
        tools.load(&[Set::Triangles])?;
        let load_time = loading.elapsed();

        let uploading = Instant::now();
        let memory = Memory::room(&mut Arrays::on(device), n, pairs, weighted)?;
        memory.offsets.write(&offsets)?;
        memory.targets.write(&targets)?;
        memory.weights.write(&weights)?;
        device.wait()?;
        let report = DeviceReport {
            load_time,
            upload_time: uploading.elapsed(),
            preprocess_time,
            ..DeviceReport::of(&**device, planned.into_needs())
        };
        Ok(Self {
            tools,
            options: options.clone(),
            degrees,
            pairs,
            weighted,
            window,
            memory,
            report,
            prepare_time: start.elapsed(),
        })
    }

    /// Whether a graph fits, as [`Solve::can_solve`]. Reads its rows only if it would not fit
    /// with as many pairs as it may have.
    fn can_be_made<E: Value>(
        gpu: &Gpu<D>,
        graph: &Graph<E>,
        weighted: bool,
    ) -> Result<(), RunError> {
        gpu.images.tools()?;
        window_of(&*gpu.device)?;
        // An undirected edge is in two rows, and a loop is in none.
        let most = if graph.directed() { graph.edge_count() } else { graph.edge_count() / 2 };
        let fits = |pairs| plan::<D>(graph.vertex_count(), pairs, weighted)?.check(&*gpu.device);
        match fits(most) {
            Err(RunError::TooLarge { .. }) => fits(Pairs::count_of(graph)),
            verdict => verdict,
        }
    }

    /// Finds all triangles. The time of the report does not include copying the credits.
    fn find(&self) -> Result<(Triangles, SolveReport), RunError> {
        let _part = self.tools.device().part(|| "triangles".into());
        let before = self.tools.launches();
        let mut log = PassLog::new(&self.options);
        let start = Instant::now();
        self.queue()?;
        let parts = self.memory.seen.to_vec()?;
        let mut sums = parts.chunks(COUNTS as usize).map(|parts| parts.iter().sum());
        let [triangles, vertices, edges] = [(); 3].map(|()| sums.next().unwrap_or(0));
        let stop = match log.pass("triangles", Seen { vertices, edges }, start.elapsed()) {
            ControlFlow::Continue(()) => StopReason::Halted,
            ControlFlow::Break(()) => StopReason::Cancelled,
        };
        let mut report = log.finish("cuda", stop);
        let launches = self.tools.launches() - before;
        let start = Instant::now();
        let credits = self.memory.credits.to_vec()?;
        let download_time = start.elapsed();
        report.prepare_time = self.prepare_time;
        let device = DeviceReport { download_time, launches, copies: 1, ..self.report.clone() };
        report.device = Some(Arc::new(device));
        Ok((Triangles { credits, triangles }, report))
    }

    /// Queues the search.
    fn queue(&self) -> Result<(), DeviceError> {
        let m = &self.memory;
        m.credits.fill(0)?;
        m.seen.fill(0)?;
        let a = Corners {
            vertices: self.degrees.len() as u32,
            window: self.window,
            weighted: self.weighted.into(),
            pairs: self.pairs,
            offsets: m.offsets.global(),
            targets: m.targets.global(),
            weights: m.weights.global(),
            credits: m.credits.global(),
            seen: m.seen.global(),
        };
        let warps = self.pairs.div_ceil(UNIT);
        let blocks = warps.div_ceil((BLOCK / WARP).into()).min(MOST_BLOCKS) as u32;
        // SAFETY: `Memory::room` made the arrays for these pairs, `new` has copied those that
        // the kernel reads, all of whose targets are vertices, and the others are 0. The block
        // has room for its windows.
        unsafe { self.tools.shared::<k::Triangles>(blocks, credit_bytes(self.window), &a) }
    }
}

impl<D: Device> fmt::Debug for Search<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("device", &self.report.name)
            .field("vertices", &self.degrees.len())
            .field("pairs", &self.pairs)
            .finish_non_exhaustive()
    }
}

/// A graph on a device, ready for its clustering coefficients to be found.
///
/// The device finds what each vertex is credited with, and all cores divide it by the number of
/// pairs of neighbours, which is part of the time of a run; copying the credits is not. An
/// observer is told of the one pass when it is done, so a run that it cancels is complete.
#[derive(Debug)]
pub struct GpuClustering<D: Device>(Search<D>);

impl<D: Device> Solve<LocalClustering> for Gpu<D> {
    type Solver<'g, E: Value> = GpuClustering<D>;

    fn prepare_solver<E: Value>(
        &self,
        _: LocalClustering,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Result<GpuClustering<D>, RunError> {
        Ok(GpuClustering(Search::new(self, graph, graph.directed(), options)?))
    }

    fn can_solve<E: Value>(&self, _: LocalClustering, graph: &Graph<E>) -> Result<(), RunError> {
        Search::can_be_made(self, graph, graph.directed())
    }

    fn needs<E: Value>(_: LocalClustering, graph: &Graph<E>) -> Result<Needs, RunError> {
        needs::<D, E>(graph, graph.directed(), 8)
    }
}

impl<D: Device> Solver for GpuClustering<D> {
    type Answer = Clustering;

    fn run(&mut self) -> Result<Solution<Clustering>, RunError> {
        let (found, mut report) = self.0.find()?;
        let start = Instant::now();
        let answer = Clustering::of(found, &self.0.degrees, self.0.weighted);
        report.time += start.elapsed();
        Ok(Solution { answer, report })
    }
}

/// A graph on a device, ready for its triangles to be counted; an observer is told as by
/// [`GpuClustering`].
#[derive(Debug)]
pub struct GpuTriangles<D: Device>(Search<D>);

impl<D: Device> Solve<CountTriangles> for Gpu<D> {
    type Solver<'g, E: Value> = GpuTriangles<D>;

    fn prepare_solver<E: Value>(
        &self,
        _: CountTriangles,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Result<GpuTriangles<D>, RunError> {
        Ok(GpuTriangles(Search::new(self, graph, false, options)?))
    }

    fn can_solve<E: Value>(&self, _: CountTriangles, graph: &Graph<E>) -> Result<(), RunError> {
        Search::can_be_made(self, graph, false)
    }

    fn needs<E: Value>(_: CountTriangles, graph: &Graph<E>) -> Result<Needs, RunError> {
        needs::<D, E>(graph, false, 4)
    }
}

impl<D: Device> Solver for GpuTriangles<D> {
    type Answer = TriangleCounts;

    fn run(&mut self) -> Result<Solution<TriangleCounts>, RunError> {
        let (found, report) = self.0.find()?;
        let answer = TriangleCounts::of(found, self.0.degrees.clone());
        Ok(Solution { answer, report })
    }
}

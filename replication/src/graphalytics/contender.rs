//! What runs an algorithm.

use std::time::Instant;

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_algos::verify::expected::Found;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, LocalClustering, Problem, RunError, RunOptions, Solve,
    SolveOptions,
};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId};

use super::data_set::Ready;
use super::task::Task;
use crate::{ReplicationError, UseGpu, device};

/// An engine.
pub trait Contender {
    /// As in tables.
    fn name(&self) -> &'static str;
    /// The GPU's name, if it is one.
    fn device(&self) -> Option<&str>;
    /// Prepares the graph and runs once; `None` if the algorithm needs weights and the graph has
    /// none.
    fn run(&self, task: Task, source: VertexId, graph: &Ready) -> Result<Option<Run>, RunError>;
}

/// Engines, in the order of the report.
pub type Contenders = Vec<Box<dyn Contender>>;

/// One run.
pub struct Run {
    pub values: Computed,
    /// Seconds of the algorithm alone.
    pub processing: f64,
    /// Seconds from the call to the values in the user's order.
    pub makespan: f64,
}

/// The value of every vertex, in the user's order.
pub enum Computed {
    Levels(Vec<u32>),
    Labels(Vec<VertexId>),
    Partition(Vec<VertexId>),
    Distances(Vec<f32>),
    Reals(Vec<f64>),
}

impl Computed {
    /// The same, with the rule to compare it by.
    pub fn found(&self) -> Found<'_> {
        match self {
            Self::Levels(values) => Found::Levels(values),
            Self::Labels(values) => Found::Vertices(values),
            Self::Partition(values) => Found::Partition(values),
            Self::Distances(values) => Found::F32(values),
            Self::Reals(values) => Found::F64(values),
        }
    }
}

/// All engines; and why there is no GPU among them, if there is none.
///
/// # Errors
/// If the GPU that is named cannot be used.
pub fn contenders(which: UseGpu) -> Result<(Contenders, Option<String>), ReplicationError> {
    let mut all: Contenders = vec![Box::new(On::cpu())];
    match device::open(which)? {
        Ok(gpu) => {
            all.push(on_gpu(gpu));
            Ok((all, None))
        }
        Err(why) => Ok((all, Some(why))),
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn on_gpu(gpu: device::Cuda) -> Box<dyn Contender> {
    use pregel_core::engine::gpu::Device;

    let device = Some(gpu.device().name());
    Box::new(On { name: "cuda", device, engine: gpu })
}

#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn on_gpu(none: device::Cuda) -> Box<dyn Contender> {
    match none {}
}

/// An engine for vertex programs, components and clustering coefficients.
pub struct On<E> {
    pub name: &'static str,
    pub device: Option<String>,
    pub engine: E,
}

impl On<Cpu> {
    /// All threads of the pool.
    pub fn cpu() -> Self {
        Self { name: "cpu", device: None, engine: Cpu::new() }
    }
}

impl<E> Contender for On<E>
where
    E: Engine + Solve<ConnectedComponents> + Solve<LocalClustering>,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn device(&self) -> Option<&str> {
        self.device.as_deref()
    }

    fn run(&self, task: Task, source: VertexId, graph: &Ready) -> Result<Option<Run>, RunError> {
        let (engine, plain) = (&self.engine, &graph.plain);
        let run = match task {
            Task::Bfs { .. } => program(engine, plain, &Bfs { source }, None, Computed::Levels),
            Task::Cdlp { iterations } => {
                program(engine, plain, &Cdlp, Some(iterations), Computed::Labels)
            }
            Task::PageRank { damping, iterations } => {
                // The benchmark's runs do not stop when ranks converge.
                let ranks = PageRank::<f64>::new(damping, 0.0);
                program(engine, plain, &ranks, Some(iterations), Computed::Reals)
            }
            Task::Sssp { .. } => {
                let Some(weighted) = &graph.weighted else { return Ok(None) };
                program(engine, weighted, &Sssp { source }, None, Computed::Distances)
            }
            Task::Wcc => solve(engine, ConnectedComponents, plain, Computed::Partition),
            Task::Lcc => {
                solve(engine, LocalClustering, plain, |found| Computed::Reals(found.coefficients))
            }
        };
        run.map(Some)
    }
}

fn program<P: VertexCompute<Input = ()>>(
    engine: &impl Engine,
    graph: &Graph<P::Edge>,
    program: &P,
    limit: Option<u32>,
    values: impl Fn(Vec<P::State>) -> Computed,
) -> Result<Run, RunError> {
    let options = RunOptions::default().with_max_supersteps(limit).with_expected_runs(1);
    let begin = Instant::now();
    let outcome = engine.run(graph, program, &options)?;
    let makespan = begin.elapsed().as_secs_f64();
    let processing = outcome.report.time.as_secs_f64();
    Ok(Run { values: values(outcome.states), processing, makespan })
}

fn solve<Q: Problem>(
    engine: &impl Solve<Q>,
    problem: Q,
    graph: &Graph,
    values: impl Fn(Q::Answer) -> Computed,
) -> Result<Run, RunError> {
    let options = SolveOptions::default().with_expected_runs(1);
    let begin = Instant::now();
    let solution = engine.solve(problem, graph, &options)?;
    let makespan = begin.elapsed().as_secs_f64();
    let processing = solution.report.time.as_secs_f64();
    Ok(Run { values: values(solution.answer), processing, makespan })
}

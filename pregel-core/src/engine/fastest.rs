//! The GPU where possible, the CPU otherwise.

use std::fmt;

use super::cpu::CpuSession;
use super::gpu::{Device, DeviceError, Gpu, GpuSession};
use super::{
    Cpu, Engine, Outcome, Problem, RunError, RunOptions, Session, Solution, Solve, SolveOptions,
    Solver,
};
use crate::graph::Graph;
use crate::program::{Value, VertexCompute};

/// Runs on a GPU if there is one, it has the program's kernels and the graph
/// fits its memory; otherwise on all cores.
///
/// The report of a run names the engine that ran it. If the memory of the GPU
/// runs out during a run, because something else took it meanwhile, the run
/// starts again on all cores, and so do all later runs of the session. An observer
/// is then called for superstep 0 again.
#[derive(Clone)]
pub struct Fastest<D: Device> {
    gpu: Option<Gpu<D>>,
    cpu: Cpu,
}

impl<D: Device> Fastest<D> {
    /// Chooses between this GPU, if there is one, and all cores.
    pub fn new(gpu: Option<Gpu<D>>) -> Self {
        Self { gpu, cpu: Cpu::new() }
    }

    /// The GPU that it uses where possible.
    pub fn gpu(&self) -> Option<&Gpu<D>> {
        self.gpu.as_ref()
    }

    /// Why this program would not run on the GPU; `None` if it would, or if there is
    /// no GPU.
    ///
    /// Whether the memory is really there shows only when it is allocated. If it is
    /// not, the program runs on the CPU all the same.
    pub fn refusal<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> Option<RunError> {
        self.gpu.as_ref().and_then(|gpu| gpu.check::<P>(graph, options).err())
    }

    /// Why this problem would not be solved on the GPU; `None` if it would, or if there is
    /// no GPU.
    pub fn solver_refusal<Q: Problem, E: Value>(
        &self,
        problem: Q,
        graph: &Graph<E>,
    ) -> Option<RunError>
    where
        Gpu<D>: Solve<Q>,
    {
        self.gpu.as_ref().and_then(|gpu| gpu.can_solve(problem, graph).err())
    }
}

impl<D: Device, Q: Problem> Solve<Q> for Fastest<D>
where
    Gpu<D>: Solve<Q>,
    Cpu: Solve<Q>,
{
    type Solver<'g, E: Value> = FastestSolver<'g, D, Q, E>;

    fn prepare_solver<'g, E: Value>(
        &self,
        problem: Q,
        graph: &'g Graph<E>,
        options: &SolveOptions,
    ) -> Result<FastestSolver<'g, D, Q, E>, RunError> {
        let on_gpu = match &self.gpu {
            Some(gpu) => unless_avoidable(gpu.prepare_solver(problem, graph, options))?,
            None => None,
        };
        let (cpu, options) = (self.cpu.clone(), options.clone());
        Ok(FastestSolver { on_gpu, cpu, problem, graph, options })
    }

    fn can_solve<E: Value>(&self, problem: Q, graph: &Graph<E>) -> Result<(), RunError> {
        self.cpu.can_solve(problem, graph)
    }
}

/// What a GPU has prepared; `None` if another engine may do what it cannot.
fn unless_avoidable<S>(prepared: Result<S, RunError>) -> Result<Option<S>, RunError> {
    match prepared {
        Ok(session) => Ok(Some(session)),
        Err(
            RunError::NoKernels { .. }
            | RunError::TooLarge { .. }
            | RunError::DeviceLimit(_)
            | RunError::Device(_),
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a run on a GPU gave; `None` if the GPU's memory ran out.
fn unless_out_of_memory<R>(run: Result<R, RunError>) -> Result<Option<R>, RunError> {
    match run {
        Ok(outcome) => Ok(Some(outcome)),
        Err(RunError::TooLarge { .. } | RunError::Device(DeviceError::Memory { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A graph made ready for a problem, on either engine.
pub struct FastestSolver<'g, D: Device, Q: Problem, E: Value>
where
    Gpu<D>: Solve<Q>,
{
    /// `None`: on all cores.
    on_gpu: Option<<Gpu<D> as Solve<Q>>::Solver<'g, E>>,
    cpu: Cpu,
    problem: Q,
    graph: &'g Graph<E>,
    options: SolveOptions,
}

impl<D: Device, Q: Problem, E: Value> Solver for FastestSolver<'_, D, Q, E>
where
    Gpu<D>: Solve<Q>,
    Cpu: Solve<Q>,
{
    type Answer = Q::Answer;

    fn run(&mut self) -> Result<Solution<Q::Answer>, RunError> {
        if let Some(solver) = &mut self.on_gpu {
            if let Some(found) = unless_out_of_memory(solver.run())? {
                return Ok(found);
            }
            self.on_gpu = None;
        }
        self.cpu.solve(self.problem, self.graph, &self.options)
    }
}

impl<D: Device, Q: Problem, E: Value> fmt::Debug for FastestSolver<'_, D, Q, E>
where
    Gpu<D>: Solve<Q>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestSolver")
            .field("on_gpu", &self.on_gpu.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
impl Fastest<super::gpu::CudaDevice> {
    /// Chooses between the first GPU of this machine and all cores. A driver
    /// that does not work counts as none.
    pub fn find(images: super::gpu::Images<super::gpu::Ptx>) -> Self {
        Self::new(super::gpu::Cuda::open(0, images).ok())
    }
}

/// A graph prepared on either engine.
pub struct FastestSession<'g, D: Device, P: VertexCompute> {
    ready: Ready<'g, D, P>,
    // The rest is for a run that does not fit the GPU after all.
    cpu: Cpu,
    graph: &'g Graph<P::Edge>,
    options: RunOptions,
}

enum Ready<'g, D: Device, P: VertexCompute> {
    Gpu(Box<GpuSession<'g, D, P>>),
    Cpu(Box<CpuSession<'g, P>>),
}

impl<D: Device> Engine for Fastest<D> {
    type Session<'g, P: VertexCompute> = FastestSession<'g, D, P>;

    fn name(&self) -> &'static str {
        "auto"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError> {
        let on_gpu = match &self.gpu {
            Some(gpu) => unless_avoidable(gpu.prepare::<P>(graph, options))?,
            None => None,
        };
        let ready = match on_gpu {
            Some(session) => Ready::Gpu(Box::new(session)),
            None => Ready::Cpu(Box::new(self.cpu.prepare::<P>(graph, options)?)),
        };
        Ok(FastestSession { ready, cpu: self.cpu.clone(), graph, options: options.clone() })
    }
}

impl<D: Device, P: VertexCompute> Session<P> for FastestSession<'_, D, P> {
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        match &mut self.ready {
            Ready::Cpu(session) => return session.run_with(program, inputs),
            Ready::Gpu(session) => {
                if let Some(outcome) = unless_out_of_memory(session.run_with(program, inputs))? {
                    return Ok(outcome);
                }
            }
        }
        let mut session = self.cpu.prepare::<P>(self.graph, &self.options)?;
        let outcome = session.run_with(program, inputs);
        self.ready = Ready::Cpu(Box::new(session));
        outcome
    }
}

impl<D: Device> fmt::Debug for Fastest<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fastest").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for FastestSession<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestSession")
            .field("on_gpu", &matches!(self.ready, Ready::Gpu(_)))
            .finish_non_exhaustive()
    }
}

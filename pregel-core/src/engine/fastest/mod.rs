//! All cores or a GPU, whichever is done sooner.

mod estimate;
mod run;
mod session;
mod solver;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use estimate::Job;
pub use run::{FastestKept, FastestRun};
pub use session::FastestSession;
pub use solver::FastestSolver;

use super::gpu::{Device, DeviceError, Gpu};
use super::{Cpu, Engine, Needs, Problem, RunError, RunOptions, Solve, SolveOptions};
use crate::graph::Graph;
use crate::program::{Value, VertexCompute};

/// Runs on all cores or on a GPU, where the result is expected sooner: the time to start the
/// GPU and to copy the graph counts, for as many runs as
/// [`RunOptions::expected_runs`] says. A GPU needs the program's kernels, and memory for the
/// graph.
///
/// The report of a run names the engine that ran it. If the memory of the GPU
/// runs out during a run, because something else took it meanwhile, the run
/// starts again on all cores, and so do all later runs of the session. An observer
/// is then called for superstep 0 again.
pub struct Fastest<D: Device> {
    gpu: Arc<Lazy<D>>,
    cpu: Cpu,
    gpu_first: bool,
}

/// A GPU that is opened when it is needed.
struct Lazy<D: Device> {
    gpu: OnceLock<Option<Gpu<D>>>,
    open: Box<dyn Fn() -> Option<Gpu<D>> + Send + Sync>,
}

impl<D: Device> Lazy<D> {
    fn get(&self) -> Option<&Gpu<D>> {
        self.gpu.get_or_init(&self.open).as_ref()
    }
}

/// Where [`Fastest`] runs something, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placement {
    /// On the GPU.
    Gpu,
    /// On all cores, since there is no GPU.
    NoGpu,
    /// On all cores, since the result is expected sooner; no GPU was looked for.
    Sooner {
        /// How long it takes there.
        cpu: Duration,
        /// How long it would take on a GPU, from its start on.
        gpu: Duration,
    },
    /// On all cores, since the GPU cannot, or has no memory for it.
    Refused(RunError),
}

impl<D: Device> Fastest<D> {
    /// Chooses between this GPU, if there is one, and all cores.
    pub fn new(gpu: Option<Gpu<D>>) -> Self {
        let lazy = Lazy { gpu: OnceLock::from(gpu), open: Box::new(|| None) };
        Self { gpu: Arc::new(lazy), cpu: Cpu::new(), gpu_first: false }
    }

    /// Chooses between the GPU that `open` gives, if it gives one, and all cores. It is not
    /// called before a GPU is needed, and at most once.
    pub fn with_lazy_gpu(open: impl Fn() -> Option<Gpu<D>> + Send + Sync + 'static) -> Self {
        let lazy = Lazy { gpu: OnceLock::new(), open: Box::new(open) };
        Self { gpu: Arc::new(lazy), cpu: Cpu::new(), gpu_first: false }
    }

    /// Sets whether to use the GPU wherever that is possible, however long it takes.
    #[must_use]
    pub fn with_gpu_first(self, gpu_first: bool) -> Self {
        Self { gpu_first, ..self }
    }

    /// The GPU if it was needed so far, and opened.
    pub fn opened(&self) -> Option<&Gpu<D>> {
        self.gpu.gpu.get().and_then(Option::as_ref)
    }

    /// The GPU, which is opened if it was not before.
    pub fn gpu(&self) -> Option<&Gpu<D>> {
        self.gpu.get()
    }

    /// Where this program would run.
    ///
    /// Whether the memory is really there shows only when it is allocated. If it is
    /// not, the program runs on the CPU all the same.
    pub fn placement<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> Placement {
        let job = Job::of_program::<P>(graph, options);
        self.place(&job, |gpu| gpu.check::<P>(graph, options))
    }

    /// Whether this program would be tried on the GPU, which is opened if it is worth its start.
    /// Unlike [`placement`](Self::placement), does not ask whether the GPU can run it, and so takes
    /// no time for large graphs. O(1).
    pub fn tries_gpu<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> bool {
        self.gpu_for(&Job::of_program::<P>(graph, options)).is_some()
    }

    /// Where this problem would be solved; as [`placement`](Self::placement).
    pub fn solver_placement<Q: Problem, E: Value>(
        &self,
        problem: Q,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Placement
    where
        Gpu<D>: Solve<Q>,
    {
        let job = Job::of_solver::<Q, E>(graph, options);
        self.place(&job, |gpu| gpu.can_solve(problem, graph))
    }

    fn place(&self, job: &Job, check: impl FnOnce(&Gpu<D>) -> Result<(), RunError>) -> Placement {
        if let Err((cpu, gpu)) = self.worth_a_gpu(job) {
            return Placement::Sooner { cpu, gpu };
        }
        match self.gpu() {
            None => Placement::NoGpu,
            Some(gpu) => check(gpu).map_or_else(Placement::Refused, |()| Placement::Gpu),
        }
    }

    /// # Errors
    /// How long the job takes on all cores and on a GPU, if that is not sooner.
    fn worth_a_gpu(&self, job: &Job) -> Result<(), (Duration, Duration)> {
        let started = self.gpu.gpu.get().is_some();
        let times = (job.on_cores(rayon::current_num_threads()), job.on_gpu(started));
        if self.gpu_first || times.1 < times.0 { Ok(()) } else { Err(times) }
    }

    /// The GPU, if there is one and the job is worth it.
    fn gpu_for(&self, job: &Job) -> Option<&Gpu<D>> {
        self.worth_a_gpu(job).ok().and_then(|()| self.gpu())
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
        let on_gpu = match self.gpu_for(&Job::of_solver::<Q, E>(graph, options)) {
            Some(gpu) => unless_avoidable(gpu.prepare_solver(problem, graph, options))?,
            None => None,
        };
        let (cpu, options) = (self.cpu.clone(), options.clone());
        Ok(FastestSolver::new(on_gpu, cpu, problem, graph, options))
    }

    fn can_solve<E: Value>(&self, problem: Q, graph: &Graph<E>) -> Result<(), RunError> {
        self.cpu.can_solve(problem, graph)
    }

    /// What all cores need; the GPU's needs are those of [`Gpu`].
    fn needs<E: Value>(problem: Q, graph: &Graph<E>) -> Result<Needs, RunError> {
        <Cpu as Solve<Q>>::needs(problem, graph)
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

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
impl Fastest<super::gpu::CudaDevice> {
    /// Chooses between the first GPU of this machine and all cores. The GPU is looked for
    /// when it is needed first. A driver that does not work counts as none.
    pub fn find(images: super::gpu::Images<super::gpu::Ptx>) -> Self {
        Self::with_lazy_gpu(move || super::gpu::Cuda::open(0, images.clone()).ok())
    }
}

impl<D: Device> Engine for Fastest<D> {
    type Session<'g, P: VertexCompute> = FastestSession<'g, D, P>;
    type Kept<T: Value> = FastestKept<D, T>;

    fn name(&self) -> &'static str {
        "auto"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError> {
        let on_gpu = match self.gpu_for(&Job::of_program::<P>(graph, options)) {
            Some(gpu) => unless_avoidable(gpu.prepare::<P>(graph, options))?,
            None => None,
        };
        FastestSession::new(on_gpu, &self.cpu, graph, options)
    }
}

// Derived, it would need a device that can be cloned.
impl<D: Device> Clone for Fastest<D> {
    fn clone(&self) -> Self {
        let (gpu, cpu) = (self.gpu.clone(), self.cpu.clone());
        Self { gpu, cpu, gpu_first: self.gpu_first }
    }
}

impl<D: Device> fmt::Debug for Fastest<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fastest").field("gpu", &self.gpu.gpu.get()).finish_non_exhaustive()
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

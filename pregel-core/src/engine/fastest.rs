//! The GPU where possible, the CPU otherwise.

use std::borrow::Cow;
use std::fmt;

use super::cpu::{CpuRun, CpuSession};
use super::gpu::{Device, DeviceError, Gpu, GpuKept, GpuRun, GpuSession};
use super::{
    Cpu, Engine, Inputs, InputsOf, Kept, KeptOutcome, Outcome, Problem, Progress, Run, RunError,
    RunOptions, Saved, Session, Solution, Solve, SolveOptions, Solver,
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
    /// Whether a run found too little memory on the GPU.
    exhausted: bool,
    // The rest is for a run that does not fit the GPU after all.
    cpu: Cpu,
    graph: &'g Graph<P::Edge>,
    options: RunOptions,
}

enum Ready<'g, D: Device, P: VertexCompute> {
    Gpu(Box<GpuSession<'g, D, P>>),
    Cpu(Box<CpuSession<'g, P>>),
    /// The memory of the GPU ran out, and no run has begun since.
    Neither,
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
        let on_gpu = match &self.gpu {
            Some(gpu) => unless_avoidable(gpu.prepare::<P>(graph, options))?,
            None => None,
        };
        let ready = match on_gpu {
            Some(session) => Ready::Gpu(Box::new(session)),
            None => Ready::Cpu(Box::new(self.cpu.prepare::<P>(graph, options)?)),
        };
        let (cpu, options) = (self.cpu.clone(), options.clone());
        Ok(FastestSession { ready, exhausted: false, cpu, graph, options })
    }
}

impl<'g, D: Device, P: VertexCompute> Session<P> for FastestSession<'g, D, P> {
    type Engine = Fastest<D>;

    type Run<'r>
        = FastestRun<'r, 'g, D, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, FastestKept<D, P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<FastestRun<'r, 'g, D, P>, RunError> {
        self.settle();
        if matches!(self.ready, Ready::Neither) {
            let session = self.cpu.prepare::<P>(self.graph, &self.options)?;
            self.ready = Ready::Cpu(Box::new(session));
        }
        let inputs = match inputs {
            Inputs::Given(values) => Inputs::Given(values),
            Inputs::Kept(FastestKept(inputs)) => inputs,
        };
        let Self { ready, exhausted, cpu, graph, options } = self;
        let (on, again) = match ready {
            Ready::Cpu(session) => {
                let run = CpuRun::new(session, *program, inputs.into_host()?, saved)?;
                (On::Cpu(Box::new(run)), None)
            }
            Ready::Gpu(session) => {
                let again = Beginning {
                    inputs: match &inputs {
                        Inputs::Given(values) => Inputs::Given(values.clone()),
                        Inputs::Kept(kept) => Inputs::Kept(kept.share()),
                    },
                    saved: saved.cloned(),
                };
                let run = unless_out_of_memory(session.begin(program, inputs, saved))?;
                (run.map_or(On::Neither, |run| On::Gpu(Box::new(run))), Some(again))
            }
            Ready::Neither => return Err(lost()),
        };
        let program = *program;
        let spare = Spare { cpu, graph, options, program, again, exhausted, done: 0 };
        let mut run = FastestRun { on, spare };
        if matches!(run.on, On::Neither) {
            run.change_over()?;
        }
        Ok(run)
    }

    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let mut run = self.start(program, inputs)?;
        run.advance_to_end()?;
        let outcome = run.finish();
        self.settle();
        outcome
    }
}

impl<D: Device, P: VertexCompute> FastestSession<'_, D, P> {
    /// Frees what is on the GPU if its memory ran out.
    fn settle(&mut self) {
        if self.exhausted && matches!(self.ready, Ready::Gpu(_)) {
            self.ready = Ready::Neither;
        }
    }
}

/// A run on either engine.
pub struct FastestRun<'r, 'g, D: Device, P: VertexCompute> {
    on: On<'r, 'g, D, P>,
    spare: Spare<'r, 'g, D, P>,
}

/// The engine of a run.
enum On<'r, 'g, D: Device, P: VertexCompute> {
    Gpu(Box<GpuRun<'r, 'g, D, P>>),
    Cpu(Box<CpuRun<'r, 'g, P>>),
    /// The GPU had no memory, and the CPU has not started.
    Neither,
}

/// What a run needs to begin again on the CPU.
struct Spare<'r, 'g, D: Device, P: VertexCompute> {
    cpu: &'r Cpu,
    graph: &'g Graph<P::Edge>,
    options: &'r RunOptions,
    program: P,
    /// `None` once the run has begun on the CPU.
    again: Option<Beginning<'r, D, P>>,
    exhausted: &'r mut bool,
    /// How many supersteps the caller has asked for so far.
    done: u32,
}

/// How a run began.
struct Beginning<'r, D: Device, P: VertexCompute> {
    inputs: InputsOf<'r, Gpu<D>, P>,
    /// Where the run was resumed, if it was.
    saved: Option<Saved<P>>,
}

impl<D: Device, P: VertexCompute> FastestRun<'_, '_, D, P> {
    /// Begins again on the CPU, and goes on to where the run was.
    fn change_over(&mut self) -> Result<(), RunError> {
        let Spare { cpu, graph, options, program, again, exhausted, done } = &mut self.spare;
        **exhausted = true;
        // What is on the GPU is freed first.
        self.on = On::Neither;
        let session = cpu.prepare::<P>(graph, options)?;
        let Beginning { inputs, saved } = again.take().ok_or_else(lost)?;
        let inputs = inputs.into_host()?;
        let mut run = CpuRun::owning(session, *program, inputs, saved.as_ref())?;
        run.advance(*done)?;
        self.on = On::Cpu(Box::new(run));
        Ok(())
    }
}

/// The error of a run that ended in an error before.
fn lost() -> RunError {
    RunError::Device(DeviceError::Call {
        call: "a run",
        reason: "it ended in an error before".into(),
    })
}

impl<D: Device, P: VertexCompute> Run<P> for FastestRun<'_, '_, D, P> {
    type Engine = Fastest<D>;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        if let On::Gpu(run) = &mut self.on {
            if let Some(progress) = unless_out_of_memory(run.advance(at_most))? {
                self.spare.done = self.spare.done.saturating_add(at_most);
                return Ok(progress);
            }
            self.change_over()?;
        }
        match &mut self.on {
            On::Cpu(run) => run.advance(at_most),
            _ => Err(lost()),
        }
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        match &self.on {
            On::Gpu(run) => run.save(),
            On::Cpu(run) => run.save(),
            On::Neither => Err(lost()),
        }
    }

    fn save_into(&self, saved: &mut Saved<P>) -> Result<(), RunError> {
        match &self.on {
            On::Gpu(run) => run.save_into(saved),
            On::Cpu(run) => run.save_into(saved),
            On::Neither => Err(lost()),
        }
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        match self.on {
            On::Gpu(run) => run.finish(),
            On::Cpu(run) => run.finish(),
            On::Neither => Err(lost()),
        }
    }

    fn keep(self) -> Result<KeptOutcome<Fastest<D>, P>, RunError> {
        match self.on {
            On::Gpu(run) => Ok(run.keep()?.map_states(|kept| FastestKept(Inputs::Kept(kept)))),
            On::Cpu(run) => Ok(run.keep()?.map_states(FastestKept::of_host)),
            On::Neither => Err(lost()),
        }
    }
}

/// The states of a run, on the GPU if they are there.
pub struct FastestKept<D: Device, T: Value>(Inputs<'static, T, GpuKept<D, T>>);

impl<D: Device, T: Value> FastestKept<D, T> {
    fn of_host(values: Vec<T>) -> Self {
        Self(Inputs::Given(Cow::Owned(values)))
    }
}

impl<D: Device, T: Value> Kept<T> for FastestKept<D, T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn to_vec(&self) -> Result<Vec<T>, RunError> {
        match &self.0 {
            Inputs::Given(values) => Ok(values.to_vec()),
            Inputs::Kept(kept) => kept.to_vec(),
        }
    }

    fn into_vec(self) -> Result<Vec<T>, RunError> {
        self.0.into_host().map(Cow::into_owned)
    }
}

impl<D: Device, T: Value> fmt::Debug for FastestKept<D, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestKept")
            .field("values", &self.len())
            .field("on_gpu", &matches!(self.0, Inputs::Kept(_)))
            .finish()
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for FastestRun<'_, '_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestRun")
            .field("on_gpu", &matches!(self.on, On::Gpu(_)))
            .finish_non_exhaustive()
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

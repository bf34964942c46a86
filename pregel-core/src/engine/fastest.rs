//! The GPU where it can, the CPU where it must.

use std::fmt;

use super::cpu::CpuSession;
use super::gpu::{Device, DeviceError, Gpu, GpuComponents, GpuSession};
use super::shortcut::check_options;
use super::{Components, Cpu, Engine, Outcome, RunError, RunOptions, Session};
use crate::graph::Graph;
use crate::program::{Value, VertexCompute};

/// Runs on a GPU if there is one, it has the program's kernels and the graph
/// fits its memory; otherwise on all cores.
///
/// The report of a run names the engine that ran it. If the memory of the GPU
/// runs out during a run, because something else took it meanwhile, the run
/// starts again on all cores, where the session then stays; an observer hears of
/// supersteps from 0 on once more.
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

    /// The GPU that it uses when it can.
    pub fn gpu(&self) -> Option<&Gpu<D>> {
        self.gpu.as_ref()
    }

    /// Why a run of this program would not go to the GPU; `None` if it would,
    /// or if there is no GPU.
    ///
    /// What shows only while memory is taken is not known here: such a run goes
    /// to the CPU all the same.
    pub fn refusal<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> Option<RunError> {
        self.gpu.as_ref().and_then(|gpu| gpu.check::<P>(graph, options).err())
    }
}

impl<D: Device> Fastest<D> {
    /// Finds the weakly connected components of `graph`, whatever the direction
    /// of its edges.
    ///
    /// # Errors
    /// As [`prepare_components`](Fastest::prepare_components), and when a GPU
    /// fails during the run for any other reason than a lack of memory.
    pub fn components<E: Value>(
        &self,
        graph: &Graph<E>,
        options: &RunOptions,
    ) -> Result<Components, RunError> {
        self.prepare_components(graph, options)?.run()
    }

    /// Makes a graph ready for its components to be found, on either engine.
    ///
    /// # Errors
    /// [`RunError::Unsupported`] when the options ask for a strategy or a
    /// superstep limit: this is no vertex program.
    pub fn prepare_components<'g, E: Value>(
        &self,
        graph: &'g Graph<E>,
        options: &RunOptions,
    ) -> Result<FastestComponents<'g, D, E>, RunError> {
        let on_gpu = match &self.gpu {
            Some(gpu) => unless_avoidable(gpu.prepare_components(graph, options))?,
            None => None,
        };
        if on_gpu.is_none() {
            check_options(options)?;
        }
        let (on_gpu, cpu) = (on_gpu.map(Box::new), self.cpu.clone());
        Ok(FastestComponents { on_gpu, cpu, graph, options: options.clone() })
    }

    /// Why components would not be found on the GPU; `None` if they would, or if
    /// there is no GPU.
    pub fn components_refusal<E: Value>(
        &self,
        graph: &Graph<E>,
        options: &RunOptions,
    ) -> Option<RunError> {
        self.gpu.as_ref().and_then(|gpu| gpu.check_components(graph, options).err())
    }
}

/// What a GPU has prepared; `None` if another engine may do what it cannot.
fn unless_avoidable<S>(prepared: Result<S, RunError>) -> Result<Option<S>, RunError> {
    match prepared {
        Ok(session) => Ok(Some(session)),
        Err(RunError::NoKernels { .. } | RunError::TooLarge { .. } | RunError::Device(_)) => {
            Ok(None)
        }
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

/// A graph whose components can be found, on either engine.
pub struct FastestComponents<'g, D: Device, E> {
    /// `None`: on all cores, for which nothing need be prepared.
    on_gpu: Option<Box<GpuComponents<D>>>,
    cpu: Cpu,
    graph: &'g Graph<E>,
    options: RunOptions,
}

impl<D: Device, E: Value> FastestComponents<'_, D, E> {
    /// Finds the components.
    ///
    /// # Errors
    /// When the GPU fails for any other reason than a lack of memory.
    pub fn run(&mut self) -> Result<Components, RunError> {
        if let Some(session) = &mut self.on_gpu {
            if let Some(components) = unless_out_of_memory(session.run())? {
                return Ok(components);
            }
            self.on_gpu = None;
        }
        self.cpu.components(self.graph, &self.options)
    }
}

impl<D: Device, E> fmt::Debug for FastestComponents<'_, D, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestComponents")
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

/// A graph made ready on either engine.
pub struct FastestSession<'g, D: Device, P: VertexCompute> {
    ready: Ready<'g, D, P>,
    // For a run that does not fit the GPU after all.
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

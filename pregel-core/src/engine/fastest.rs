//! The GPU where it can, the CPU where it must.

use std::fmt;

use super::gpu::{Device, Gpu, GpuComponents, GpuSession};
use super::shortcut::check_options;
use super::{Components, Cpu, Engine, Outcome, RunError, RunOptions, Session};
use crate::graph::Graph;
use crate::program::{Value, VertexCompute};

/// Runs on a GPU if there is one, it has the program's kernels and the graph
/// fits its memory; else on all cores.
///
/// The report of a run names the engine that ran it.
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
    /// fails during the run.
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
        if let Some(gpu) = &self.gpu {
            match gpu.prepare_components(graph, options) {
                Ok(session) => return Ok(FastestComponents::Gpu(Box::new(session))),
                Err(error) if !avoidable(&error) => return Err(error),
                Err(_) => {}
            }
        }
        check_options(options)?;
        Ok(FastestComponents::Cpu { engine: self.cpu.clone(), graph, options: options.clone() })
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

/// Whether another engine may do what this one did not.
fn avoidable(error: &RunError) -> bool {
    matches!(error, RunError::NoKernels { .. } | RunError::TooLarge { .. } | RunError::Device(_))
}

/// A graph whose components can be found, on either engine.
pub enum FastestComponents<'g, D: Device, E> {
    /// On the GPU.
    Gpu(Box<GpuComponents<D>>),
    /// On all cores.
    Cpu {
        /// The engine.
        engine: Cpu,
        /// The graph as it is: nothing need be prepared.
        graph: &'g Graph<E>,
        /// How to run.
        options: RunOptions,
    },
}

impl<D: Device, E: Value> FastestComponents<'_, D, E> {
    /// Finds the components.
    ///
    /// # Errors
    /// When the GPU fails.
    pub fn run(&mut self) -> Result<Components, RunError> {
        match self {
            Self::Gpu(session) => session.run(),
            Self::Cpu { engine, graph, options } => engine.components(graph, options),
        }
    }
}

impl<D: Device, E> fmt::Debug for FastestComponents<'_, D, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gpu(_) => "FastestComponents::Gpu",
            Self::Cpu { .. } => "FastestComponents::Cpu",
        })
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
pub enum FastestSession<'g, D: Device, P: VertexCompute> {
    /// On the GPU.
    Gpu(Box<GpuSession<'g, D, P>>),
    /// On all cores.
    Cpu(Box<<Cpu as Engine>::Session<'g, P>>),
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
        if let Some(gpu) = &self.gpu {
            match gpu.prepare::<P>(graph, options) {
                Ok(session) => return Ok(FastestSession::Gpu(Box::new(session))),
                Err(error) if !avoidable(&error) => return Err(error),
                Err(_) => {}
            }
        }
        Ok(FastestSession::Cpu(Box::new(self.cpu.prepare::<P>(graph, options)?)))
    }
}

impl<D: Device, P: VertexCompute> Session<P> for FastestSession<'_, D, P> {
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        match self {
            Self::Gpu(session) => session.run_with(program, inputs),
            Self::Cpu(session) => session.run_with(program, inputs),
        }
    }
}

impl<D: Device> fmt::Debug for Fastest<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fastest").field("gpu", &self.gpu).finish_non_exhaustive()
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for FastestSession<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gpu(_) => "FastestSession::Gpu",
            Self::Cpu(_) => "FastestSession::Cpu",
        })
    }
}

//! What runs the programs.

use anyhow::Result;
use pregel_core::engine::gpu::GpuOptions;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::gpu::{Cuda, CudaDevice};

use crate::args::EngineChoice;
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
use crate::plan::UsageError;

/// The engine of choice, opened as far as must be known before any work.
#[derive(Debug)]
pub enum Machine {
    Reference,
    Cpu,
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    Cuda(Box<Cuda>),
    /// A GPU where it can, else all cores; looked for when it is needed.
    Auto,
}

impl Machine {
    /// Opens a GPU that the user names, so that a missing one is told at once.
    pub fn open(engine: EngineChoice, layout: &GpuOptions) -> Result<Self> {
        match engine {
            EngineChoice::Auto => Ok(Self::Auto),
            EngineChoice::Cpu => Ok(Self::Cpu),
            EngineChoice::Reference => Ok(Self::Reference),
            EngineChoice::Cuda(number) => open_gpu(number, layout),
        }
    }

    /// Whether programs run on a GPU, or will if they can.
    pub fn is_gpu(&self) -> bool {
        match self {
            Self::Reference | Self::Cpu => false,
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Self::Cuda(_) => true,
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Self::Auto => CudaDevice::count() > 0,
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Self::Auto => false,
        }
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn open_gpu(number: u32, layout: &GpuOptions) -> Result<Machine> {
    let engine = Cuda::open(number, pregel_algos::images());
    let engine = engine.map_err(pregel_core::engine::RunError::from)?;
    Ok(Machine::Cuda(Box::new(engine.with_options(*layout))))
}

#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn open_gpu(_: u32, _: &GpuOptions) -> Result<Machine> {
    let text = "this pregel was built without GPUs: build it with the feature cuda-12";
    Err(UsageError(text.into()).into())
}

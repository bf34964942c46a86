//! The engine that runs a program.

use anyhow::Result;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::gpu::Cuda;
use pregel_core::engine::gpu::GpuOptions;
pub use pregel_core::engine::gpu::Images;

use crate::args::EngineArg;
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
use crate::usage::UsageError;

/// The engine that the user chose, opened as far as can fail before any work.
#[derive(Debug)]
pub enum Machine {
    Reference,
    Cpu,
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    Cuda(Box<Cuda>),
    /// All cores or a GPU with these kernels, whichever is done sooner; decided for each program.
    Auto(Images),
}

/// The kernels of the bundled programs; none without a GPU engine.
#[cfg(feature = "command")]
pub fn bundled_images() -> Images {
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    return pregel_algos::images();
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    Images::new()
}

impl Machine {
    /// Opens the GPU if the user asked for one, so that a missing GPU is
    /// reported before any work.
    pub fn open(engine: EngineArg, layout: &GpuOptions, images: Images) -> Result<Self> {
        match engine {
            EngineArg::Auto => Ok(Self::Auto(images)),
            EngineArg::Cpu => Ok(Self::Cpu),
            EngineArg::Reference => Ok(Self::Reference),
            EngineArg::Cuda(number) => open_gpu(number, layout, images),
        }
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn open_gpu(number: u32, layout: &GpuOptions, images: Images) -> Result<Machine> {
    let engine = Cuda::open(number, images);
    let engine = engine.map_err(pregel_core::engine::RunError::from)?;
    Ok(Machine::Cuda(Box::new(engine.with_options(*layout))))
}

#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn open_gpu(_: u32, _: &GpuOptions, _: Images) -> Result<Machine> {
    Err(UsageError::new(
        "--engine cuda: this pregel was built without GPU support; build it with the feature \
         cuda-12 or cuda-13",
    )
    .into())
}

//! The engine that runs a program.

use anyhow::Result;
pub use pregel_core::engine::gpu::Images;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::{
    Fastest,
    gpu::{Cuda, CudaDevice},
};
use pregel_core::engine::{
    RunError,
    gpu::{GpuOptions, Recording},
};

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
    /// All cores or a GPU, whichever is done sooner; decided for each program.
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    Auto(Fastest<CudaDevice>),
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    Auto,
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
    /// reported before any work. If it is to be recorded, see [`recording`](Self::recording).
    pub fn open(
        engine: EngineArg,
        layout: &GpuOptions,
        images: Images,
        record: bool,
    ) -> Result<Self> {
        match engine {
            EngineArg::Auto => Ok(fastest(images, record)),
            EngineArg::Cpu => Ok(Self::Cpu),
            EngineArg::Reference => Ok(Self::Reference),
            EngineArg::Cuda(number) => open_gpu(number, layout, images, record),
        }
    }

    /// What the GPU has been asked to do so far, if it was opened to be recorded.
    pub fn recording(&self) -> Result<Option<Recording>, RunError> {
        match self {
            Self::Reference | Self::Cpu => Ok(None),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Self::Cuda(engine) => Ok(engine.device().recording()?),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Self::Auto(engine) => match engine.opened() {
                Some(gpu) => Ok(gpu.device().recording()?),
                None => Ok(None),
            },
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Self::Auto => Ok(None),
        }
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn fastest(images: Images, record: bool) -> Machine {
    if !record {
        return Machine::Auto(Fastest::find(images));
    }
    Machine::Auto(Fastest::with_lazy_gpu(move || {
        let gpu = Cuda::open(0, images.clone()).ok()?;
        gpu.device().record().ok().map(|()| gpu)
    }))
}

#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn fastest(_: Images, _: bool) -> Machine {
    Machine::Auto
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn open_gpu(number: u32, layout: &GpuOptions, images: Images, record: bool) -> Result<Machine> {
    let engine = Cuda::open(number, images).map_err(RunError::from)?;
    if record {
        engine.device().record().map_err(RunError::from)?;
    }
    Ok(Machine::Cuda(Box::new(engine.with_options(*layout))))
}

#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn open_gpu(_: u32, _: &GpuOptions, _: Images, _: bool) -> Result<Machine> {
    Err(UsageError::new(
        "--engine cuda: this pregel was built without GPU support; build it with the feature \
         cuda-12 or cuda-13",
    )
    .into())
}

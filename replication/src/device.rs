//! The GPU to measure on.

use pregel_core::engine::gpu::{Device, Gpu};

use crate::{ReplicationError, UseGpu};

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use pregel_core::engine::gpu::Cuda;

/// Stands for a GPU in a build that cannot use one.
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
pub enum Cuda {}

/// What is made of a GPU of any kind: a real one, or an emulated one in tests.
pub trait Use {
    /// What is made.
    type Made;

    /// Makes it.
    fn with<D: Device>(self, gpu: Gpu<D>) -> Self::Made;
}

/// Opens the GPU and makes something of it, or says why there is none.
///
/// # Errors
/// As [`open`].
pub fn open_for<U: Use>(
    which: UseGpu,
    using: U,
) -> Result<Result<U::Made, String>, ReplicationError> {
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    return Ok(open(which)?.map(|gpu| using.with(gpu)));
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    {
        drop(using);
        Ok(open(which)?.map(|none| match none {}))
    }
}

/// Opens it, or says why there is none.
///
/// # Errors
/// If the one that is named cannot be used.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub fn open(which: UseGpu) -> Result<Result<Cuda, String>, ReplicationError> {
    let open = |number| Cuda::open(number, crate::kernels::all());
    match which {
        UseGpu::Never => Ok(Err(UNWANTED.to_owned())),
        UseGpu::IfAny => Ok(open(0).map_err(|error| error.to_string())),
        UseGpu::Number(number) => {
            Ok(Ok(open(number).map_err(pregel_core::engine::RunError::from)?))
        }
    }
}

/// Says why there is none.
///
/// # Errors
/// If one is named.
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
pub fn open(which: UseGpu) -> Result<Result<Cuda, String>, ReplicationError> {
    match which {
        UseGpu::Never => Ok(Err(UNWANTED.to_owned())),
        UseGpu::IfAny => Ok(Err("this pregel was built without GPU support".to_owned())),
        UseGpu::Number(number) => Err(ReplicationError::WithoutGpus { number }),
    }
}

const UNWANTED: &str = "the options say so";

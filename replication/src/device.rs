//! The GPU to measure on.

use crate::{ReplicationError, UseGpu};

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use pregel_core::engine::gpu::Cuda;

/// Stands for a GPU in a build that cannot use one.
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
pub enum Cuda {}

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

//! Access to a device: memory, copies, kernels and launches.
//!
//! [`device`] is the interface, and [`cuda`] implements it for NVIDIA GPUs. [`array`] is
//! typed memory, which [`arrays`] allocates or plans. [`images`] holds the kernels of
//! programs, and [`kernels`] loads and launches them. [`record`] is about what a device was
//! asked to do, and when.

mod array;
mod arrays;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
mod cuda;
mod device;
mod images;
mod kernels;
mod record;

pub(super) use array::Array;
pub(super) use arrays::Arrays;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use cuda::CudaDevice;
pub use device::{Allocation, Capability, Device, DeviceError, DeviceMemory, Grid};
pub(super) use images::TOOLS;
pub use images::{Image, Images, Ptx};
pub(super) use kernels::{Kernels, Library, MOST_BLOCKS};
pub use record::{DeviceEvent, EventKind, Part, Recording};

//! Solves problems on the device without a vertex program.

mod components;
mod paths;
mod triangles;

pub use components::GpuComponents;
pub use paths::DeviceLength;
pub use triangles::{GpuClustering, GpuTriangles};

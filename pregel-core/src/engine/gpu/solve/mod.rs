//! Solves problems on the device without a vertex program.

mod components;
mod paths;

pub use components::GpuComponents;
pub use paths::DeviceLength;

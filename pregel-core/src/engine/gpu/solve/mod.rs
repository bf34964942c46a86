//! Solves problems on the device without a vertex program.

mod components;

pub use components::GpuComponents;

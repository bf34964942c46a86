//! Solves problems on the device without a vertex program.

mod components;
mod paths;
mod queues;

pub use components::GpuComponents;
pub use paths::DeviceLength;
pub use queues::{QueueOptions, QueueSearch, QueueTraffic, Searched};

//! Solves problems on the device without a vertex program.

mod components;
mod paths;
mod queue_options;
mod queues;
mod triangles;

pub use components::GpuComponents;
pub use paths::DeviceLength;
pub use queue_options::{QueueOptions, QueueTraffic, Searched};
pub use queues::QueueSearch;
pub use triangles::{GpuClustering, GpuTriangles};

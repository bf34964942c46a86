//! What a device did for a run, as data.

use std::time::Duration;

use super::explain::Explanation;
use crate::engine::gpu::runtime::Need;

/// What a device did for a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceReport {
    /// The device.
    pub name: String,
    /// Its number.
    pub ordinal: u32,
    /// Loading the kernels, compiling them if the driver had to; next to nothing
    /// when the engine has run the program before.
    pub load_time: Duration,
    /// Copying the graph.
    pub upload_time: Duration,
    /// Sorting and laying it out: on the device, or for Medusa on the CPU.
    pub preprocess_time: Duration,
    /// Copying the states back.
    pub download_time: Duration,
    /// The memory planned, largest arrays first.
    pub memory: Vec<Need>,
    /// Slots of the columns: edges and padding.
    pub slots: u64,
    /// Kernels launched in the supersteps of the last run.
    pub launches: u64,
    /// Copies between host and device in the supersteps of the last run.
    pub copies: u64,
    /// What the last run chose, and why; `None` where there was nothing to choose.
    pub explanation: Option<Explanation>,
}

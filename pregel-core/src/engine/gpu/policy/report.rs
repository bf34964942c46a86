//! What a device did for a run, as data for reports.

use std::time::Duration;

use super::explain::Explanation;
use crate::engine::gpu::runtime::Device;
use crate::engine::needs::Need;

/// What a device did for a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceReport {
    /// Name of the device.
    pub name: String,
    /// Number of the device.
    pub ordinal: u32,
    /// Time to load the kernels, including compilation by the driver; almost none if the
    /// engine has run the program before.
    pub load_time: Duration,
    /// Time to copy the graph to the device.
    pub upload_time: Duration,
    /// Time to sort the vertices and lay the graph out, on the device or, for Medusa and for
    /// triangles, on the CPU.
    pub preprocess_time: Duration,
    /// Time to copy the results back.
    pub download_time: Duration,
    /// The planned memory, largest arrays first.
    pub memory: Vec<Need>,
    /// Slots of the columns, including padding.
    pub slots: u64,
    /// Kernels launched in the supersteps of the last run.
    pub launches: u64,
    /// Copies between host and device in the supersteps of the last run.
    pub copies: u64,
    /// What the last run chose, and why; `None` if there was nothing to choose.
    pub explanation: Option<Explanation>,
}

impl DeviceReport {
    /// Of a device on which this memory is planned and nothing has happened yet.
    pub(in crate::engine::gpu) fn of<D: Device>(device: &D, memory: Vec<Need>) -> Self {
        Self {
            name: device.name(),
            ordinal: device.ordinal(),
            load_time: Duration::ZERO,
            upload_time: Duration::ZERO,
            preprocess_time: Duration::ZERO,
            download_time: Duration::ZERO,
            memory,
            slots: 0,
            launches: 0,
            copies: 0,
            explanation: None,
        }
    }
}

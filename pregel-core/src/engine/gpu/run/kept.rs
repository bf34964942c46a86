//! The states of a run that stay on the device, as inputs of the run that follows.

use std::fmt;
use std::sync::Arc;

use crate::engine::gpu::runtime::{Array, Device, DeviceError};
use crate::engine::{Kept, RunError};
use crate::program::Value;

/// The states of a run of the [`Gpu`](crate::engine::gpu::Gpu) engine, which stay on the
/// device.
pub struct GpuKept<D: Device, T> {
    /// By the ids of the graph.
    values: Array<D, T>,
    device: Arc<D>,
}

impl<D: Device, T: Value> GpuKept<D, T> {
    /// These values, in the memory of `device`.
    pub(super) fn new(values: Array<D, T>, device: &Arc<D>) -> Self {
        Self { values, device: Arc::clone(device) }
    }

    /// The address of the values in the memory of the [device](Self::device), one after the
    /// other: 0 if they have no size. They are complete, and stay there as long as this lives,
    /// so that other software may read them without a copy.
    pub fn address(&self) -> u64 {
        self.values.global().address()
    }

    /// The device that has the values.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The same values, for a run that may have to begin again. They are in the same memory,
    /// which the session of the run will use for others later.
    pub(in crate::engine) fn share(&self) -> Self {
        Self::new(self.values.clone(), &self.device)
    }

    /// The array, if it is in the memory of `device`.
    pub(super) fn on(&self, device: &Arc<D>) -> Option<Array<D, T>> {
        Arc::ptr_eq(&self.device, device).then(|| self.values.clone())
    }
}

impl<D: Device, T: Value> Kept<T> for GpuKept<D, T> {
    fn len(&self) -> usize {
        self.values.len() as usize
    }

    fn to_vec(&self) -> Result<Vec<T>, RunError> {
        self.values.to_vec().map_err(DeviceError::into)
    }
}

impl<D: Device, T: Value> fmt::Debug for GpuKept<D, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuKept").field("values", &self.values).finish_non_exhaustive()
    }
}

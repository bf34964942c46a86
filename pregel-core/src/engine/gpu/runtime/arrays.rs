//! Plans the memory of a run before any is allocated.
//!
//! Every part of a run makes its arrays in one function that takes an [`Arrays`]. It is
//! called twice: first to add the sizes up, then to allocate. A plan therefore differs from
//! what is allocated only where a size is not known yet: the padding of columns and the
//! number of chunks. Bins are planned when a run cuts its graph, since it can do without.

use std::sync::Arc;

use super::{Array, Device, DeviceError};
use crate::engine::RunError;
use crate::engine::needs::{self, Need, bytes};
use crate::program::Value;

/// Allocates arrays on a device, or plans them.
pub(crate) struct Arrays<D: Device> {
    device: Option<Arc<D>>,
    needs: Vec<Need>,
}

impl<D: Device> Arrays<D> {
    /// Plans arrays.
    pub(crate) fn planned() -> Self {
        Self { device: None, needs: Vec::new() }
    }

    /// Allocates arrays in the memory of `device`.
    pub(crate) fn on(device: &Arc<D>) -> Self {
        Self { device: Some(Arc::clone(device)), needs: Vec::new() }
    }

    /// An array of `len` values with arbitrary content; `name` says what they are.
    pub(crate) fn array<T: Value>(
        &mut self,
        name: &'static str,
        len: u64,
    ) -> Result<Array<D, T>, DeviceError> {
        match &self.device {
            Some(device) => Array::new(device, len),
            None => {
                let bytes = len.saturating_mul(size_of::<T>() as u64);
                if bytes > 0 {
                    self.needs.push(Need { name, bytes });
                }
                Ok(Array::without_memory(len))
            }
        }
    }

    /// An array of `len` values with every byte set to `byte`.
    pub(crate) fn filled<T: Value>(
        &mut self,
        name: &'static str,
        len: u64,
        byte: u8,
    ) -> Result<Array<D, T>, DeviceError> {
        let array = self.array(name, len)?;
        array.fill(byte)?;
        Ok(array)
    }

    /// A copy of `values`.
    pub(crate) fn copied<T: Value>(
        &mut self,
        name: &'static str,
        values: &[T],
    ) -> Result<Array<D, T>, DeviceError> {
        let array = self.array(name, values.len() as u64)?;
        array.write(values)?;
        Ok(array)
    }

    /// The size of what was planned, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.needs.iter().fold(0, |sum, need| sum.saturating_add(need.bytes))
    }

    /// Checks that a plan fits the free memory of `device`.
    ///
    /// # Errors
    /// [`RunError::TooLarge`] if it does not, [`RunError::Device`] if the device fails.
    pub(crate) fn check(&self, device: &D) -> Result<(), RunError> {
        let free = device.memory().map_err(RunError::from)?.free;
        let needed = self.bytes();
        if needed <= free {
            return Ok(());
        }
        let mut needs = self.needs.clone();
        needs::sort(&mut needs);
        let largest =
            needs.iter().take(4).map(|need| format!("{} {}", need.name, bytes(need.bytes)));
        let largest = largest.collect::<Vec<_>>().join(", ");
        Err(RunError::TooLarge { needed, free, largest })
    }

    /// What was planned, largest first.
    pub(crate) fn into_needs(mut self) -> Vec<Need> {
        needs::sort(&mut self.needs);
        self.needs
    }
}

impl From<DeviceError> for RunError {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

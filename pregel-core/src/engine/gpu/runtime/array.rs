//! Typed arrays in device memory.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{Allocation, Device, DeviceError};
use crate::device::Global;
use crate::program::Value;

/// An array of values on a device; clones share the memory.
pub(crate) struct Array<D: Device, T> {
    home: Option<Home<D>>,
    global: Global<T>,
    len: u64,
}

/// The device and the allocation of an array.
struct Home<D: Device> {
    device: Arc<D>,
    memory: Arc<D::Memory>,
}

impl<D: Device, T: Value> Array<D, T> {
    /// No array, in place of one that a run does not need.
    pub(crate) fn none() -> Self {
        Self { home: None, global: Global::NONE, len: 0 }
    }

    /// An array without memory: one that is only planned, or has values without a size.
    pub(super) fn without_memory(len: u64) -> Self {
        Self { home: None, global: Global::NONE, len }
    }

    /// An array of `len` values with arbitrary content.
    pub(super) fn new(device: &Arc<D>, len: u64) -> Result<Self, DeviceError> {
        if size_of::<T>() == 0 {
            return Ok(Self::without_memory(len));
        }
        // An empty array still needs an address: address 0 means no array to a kernel.
        let memory = device.allocate((len * size_of::<T>() as u64).max(1))?;
        let global = Global::at(memory.address());
        let home = Home { device: Arc::clone(device), memory: Arc::new(memory) };
        Ok(Self { home: Some(home), global, len })
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Queues setting every byte to `byte`.
    pub(crate) fn fill(&self, byte: u8) -> Result<(), DeviceError> {
        self.fill_range(0..self.len, byte)
    }

    /// Queues setting every byte of these values to `byte`.
    pub(crate) fn fill_range(&self, values: Range<u64>, byte: u8) -> Result<(), DeviceError> {
        let size = size_of::<T>() as u64;
        let bytes = values.start * size..values.end * size;
        self.home.as_ref().map_or(Ok(()), |home| home.device.fill(&home.memory, bytes, byte))
    }

    /// Copies `values` to the start of the array.
    pub(crate) fn write(&self, values: &[T]) -> Result<(), DeviceError> {
        debug_assert!(values.len() as u64 <= self.len);
        match &self.home {
            Some(home) if !values.is_empty() => {
                home.device.write(&home.memory, bytemuck::cast_slice(values))
            }
            _ => Ok(()),
        }
    }

    /// Waits, and copies all values.
    pub(crate) fn to_vec(&self) -> Result<Vec<T>, DeviceError> {
        self.range(0..self.len)
    }

    /// Waits, and copies the first `len` values.
    pub(crate) fn first(&self, len: u64) -> Result<Vec<T>, DeviceError> {
        self.range(0..len)
    }

    /// Waits, and copies value `i`.
    pub(crate) fn get(&self, i: u64) -> Result<T, DeviceError> {
        let mut value = T::zeroed();
        self.read(i, std::slice::from_mut(&mut value))?;
        Ok(value)
    }

    /// Waits, and copies these values.
    pub(crate) fn range(&self, range: Range<u64>) -> Result<Vec<T>, DeviceError> {
        debug_assert!(range.end <= self.len);
        let mut values = crate::memory::zeroed((range.end - range.start) as usize);
        self.read(range.start, &mut values)?;
        Ok(values)
    }

    /// Waits, and copies values from the one numbered `first` on.
    pub(crate) fn read(&self, first: u64, values: &mut [T]) -> Result<(), DeviceError> {
        match &self.home {
            Some(home) if !values.is_empty() => {
                let start = first * size_of::<T>() as u64;
                home.device.read(&home.memory, start, bytemuck::cast_slice_mut(values))
            }
            _ => Ok(()),
        }
    }

    /// Waits, copies these values, and queues setting the bytes of the values in `zero` to 0.
    pub(crate) fn take(&self, range: Range<u64>, zero: Range<u64>) -> Result<Vec<T>, DeviceError> {
        debug_assert!(range.end <= self.len && zero.end <= self.len);
        let mut values: Vec<T> = crate::memory::zeroed((range.end - range.start) as usize);
        if let Some(home) = &self.home {
            let size = size_of::<T>() as u64;
            let bytes = bytemuck::cast_slice_mut(&mut values);
            let zero = zero.start * size..zero.end * size;
            home.device.take(&home.memory, range.start * size, bytes, zero)?;
        }
        Ok(values)
    }

    pub(crate) fn global(&self) -> Global<T> {
        self.global
    }

    /// The same memory as bytes; none if the values have no size.
    pub(crate) fn bytes(&self) -> Global<u8> {
        if size_of::<T>() == 0 { Global::NONE } else { Global::at(self.global.address()) }
    }
}

impl<D: Device, T> Clone for Array<D, T> {
    fn clone(&self) -> Self {
        let home = self.home.as_ref().map(|home| Home {
            device: Arc::clone(&home.device),
            memory: Arc::clone(&home.memory),
        });
        Self { home, global: self.global, len: self.len }
    }
}

impl<D: Device, T> fmt::Debug for Array<D, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values at {:?}", self.len, self.global)
    }
}

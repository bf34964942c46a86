//! Memory, looked at before it is taken.

use super::device::{Device, DeviceError};
use crate::engine::RunError;

/// One array on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it holds.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
}

/// What a run takes of the device's memory.
#[derive(Debug, Default)]
pub(super) struct Plan {
    needs: Vec<Need>,
}

impl Plan {
    /// `len` values of type `T`; nothing if they have no size.
    pub(super) fn need<T>(&mut self, name: &'static str, len: u64) {
        let bytes = len * size_of::<T>() as u64;
        if bytes > 0 {
            self.needs.push(Need { name, bytes });
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.needs.iter().map(|need| need.bytes).sum()
    }

    /// Largest first.
    pub(super) fn into_needs(mut self) -> Vec<Need> {
        self.needs.sort_by_key(|need| std::cmp::Reverse(need.bytes));
        self.needs
    }

    /// Refuses what does not fit.
    pub(super) fn check<D: Device>(&self, device: &D) -> Result<(), RunError> {
        let (free, _) = device.memory().map_err(RunError::from)?;
        let needed = self.total();
        if needed > free {
            let mut needs = self.needs.clone();
            needs.sort_by_key(|need| std::cmp::Reverse(need.bytes));
            let largest = needs.iter().take(4).map(|n| format!("{} {}", n.name, bytes(n.bytes)));
            let largest = largest.collect::<Vec<_>>().join(", ");
            return Err(RunError::TooLarge { needed, free, largest });
        }
        Ok(())
    }
}

/// A size for people: three digits and a binary unit.
pub fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1000.0 {
            let digits = if unit == "B" || value >= 100.0 { 0 } else { 1 };
            return format!("{value:.digits$} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

impl From<DeviceError> for RunError {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

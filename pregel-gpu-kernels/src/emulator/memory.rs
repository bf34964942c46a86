//! The memory of the emulated device.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Which addresses are allocated.
#[derive(Debug, Default)]
pub struct Memory {
    /// Address and bytes of each allocation.
    live: Mutex<BTreeMap<u64, u64>>,
}

impl Memory {
    pub(super) fn add(&self, address: u64, bytes: u64) {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).insert(address, bytes);
    }

    pub(super) fn remove(&self, address: u64) {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).remove(&address);
    }

    /// Makes sure that an access is aligned and within one allocation.
    ///
    /// # Panics
    /// If it is not.
    pub(crate) fn check(&self, address: u64, bytes: usize) {
        assert!(
            address.is_multiple_of(bytes as u64),
            "an access of {bytes} bytes at {address:#x} is not aligned"
        );
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let within = live
            .range(..=address)
            .next_back()
            .is_some_and(|(start, length)| address + bytes as u64 <= start + length);
        assert!(within, "an access of {bytes} bytes at {address:#x} is in no allocation");
    }
}

//! The memory of the emulated device.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which addresses are allocated.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Address and bytes of each allocation.
    live: BTreeMap<u64, u64>,
    /// Bytes of all of them, now and at most so far.
    used: u64,
    peak: u64,
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, address: u64, bytes: u64) {
        let mut state = self.state();
        state.live.insert(address, bytes);
        state.used += bytes;
        state.peak = state.peak.max(state.used);
    }

    pub(crate) fn remove(&self, address: u64) {
        let mut state = self.state();
        state.used -= state.live.remove(&address).unwrap_or(0);
    }

    /// Bytes allocated now, and at most so far.
    pub(crate) fn used(&self) -> (u64, u64) {
        let state = self.state();
        (state.used, state.peak)
    }

    /// Checks that an access is aligned and within one allocation.
    ///
    /// # Panics
    /// If it is not.
    pub(crate) fn check(&self, address: u64, bytes: usize) {
        assert!(
            address.is_multiple_of(bytes as u64),
            "an access of {bytes} bytes at {address:#x} is not aligned"
        );
        let state = self.state();
        let within = state
            .live
            .range(..=address)
            .next_back()
            .is_some_and(|(start, length)| address + bytes as u64 <= start + length);
        assert!(within, "an access of {bytes} bytes at {address:#x} is in no allocation");
    }
}

//! The memory of the emulated device.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which addresses are allocated.
#[derive(Debug)]
pub(crate) struct Memory {
    state: Mutex<State>,
    /// Changes with every allocation, and differs from that of any other memory.
    version: AtomicU64,
}

/// The last version that was given to any memory.
static VERSIONS: AtomicU64 = AtomicU64::new(0);

/// A copy of the allocations, so that a check takes no lock.
struct Snapshot {
    version: u64,
    /// Address and bytes of each allocation, by address.
    live: Vec<(u64, u64)>,
}

thread_local! {
    static SNAPSHOT: RefCell<Snapshot> =
        const { RefCell::new(Snapshot { version: 0, live: Vec::new() }) };
}

impl Default for Memory {
    fn default() -> Self {
        Self { state: Mutex::default(), version: AtomicU64::new(new_version()) }
    }
}

/// A version that no memory had before; never 0.
fn new_version() -> u64 {
    VERSIONS.fetch_add(1, Ordering::Relaxed) + 1
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
        self.version.store(new_version(), Ordering::Release);
        state.live.insert(address, bytes);
        state.used += bytes;
        state.peak = state.peak.max(state.used);
    }

    pub(crate) fn remove(&self, address: u64) {
        let mut state = self.state();
        self.version.store(new_version(), Ordering::Release);
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
        let within = SNAPSHOT.with_borrow_mut(|snapshot| {
            self.refresh(snapshot);
            let next = snapshot.live.partition_point(|(start, _)| *start <= address);
            let last = next.checked_sub(1).map(|last| snapshot.live[last]);
            let end = address.checked_add(bytes as u64);
            last.zip(end).is_some_and(|((start, length), end)| end <= start + length)
        });
        assert!(within, "an access of {bytes} bytes at {address:#x} is in no allocation");
    }

    /// Copies the allocations if they are others than those of the snapshot.
    fn refresh(&self, snapshot: &mut Snapshot) {
        // Read before the allocations: if they change in between, the copy is newer than
        // its version and is made once more.
        let version = self.version.load(Ordering::Acquire);
        if version != snapshot.version {
            snapshot.version = version;
            snapshot.live.clear();
            snapshot.live.extend(self.state().live.iter().map(|(start, bytes)| (*start, *bytes)));
        }
    }
}

//! A request to end a run, which any thread may make.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A request to end a run, which any thread may make; clones share it.
///
/// The run ends with [`RunError::Cancelled`](super::RunError::Cancelled): within a tenth of
/// a second on a CPU, and within a second on a GPU. Supersteps that were cut short leave no
/// usable states; to resume a run later, [save](super::Run::save) it before.
///
/// ```
/// use pregel_core::engine::Cancel;
/// # use pregel_core::prelude::*;
///
/// let cancel = Cancel::new();
/// let options = RunOptions::default().with_cancel(cancel.clone());
/// # let _ = options;
/// // In another thread, or where a signal is handled:
/// cancel.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// Clones are equal.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cancel {}

impl Cancel {
    /// A request that has not been made.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the request. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether the request was made.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }
}

//! Ranges for NVIDIA's profilers.

use std::sync::OnceLock;

use cudarc::nvtx::{Range, scoped_range, sys};

/// Set by a profiler that listens.
const LISTENS: &str = "NVTX_INJECTION64_PATH";

/// Begins a range that ends when it is dropped; none if no profiler listens or the library
/// `libnvToolsExt` is missing.
pub(super) fn range(name: &str) -> Option<Range> {
    // A zero byte would end the name, and is refused.
    (listened_to() && !name.contains('\0')).then(|| scoped_range(name))
}

/// Whether a profiler listens.
pub(super) fn listened_to() -> bool {
    static LISTENED_TO: OnceLock<bool> = OnceLock::new();
    *LISTENED_TO.get_or_init(|| {
        // SAFETY: this loads NVIDIA's library, as every call of it does.
        std::env::var_os(LISTENS).is_some() && unsafe { sys::is_culib_present() }
    })
}

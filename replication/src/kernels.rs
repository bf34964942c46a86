//! The programs' kernels. Those of this crate's own programs are compiled to PTX and committed in
//! `ptx/`.

use pregel_core::engine::gpu::Images;

include!("../ptx/programs.rs");

/// The kernels of all programs that are measured.
pub fn all() -> Images {
    images().and(pregel_algos::images())
}

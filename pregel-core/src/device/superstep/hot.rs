//! What the kernel that pulls with hot signals is given.

use super::PullArguments;
use crate::program::Program;

/// The argument block of `pull_hot`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct HotArguments<P: Program> {
    /// What a pull is given.
    pub pull: PullArguments<P>,
    /// How many vertices, the first by place, have hot signals, which each block keeps in
    /// its shared memory.
    pub hot: u32,
}

//! The arithmetic of lengths of paths in `i32`, the same in kernels and on the host.

/// Half of the range.
const HALF: i32 = 1 << 30;

/// No edge, and no path: twice this is no overflow.
pub const NO_EDGE: i32 = HALF - 1;

/// The sum, or a very small number in its place that can be added to itself.
#[inline(always)]
pub fn plus_clamped(a: i32, b: i32) -> i32 {
    a.wrapping_add(b).max(-HALF)
}

//! What the lanes of a warp, or the threads of a block, do together.
//!
//! Loops over lanes stay loops ([`opaque`](crate::simt::opaque)): unrolled in every kernel
//! that calls them, they would be most of what a driver compiles when a program is first
//! used.

mod reduce;
mod scan;

pub use reduce::{block_reduce, warp_reduce, warp_sum_u64};
pub use scan::{Segment, block_scan_u64, warp_scan_u32, warp_scan_u64, warp_segments};

//! The argument block of the kernel that finds triangles, and its shared memory.

use crate::device::{BLOCK, Global, WARP};

/// The argument block of `triangles`: the distinct pairs of neighbours, each in the row of its
/// lower end, as on the host (`engine/solve/pairs.rs`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Corners {
    /// Number of vertices.
    pub vertices: u32,
    /// How many pairs a warp collects credits of at a time, at least [`WARP`].
    pub window: u32,
    /// Not 0 if pairs have weights.
    pub weighted: u32,
    /// Number of pairs.
    pub pairs: u64,
    /// First pair of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// The higher end of each pair. Rows ascend strictly.
    pub targets: Global<u32>,
    /// The edges of each pair, 1 or 2; may be none if pairs have no weights.
    pub weights: Global<u8>,
    /// What each vertex is credited with, 0 at first.
    pub credits: Global<u64>,
    /// How many triangles were found, how many rows begin with a pair that was visited, and how
    /// many pairs were, each in [`COUNTS`](crate::device::COUNTS) partial sums, 0 at first.
    pub seen: Global<u64>,
}

/// Number of partial sums in [`Corners::seen`].
pub const SEEN_CORNERS: u64 = 3 * crate::device::COUNTS as u64;

/// Pairs that a warp takes at a time, one per lane.
pub const UNIT: u64 = WARP as u64;

/// The most pairs that a warp collects credits of at a time. With more, fewer blocks would fit
/// on a multiprocessor, or less would be left for its L1 cache.
const MOST_WINDOW: u32 = 512 - WARP;

/// The window for a device whose launches can give a block this many bytes of shared memory;
/// `None` if that is too little.
pub const fn window(bytes: u32) -> Option<u32> {
    let words = bytes / (4 * BLOCK / WARP);
    match words.saturating_sub(WARP) {
        ..WARP => None,
        window if window < MOST_WINDOW => Some(window),
        _ => Some(MOST_WINDOW),
    }
}

/// Bytes of shared memory that a block needs for windows of this many pairs.
pub const fn credit_bytes(window: u32) -> u32 {
    credits_offset(BLOCK / WARP, window)
}

/// Byte offset of the words in which a warp of the block collects credits: one for the row of
/// each of its lanes, then one for each pair of its window.
#[inline(always)]
pub const fn credits_offset(warp: u32, window: u32) -> u32 {
    4 * warp * (WARP + window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fit_what_a_launch_can_give() {
        assert_eq!(window(0), None);
        assert_eq!(window(2 * 4 * BLOCK - 1), None);
        for (bytes, pairs) in [(2 * 4 * BLOCK, 32), (2 * 4 * BLOCK + 32, 33), (48 << 10, 480)] {
            assert_eq!(window(bytes), Some(pairs));
            assert!(credit_bytes(pairs) <= bytes);
        }
        assert_eq!(credits_offset(1, 480), 2048);
    }
}

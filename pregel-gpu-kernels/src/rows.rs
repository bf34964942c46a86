//! Rows of a graph, as one thread finds them.

use core::ops::Range;

use pregel_core::device::{Global, Row};

use crate::simt::{load_const, load_pair};

/// Row `number`.
///
/// # Safety
/// The row exists, and so does its end (I2), and no thread writes the offsets (I7).
#[inline(always)]
pub unsafe fn row(offsets: Global<u64>, number: u64) -> Row {
    // SAFETY: the caller's promise.
    let [begin, end] = unsafe { load_pair(offsets, number) };
    Row { begin, edges: (end - begin) as u32 }
}

/// The row of an edge among `rows`: the last that begins at the edge or before. O(log rows).
///
/// # Safety
/// The rows exist (I2), one of them has the edge, and no thread writes the offsets (I7).
#[inline(always)]
pub unsafe fn row_of(offsets: Global<u64>, rows: Range<u32>, edge: u64) -> u32 {
    let Range { start: mut low, end: mut high } = rows;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        // SAFETY: the caller's promise: `middle` is one of the rows.
        if unsafe { load_const(offsets, middle.into()) } <= edge {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

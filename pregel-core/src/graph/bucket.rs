//! The rows of a few neighbouring vertices, sorted and merged in the cache.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::{Duplicates, EdgeValue};
use crate::program::VertexId;

/// Rows of more edges are sorted by several threads.
const LONG_ROW: usize = 1 << 17;

/// An edge on its way to its row.
#[derive(Clone, Copy, Zeroable)]
pub(super) struct Entry<E> {
    pub(super) row: VertexId,
    pub(super) target: VertexId,
    pub(super) value: E,
}

/// Sorts a bucket by row and target, ties in the order of the list, and merges
/// duplicates. Moves what is kept to the front and returns its length.
pub(super) fn sort_bucket<E: EdgeValue>(
    entries: &mut [Entry<E>],
    degrees: &mut [u64],
    first: VertexId,
    duplicates: Duplicates,
) -> usize {
    // Where the next entry of each row goes, and in the end where the row ends.
    let mut next = vec![0; degrees.len() + 1];
    for entry in entries.iter() {
        next[(entry.row - first) as usize + 1] += 1;
    }
    for row in 1..next.len() {
        next[row] += next[row - 1];
    }
    let mut sorted = vec![(0, E::zeroed()); entries.len()];
    for entry in entries.iter() {
        let place = &mut next[(entry.row - first) as usize];
        sorted[*place] = (entry.target, entry.value);
        *place += 1;
    }
    let mut kept = 0;
    let mut start = 0;
    for (i, degree) in degrees.iter_mut().enumerate() {
        let row = &mut sorted[start..next[i]];
        start = next[i];
        sort_row(row);
        let row = merge(row, duplicates);
        *degree = row.len() as u64;
        for &mut (target, value) in row {
            entries[kept] = Entry { row: first + i as VertexId, target, value };
            kept += 1;
        }
    }
    kept
}

/// Sorts a row by target; equal targets keep their order.
fn sort_row<E: EdgeValue>(row: &mut [(VertexId, E)]) {
    let by_target = |edge: &(VertexId, E)| edge.0;
    // Without values equal edges cannot be told apart.
    match (size_of::<E>() == 0, row.len() > LONG_ROW) {
        (true, false) => row.sort_unstable_by_key(by_target),
        (true, true) => row.par_sort_unstable_by_key(by_target),
        (false, false) => row.sort_by_key(by_target),
        (false, true) => row.par_sort_by_key(by_target),
    }
}

/// Merges equal targets of a sorted row; returns what is kept.
fn merge<E: EdgeValue>(row: &mut [(VertexId, E)], duplicates: Duplicates) -> &mut [(VertexId, E)] {
    if duplicates == Duplicates::Keep || row.is_empty() {
        return row;
    }
    let mut last = 0;
    for i in 1..row.len() {
        let (target, value) = row[i];
        if target != row[last].0 {
            last += 1;
            row[last] = row[i];
            continue;
        }
        let kept = &mut row[last].1;
        *kept = match duplicates {
            Duplicates::Smallest => kept.smaller(value),
            Duplicates::Sum => kept.sum(value),
            Duplicates::First | Duplicates::Keep => *kept,
        };
    }
    &mut row[..=last]
}

//! Checks that rows hold every edge both ways.
//!
//! The GPU's kernels rely on this: they take the number of edges at a vertex from
//! its own row and place the edges of the others. So the check must be exact,
//! whatever a file holds: the edges between any two vertices must come equally
//! often, with the same values.

use rayon::prelude::*;

use super::csr::equal_ranges;
use super::{Buffer, Csr, CsrError};
use crate::memory;
use crate::program::{Value, VertexId};

/// Rows with the values of their edges.
#[derive(Clone, Copy)]
pub(crate) struct Valued<'a, E> {
    pub(crate) rows: &'a Csr,
    /// One per edge; not read if they have no size.
    pub(crate) values: &'a [E],
}

impl<E: Value> Valued<'_, E> {
    fn value(&self, edge: usize) -> &[u8] {
        match size_of::<E>() {
            0 => &[],
            _ => bytemuck::bytes_of(&self.values[edge]),
        }
    }

    fn transposed(&self) -> (Csr, Buffer<E>) {
        (self.rows.transpose(), self.rows.transpose_values(self.values))
    }
}

/// Checks the rows of an undirected graph. O(V + E), parallel.
///
/// If every row is sorted, and parallel edges have their values in the same order
/// in both rows, as the builder leaves them, half of the edges are looked up. Any
/// other rows are sorted first, which takes about three times the memory of the
/// graph.
pub(crate) fn check_symmetric<E: Value>(graph: Valued<'_, E>) -> Result<(), CsrError> {
    if graph.rows.is_sorted() && mirrors_itself(graph) {
        return Ok(());
    }
    match first_difference(graph) {
        Some([from, to]) => Err(CsrError::Asymmetric { from, to }),
        None => Ok(()),
    }
}

/// Whether the sorted rows of `graph` hold every edge both ways, parallel edges in the same
/// order. If not, they may still hold the same edges in another order.
///
/// Edges to a greater vertex are looked up in the row of that vertex. Their sources are visited
/// in ascending order. So the entries of each row must come up from the first to the last, and
/// one cursor per row tells which is next. Every thread visits all sources, and keeps the
/// cursors of one range of rows. Ranges so narrow that their cursors fit a cache would take
/// more time for the visits than they save.
fn mirrors_itself<E: Value>(graph: Valued<'_, E>) -> bool {
    let rows = graph.rows;
    let (offsets, sources) = (rows.offsets(), rows.targets());
    let ranges = equal_ranges(offsets, rayon::current_num_threads());
    ranges.into_par_iter().with_max_len(1).all(|range| {
        let mut cursors = memory::zeroed::<u64>(range.len());
        cursors.copy_from_slice(&offsets[range.clone()]);
        for source in 0..range.end as VertexId {
            let row = rows.range(source);
            let targets = &rows.targets()[row.clone()];
            let lowest = range.start.max(source as usize + 1);
            let first = targets.partition_point(|target| (*target as usize) < lowest);
            for (edge, &target) in (row.start + first..).zip(&targets[first..]) {
                let Some(cursor) = cursors.get_mut((target as usize).wrapping_sub(range.start))
                else {
                    break;
                };
                // A cursor that leaves its row is noticed below.
                let place = *cursor as usize;
                let same = sources.get(place) == Some(&source)
                    && (size_of::<E>() == 0 || graph.value(edge) == graph.value(place));
                if !same {
                    return false;
                }
                *cursor += 1;
            }
        }
        range.zip(cursors).all(|(row, cursor)| {
            let end = offsets[row + 1];
            // All entries below the row itself have come up.
            cursor == end || cursor < end && sources[cursor as usize] >= row as VertexId
        })
    })
}

/// An edge that does not come equally often, with the same values, both ways; `None` if there
/// is none.
fn first_difference<E: Value>(graph: Valued<'_, E>) -> Option<[VertexId; 2]> {
    // Transposed rows are sorted.
    let (rows, values) = graph.transposed();
    let expected = Valued { rows: &rows, values: &values };
    let (rows, values) = expected.transposed();
    let found = Valued { rows: &rows, values: &values };
    let rows = 0..graph.rows.vertex_count();
    rows.into_par_iter().find_map_first(|target| {
        let source = row_difference(expected, found, target)?;
        Some([source, target])
    })
}

/// The first source that two sorted rows of `target` list differently.
fn row_difference<E: Value>(
    expected: Valued<'_, E>,
    found: Valued<'_, E>,
    target: VertexId,
) -> Option<VertexId> {
    let sources = [expected.rows.row(target), found.rows.row(target)];
    if sources[0] != sources[1] {
        let longer = if sources[0].len() > sources[1].len() { 0 } else { 1 };
        let same = sources[0].iter().zip(sources[1]).take_while(|(a, b)| a == b).count();
        let [a, b] = sources.map(|row| row.get(same).copied());
        return a.zip(b).map(|(a, b)| a.min(b)).or(sources[longer].get(same).copied());
    }
    if size_of::<E>() == 0 {
        return None;
    }
    let starts = [expected, found].map(|side| side.rows.range(target).start);
    let mut first = 0;
    for parallel in sources[0].chunk_by(|a, b| a == b) {
        let run = first..first + parallel.len();
        let mut values = [(expected, starts[0]), (found, starts[1])].map(|(side, start)| {
            run.clone().map(|i| side.value(start + i).to_vec()).collect::<Vec<_>>()
        });
        values.iter_mut().for_each(|values| values.sort_unstable());
        if values[0] != values[1] {
            return parallel.first().copied();
        }
        first = run.end;
    }
    None
}

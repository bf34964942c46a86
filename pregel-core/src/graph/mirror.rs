//! Checks that two sets of rows hold the same edges, once by source and once
//! by target, or one set both ways.
//!
//! The GPU's kernels count on this: they take the number of edges at a vertex
//! from one set of rows and place the edges of the other. So the checks are
//! exact, whatever a file holds: edges between the same two vertices must come
//! equally often, and with the same values.

use rayon::prelude::*;

use super::csr::equal_ranges;
use super::{Buffer, Csr, CsrError};
use crate::program::{Value, VertexId};

/// Rows with the values of their edges.
#[derive(Clone, Copy)]
pub(super) struct Valued<'a, E> {
    pub(super) rows: &'a Csr,
    /// As many as edges; not read if they have no size.
    pub(super) values: &'a [E],
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
/// Half of the edges are looked up if every row is sorted and parallel edges
/// have their values in the same order both ways, as the builder leaves them.
/// Any other rows are sorted first, which takes about three times the memory of
/// the graph.
pub(super) fn check_symmetric<E: Value>(graph: Valued<'_, E>) -> Result<(), CsrError> {
    if graph.rows.is_sorted() && mirrors(graph, graph, Half::Above) {
        return Ok(());
    }
    match first_difference(graph, graph) {
        Some([from, to]) => Err(CsrError::Asymmetric { from, to }),
        None => Ok(()),
    }
}

/// Checks that `incoming` holds the edges of `out` by target. O(V + E),
/// parallel.
///
/// Every edge is looked up if the incoming rows are sorted, as
/// [`Csr::transpose`] leaves them. Otherwise both sets are sorted first, which
/// takes about three times their memory.
pub(super) fn check_transpose<E: Value>(
    out: Valued<'_, E>,
    incoming: Valued<'_, E>,
) -> Result<(), CsrError> {
    let (vertices, found) = (out.rows.vertex_count(), incoming.rows.vertex_count());
    if vertices != found {
        return Err(CsrError::IncomingVertices { vertices, found });
    }
    if mirrors(out, incoming, Half::Both) {
        return Ok(());
    }
    match first_difference(out, incoming) {
        Some([from, to]) => Err(CsrError::Incoming { from, to }),
        None => Ok(()),
    }
}

/// Which edges of the rows [`mirrors`] looks up.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    /// All.
    Both,
    /// Those to a greater vertex. The rows must be sorted, and their own mirror.
    Above,
}

/// Whether the rows of `mirror` list the sources of the edges of `edges`, in
/// ascending order and parallel edges in the order of their rows. `false` says
/// nothing: the edges may be the same in another order.
///
/// The sources are visited in ascending order. So each row of the mirror is met
/// from its beginning to its end, and one cursor per row tells which entry must
/// come next. Each thread has the cursors of a range of rows.
fn mirrors<E: Value>(edges: Valued<'_, E>, mirror: Valued<'_, E>, half: Half) -> bool {
    if edges.rows.edge_count() != mirror.rows.edge_count() {
        return false;
    }
    let (offsets, sources) = (mirror.rows.offsets(), mirror.rows.targets());
    let threads = rayon::current_num_threads();
    let ranges = equal_ranges(offsets, threads).into_par_iter().with_max_len(1);
    ranges.all(|range| {
        let mut cursors = offsets[range.clone()].to_vec();
        for source in 0..edges.rows.vertex_count() {
            for edge in edges.rows.range(source) {
                let target = edges.rows.targets()[edge];
                let row = (target as usize).wrapping_sub(range.start);
                let Some(cursor) = cursors.get_mut(row) else { continue };
                if half == Half::Above && target <= source {
                    continue;
                }
                // A cursor that leaves its row is found out below.
                let place = *cursor as usize;
                let same = sources.get(place) == Some(&source)
                    && (size_of::<E>() == 0 || edges.value(edge) == mirror.value(place));
                if !same {
                    return false;
                }
                *cursor += 1;
            }
        }
        range.zip(cursors).all(|(row, cursor)| {
            let end = offsets[row + 1];
            match half {
                Half::Both => cursor == end,
                // All that the row lists below itself has been met.
                Half::Above => {
                    cursor == end || cursor < end && sources[cursor as usize] >= row as VertexId
                }
            }
        })
    })
}

/// Both ends of an edge that does not come equally often, with the same values,
/// in both sets of rows; `None` if there is none. The sets have equally many
/// rows.
fn first_difference<E: Value>(
    edges: Valued<'_, E>,
    mirror: Valued<'_, E>,
) -> Option<[VertexId; 2]> {
    // Transposed rows are sorted.
    let (rows, values) = edges.transposed();
    let expected = Valued { rows: &rows, values: &values };
    let (rows, values) = mirror.transposed();
    let (rows, values) = Valued { rows: &rows, values: &values }.transposed();
    let found = Valued { rows: &rows, values: &values };
    let rows = 0..edges.rows.vertex_count();
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

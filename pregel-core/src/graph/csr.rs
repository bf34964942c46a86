//! Compressed sparse rows.

use std::ops::Range;

use rayon::prelude::*;
use thiserror::Error;

use super::Buffer;
use super::renumber::Order;
use crate::memory;
use crate::program::{Value, VertexId};
use crate::shared::SharedSlice;

/// Rows of neighbours: row `v` is `targets[offsets[v]..offsets[v + 1]]`.
///
/// Offsets are 64-bit, so the number of edges has no limit but memory.
/// Invariants, checked by [`Csr::new`]: `offsets` starts at 0, never falls
/// and ends at the number of targets; every target is below the number of
/// rows. Engines rely on them and index without checks.
#[derive(Debug)]
pub struct Csr {
    offsets: Buffer<u64>,
    targets: Buffer<VertexId>,
}

/// Why rows, or the parts of a graph, do not fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CsrError {
    /// The offsets are empty, do not start at 0, or fall.
    #[error("the row offsets do not ascend from 0 (at row {row})")]
    Offsets {
        /// The first row that is wrong.
        row: u64,
    },
    /// The last offset is not the number of edges.
    #[error("the row offsets end at {end}, but there are {edges} edges")]
    End {
        /// The last offset.
        end: u64,
        /// The number of targets.
        edges: u64,
    },
    /// More vertices than dense 32-bit ids can name.
    #[error("{vertices} vertices are more than 32-bit ids can name (4,294,967,295)")]
    TooManyVertices {
        /// How many.
        vertices: u64,
    },
    /// A target is not a vertex.
    #[error("edge {edge} leads to vertex {target}, but there are {vertices} vertices")]
    Target {
        /// Index of the edge in the rows.
        edge: u64,
        /// Where it leads.
        target: VertexId,
        /// The number of vertices.
        vertices: u32,
    },
    /// Not as many values as edges.
    #[error("{edges} edges, but {values} edge values")]
    Values {
        /// Number of edges.
        edges: u64,
        /// Number of values.
        values: u64,
    },
    /// Not as many ids as vertices.
    #[error("{vertices} vertices, but {ids} ids")]
    Ids {
        /// Number of vertices.
        vertices: u32,
        /// Number of ids.
        ids: u32,
    },
    /// The rows of an undirected graph are not symmetric.
    #[error(
        "an undirected graph holds every edge both ways with the same value, but the edges \
         {from} → {to} and {to} → {from} differ in number or in value"
    )]
    Asymmetric {
        /// One end of the edge.
        from: VertexId,
        /// Its other end.
        to: VertexId,
    },
}

impl Csr {
    /// Checks the rows, in parallel, O(V + E).
    ///
    /// # Errors
    /// [`CsrError`] names the first row or edge that breaks an invariant.
    pub fn new(offsets: Buffer<u64>, targets: Buffer<VertexId>) -> Result<Self, CsrError> {
        let Some(vertices) = offsets.len().checked_sub(1) else {
            return Err(CsrError::Offsets { row: 0 });
        };
        let Ok(vertex_count) = u32::try_from(vertices) else {
            return Err(CsrError::TooManyVertices { vertices: vertices as u64 });
        };
        if offsets[0] != 0 {
            return Err(CsrError::Offsets { row: 0 });
        }
        if let Some(row) = first_pair(&offsets, |start, end| start > end) {
            return Err(CsrError::Offsets { row: row as u64 });
        }
        if offsets[vertices] != targets.len() as u64 {
            return Err(CsrError::End { end: offsets[vertices], edges: targets.len() as u64 });
        }
        if let Some(edge) = first_where(&targets, |target| *target >= vertex_count) {
            let target = targets[edge];
            return Err(CsrError::Target { edge: edge as u64, target, vertices: vertex_count });
        }
        Ok(Self { offsets, targets })
    }

    /// Rows that cannot be wrong, because of how they were made.
    pub(super) fn right(offsets: Vec<u64>, targets: Vec<VertexId>) -> Self {
        Self { offsets: offsets.into(), targets: targets.into() }
    }

    /// Number of rows.
    pub fn vertex_count(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// Number of edges.
    pub fn edge_count(&self) -> u64 {
        self.targets.len() as u64
    }

    /// Where each row begins; one more entry than rows.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The other end of every edge, row after row.
    pub fn targets(&self) -> &[VertexId] {
        &self.targets
    }

    /// The edges of row `v`, as indices into [`targets`](Csr::targets).
    pub fn range(&self, v: VertexId) -> Range<usize> {
        self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize
    }

    /// The row that holds an edge, an index into [`targets`](Csr::targets). O(log V).
    pub(crate) fn source_of(&self, edge: usize) -> VertexId {
        self.offsets.partition_point(|start| *start <= edge as u64) as VertexId - 1
    }

    /// The neighbours in row `v`.
    pub fn row(&self, v: VertexId) -> &[VertexId] {
        &self.targets[self.range(v)]
    }

    /// Number of edges in row `v`.
    pub fn degree(&self, v: VertexId) -> u64 {
        self.offsets[v as usize + 1] - self.offsets[v as usize]
    }

    /// Where each of these rows begins if they follow one another, and where the last one ends.
    pub(super) fn offsets_of(&self, rows: &[VertexId]) -> Vec<u64> {
        let mut offsets: Vec<u64> = memory::zeroed(rows.len() + 1);
        for (i, &row) in rows.iter().enumerate() {
            offsets[i + 1] = offsets[i] + self.degree(row);
        }
        offsets
    }

    /// Gives the memory of the targets in the rows below `row` back to the system. What they are
    /// from then on is not known.
    pub(super) fn give_back(&mut self, row: VertexId) {
        let end = self.offsets[row as usize] as usize;
        if let Some(targets) = self.targets.owned_mut() {
            memory::give_back(&mut targets[..end]);
        }
    }

    /// Whether the neighbours in every row ascend. O(V + E), parallel.
    pub fn is_sorted(&self) -> bool {
        (0..self.vertex_count()).into_par_iter().with_min_len(1024).all(|v| self.row(v).is_sorted())
    }

    /// The rows of `order.vertex_at[0]`, `[1]`, …, with their targets renamed in
    /// the same way, and their values. In each row the targets below `front` come
    /// first. Once `stop` is true, the result is of no use. O(V + E), parallel.
    pub(super) fn renumbered<E: Value>(
        &self,
        order: &Order,
        values: &[E],
        front: VertexId,
        stop: impl Fn() -> bool + Sync,
    ) -> (Csr, Buffer<E>) {
        let offsets = self.offsets_of(&order.vertex_at);
        let mut targets: Vec<VertexId> = memory::zeroed(self.targets.len());
        let mut moved: Vec<E> = memory::zeroed(values.len());
        let (places, of_values) = (SharedSlice::new(&mut targets), SharedSlice::new(&mut moved));
        let place_of = order.place_of();
        let places_of_rows = order.vertex_at.par_iter().zip(&offsets).enumerate();
        places_of_rows.with_min_len(256).for_each(|(p, (v, start))| {
            if stop() {
                return;
            }
            // Where rows are short, most of the time would be spent waiting for them.
            if let Some(later) = order.vertex_at.get(p + 2 * AHEAD) {
                memory::prefetch(&self.offsets, *later as usize);
            }
            if let Some(next) = order.vertex_at.get(p + AHEAD) {
                memory::prefetch(&self.targets, self.range(*next).start);
                memory::prefetch(values, self.range(*next).start);
            }
            let row = self.range(*v);
            // The row is filled from both ends.
            let (mut first, mut last) = (*start as usize, *start as usize + row.len());
            for edge in row {
                let target = place_of[self.targets[edge] as usize];
                let in_front = target < front;
                last -= usize::from(!in_front);
                let place = if in_front { first } else { last };
                first += usize::from(in_front);
                // SAFETY: rows do not overlap, and each is written by the one
                // thread that has its vertex.
                unsafe { places.write(place, target) };
                if size_of::<E>() != 0 {
                    // SAFETY: as above.
                    unsafe { of_values.write(place, values[edge]) };
                }
            }
        });
        (Csr::right(offsets, targets), moved.into())
    }

    /// `f(source, target, value)` of every edge, in order.
    pub(super) fn map_values<E: Value, F: Value>(
        &self,
        values: &[E],
        f: impl Fn(VertexId, VertexId, E) -> F + Sync,
    ) -> Vec<F> {
        if size_of::<F>() == 0 {
            return Vec::new();
        }
        let mut mapped = memory::zeroed(self.targets.len());
        let places = SharedSlice::new(&mut mapped);
        (0..self.vertex_count()).into_par_iter().with_min_len(1024).for_each(|source| {
            for edge in self.range(source) {
                let value = values.get(edge).copied().unwrap_or(E::zeroed());
                // SAFETY: `edge` lies in the row of `source` alone.
                unsafe { places.write(edge, f(source, self.targets[edge], value)) };
            }
        });
        mapped
    }
}

/// How many rows ahead a row is requested that lies anywhere.
const AHEAD: usize = 8;

/// Cuts the rows into `parts` ranges with about as many edges each.
pub(super) fn equal_ranges(offsets: &[u64], parts: usize) -> Vec<Range<usize>> {
    let n = offsets.len() - 1;
    let cut = |i: usize| {
        let wanted = offsets[n] * i as u64 / parts as u64;
        if i == parts { n } else { offsets[..n].partition_point(|o| *o < wanted) }
    };
    (0..parts).map(|i| cut(i)..cut(i + 1)).collect()
}

/// How many elements a thread tests at a time.
const TESTED: usize = 1 << 14;

/// The index of the first item that is `bad`. O(N), parallel; fast if there is
/// none, because many items at a time are tested without branches.
pub(crate) fn first_where<T: Sync>(items: &[T], bad: impl Fn(&T) -> bool + Sync) -> Option<usize> {
    items.par_chunks(TESTED).enumerate().find_map_first(|(i, chunk)| {
        let any = chunk.iter().fold(false, |any, item| any | bad(item));
        any.then(|| chunk.iter().position(&bad)).flatten().map(|place| i * TESTED + place)
    })
}

/// The index of the first item that is `bad` before its successor. O(N),
/// parallel.
pub(super) fn first_pair(items: &[u64], bad: impl Fn(u64, u64) -> bool + Sync) -> Option<usize> {
    (0..items.len()).into_par_iter().step_by(TESTED).find_map_first(|start| {
        let end = (start + TESTED + 1).min(items.len());
        let pairs = || items[start..end].windows(2);
        let any = pairs().fold(false, |any, pair| any | bad(pair[0], pair[1]));
        any.then(|| pairs().position(|pair| bad(pair[0], pair[1]))).flatten().map(|i| start + i)
    })
}

/// Turns the degrees of consecutive rows into their ends, where the first row
/// begins at `start`; returns the last end.
pub(super) fn row_ends(degrees: &mut [u64], start: u64) -> u64 {
    degrees.iter_mut().fold(start, |end, degree| {
        *degree += end;
        *degree
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_pass_32_bits() {
        // Rows too long to hold: only their offsets exist.
        let offsets = vec![0, (1 << 32) - 1, (1 << 32) + 4, 3 << 33];
        let rows = Csr { offsets: offsets.into(), targets: Vec::new().into() };
        assert_eq!(rows.degree(1), 5);
        assert_eq!(rows.range(1), (1 << 32) - 1..(1 << 32) + 4);
        assert_eq!(rows.degree(2), (3 << 33) - (1 << 32) - 4);
        assert_eq!(rows.range(2), (1 << 32) + 4..3 << 33);
    }
}

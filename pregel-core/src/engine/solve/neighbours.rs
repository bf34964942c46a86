//! The neighbours of each vertex, whatever the direction of edges.

use std::iter;
use std::ops::Range;

use crate::graph::{Csr, Graph};
use crate::program::{Value, VertexId};

/// Sorted copies of the rows of a vertex.
pub(super) type Scratch = [Vec<VertexId>; 2];

/// The neighbours of each vertex of a graph.
pub(super) struct Rows<'g> {
    out: &'g Csr,
    /// Of a directed graph.
    incoming: Option<&'g Csr>,
    /// Whether both are sorted.
    sorted: bool,
}

impl<'g> Rows<'g> {
    pub(super) fn of<E: Value>(graph: &'g Graph<E>) -> Self {
        let out = graph.out();
        let incoming = graph.directed().then(|| graph.incoming());
        let sorted = out.is_sorted() && incoming.is_none_or(Csr::is_sorted);
        Self { out, incoming, sorted }
    }

    /// Calls `f` with every neighbour of `v` but `v`, once and in ascending order, and whether
    /// edges join the two in one direction or in two.
    #[inline(always)]
    pub(super) fn visit(
        &self,
        v: VertexId,
        scratch: &mut Scratch,
        mut f: impl FnMut(VertexId, u8),
    ) {
        // No vertex has this number.
        const NONE: VertexId = VertexId::MAX;
        let rows = [self.out.row(v), self.incoming.map_or(&[][..], |rows| rows.row(v))];
        let [out, incoming] = if self.sorted {
            rows
        } else {
            for (copy, row) in iter::zip(&mut *scratch, rows) {
                copy.clear();
                copy.extend_from_slice(row);
                copy.sort_unstable();
            }
            [&scratch[0][..], &scratch[1][..]]
        };
        let at = |row: &[VertexId], i: usize| row.get(i).copied().unwrap_or(NONE);
        let (mut i, mut j) = (0, 0);
        loop {
            let (x, y) = (at(out, i), at(incoming, j));
            let u = x.min(y);
            if u == NONE {
                return;
            }
            if u != v {
                f(u, u8::from(x == u) + u8::from(y == u));
            }
            while at(out, i) == u {
                i += 1;
            }
            while at(incoming, j) == u {
                j += 1;
            }
        }
    }

    /// Ranges of vertices that are about the same work; a long row is not cut.
    pub(super) fn cuts(&self) -> Vec<Range<VertexId>> {
        const WORK: u64 = 1 << 15;
        let n = self.out.vertex_count();
        let before = |v: VertexId| {
            let edges = |rows: &Csr| rows.offsets()[v as usize];
            u64::from(v) + edges(self.out) + self.incoming.map_or(0, edges)
        };
        let (mut cuts, mut start) = (Vec::new(), 0);
        while start < n {
            let limit = before(start) + WORK;
            // The first end at which there is enough work.
            let (mut low, mut high) = (start + 1, n);
            while low < high {
                let middle = low + (high - low) / 2;
                if before(middle) < limit {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            cuts.push(start..low);
            start = low;
        }
        cuts
    }
}

/// Cuts a slice into parts of these lengths.
pub(super) fn split<T>(mut slice: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let part = |length| slice.split_off_mut(..length).unwrap_or_default();
    lengths.map(part).collect()
}

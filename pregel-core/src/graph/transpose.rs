//! Rows by target from rows by source: a stable counting sort of the edges by target.
//!
//! Sorted at once, each edge would be written to a place of its own somewhere in memory. So the
//! targets are cut into ranges, and an edge is moved twice: first to the part of the result that
//! belongs to the range of its target, then to its place in it. The first step writes to some
//! hundred places at a time, the second within what a cache holds.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::csr::{equal_ranges, row_ends};
use super::rows::{bucket_starts, cut_slice};
use super::{Buffer, Csr};
use crate::memory;
use crate::program::{Value, VertexId};
use crate::shared::SharedSlice;

/// Fewer edges than this are sorted faster by one thread.
const ALONE: usize = 1 << 15;

impl Csr {
    /// Bytes per edge that sorting takes beside the result, while it runs.
    pub(crate) const SORTING_BYTES: u64 = size_of::<u16>() as u64;

    /// Rows by target. The sources in each row ascend. O(V + E), in parallel; takes 2 bytes per
    /// edge more than the result while it runs.
    ///
    /// Starts threads of its own if the graph is large, as many as the current
    /// rayon pool has, and runs no rayon task: it may be called under a lock
    /// that other rayon tasks wait for.
    #[must_use]
    pub fn transpose(&self) -> Csr {
        let (offsets, targets) = transposed(self, |source, _| source);
        Csr::right(offsets, targets)
    }

    /// Values in the order of the transposed rows, given those of these rows.
    pub(super) fn transpose_values<E: Value>(&self, values: &[E]) -> Buffer<E> {
        if size_of::<E>() == 0 {
            return Vec::new().into();
        }
        transposed(self, |_, edge| values[edge]).1.into()
    }
}

/// The offsets of the rows by target, and `item(source, edge)` of every edge in their order.
fn transposed<T: Value>(
    rows: &Csr,
    item: impl Fn(VertexId, usize) -> T + Sync,
) -> (Vec<u64>, Vec<T>) {
    let (n, edges) = (rows.vertex_count() as usize, rows.targets().len());
    let threads = if edges < ALONE { 1 } else { rayon::current_num_threads() };
    let shift = shift(n);
    let parts = equal_ranges(rows.offsets(), threads);
    let ranges = n.div_ceil(1 << shift);
    let mut counts = vec![vec![0; ranges]; parts.len()];
    share_out(threads, counts.iter_mut().zip(&parts), |(counts, part)| {
        for &target in &rows.targets()[edges_of(rows, part)] {
            counts[target as usize >> shift] += 1;
        }
    });
    let starts = bucket_starts(&mut counts, ranges);

    let mut places = memory::zeroed(edges);
    let mut targets = memory::zeroed(edges);
    let (to, to_targets) = (SharedSlice::new(&mut places), SharedSlice::new(&mut targets));
    share_out(threads, counts.iter_mut().zip(&parts), |(next, part)| {
        for source in part.clone() {
            for edge in rows.range(source as VertexId) {
                let target = rows.targets()[edge] as usize;
                let place = &mut next[target >> shift];
                // SAFETY: the places of a part and a range of targets are as many as there are
                // such edges, and no other part has them.
                unsafe {
                    to.write(*place, item(source as VertexId, edge));
                    to_targets.write(*place, (target & ((1 << shift) - 1)) as u16);
                }
                *place += 1;
            }
        }
    });

    let mut offsets = memory::zeroed(n + 1);
    let sizes = || starts.windows(2).map(|pair| pair[1] - pair[0]);
    let ranges = offsets[1..].chunks_mut(1 << shift).zip(&starts);
    let ranges = ranges.zip(cut_slice(&mut places, sizes()));
    let ranges = ranges.zip(cut_slice(&mut targets, sizes()));
    share_out(threads, ranges, |(((ends, start), items), targets)| {
        sort(ends, items, targets, *start as u64);
    });
    (offsets, places)
}

/// The edges of these rows.
fn edges_of(rows: &Csr, part: &Range<usize>) -> Range<usize> {
    rows.offsets()[part.start] as usize..rows.offsets()[part.end] as usize
}

/// Binary logarithm of the targets in a range, of `n` in all.
///
/// There are at least 32 ranges, for as many threads, and more if the counts of one would not fit
/// a small cache; but no more than 256, to which a thread can well write at a time, while the edges
/// of one fit a larger cache. The number of a target within its range fits 16 bits.
fn shift(n: usize) -> u32 {
    let bits = n.next_power_of_two().ilog2();
    let small = bits.saturating_sub(5).min(11);
    small.max(bits.saturating_sub(8).min(14)).max(bits.saturating_sub(11)).min(16)
}

/// Sorts the items of a range by their targets, and writes where the rows end; the first begins at
/// `start`.
fn sort<T: Value>(ends: &mut [u64], items: &mut [T], targets: &[u16], start: u64) {
    for target in targets {
        ends[*target as usize] += 1;
    }
    row_ends(ends, start);
    let mut next: Vec<usize> = std::iter::once(start)
        .chain(ends.iter().copied())
        .map(|end| (end - start) as usize)
        .collect();
    let unsorted = items.to_vec();
    for (item, target) in unsorted.iter().zip(targets) {
        let place = &mut next[*target as usize];
        items[*place] = *item;
        *place += 1;
    }
}

/// Calls `work` with every item, on up to `threads` threads that end before
/// this returns.
///
/// A thread of a rayon pool takes up other tasks while it waits for its own. If
/// it holds a lock meanwhile, and such a task wants that lock, it waits for
/// itself. These threads do nothing else.
pub(super) fn share_out<T>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let items = Mutex::new(items);
    let run = || {
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(item) => work(item),
                None => return,
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had, the others do its part.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::graph::generate::Spec;

    #[test]
    fn ranges_are_few_and_their_targets_fit_16_bits() {
        let found = [1, 2, 33, 1 << 16, 1 << 20, 1 << 24, 1 << 26, u32::MAX as usize].map(shift);
        assert_eq!(found, [0, 0, 1, 11, 12, 14, 15, 16]);
    }

    #[test]
    fn edges_of_several_threads_and_ranges_come_in_order() {
        // A graph with one range of targets for all edges, one with parallel edges, one with more
        // vertices than edges.
        let star = (0..60_000).map(|v| (v % 50_000 + 1, 0)).collect();
        let dense = edges("uniform:n=300,m=60000,sym=0,dedup=0");
        for edges in [star, dense, edges("uniform:n=200000,m=90000,sym=0")] {
            let builder = crate::graph::GraphBuilder::new().with_edges(edges.iter().copied());
            let graph = builder.build().unwrap();
            assert!(graph.edge_count() > ALONE as u64);
            let mut expected: Vec<_> = edges.iter().map(|(from, to)| (*to, *from)).collect();
            expected.sort_unstable();
            for threads in [1, 2, 3, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let rows = pool.install(|| graph.out().transpose());
                let rows = Csr::new(rows.offsets().to_vec().into(), rows.targets().to_vec().into())
                    .unwrap();
                let of = |v: VertexId| rows.row(v).iter().map(move |from| (v, *from));
                let found: Vec<_> = (0..rows.vertex_count()).flat_map(of).collect();
                assert_eq!(found, expected, "{threads} threads");
            }
        }
    }

    fn edges(spec: &str) -> Vec<(VertexId, VertexId)> {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let row = |v: VertexId| graph.out().row(v).iter().map(move |to| (v, *to));
        (0..graph.vertex_count()).flat_map(row).collect()
    }
}

//! The parallel sort behind the builder: from a list of edges to rows.
//!
//! Entries are dealt into buckets, each for the rows of neighbouring vertices and
//! small enough for the cache. A first pass counts the entries that each part of
//! the list has for each bucket. Each thread can then move the entries of its
//! parts to places of their own, in the order of the list, and every bucket is
//! sorted by itself. Only as many buckets are open at a time as memory allows;
//! each such group costs one more pass over the list.

use std::ops::Range;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::bucket::{Entry, sort_bucket};
use super::csr::row_ends;
use super::{BuildError, BuildReport, Duplicates, EdgeList, EdgeValue};
use crate::memory;
use crate::program::VertexId;
use crate::shared::SharedSlice;

/// Entries per bucket, about: with their sorted copy they fit the cache of a core.
const BUCKET: usize = 1 << 15;
/// Rows per bucket, at most about: their counters must not outgrow the graph.
const WIDTH: usize = 1 << 20;
/// More buckets than this would thrash the address translation.
const MAX_BUCKETS: usize = 1 << 12;
/// Below this many entries memory is no concern.
const SMALL: usize = 1 << 20;
/// More passes over the list than this would take most of the time.
const MAX_GROUPS: usize = 12;

/// Which entries a list makes, and which of them are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    /// Every edge but a self-loop is entered in both rows.
    pub(super) mirror: bool,
    /// Self-loops are dropped.
    pub(super) drop_loops: bool,
    pub(super) duplicates: Duplicates,
}

/// How the work is divided; the result does not depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    /// Vertex `v` is in bucket `v >> shift`.
    pub(super) shift: u32,
    /// Edges of the list that a thread takes at a time.
    pub(super) part: usize,
    /// Groups of buckets, one open after the other.
    pub(super) groups: usize,
}

/// Sorted rows: `targets[offsets[v]..offsets[v + 1]]`, values alongside.
pub(super) struct Rows<E> {
    pub(super) offsets: Vec<u64>,
    pub(super) targets: Vec<VertexId>,
    /// Empty for `E = ()`.
    pub(super) values: Vec<E>,
}

impl Division {
    /// Buckets that fit the cache, and as few groups as keep the peak below
    /// three times the finished graph.
    pub(super) fn of<E: EdgeValue>(list: &EdgeList<E>, policy: Policy) -> Self {
        let edges = list.edges.len();
        let entries = if policy.mirror { edges.saturating_mul(2) } else { edges };
        let vertices = list.vertex_count as usize;
        let buckets = (entries / BUCKET).max(vertices / WIDTH).clamp(1, MAX_BUCKETS) as u64;
        let last = u64::from(list.vertex_count.saturating_sub(1));
        let shift = (0..32).find(|shift| last >> shift < buckets).unwrap_or(32);
        let part = edges.div_ceil(4 * rayon::current_num_threads()).max(BUCKET);

        let edge = size_of::<VertexId>() + size_of::<E>();
        let listed = edges * (size_of::<VertexId>() + edge);
        let finished = entries * edge + (vertices + 1) * size_of::<u64>();
        // A twentieth is reserved for scratch space.
        let limit = finished * 3 / 20 * 19;
        let entry = size_of::<Entry<E>>();
        // While the last group is filled, its rows are not written yet.
        let filling = limit.saturating_sub(listed + finished) / (entry - edge);
        // While it is sorted, the list is gone.
        let sorting = limit.saturating_sub(finished) / entry;
        let groups = match entries {
            0..SMALL => 1,
            _ => entries.div_ceil(filling.min(sorting).max(1)).min(MAX_GROUPS),
        };
        Self { shift, part, groups }
    }
}

impl<E: EdgeValue> Rows<E> {
    /// Sorts the entries of `list`, whose end points must be vertices.
    pub(super) fn sort(
        list: EdgeList<E>,
        policy: Policy,
        division: Division,
    ) -> Result<(Self, BuildReport), BuildError> {
        let vertices = list.vertex_count as usize;
        let mut report = BuildReport { read: list.edges.len() as u64, ..Default::default() };
        let count = bucket(list.vertex_count.saturating_sub(1), division.shift) + 1;
        let mut cursors = count_entries(&list, policy, division, count, &mut report);
        let starts = bucket_starts(&mut cursors, count);
        let groups = cut_groups(&starts, division.groups);

        let total = starts[count];
        let largest = groups.iter().map(|group| starts[group.end] - starts[group.start]).max();
        let mut open: Vec<Entry<E>> = zeroed(largest.unwrap_or(0))?;
        let mut rows = Self {
            offsets: zeroed(vertices + 1)?,
            targets: zeroed(total)?,
            values: zeroed(if size_of::<E>() == 0 { 0 } else { total })?,
        };
        let mut list = Some(list);
        let mut kept = 0;
        for (i, group) in groups.iter().enumerate() {
            if let Some(list) = &list {
                let places = SharedSlice::new(&mut open);
                fill(list, policy, division, group, starts[group.start], &mut cursors, places);
            }
            if i + 1 == groups.len() {
                list = None;
            }
            kept += rows.finish(&mut open, group, &starts, kept, policy, division);
        }
        report.duplicates = (total - kept) as u64;
        rows.targets.truncate(kept);
        rows.targets.shrink_to_fit();
        rows.values.truncate(kept);
        rows.values.shrink_to_fit();
        Ok((rows, report))
    }

    /// Sorts the open buckets of `group` and appends them after `done` edges;
    /// returns how many edges are kept.
    fn finish(
        &mut self,
        open: &mut [Entry<E>],
        group: &Range<usize>,
        starts: &[usize],
        done: usize,
        policy: Policy,
        division: Division,
    ) -> usize {
        let sizes = group.clone().map(|b| starts[b + 1] - starts[b]);
        let buckets = cut_slice(open, sizes);
        let width = 1u64 << division.shift;
        let first = (group.start as u64 * width) as usize;
        let ends = &mut self.offsets[1..][first..];
        let ends = ends.chunks_mut(usize::try_from(width).unwrap_or(usize::MAX));
        let mut work: Vec<_> = buckets.into_iter().zip(ends).collect();
        let kept: Vec<usize> = work
            .par_iter_mut()
            .enumerate()
            .with_max_len(1)
            .map(|(i, (entries, degrees))| {
                let first = (group.start + i) as u64 * width;
                sort_bucket(entries, degrees, first as VertexId, policy.duplicates)
            })
            .collect();

        let targets = cut_slice(&mut self.targets[done..], kept.iter().copied());
        let of_values = |kept: &usize| if size_of::<E>() == 0 { 0 } else { *kept };
        let values = self.values.get_mut(done..).unwrap_or_default();
        let values = cut_slice(values, kept.iter().map(of_values));
        let bases = kept.iter().scan(done as u64, |next, kept| {
            let base = *next;
            *next += *kept as u64;
            Some(base)
        });
        let places: Vec<_> = targets.into_iter().zip(values).zip(bases).collect();
        work.into_par_iter().zip(places).with_max_len(1).for_each(
            |((entries, degrees), ((targets, values), base))| {
                for (place, entry) in targets.iter_mut().zip(entries.iter()) {
                    *place = entry.target;
                }
                for (place, entry) in values.iter_mut().zip(entries.iter()) {
                    *place = entry.value;
                }
                row_ends(degrees, base);
            },
        );
        kept.iter().sum()
    }
}

/// Zeroed memory, which costs nothing until it is written.
fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, BuildError> {
    let bytes = size_of::<T>() as u128 * len as u128;
    memory::try_zeroed(len).ok_or(BuildError::Memory { bytes })
}

fn bucket(row: VertexId, shift: u32) -> usize {
    (u64::from(row) >> shift) as usize
}

/// Calls `f` with every entry that a range of the list makes, in order.
#[inline(always)]
fn for_each_entry<E: EdgeValue>(
    list: &EdgeList<E>,
    range: Range<usize>,
    policy: Policy,
    mut f: impl FnMut(Entry<E>),
) {
    for i in range {
        let [u, v] = list.edges[i];
        if u == v && policy.drop_loops {
            continue;
        }
        let value = if size_of::<E>() == 0 { E::zeroed() } else { list.values[i] };
        f(Entry { row: u, target: v, value });
        if policy.mirror && u != v {
            f(Entry { row: v, target: u, value });
        }
    }
}

/// The range of the list in each part.
fn parts(edges: usize, part: usize) -> impl Iterator<Item = Range<usize>> {
    (0..edges).step_by(part).map(move |start| start..(start + part).min(edges))
}

/// How many entries each part has for each bucket, `[part][bucket]`.
fn count_entries<E: EdgeValue>(
    list: &EdgeList<E>,
    policy: Policy,
    division: Division,
    buckets: usize,
    report: &mut BuildReport,
) -> Vec<Vec<usize>> {
    let ranges: Vec<_> = parts(list.edges.len(), division.part).collect();
    let counted: Vec<(Vec<usize>, u64)> = ranges
        .into_par_iter()
        .with_max_len(1)
        .map(|range| {
            let mut counts = vec![0; buckets];
            for_each_entry(list, range.clone(), policy, |entry| {
                counts[bucket(entry.row, division.shift)] += 1;
            });
            let loops = list.edges[range].iter().filter(|[u, v]| u == v).count();
            (counts, loops as u64)
        })
        .collect();
    let loops = counted.iter().map(|(_, loops)| loops).sum();
    report.self_loops = if policy.drop_loops { loops } else { 0 };
    report.mirrored = if policy.mirror { report.read - loops } else { 0 };
    counted.into_iter().map(|(counts, _)| counts).collect()
}

/// Turns counts into the places where each part's entries of a bucket begin;
/// returns where each bucket begins, and the end of the last.
pub(super) fn bucket_starts(counts: &mut [Vec<usize>], buckets: usize) -> Vec<usize> {
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut next = 0;
    for b in 0..buckets {
        starts.push(next);
        for of_part in counts.iter_mut() {
            let count = of_part[b];
            of_part[b] = next;
            next += count;
        }
    }
    starts.push(next);
    starts
}

/// Cuts the buckets into ranges of about as many entries each.
fn cut_groups(starts: &[usize], groups: usize) -> Vec<Range<usize>> {
    let buckets = starts.len() - 1;
    let share = starts[buckets] / groups;
    let mut first = 0;
    let cut = |group| {
        let end = if group == groups {
            buckets
        } else {
            starts[..buckets].partition_point(|start| *start < group * share)
        };
        std::mem::replace(&mut first, end)..end
    };
    (1..=groups).map(cut).filter(|range| !range.is_empty()).collect()
}

/// Moves the entries of the group's buckets to their places, in the order of the
/// list.
fn fill<E: EdgeValue>(
    list: &EdgeList<E>,
    policy: Policy,
    division: Division,
    group: &Range<usize>,
    start: usize,
    cursors: &mut [Vec<usize>],
    places: SharedSlice<'_, Entry<E>>,
) {
    let ranges: Vec<_> = parts(list.edges.len(), division.part).collect();
    ranges.into_par_iter().zip(cursors).with_max_len(1).for_each(|(range, cursors)| {
        let cursors = &mut cursors[group.clone()];
        for_each_entry(list, range, policy, |entry| {
            let b = bucket(entry.row, division.shift).wrapping_sub(group.start);
            if let Some(cursor) = cursors.get_mut(b) {
                // SAFETY: the cursor of a part and a bucket runs through as many
                // places as were counted for the two, which no other cursor
                // visits.
                unsafe { places.write(*cursor - start, entry) };
                *cursor += 1;
            }
        });
    });
}

/// Cuts `slice` into consecutive parts of the given sizes.
pub(super) fn cut_slice<T>(
    mut slice: &mut [T],
    sizes: impl Iterator<Item = usize>,
) -> Vec<&mut [T]> {
    let mut parts = Vec::new();
    for size in sizes {
        let (part, rest) = slice.split_at_mut(size);
        parts.push(part);
        slice = rest;
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_cannot_be_had_is_an_error() {
        let bytes = usize::MAX as u128 * 8;
        assert_eq!(zeroed::<u64>(usize::MAX).unwrap_err(), BuildError::Memory { bytes });
    }
}

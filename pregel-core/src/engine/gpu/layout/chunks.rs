//! Heavy groups: how they are cut into chunks, and how warps share the work of joining the partial
//! results of these.

use std::ops::Range;

use crate::device::{
    BLOCK, CHUNK_LAYERS, Chunk, JOIN_BLOCKS, JOIN_CHUNKS, JoinPart, SHORT_LAYERS, WARP,
};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};

/// Heavy groups in chunks; see [`Chunks`](crate::device::Chunks) for what the numbers mean.
pub(crate) struct Chunked<D: Device> {
    pub(crate) list: Array<D, Chunk>,
    pub(crate) count: u32,
    pub(crate) heavy: u32,
    pub(crate) long: u32,
    /// How many groups, the first ones, there are up to the last that has a layer.
    pub(crate) reached: u32,
    pub(crate) joined: Array<D, JoinPart>,
    pub(crate) parts: u32,
    /// How many parts, the first ones, are of groups that have several.
    pub(crate) split: u32,
    /// How many such groups there are.
    split_groups: u32,
}

impl<D: Device> Chunked<D> {
    /// No group is heavy.
    pub(crate) fn none() -> Self {
        Self {
            list: Array::none(),
            count: 0,
            heavy: 0,
            long: 0,
            reached: u32::MAX,
            joined: Array::none(),
            parts: 0,
            split: 0,
            split_groups: 0,
        }
    }

    /// The most chunks that a layout of `slots` slots can have: a heavy group has more
    /// layers than a chunk, and at most one chunk that is not full.
    pub(crate) fn at_most(slots: u64) -> u64 {
        2 * slots / u64::from(CHUNK_LAYERS * WARP)
    }

    /// Cuts the groups, which have these numbers of layers. Every group before the last
    /// heavy one counts as heavy.
    pub(super) fn cut(arrays: &mut Arrays<D>, layers: &[u32]) -> Result<Self, DeviceError> {
        let up_to =
            |most: u32| layers.iter().rposition(|layers| *layers > most).map_or(0, |last| last + 1);
        let (heavy, long, reached) = (up_to(CHUNK_LAYERS), up_to(SHORT_LAYERS), up_to(0));
        let (mut list, mut of_groups) = (Vec::new(), Vec::with_capacity(heavy));
        for (group, layers) in (0..).zip(&layers[..heavy]) {
            let first = list.len() as u32;
            let chunks = (0..(*layers).max(1)).step_by(CHUNK_LAYERS as usize);
            list.extend(chunks.map(|layer| Chunk { group, layer }));
            of_groups.push(first..list.len() as u32);
        }
        let (parts, split) = parts_of(&of_groups);
        let split_groups = parts[..split as usize].last().map_or(0, |last| last.rank + 1);
        let room = ChunkRoom::new(arrays, list.len() as u64, parts.len() as u64)?;
        room.list.write(&list)?;
        room.joined.write(&parts)?;
        Ok(Self {
            list: room.list,
            count: list.len() as u32,
            heavy: heavy as u32,
            long: long as u32,
            reached: reached as u32,
            joined: room.joined,
            parts: parts.len() as u32,
            split,
            split_groups,
        })
    }

    /// Blocks that join the partial results of chunks. The number keeps any device busy and depends on
    /// the graph alone, so that sums match across devices.
    pub(crate) fn joiners(&self) -> u32 {
        self.parts.div_ceil(BLOCK / WARP).min(JOIN_BLOCKS)
    }

    /// How many aggregates their vertices add up to, if they are added up `in_order` or not.
    pub(crate) fn aggregates(&self, in_order: bool) -> u32 {
        self.joiners() + if in_order { self.split_groups } else { 0 }
    }
}

/// The most parts that groups with several can have, of this many chunks in all: one with `c` chunks,
/// more than [`JOIN_CHUNKS`], has at most `c / JOIN_CHUNKS + 1`.
pub(crate) fn most_split(chunks: u64) -> u64 {
    chunks / u64::from(JOIN_CHUNKS / 2)
}

/// The parts in which the partial results of groups with these chunks are joined, and how many of these,
/// the first ones, are of groups that have several.
fn parts_of(groups: &[Range<u32>]) -> (Vec<JoinPart>, u32) {
    let (mut parts, mut whole) = (Vec::new(), Vec::new());
    let mut rank = 0;
    for (group, chunks) in (0..).zip(groups) {
        let count = chunks.end - chunks.start;
        let size = part_size(count);
        let (head, of) = (parts.len() as u32, count.div_ceil(size));
        let of_group = if of > 1 { &mut parts } else { &mut whole };
        of_group.extend(chunks.clone().step_by(size as usize).map(|first| {
            let end = chunks.end.min(first + size);
            JoinPart { group, first, end, head, of, rank }
        }));
        rank += u32::from(of > 1);
    }
    let split = parts.len() as u32;
    parts.append(&mut whole);
    (parts, split)
}

/// The most chunks of a part, in a group with this many. Very large groups have larger parts, so that the
/// results of these are no more than the chunks of one.
fn part_size(chunks: u32) -> u32 {
    chunks.isqrt().max(JOIN_CHUNKS).next_multiple_of(8)
}

/// Memory for the chunks of heavy groups, and for the parts in which they are joined.
pub(super) struct ChunkRoom<D: Device> {
    list: Array<D, Chunk>,
    joined: Array<D, JoinPart>,
}

impl<D: Device> ChunkRoom<D> {
    pub(super) fn new(
        arrays: &mut Arrays<D>,
        chunks: u64,
        parts: u64,
    ) -> Result<Self, DeviceError> {
        let list = arrays.array("chunks", chunks)?;
        Ok(Self { list, joined: arrays.array("parts of heavy groups", parts)? })
    }

    /// The same before a layout is known, for this many groups and slots at most.
    pub(super) fn at_most(
        arrays: &mut Arrays<D>,
        groups: u64,
        slots: u64,
    ) -> Result<Self, DeviceError> {
        let chunks = Chunked::<D>::at_most(slots);
        Self::new(arrays, chunks, groups.min(chunks) + most_split(chunks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_chunks_once() {
        // Whole groups, groups that are split just so, and some with very many chunks.
        for counts in [
            vec![],
            vec![1, 2],
            vec![JOIN_CHUNKS + 1, JOIN_CHUNKS, 1],
            vec![15_625],
            vec![2_500, 64, 65, 9, 300],
        ] {
            let mut end = 0;
            let groups: Vec<Range<u32>> = counts
                .iter()
                .map(|count| {
                    end += count;
                    end - count..end
                })
                .collect();
            let (parts, split) = parts_of(&groups);
            let mut covered = vec![0; end as usize];
            for (number, part) in (0..).zip(&parts) {
                assert!(part.first < part.end && part.of > 0);
                let group = &groups[part.group as usize];
                assert!(group.start <= part.first && part.end <= group.end);
                (part.first..part.end).for_each(|chunk| covered[chunk as usize] += 1);
                assert_eq!(number < split, part.of > 1);
                // No warp joins more than the root of what a group has, or a few.
                let most = (group.end - group.start).isqrt() + 8;
                assert!((part.end - part.first).max(part.of) <= most.max(JOIN_CHUNKS));
                if part.of > 1 {
                    let of_group = &parts[part.head as usize..][..part.of as usize];
                    assert!(of_group.iter().all(|other| other.group == part.group));
                    assert!((part.head..part.head + part.of).contains(&number));
                }
            }
            assert!(covered.iter().all(|times| *times == 1));
            assert!(u64::from(split) <= most_split(end.into()));
        }
    }
}

//! Messages sorted by receiver.

use std::ops::Range;

use super::scatter::Receive;
use super::vertex::Env;
use crate::program::{Message, VertexCompute, VertexId};

/// Sorts messages by the range of vertices that their receivers lie in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sorter {
    /// A range has two to this power of vertices, which share no word of a bitmap with others.
    shift: u32,
    ranges: usize,
}

/// The smallest range has two to this power of vertices: their bits fill a cache line.
const LEAST: u32 = 9;

/// There are at least about this many ranges for each thread.
const EACH: usize = 8;

impl Sorter {
    /// The most ranges.
    pub(super) const MOST: usize = 256;

    /// For the threads of the current pool.
    pub(super) fn new(vertices: u32) -> Self {
        Self::for_threads(vertices, rayon::current_num_threads())
    }

    fn for_threads(vertices: u32, threads: usize) -> Self {
        let last = vertices.saturating_sub(1);
        let bits = u32::BITS - last.leading_zeros();
        // Several ranges for each thread, since some have more messages than others.
        let few = (EACH * threads).ilog2().clamp(5, 8);
        // Ranges of about 2¹⁴ vertices, whose states and offsets a second-level cache holds.
        let shift = bits.saturating_sub(bits.saturating_sub(14).clamp(few, 8)).max(LEAST);
        Self { shift, ranges: (last >> shift) as usize + 1 }
    }

    /// The number of ranges.
    pub(super) fn ranges(self) -> usize {
        self.ranges
    }

    /// The words of a bitmap of `vertices` vertices that hold the bits of a range. No two ranges
    /// have a word in common.
    pub(super) fn words(self, range: usize, vertices: u32) -> Range<usize> {
        let words = 1 << (self.shift - 6);
        range * words..(range * words + words).min((vertices as usize).div_ceil(64))
    }

    /// The range of a vertex.
    pub(super) fn range_of(self, v: VertexId) -> usize {
        (v >> self.shift) as usize
    }
}

/// Messages that a thread has sorted by the range of their receivers.
pub(super) struct Sorted<P: VertexCompute>(Vec<Vec<(VertexId, Message<P>)>>);

impl<P: VertexCompute> Default for Sorted<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P: VertexCompute> Sorted<P> {
    /// The messages to one of the ranges.
    pub(super) fn range(&self, range: usize) -> &[(VertexId, Message<P>)] {
        &self.0[range]
    }
}

impl<P: VertexCompute> Receive<P> for Sorter {
    type Log = Sorted<P>;

    fn begin(self, Sorted(ranges): &mut Sorted<P>) {
        ranges.resize_with(self.ranges, Vec::new);
        ranges.iter_mut().for_each(Vec::clear);
    }

    #[inline(always)]
    unsafe fn deliver<const SHARED: bool>(
        self,
        _: &Env<'_, P>,
        messages: impl Iterator<Item = (VertexId, Message<P>)>,
        _: usize,
        Sorted(ranges): &mut Sorted<P>,
    ) {
        messages.for_each(|message| ranges[self.range_of(message.0)].push(message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_few_and_hold_every_vertex() {
        for vertices in [1, 2, 511, 512, 513, 100_000, 1 << 20, (1 << 20) + 1, u32::MAX] {
            for threads in [1, 2, 16, 1000] {
                let sorter = Sorter::for_threads(vertices, threads);
                assert_eq!(sorter.range_of(0), 0);
                assert_eq!(sorter.range_of(vertices - 1) + 1, sorter.ranges());
                assert!(sorter.ranges() <= Sorter::MOST && sorter.shift >= LEAST);
                let mut end = 0;
                for range in 0..sorter.ranges() {
                    let words = sorter.words(range, vertices);
                    assert!(words.start == end && words.end > end);
                    end = words.end;
                }
                assert_eq!(end, (vertices as usize).div_ceil(64));
            }
        }
        let ranges = |vertices, threads| Sorter::for_threads(vertices, threads).ranges();
        assert_eq!([ranges(1 << 20, 2), ranges(1 << 20, 16), ranges(1 << 17, 16)], [64, 128, 128]);
    }
}

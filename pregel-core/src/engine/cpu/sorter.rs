//! Messages sorted by receiver.

use std::ops::Range;

use super::scatter::Receive;
use super::vertex::Env;
use crate::program::{Delivery, Message, VertexCompute, VertexId};

/// Sorts messages by the range of vertices that their receivers lie in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sorter {
    /// A range has two to this power of vertices, which share no word of a bitmap with others.
    shift: u32,
    ranges: usize,
}

/// The smallest range has two to this power of vertices: their bits fill a cache line.
const LEAST: u32 = 9;

impl Sorter {
    /// The most ranges.
    pub(super) const MOST: usize = 256;

    pub(super) fn new(vertices: u32) -> Self {
        let last = vertices.saturating_sub(1);
        let bits = u32::BITS - last.leading_zeros();
        // Ranges of about 2¹⁴ vertices, whose states and offsets a second-level cache holds.
        let shift = bits.saturating_sub(bits.saturating_sub(14).clamp(5, 8)).max(LEAST);
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

/// Messages in the order of the ranges of their receivers.
pub(super) struct Sorted<P: VertexCompute> {
    /// Not sorted yet.
    new: Vec<(VertexId, Message<P>)>,
    parts: Vec<Part<P>>,
}

struct Part<P: VertexCompute> {
    messages: Vec<(VertexId, Message<P>)>,
    /// Where each range ends.
    ends: Vec<usize>,
}

impl<P: VertexCompute> Sorted<P> {
    /// The messages to one of the ranges, in several slices.
    pub(super) fn range(&self, range: usize) -> impl Iterator<Item = &[(VertexId, Message<P>)]> {
        self.parts.iter().map(move |Part { messages, ends }| {
            let start = range.checked_sub(1).map_or(0, |before| ends[before]);
            &messages[start..ends[range]]
        })
    }
}

impl<P: VertexCompute> Receive<P> for Sorter {
    type Log = Sorted<P>;

    const LARGEST: u64 = 1 << 14;

    fn log(_: usize) -> Sorted<P> {
        Sorted { new: Vec::new(), parts: Vec::new() }
    }

    fn close(self, log: &mut Sorted<P>) {
        let new = std::mem::take(&mut log.new);
        let mut next = [0; Sorter::MOST];
        for (v, _) in &new {
            next[self.range_of(*v)] += 1;
        }
        let mut sum = 0;
        for count in &mut next[..self.ranges] {
            (*count, sum) = (sum, sum + *count);
        }
        let mut messages = vec![(0, P::Combiner::neutral()); new.len()];
        for message in new {
            let place = &mut next[self.range_of(message.0)];
            messages[*place] = message;
            *place += 1;
        }
        log.parts.push(Part { messages, ends: next[..self.ranges].to_vec() });
    }

    fn append(log: &mut Sorted<P>, mut other: Sorted<P>) {
        log.new.append(&mut other.new);
        log.parts.append(&mut other.parts);
    }

    #[inline(always)]
    unsafe fn deliver<const SHARED: bool>(
        self,
        _: &Env<'_, P>,
        messages: impl Iterator<Item = (VertexId, Message<P>)>,
        count: usize,
        log: &mut Sorted<P>,
    ) {
        let mut len = log.new.len();
        log.new.resize(len + count, (0, P::Combiner::neutral()));
        let new = &mut log.new[..];
        messages.for_each(|message| {
            new[len] = message;
            len += 1;
        });
        log.new.truncate(len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_few_and_hold_every_vertex() {
        for vertices in [1, 2, 511, 512, 513, 100_000, 1 << 20, (1 << 20) + 1, u32::MAX] {
            let sorter = Sorter::new(vertices);
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
        assert_eq!(Sorter::new(1 << 20).ranges(), 64);
    }
}

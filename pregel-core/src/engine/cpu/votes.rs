//! Votes, a word of a bitmap at a time.

use std::ops::Range;

use super::bitmap::{Bitmap, full};
use super::shape::Shape;
use super::vertex::{Outbox, Tally};
use crate::program::{VertexCompute, VertexId, Vote};

/// The vertices that compute even without a message.
pub(super) struct Awake {
    pub(super) bits: Bitmap,
    pub(super) count: u64,
}

impl Awake {
    /// Replaces the set by the vertices on these lists, each of which is named once.
    pub(super) fn replace<'a>(&mut self, lists: impl Iterator<Item = &'a [VertexId]> + Clone) {
        self.count = lists.clone().map(|list| list.len() as u64).sum();
        if self.count > 0 {
            self.bits.clear();
            for v in lists.flatten() {
                self.bits.insert::<false>(*v);
            }
        }
    }

    #[inline(always)]
    pub(super) fn contains(&self, v: VertexId, vertices: u64) -> bool {
        self.word(v as usize / 64, vertices) >> (v % 64) & 1 != 0
    }

    /// 64 bits from vertex `64 * i` on. Reads no memory if all vertices are awake, or
    /// none.
    #[inline(always)]
    pub(super) fn word(&self, i: usize, vertices: u64) -> u64 {
        match self.count {
            0 => 0,
            count if count == vertices => !0,
            _ => self.bits.word(i),
        }
    }
}

/// What the vertices of a set did that share a word of a bitmap.
///
/// Notes what is out of the ordinary, so that a vertex that computes, scatters, stays awake and
/// wants messages costs nothing: in programs like PageRank all do, in every superstep.
#[derive(Debug, PartialEq)]
pub(super) struct Votes {
    visited: u64,
    skipped: u64,
    quiet: u64,
    asleep: u64,
    sated: u64,
}

impl Votes {
    /// For the vertices whose bits are set in `visited`, each of which then either computes or
    /// is skipped.
    #[inline(always)]
    pub(super) fn of(visited: u64) -> Self {
        Self { visited, skipped: 0, quiet: 0, asleep: 0, sated: 0 }
    }

    /// Notes that the vertex with this bit does not compute.
    #[inline(always)]
    pub(super) fn skip(&mut self, bit: u64) {
        self.skipped |= bit;
    }

    /// Notes the vote of the vertex with this bit, and whether it wants messages now.
    #[inline(always)]
    pub(super) fn add(&mut self, bit: u64, (vote, wants): (Vote, bool)) {
        let unless = |holds: bool| if holds { 0 } else { bit };
        self.quiet |= unless(vote.scatters());
        self.asleep |= unless(vote.awake());
        self.sated |= unless(wants);
    }

    /// Replaces the words that these vertices share, and adds them to the tally. `open` is
    /// the word of [`Outbox::open`] so far.
    #[inline(always)]
    pub(super) fn store<P: VertexCompute>(
        self,
        vertices: &Range<VertexId>,
        open: u64,
        shape: &Shape<'_, P>,
        out: &Outbox<'_, P>,
        tally: &mut Tally<P>,
    ) {
        let i = vertices.start as usize / 64;
        let computed = self.visited & !self.skipped;
        let (scatter, awake) = (computed & !self.quiet, computed & !self.asleep);
        out.scattering.set_word(i, scatter);
        out.awake.set_word(i, awake);
        tally.active += u64::from(computed.count_ones());
        tally.awake += u64::from(awake.count_ones());
        tally.scattering += u64::from(scatter.count_ones());
        let offered = shape.scatter.edges_of(vertices, scatter);
        tally.offered += offered;
        let (wanting, linked) = (computed & !self.sated, shape.cut.linked(i));
        let still = open & !computed | wanting & linked;
        if still != open {
            out.open.set_word(i, still);
            let all = full(vertices);
            let edges_of = |vs: u64| match vs {
                0 => 0,
                // Those that have become part of a search are those that scatter.
                _ if vs == scatter && shape.symmetric => offered as i64,
                // Those that are not linked add nothing, and all are counted sooner than some.
                _ if vs | !linked & all == all => shape.gather.edges_of(vertices, all) as i64,
                _ => shape.gather.edges_of(vertices, vs) as i64,
            };
            tally.open += edges_of(still & !open) - edges_of(open & !still);
        }
    }
}

/// The votes of up to 64 vertices in a row, a byte each, which the compiler can write several at
/// a time.
pub(super) struct VoteList([u8; 64]);

impl VoteList {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([0; 64])
    }

    #[inline(always)]
    pub(super) fn places(&mut self) -> impl Iterator<Item = &mut u8> {
        self.0.iter_mut()
    }

    /// What stands for a vote, and whether the vertex wants messages.
    #[inline(always)]
    pub(super) fn entry((vote, wants): (Vote, bool)) -> u8 {
        vote as u8 | u8::from(wants) << 2
    }

    /// The votes of those whose bits are set in `visited`; the first vertex has the first bit.
    #[inline(always)]
    pub(super) fn votes(&self, visited: u64) -> Votes {
        let [scatter, awake, wants] = [0, 1, 2].map(|bit| self.plane(bit));
        let [quiet, asleep, sated] = [!scatter, !awake, !wants].map(|word| word & visited);
        Votes { visited, skipped: 0, quiet, asleep, sated }
    }

    /// This bit of each entry.
    #[inline(always)]
    fn plane(&self, bit: u32) -> u64 {
        // The product has the lowest bits of eight bytes in its highest byte.
        const LOWEST: u64 = 0x0101_0101_0101_0101;
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let (words, _) = self.0.as_chunks();
        let bytes = words.iter().map(|word| {
            let bits = u64::from_le_bytes(*word) >> bit & LOWEST;
            bits.wrapping_mul(GATHER) >> 56
        });
        bytes.rev().fold(0, |plane, byte| plane << 8 | byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_tells_every_vote() {
        let entry = |i: u32| (Vote::from_bits((i % 4) as u8), i.is_multiple_of(7));
        let mut list = VoteList::new();
        for (i, place) in (0..50).zip(list.places()) {
            *place = VoteList::entry(entry(i));
        }
        let visited = !0 >> 14;
        let mut expected = Votes::of(visited);
        (0..50).for_each(|i| expected.add(1 << i, entry(i)));
        assert_eq!(list.votes(visited), expected);
    }
}

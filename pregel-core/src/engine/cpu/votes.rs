//! Votes, a word of a bitmap at a time.

use std::ops::Range;

use super::bitmap::Bitmap;
use super::shape::Shape;
use super::vertex::{Outbox, Tally};
use crate::program::{VertexCompute, VertexId, Vote};

/// The vertices that compute even without a message.
pub(super) struct Awake {
    pub(super) bits: Bitmap,
    pub(super) count: u64,
}

impl Awake {
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
        let wanting = computed & !self.sated;
        let still = open & !computed | wanting & shape.cut.linked(i);
        if still != open {
            out.open.set_word(i, still);
            let edges_of = |vs: u64| match vs {
                0 => 0,
                // Those that have become part of a search are those that scatter.
                _ if vs == scatter && shape.symmetric => offered as i64,
                _ => shape.gather.edges_of(vertices, vs) as i64,
            };
            tally.open += edges_of(still & !open) - edges_of(open & !still);
        }
    }
}

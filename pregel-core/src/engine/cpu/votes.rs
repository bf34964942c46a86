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

/// What up to 64 vertices did that share a word of a bitmap.
#[derive(Default)]
pub(super) struct Votes {
    computed: u64,
    scatter: u64,
    awake: u64,
    wanting: u64,
}

impl Votes {
    /// For vertices that all compute.
    #[inline(always)]
    pub(super) fn of_all(vertices: &Range<VertexId>) -> Self {
        Self { computed: full(vertices), ..Self::default() }
    }

    /// Notes a vertex that computed, with its vote, and whether it wants messages now.
    #[inline(always)]
    pub(super) fn add(&mut self, v: VertexId, (vote, wants): (Vote, bool)) {
        self.computed |= 1 << (v % 64);
        self.vote(v, (vote, wants));
    }

    /// Notes the vote of a vertex, and whether it wants messages now.
    #[inline(always)]
    pub(super) fn vote(&mut self, v: VertexId, (vote, wants): (Vote, bool)) {
        self.scatter |= u64::from(vote.scatters()) << (v % 64);
        self.awake |= u64::from(vote.awake()) << (v % 64);
        self.wanting |= u64::from(wants) << (v % 64);
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
        out.scattering.set_word(i, self.scatter);
        out.awake.set_word(i, self.awake);
        tally.active += u64::from(self.computed.count_ones());
        tally.awake += u64::from(self.awake.count_ones());
        tally.scattering += u64::from(self.scatter.count_ones());
        let offered = shape.scatter.edges_of(vertices, self.scatter);
        tally.offered += offered;
        let still = open & !self.computed | self.wanting & shape.cut.linked(i);
        if still != open {
            out.open.set_word(i, still);
            let edges_of = |vs: u64| match vs {
                0 => 0,
                // Those that have become part of a search are those that scatter.
                _ if vs == self.scatter && shape.symmetric => offered as i64,
                _ => shape.gather.edges_of(vertices, vs) as i64,
            };
            tally.open += edges_of(still & !open) - edges_of(open & !still);
        }
    }
}

//! Votes, a word of a bitmap at a time.

use super::bitmap::Bitmap;
use super::vertex::Outbox;
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

/// The votes of up to 64 vertices.
#[derive(Default)]
pub(super) struct Votes {
    scatter: u64,
    awake: u64,
}

impl Votes {
    #[inline(always)]
    pub(super) fn add(&mut self, v: VertexId, vote: Vote) {
        self.scatter |= u64::from(vote.scatters()) << (v % 64);
        self.awake |= u64::from(vote.awake()) << (v % 64);
    }

    #[inline(always)]
    pub(super) fn store<P: VertexCompute>(self, i: usize, out: &Outbox<'_, P>) {
        out.scattering.set_word(i, self.scatter);
        out.awake.set_word(i, self.awake);
    }
}

//! Breadth-first search from up to 64 sources at once, a bit for each.
//!
//! A vertex keeps the set of sources that have reached it, and sends this set on when it
//! grows. So all searches that pass an edge in the same superstep share one message (Then,
//! Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, *The More the Merrier: Efficient
//! Multi-Source Graph Traversal*, PVLDB 8(4), 2014). As in one search, the superstep in which
//! a source arrives is its level.
//!
//! Work O(V + E) per superstep at worst, whatever the number of sources.
//!
//! # Levels, digit by digit
//!
//! The levels of a vertex are stored in binary, a word for each digit: bit `i` of the word is
//! the digit of source `i`. Whatever arrives in a superstep has the same level, so that it is
//! written with one operation per digit, without a loop over the sources. Seven digits and
//! the set fill 64 bytes, one cache line, where numbers of 32 bits would take 264 bytes. They
//! count to [`DEPTH`]; vertices that are further away are left out.

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Edge, EdgeCompute, Nothing, Or, Program, VertexCompute, VertexId, Vote,
};

use super::{DEPTH, Many};
use crate::bfs::{Bfs, UNREACHED};

/// Levels from up to 64 sources.
///
/// The input of a vertex is the set of the sources that begin there: bit `i` stands for source
/// number `i`. Vertices more than [`DEPTH`] edges away count as unreached. With a superstep
/// limit of [`DEPTH`], the run stops at the limit if there may be any.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BfsFromMany {
    /// The bits of no source. All vertices have them from the beginning, so that a vertex that
    /// all sources have reached has all bits, and wants no more messages.
    unused: u64,
}

/// What [`BfsFromMany`] knows of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Visits {
    /// The sources that have reached the vertex, and the bits of no source.
    seen: u64,
    /// The levels of these sources, the lowest digits first.
    digits: [u64; DIGITS],
}

const DIGITS: usize = (DEPTH + 1).ilog2() as usize;

impl Visits {
    /// Number of edges from source number `i`; [`UNREACHED`] if there is no path, or none of at
    /// most [`DEPTH`] edges.
    #[inline]
    pub fn level(&self, i: usize) -> u32 {
        let bit = |word: u64| (word >> (i % 64)) as u32 & 1;
        if bit(self.seen) == 0 {
            return UNREACHED;
        }
        (0..).zip(self.digits).fold(0, |level, (k, digit)| level | bit(digit) << k)
    }
}

impl BfsFromMany {
    /// A search from this many sources, at most 64.
    pub fn new(sources: usize) -> Self {
        Self { unused: u64::MAX.checked_shl(sources as u32).unwrap_or(0) }
    }
}

impl Program for BfsFromMany {
    type Input = u64;
    type State = Visits;
    type Signal = u64;
    type Edge = ();
    type Combiner = Or<u64>;
    type Aggregate = Nothing;
}

impl EdgeCompute for BfsFromMany {
    fn edge_compute(&self, seen: &u64, _: Edge<()>) -> Option<u64> {
        Some(*seen)
    }
}

impl VertexCompute for BfsFromMany {
    fn init(&self, context: &mut Context<'_, Self>) -> (Visits, Vote) {
        let starts = context.input();
        let visits = Visits { seen: starts | self.unused, digits: [0; DIGITS] };
        (visits, if starts == 0 { Vote::Halt } else { Vote::Scatter })
    }

    fn vertex_compute(
        &self,
        visits: &mut Visits,
        seen: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let new = seen.unwrap_or(0) & !visits.seen;
        let level = context.superstep();
        if new == 0 || level > DEPTH {
            return Vote::Halt;
        }
        visits.seen |= new;
        // A counted loop is unrolled on a GPU, and the digits stay in registers.
        let mut k = 0;
        while k < DIGITS {
            if level >> k & 1 != 0 {
                visits.digits[k] |= new;
            }
            k += 1;
        }
        Vote::Scatter
    }

    /// All of the set, not only what is new in it. The rest has been sent before, so it changes
    /// nothing, but a vertex that reads its neighbours can stop at the first full set.
    fn signal(&self, visits: &Visits, _: &Context<'_, Self>) -> u64 {
        visits.seen
    }

    fn wants_message(&self, visits: &Visits) -> bool {
        visits.seen != u64::MAX
    }
}

impl Many for BfsFromMany {
    type One = Bfs;
    type Value = u32;
    const MOST: usize = 64;
    // Two cores: 1.3 ns a message, and a search of 0.3 ns an edge.
    const WORTH: f64 = 16.0;

    fn new(sources: usize) -> Self {
        Self::new(sources)
    }

    fn one(source: VertexId) -> Bfs {
        Bfs { source }
    }

    fn value(state: &Visits, i: usize) -> u32 {
        state.level(i)
    }
}

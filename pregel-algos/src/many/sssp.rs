//! Shortest paths from up to 16 sources at once, side by side.
//!
//! A vertex keeps one tentative distance per source. If any of them becomes shorter, it offers
//! all of them to its out-neighbours, in one message (Bellman–Ford). The row, the edge's length
//! and the bookkeeping of a superstep are then paid for once, and a loop over the distances
//! compiles to vector instructions. The distances are those of [`Sssp`], bit for bit.
//!
//! # Cost
//!
//! O(V · E) offers at worst. Each moves 64 bytes, and that, not the arithmetic, is what they
//! cost. There are no priorities: distances from different sources do not come in one order, so
//! there are more offers than in delta-stepping, which takes the searches one after another.

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Edge, EdgeCompute, Law, Monoid, Nothing, Program, VertexCompute, VertexId, Vote,
};

use super::Many;
use crate::sssp::{Sssp, non_negative};

/// The most sources of one run. Their distances fill 64 bytes, one cache line; fewer or more
/// at once take longer altogether.
pub const MOST: usize = 16;

/// Distances from up to [`MOST`] sources.
///
/// The input of a vertex is the set of the sources that begin there: bit `i` stands for source
/// number `i`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SsspFromMany;

/// The distances of a vertex from all sources; `f32::INFINITY` where there is no path, or only
/// paths [too long for `f32`](crate::sssp#precision).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Distances(pub [f32; MOST]);

impl Distances {
    const NONE: Self = Self([f32::INFINITY; MOST]);

    /// `f` of each distance and its counterpart in `other`.
    #[inline(always)]
    fn with(mut self, other: &Self, f: impl Fn(f32, f32) -> f32) -> Self {
        // A counted loop is unrolled on a GPU, and the arrays stay in registers.
        let mut i = 0;
        while i < MOST {
            self.0[i] = f(self.0[i], other.0[i]);
            i += 1;
        }
        self
    }
}

/// The monoid of the shorter distances.
///
/// The laws hold for distances from +0 to infinity. Others do not occur: sources have +0, and
/// [`check_edge`](VertexCompute::check_edge) refuses negative lengths and NaN. This takes one
/// instruction for four distances, where [`Min`](pregel_core::program::Min) would have to look
/// for NaN and −0.
#[derive(Clone, Copy, Debug)]
pub struct Nearest;

impl Monoid for Nearest {
    type Value = Distances;
    const LAW: Law = Law::Exact;
    #[inline(always)]
    fn identity() -> Distances {
        Distances::NONE
    }
    #[inline(always)]
    fn combine(a: Distances, b: Distances) -> Distances {
        a.with(&b, shorter)
    }
}

#[inline(always)]
fn shorter(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

impl Program for SsspFromMany {
    type Input = u64;
    type State = Distances;
    type Signal = Distances;
    type Edge = f32;
    type Combiner = Nearest;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for SsspFromMany {
    fn edge_compute(&self, distances: &Distances, edge: Edge<f32>) -> Option<Distances> {
        Some(distances.with(distances, |distance, _| distance + edge.value))
    }
}

impl VertexCompute for SsspFromMany {
    fn init(&self, context: &mut Context<'_, Self>) -> (Distances, Vote) {
        let (starts, mut distances, mut i) = (context.input(), Distances::NONE, 0);
        while i < MOST {
            if starts >> i & 1 != 0 {
                distances.0[i] = 0.0;
            }
            i += 1;
        }
        (distances, if starts == 0 { Vote::Halt } else { Vote::Scatter })
    }

    fn vertex_compute(
        &self,
        old: &mut Distances,
        offers: Option<Distances>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(offers) = offers else { return Vote::Halt };
        let (mut improved, mut i) = (false, 0);
        while i < MOST {
            improved |= offers.0[i] < old.0[i];
            i += 1;
        }
        *old = Nearest::combine(*old, offers);
        if improved { Vote::Scatter } else { Vote::Halt }
    }

    fn signal(&self, distances: &Distances, _: &Context<'_, Self>) -> Distances {
        *distances
    }

    fn check_edge(length: &f32) -> Result<(), &'static str> {
        non_negative(length)
    }
}

impl Many for SsspFromMany {
    type One = Sssp;
    type Value = f32;
    const MOST: usize = MOST;
    // Two cores: 6 to 13 ns a message, and a search of 4 to 8 ns an edge.
    const WORTH: f64 = 10.0;

    fn new(_: usize) -> Self {
        Self
    }

    fn one(source: VertexId) -> Sssp {
        Sssp { source }
    }

    fn value(state: &Distances, i: usize) -> f32 {
        state.0[i]
    }
}

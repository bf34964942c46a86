//! Shortest paths in `f64` or `i64`, from any number of sources, up to a cutoff.
//!
//! The program is that of [`Sssp`](super::Sssp) with wider numbers: integers stay exact beyond
//! 2⁵³, and each vertex may start at a distance of its own.
//!
//! # Example
//!
//! ```
//! use pregel_algos::sssp::wide::{SsspWide, starts};
//! use pregel_core::prelude::*;
//!
//! let long = (1 << 53) + 1;
//! let graph = Graph::from_weighted_edges([(0, 1, long), (1, 2, 1), (3, 2, 7)])?;
//! let inputs = starts(graph.vertex_count(), &[0])?;
//! let mut session = Cpu::new().prepare::<SsspWide<i64>>(&graph, &RunOptions::default())?;
//! let found = session.run_with(&SsspWide::new(), &inputs)?.states;
//! assert_eq!(found, [0, long, long + 1, i64::MAX]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Number, Program, VertexCompute, Vote,
};

/// A number type of lengths: `f64` or `i64`. Its largest value, [`Number::TOP`], is the distance
/// of what is not reached.
pub trait Length: Number {
    /// The length of a path and one more edge; no longer than `TOP`.
    #[must_use]
    fn extend(self, edge: Self) -> Self;
    /// The nearest `f32`, for the order in which vertices are visited.
    fn rounded(self) -> f32;
}

impl Length for f64 {
    #[inline(always)]
    fn extend(self, edge: Self) -> Self {
        self + edge
    }

    #[inline(always)]
    fn rounded(self) -> f32 {
        self as f32
    }
}

impl Length for i64 {
    #[inline(always)]
    fn extend(self, edge: Self) -> Self {
        self.saturating_add(edge)
    }

    #[inline(always)]
    fn rounded(self) -> f32 {
        self as f32
    }
}

/// Distances from the nearest source.
///
/// The input of a vertex is its distance before the first superstep: 0 at a source, and
/// [`Number::TOP`] elsewhere, as [`starts`] makes them. Sums of `f64` are rounded after every
/// edge. Those of `i64` are exact; a path that is not shorter than `i64::MAX` counts as none.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SsspWide<L> {
    cutoff: L,
}

impl<L: Length> SsspWide<L> {
    /// Distances of any length.
    pub fn new() -> Self {
        Self { cutoff: L::TOP }
    }

    /// Distances up to `cutoff`, itself included; vertices that are further away count as
    /// unreached, but for those that start there.
    #[must_use]
    pub fn with_cutoff(self, cutoff: L) -> Self {
        Self { cutoff }
    }
}

impl<L: Length> Default for SsspWide<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Length> Program for SsspWide<L> {
    type Input = L;
    type State = L;
    type Signal = L;
    type Edge = L;
    type Combiner = Min<L>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl<L: Length> EdgeCompute for SsspWide<L> {
    fn edge_compute(&self, distance: &L, edge: Edge<L>) -> Option<L> {
        Some(distance.extend(edge.value))
    }
}

impl<L: Length> VertexCompute for SsspWide<L> {
    fn init(&self, context: &mut Context<'_, Self>) -> (L, Vote) {
        let start = context.input();
        (start, if start < L::TOP { Vote::Scatter } else { Vote::Halt })
    }

    fn vertex_compute(&self, old: &mut L, offer: Option<L>, _: &mut Context<'_, Self>) -> Vote {
        match offer {
            Some(offer) if offer < *old && offer <= self.cutoff => {
                *old = offer;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, distance: &L, _: &Context<'_, Self>) -> L {
        *distance
    }

    fn priority(&self, distance: &L) -> Option<f32> {
        Some(distance.rounded())
    }

    fn check_edge(length: &L) -> Result<(), &'static str> {
        // False of a NaN.
        if *length >= L::ZERO {
            Ok(())
        } else {
            Err("an edge length is negative or not a number; shortest paths need lengths ≥ 0")
        }
    }
}

/// The inputs of [`SsspWide`] for paths from these sources. O(V).
///
/// # Errors
/// If a source is not in a graph of this many vertices.
#[cfg(feature = "std")]
pub fn starts<L: Length>(
    vertex_count: u32,
    sources: &[pregel_core::program::VertexId],
) -> Result<Vec<L>, &'static str> {
    let mut starts = vec![L::TOP; vertex_count as usize];
    for &source in sources {
        super::in_graph(source, vertex_count)?;
        starts[source as usize] = L::ZERO;
    }
    Ok(starts)
}

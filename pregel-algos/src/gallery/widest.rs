//! Widest paths: of all paths from a source, the one whose narrowest edge is as wide as
//! possible. How much can be transported at once, what is the best bottleneck of a network?
//!
//! A vertex remembers the width of the best path that it knows. An edge offers the smaller of
//! that width and its own; of several offers the largest counts, and an improvement is passed
//! on. It is Bellman–Ford with `(max, min)` instead of `(min, +)` (M. Pollack, *Operations
//! Research* 8, 1960). Idiom: a semiring of one's own. O(V · E) at worst.
//!
//! ```
//! use pregel_algos::gallery::widest::Widest;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_weighted_edges([(0, 1, 3.0), (0, 2, 9.0), (2, 1, 5.0)])?;
//! let outcome = Cpu::new().run(&graph, &Widest { source: 0 }, &RunOptions::default())?;
//! assert_eq!(outcome.states, [f32::INFINITY, 5.0, 9.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Max, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// The width of a vertex that no path leads to; every edge is wider.
pub const UNREACHED: f32 = 0.0;

/// Widths of the widest paths from one source, whose own width is `f32::INFINITY`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Widest {
    /// Where the paths begin.
    pub source: VertexId,
}

impl Program for Widest {
    type Input = ();
    type State = f32;
    type Signal = f32;
    type Edge = f32;
    type Combiner = Max<f32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Widest {
    fn edge_compute(&self, width: &f32, edge: Edge<f32>) -> Option<f32> {
        Some(width.min(edge.value))
    }
}

impl VertexCompute for Widest {
    fn init(&self, context: &mut Context<'_, Self>) -> (f32, Vote) {
        if context.vertex() == self.source {
            (f32::INFINITY, Vote::Scatter)
        } else {
            (UNREACHED, Vote::Halt)
        }
    }

    fn vertex_compute(
        &self,
        width: &mut f32,
        offer: Option<f32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match offer {
            Some(wider) if wider > *width => {
                *width = wider;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, width: &f32, _: &Context<'_, Self>) -> f32 {
        *width
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        crate::sssp::in_graph(self.source, graph.vertex_count)
    }

    fn check_edge(width: &f32) -> Result<(), &'static str> {
        if *width > UNREACHED { Ok(()) } else { Err("an edge is not wider than 0") }
    }
}

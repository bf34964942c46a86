//! In-degrees: the smallest program that is of any use.
//!
//! Every vertex sends 1 along its edges, once, and the sum of what arrives is the in-degree.
//! [`Context::in_degree`] says the same without a message; with a condition in `edge_compute`,
//! the program counts some edges only, such as those above a weight.
//!
//! Idiom: count by sending ones. One superstep, O(V + E).
//!
//! ```
//! use pregel_algos::gallery::in_degree::InDegree;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_weighted_edges([(0, 2, 0.5), (1, 2, 3.0), (2, 0, 2.0)])?;
//! let outcome = Cpu::new().run(&graph, &InDegree { above: 1.0 }, &RunOptions::default())?;
//! assert_eq!(outcome.states, [1, 0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Edge, EdgeCompute, Nothing, Program, Sum, VertexCompute, Vote,
};

/// The number of edges to each vertex whose value is larger than a bound.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InDegree {
    /// Edges with this value, or a smaller one, do not count.
    pub above: f32,
}

impl Program for InDegree {
    type Input = ();
    type State = u32;
    type Signal = ();
    type Edge = f32;
    type Combiner = Sum<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for InDegree {
    fn edge_compute(&self, (): &(), edge: Edge<f32>) -> Option<u32> {
        (edge.value > self.above).then_some(1)
    }
}

impl VertexCompute for InDegree {
    fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
        (0, Vote::Scatter)
    }

    fn vertex_compute(&self, count: &mut u32, sum: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
        *count = sum.unwrap_or(0);
        Vote::Halt
    }

    fn signal(&self, _: &u32, _: &Context<'_, Self>) {}
}

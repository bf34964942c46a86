//! Eigenvector centrality: a vertex is as central as the vertices before it are together (P.
//! Bonacich, *J. Mathematical Sociology* 2, 1972).
//!
//! Power iteration: every vertex adds up the values of its in-neighbours. Its own value counts
//! too, which changes no eigenvector and keeps the values of bipartite graphs from alternating.
//! Values are divided by the sum of all, which every vertex knows one superstep later, from the
//! aggregate. The result is the eigenvector of the largest eigenvalue, if only one is so large:
//! in a strongly connected graph.
//!
//! Idiom: two sums over all vertices in one aggregate. O(V + E) per superstep. Set a superstep
//! limit: without cycles, the values approach nothing quickly.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use pregel_algos::gallery::eigenvector::{Eigenvector, normalised};
//! use pregel_core::prelude::*;
//!
//! let star = [(0, 1), (0, 2), (0, 3), (0, 4)];
//! let graph = GraphBuilder::new().with_directed(false).with_edges(star).build()?;
//! let options = RunOptions::default().with_max_supersteps(1000);
//! let program = Eigenvector { tolerance: 1e-12 };
//! let values = normalised(&Cpu::new().run(&graph, &program, &options)?.states);
//! assert!((values[0] - 0.5f64.sqrt()).abs() < 1e-6 && (values[1] - 0.125f64.sqrt()).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Array, Context, Edge, EdgeCompute, GraphFacts, Program, Sum, VertexCompute, Vote,
};

/// Eigenvector centrality. The states are right up to a common factor.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Eigenvector {
    /// The run ends when the changes of all values sum to less than this; the values themselves
    /// sum to 1 or more.
    pub tolerance: f64,
}

/// The values scaled so that their squares sum to 1.
#[cfg(feature = "std")]
pub fn normalised(values: &[f64]) -> std::vec::Vec<f64> {
    let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    values.iter().map(|value| value / length).collect()
}

impl Program for Eigenvector {
    type Input = ();
    type State = f64;
    type Signal = f64;
    type Edge = ();
    type Combiner = Sum<f64>;
    /// The sum of all values, and by how much all have changed.
    type Aggregate = Array<Sum<f64>, 2>;
}

impl EdgeCompute for Eigenvector {
    fn edge_compute(&self, value: &f64, _: Edge<()>) -> Option<f64> {
        Some(*value)
    }
}

impl VertexCompute for Eigenvector {
    fn init(&self, context: &mut Context<'_, Self>) -> (f64, Vote) {
        let value = 1.0 / f64::from(context.vertex_count());
        context.contribute([value, 0.0]);
        (value, Vote::Continue)
    }

    fn vertex_compute(
        &self,
        value: &mut f64,
        sum: Option<f64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let [all, _] = *context.aggregate();
        let new = (*value + sum.unwrap_or(0.0)) / all;
        let change = new - *value;
        context.contribute([new, if change < 0.0 { -change } else { change }]);
        *value = new;
        Vote::Continue
    }

    fn signal(&self, value: &f64, _: &Context<'_, Self>) -> f64 {
        *value
    }

    fn converged(&self, [_, change]: &[f64; 2]) -> bool {
        *change < self.tolerance
    }

    fn check(&self, _: &GraphFacts) -> Result<(), &'static str> {
        if self.tolerance >= 0.0 { Ok(()) } else { Err("the tolerance must not be negative") }
    }
}

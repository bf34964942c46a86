//! Katz centrality: the number of walks that end at a vertex, the longer the less they count
//! (L. Katz, *Psychometrika* 18, 1953).
//!
//! `x(v) = base + attenuation · Σ x(u)` over the edges from u to v. The sum is finite if the
//! attenuation is smaller than 1 / λ, where λ is the largest eigenvalue of the adjacency
//! matrix; a graph in which no vertex has more than d in-edges has λ ≤ d.
//!
//! Idiom: all vertices send in every superstep, until the sum of the changes is small. O(V + E)
//! per superstep. Set a superstep limit: with too large an attenuation, the values grow for
//! ever.
//!
//! ```
//! use pregel_algos::gallery::katz::Katz;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(0, 1), (1, 2)])?;
//! let katz = Katz { attenuation: 0.5, base: 1.0, tolerance: 1e-9 };
//! let options = RunOptions::default().with_max_supersteps(100);
//! assert_eq!(Cpu::new().run(&graph, &katz, &options)?.states, [1.0, 1.5, 1.75]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Program, Sum, VertexCompute, Vote,
};

/// Katz centrality.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Katz {
    /// How much one edge more weakens a walk; positive.
    pub attenuation: f64,
    /// What a vertex has without any walk; positive.
    pub base: f64,
    /// The run ends when the changes of all vertices sum to less than this.
    pub tolerance: f64,
}

impl Program for Katz {
    type Input = ();
    type State = f64;
    type Signal = f64;
    type Edge = ();
    type Combiner = Sum<f64>;
    /// How much all values have changed.
    type Aggregate = Sum<f64>;
}

impl EdgeCompute for Katz {
    fn edge_compute(&self, value: &f64, _: Edge<()>) -> Option<f64> {
        Some(*value)
    }
}

impl VertexCompute for Katz {
    fn init(&self, _: &mut Context<'_, Self>) -> (f64, Vote) {
        (self.base, Vote::Continue)
    }

    fn vertex_compute(
        &self,
        value: &mut f64,
        sum: Option<f64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let new = self.base + self.attenuation * sum.unwrap_or(0.0);
        let change = new - *value;
        context.contribute(if change < 0.0 { -change } else { change });
        *value = new;
        Vote::Continue
    }

    fn signal(&self, value: &f64, _: &Context<'_, Self>) -> f64 {
        *value
    }

    fn converged(&self, change: &f64) -> bool {
        *change < self.tolerance
    }

    fn check(&self, _: &GraphFacts) -> Result<(), &'static str> {
        let positive = |x: f64| x > 0.0 && x < f64::INFINITY;
        if positive(self.attenuation) && positive(self.base) && self.tolerance >= 0.0 {
            Ok(())
        } else {
            Err("attenuation and base must be positive, and the tolerance must not be negative")
        }
    }
}

//! Vertex programs as papers have them, where the bundled ones differ: those of the thesis
//! *PregelGPU*, without an aggregate and along out-edges only, and those of Groute, a search by
//! levels with priorities and PageRank by residuals.
//!
//! `no_std` and without `unsafe`, as programs for a GPU must be. Their PTX is committed in
//! `replication/ptx`.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod levels;
mod residual;

use pregel_core::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Program, Sum, VertexCompute, VertexId, Vote,
};

pub use levels::{Levels, UNREACHED};
pub use residual::{ResidualPageRank, Standing, share, total};

/// PageRank with nothing but messages: `0.15 / V + 0.85 · Σ rank(u) / out-degree(u)`, until the
/// superstep limit.
///
/// Unlike [`PageRank`](https://docs.rs/pregel-algos) of the bundled programs, it has no
/// aggregate: the rank of vertices without out-edges is lost, and nothing says how far the
/// ranks have converged.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ThesisPageRank;

/// The damping factor of [`ThesisPageRank`].
const DAMPING: f32 = 0.85;

impl Program for ThesisPageRank {
    type Input = ();
    type State = f32;
    type Signal = f32;
    type Edge = ();
    type Combiner = Sum<f32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for ThesisPageRank {
    fn edge_compute(&self, share: &f32, _: Edge<()>) -> Option<f32> {
        Some(*share)
    }
}

impl VertexCompute for ThesisPageRank {
    fn init(&self, at: &mut Context<'_, Self>) -> (f32, Vote) {
        (1.0 / at.vertex_count() as f32, Vote::Continue)
    }

    fn vertex_compute(&self, rank: &mut f32, sum: Option<f32>, at: &mut Context<'_, Self>) -> Vote {
        *rank = (1.0 - DAMPING) / at.vertex_count() as f32 + DAMPING * sum.unwrap_or(0.0);
        Vote::Continue
    }

    fn signal(&self, rank: &f32, at: &Context<'_, Self>) -> f32 {
        rank / at.out_degree() as f32
    }
}

/// HCC along out-edges: the smallest id from which a path leads to the vertex. The bundled
/// `Hcc` sends both ways, which finds weakly connected components.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct HccOut;

impl Program for HccOut {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for HccOut {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for HccOut {
    fn init(&self, at: &mut Context<'_, Self>) -> (VertexId, Vote) {
        (at.vertex(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        label: &mut VertexId,
        smallest: Option<VertexId>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match smallest {
            Some(smallest) if smallest < *label => {
                *label = smallest;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    /// The smallest label first, as in `Hcc`.
    #[inline(always)]
    fn priority(&self, label: &VertexId) -> Option<f32> {
        Some(*label as f32)
    }

    fn signal(&self, label: &VertexId, _: &Context<'_, Self>) -> VertexId {
        *label
    }

    /// Nothing is smaller than 0.
    fn wants_message(&self, label: &VertexId) -> bool {
        *label != 0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pregel_core::engine::{Cpu, Engine, Reference, RunOptions};
    use pregel_core::graph::Graph;

    use super::*;

    #[test]
    fn ranks_follow_the_formula() {
        // 0 → 1, 0 → 2, 1 → 2, 2 → 0, 3 → 2.
        let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2), (2, 0), (3, 2)]).unwrap();
        let mut ranks = [0.25_f64; 4];
        for _ in 0..3 {
            let [a, b, c, d] = ranks;
            let sums = [c, a / 2.0, a / 2.0 + b + d, 0.0];
            ranks = sums.map(|sum| 0.15 / 4.0 + 0.85 * sum);
        }
        let options = RunOptions::default().with_max_supersteps(3);
        let found = Cpu::new().run(&graph, &ThesisPageRank, &options).unwrap().states;
        for (found, expected) in found.iter().zip(ranks) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} is not {expected}");
        }
    }

    #[test]
    fn labels_follow_the_edges() {
        // 0 reaches nothing; 1 reaches 3 and 4; 2 reaches 0.
        let graph = Graph::from_edges([(2, 0), (1, 3), (3, 4), (4, 3)]).unwrap();
        for states in [
            Reference.run(&graph, &HccOut, &RunOptions::default()).unwrap().states,
            Cpu::new().run(&graph, &HccOut, &RunOptions::default()).unwrap().states,
        ] {
            assert_eq!(states, [0, 1, 2, 1, 1]);
        }
    }
}

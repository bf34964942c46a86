//! HCC: weakly connected components by the smallest label.
//!
//! Every vertex starts with its own id as its label, takes the smallest label
//! among its neighbours and passes an improvement on (Kang, Tsourakakis,
//! Faloutsos, *PEGASUS*, ICDM 2009). In the end two vertices have the same
//! label if and only if a path joins them, whatever the direction of its edges,
//! and the label is the smallest id in the component.
//!
//! Supersteps: at most the largest diameter of a component plus one.
//!
//! # Example
//!
//! ```
//! use pregel_algos::hcc::Hcc;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(1, 0), (1, 2), (3, 4)])?;
//! let outcome = Cpu::new().run(&graph, &Hcc, &RunOptions::default())?;
//! assert_eq!(outcome.states, [0, 0, 0, 3, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// Weakly connected components.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Hcc;

impl Program for Hcc {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::Both;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Hcc {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for Hcc {
    fn init(&self, context: &mut Context<'_, Self>) -> (VertexId, Vote) {
        (context.vertex(), Vote::Scatter)
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

    /// The smallest label first: it spreads through its whole component before the labels that
    /// it replaces are sent any further.
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

//! CDLP: community detection by synchronous label propagation.
//!
//! Every vertex starts with its own id as its label. In each superstep it takes
//! the most frequent label among its neighbours, and the smallest of those that
//! are equally frequent. A neighbour joined by edges both ways counts twice.
//! The algorithm is due to Raghavan, Albert, Kumara, Phys. Rev. E 76, 036106
//! (2007); this is the deterministic variant of the LDBC Graphalytics
//! specification (§2.4.4).
//!
//! It needs every message, in order, not a combination of them: O(E log d) per
//! superstep for degree d. It may oscillate forever, so set a superstep limit.
//!
//! # Example
//!
//! ```
//! use pregel_algos::cdlp::Cdlp;
//! use pregel_core::prelude::*;
//!
//! let edges = [(0, 1), (1, 2), (2, 0), (2, 3)];
//! let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build()?;
//! let options = RunOptions::default().with_max_supersteps(10);
//! let outcome = Cpu::new().run(&graph, &Cdlp, &options)?;
//! assert_eq!(outcome.states, [0, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Mail, Program, Sorted, Sum, VertexCompute, VertexId,
    Vote,
};

/// Synchronous label propagation.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Cdlp;

impl Program for Cdlp {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Sorted<VertexId>;
    /// How many vertices changed their label.
    type Aggregate = Sum<u64>;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for Cdlp {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for Cdlp {
    fn init(&self, context: &mut Context<'_, Self>) -> (VertexId, Vote) {
        (context.vertex(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        label: &mut VertexId,
        mut labels: Mail<'_, VertexId>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        if let Some((most, _)) = labels.mode().filter(|(most, _)| most != label) {
            *label = most;
            context.contribute(1);
        }
        Vote::Scatter
    }

    fn signal(&self, label: &VertexId, _: &Context<'_, Self>) -> VertexId {
        *label
    }

    fn converged(&self, changed: &u64) -> bool {
        *changed == 0
    }
}

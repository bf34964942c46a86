//! The largest value that reaches each vertex: the example of the Pregel paper (Malewicz and
//! others, SIGMOD 2010, Fig. 2).
//!
//! A vertex begins with a value of its own, which the caller gives as its input, and sends it
//! on. Whenever something larger comes, it becomes the value and is sent on in turn. In a
//! strongly connected graph, all vertices end with the largest value of all.
//!
//! Idiom: send only what is new. O(V + E) per superstep, at most as many supersteps as the
//! longest of the shortest paths has edges.
//!
//! ```
//! use pregel_algos::gallery::maximum::Maximum;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(0, 1), (1, 0), (1, 3), (2, 1), (2, 3), (3, 2)])?;
//! let mut session = Cpu::new().prepare::<Maximum>(&graph, &RunOptions::default())?;
//! let outcome = session.run_with(&Maximum, &[3, 6, 2, 1])?;
//! assert_eq!(outcome.states, [6, 6, 6, 6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Edge, EdgeCompute, Max, Nothing, Program, VertexCompute, Vote,
};

/// The largest input among those of the vertices from which a path leads here, its own included.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Maximum;

impl Program for Maximum {
    type Input = u32;
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Max<u32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Maximum {
    fn edge_compute(&self, value: &u32, _: Edge<()>) -> Option<u32> {
        Some(*value)
    }
}

impl VertexCompute for Maximum {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        (context.input(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        value: &mut u32,
        came: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match came {
            Some(larger) if larger > *value => {
                *value = larger;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, value: &u32, _: &Context<'_, Self>) -> u32 {
        *value
    }
}

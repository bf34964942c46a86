//! Labels that spread from seeds.
//!
//! Some vertices have a label, which the caller gives as their input. In each superstep, the
//! vertices next to those that have just got a label take the label that most of these have, or
//! the smallest of several. So each vertex gets a label of the nearest seeds: a simple way to
//! classify the rest of a network from a few examples.
//!
//! Idiom: message lists, because the most frequent message cannot be combined pair by pair. The
//! engine sorts, so that the result does not depend on the order of arrival. At most as many
//! supersteps as the farthest vertex is away from a seed, O(E) messages in all.
//!
//! ```
//! use pregel_algos::gallery::labels::{Labels, UNLABELLED};
//! use pregel_core::prelude::*;
//!
//! let edges = [(0, 1), (1, 2), (2, 3), (3, 4)];
//! let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build()?;
//! let mut session = Cpu::new().prepare::<Labels>(&graph, &RunOptions::default())?;
//! let seeds = [7, UNLABELLED, UNLABELLED, UNLABELLED, 9];
//! assert_eq!(session.run_with(&Labels, &seeds)?.states, [7, 7, 7, 9, 9]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Edge, EdgeCompute, Mail, Nothing, Program, Sorted, VertexCompute, Vote,
};

/// A vertex without a label.
pub const UNLABELLED: u32 = u32::MAX;

/// Labels from the nearest seeds. The inputs are the labels of the seeds, and [`UNLABELLED`]
/// for all others; vertices that no seed reaches stay so.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Labels;

impl Program for Labels {
    type Input = u32;
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Sorted<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Labels {
    fn edge_compute(&self, label: &u32, _: Edge<()>) -> Option<u32> {
        Some(*label)
    }
}

impl VertexCompute for Labels {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        let label = context.input();
        (label, if label == UNLABELLED { Vote::Halt } else { Vote::Scatter })
    }

    fn vertex_compute(
        &self,
        label: &mut u32,
        mut offers: Mail<'_, u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        let Some((most, _)) = offers.mode() else { return Vote::Halt };
        *label = most;
        Vote::Scatter
    }

    fn signal(&self, label: &u32, _: &Context<'_, Self>) -> u32 {
        *label
    }

    fn wants_message(&self, label: &u32) -> bool {
        *label == UNLABELLED
    }
}

//! Sets that grow until they are full: an absorbing combiner.

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Max, Or, Program, VertexCompute, Vote,
};

use crate::mix;

/// Every vertex knows some of 64 rumours and sends all that it knows. A vertex that
/// knows them all wants no messages, and a message with all of them ends a pull early.
#[derive(Clone, Copy, Debug)]
pub struct Gossip {
    /// One in `omniscient` vertices knows all rumours from the start.
    pub omniscient: u64,
}

impl Program for Gossip {
    type Input = ();
    type State = u64;
    type Signal = u64;
    type Edge = ();
    type Combiner = Or<u64>;
    /// The largest number of rumours that a vertex has learnt in a superstep.
    type Aggregate = Max<u32>;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for Gossip {
    fn edge_compute(&self, known: &u64, _: Edge<()>) -> Option<u64> {
        Some(*known)
    }
}

impl VertexCompute for Gossip {
    fn init(&self, context: &mut Context<'_, Self>) -> (u64, Vote) {
        let random = mix(u64::from(context.vertex()));
        match random % self.omniscient {
            0 => (u64::MAX, Vote::Scatter),
            _ => (1 << ((random >> 32) % 64), Vote::Scatter),
        }
    }

    fn vertex_compute(
        &self,
        known: &mut u64,
        heard: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let new = heard.unwrap_or(0) & !*known;
        context.contribute(new.count_ones());
        *known |= new;
        if new == 0 { Vote::Halt } else { Vote::Scatter }
    }

    fn signal(&self, known: &u64, _: &Context<'_, Self>) -> u64 {
        *known
    }

    fn wants_message(&self, known: &u64) -> bool {
        *known != u64::MAX
    }
}

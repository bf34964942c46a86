//! Every vertex scatters in every superstep; some edges carry no message.

use pregel_core::program::{Context, Edge, EdgeCompute, Program, Sum, VertexCompute, Vote};

use crate::mix;

/// Every vertex sends a pseudo-random number, and its neighbours add up what arrives.
/// Some numbers are not sent.
#[derive(Clone, Copy, Debug)]
pub struct Chatter {
    /// Multiples of it are not sent; 0 to send all numbers.
    pub silent: u32,
}

impl Program for Chatter {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Sum<u64>;
    /// Number of vertices without a message.
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Chatter {
    fn edge_compute(&self, number: &u32, _: Edge<()>) -> Option<u64> {
        let silent = self.silent != 0 && number.is_multiple_of(self.silent);
        (!silent).then_some(u64::from(*number) << 8)
    }
}

impl VertexCompute for Chatter {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        (mix(context.vertex().into()) as u32, Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        number: &mut u32,
        sum: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        context.contribute(u64::from(sum.is_none()));
        *number = mix(sum.unwrap_or(7) ^ u64::from(*number) ^ context.aggregate()) as u32;
        // Stay awake, since some vertices receive nothing.
        Vote::Continue
    }

    fn signal(&self, number: &u32, _: &Context<'_, Self>) -> u32 {
        *number
    }
}

//! All votes, with and without messages.

use pregel_core::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, VertexId, Vote,
};

use crate::{Record, mix};

/// Vertices vote pseudo-randomly for some supersteps and then halt. With `silent` no
/// edge carries a message, so only votes keep vertices awake.
#[derive(Clone, Copy, Debug)]
pub struct Votes {
    /// The last superstep with another vote than to halt.
    pub until: u32,
    /// Whether edges carry no messages, as 0 or 1.
    pub silent: u32,
}

impl Votes {
    fn vote(self, vertex: VertexId, superstep: u32) -> Vote {
        match mix(u64::from(vertex) << 32 | u64::from(superstep)) % 5 {
            _ if superstep > self.until => Vote::Halt,
            0 => Vote::Scatter,
            1 => Vote::Wait,
            2 => Vote::Continue,
            _ => Vote::Halt,
        }
    }
}

impl Program for Votes {
    type Input = ();
    type State = Record;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Votes {
    fn edge_compute(&self, signal: &u32, _: Edge<()>) -> Option<u32> {
        (self.silent == 0).then_some(*signal)
    }
}

impl VertexCompute for Votes {
    fn init(&self, context: &mut Context<'_, Self>) -> (Record, Vote) {
        let record = Record { computed: 0, woken: 0, fingerprint: 0 };
        (record, self.vote(context.vertex(), 0))
    }

    fn vertex_compute(
        &self,
        record: &mut Record,
        message: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        record.see(context.superstep(), message.map(u64::from));
        self.vote(context.vertex(), context.superstep())
    }

    /// Depends on the superstep of the vote.
    fn signal(&self, record: &Record, context: &Context<'_, Self>) -> u32 {
        record.fingerprint as u32 ^ context.superstep()
    }
}

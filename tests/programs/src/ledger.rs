//! Aggregates, inputs and convergence.

use pregel_core::program::{
    Array, Context, Direction, Edge, EdgeCompute, Program, Sum, VertexCompute, Vote,
};

use crate::{Record, mix};

/// Every vertex contributes its input and its messages to an aggregate, which all
/// vertices read in the next superstep and record. Converges when the first sum is a
/// multiple of `target`.
#[derive(Clone, Copy, Debug)]
pub struct Ledger {
    /// See above; 0 never to converge.
    pub target: u64,
}

impl Program for Ledger {
    type Input = u32;
    type State = Record;
    type Signal = [u64; 2];
    type Edge = ();
    type Combiner = Sum<u64>;
    /// A sum of pseudo-random numbers, and the number of vertices that computed.
    type Aggregate = Array<Sum<u64>, 2>;
    const DIRECTION: Direction = Direction::In;
}

impl EdgeCompute for Ledger {
    fn edge_compute(&self, [random, last]: &[u64; 2], _: Edge<()>) -> Option<u64> {
        Some(random ^ last)
    }
}

impl VertexCompute for Ledger {
    fn init(&self, context: &mut Context<'_, Self>) -> (Record, Vote) {
        context.contribute([u64::from(context.input()), 1]);
        let fingerprint = context.aggregate()[0] ^ u64::from(context.input());
        (Record { computed: 0, woken: 0, fingerprint }, Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        record: &mut Record,
        sum: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let [random, computed] = *context.aggregate();
        record.see(context.superstep(), sum);
        record.add(random);
        record.add(computed);
        record.add(u64::from(context.vertex_count()) ^ context.in_degree() << 32);
        record.add(context.out_degree());
        let mine = mix(record.fingerprint ^ u64::from(context.input())) % 1000;
        context.contribute([mine, 0]);
        context.contribute([0, 1]);
        match mine % 4 {
            0 => Vote::Scatter,
            1 => Vote::Wait,
            2 => Vote::Continue,
            _ => Vote::Halt,
        }
    }

    /// The aggregate is the same as in the call that voted.
    fn signal(&self, record: &Record, context: &Context<'_, Self>) -> [u64; 2] {
        [record.fingerprint, context.aggregate()[0]]
    }

    fn converged(&self, [random, _]: &[u64; 2]) -> bool {
        self.target != 0 && random.is_multiple_of(self.target)
    }
}

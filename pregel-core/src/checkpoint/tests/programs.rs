//! Programs whose states show whether anything was lost between two supersteps.

use crate::graph::Graph;
use crate::graph::generate::Spec;
use crate::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Program, Sum, VertexCompute, VertexId, Vote,
};

/// Mixes everything that a vertex sees into its state: messages, its input, the aggregate and
/// the superstep. The vote depends on the state, so all four occur. Exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rumour {
    pub doubt: u32,
}

impl Program for Rumour {
    type Input = u32;
    type State = u64;
    type Signal = u64;
    type Edge = ();
    type Combiner = Sum<u64>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Rumour {
    fn edge_compute(&self, signal: &u64, _: Edge<()>) -> Option<u64> {
        Some(signal.wrapping_mul(31))
    }
}

impl VertexCompute for Rumour {
    fn init(&self, context: &mut Context<'_, Self>) -> (u64, Vote) {
        context.contribute(u64::from(context.vertex()));
        (u64::from(context.input()), Vote::Continue)
    }

    fn vertex_compute(
        &self,
        state: &mut u64,
        heard: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let seen = context.aggregate().wrapping_add(context.superstep().into());
        *state = state.rotate_left(7) ^ heard.unwrap_or(u64::from(self.doubt)).wrapping_add(seen);
        context.contribute(*state >> 32);
        match (*state ^ u64::from(context.vertex())) % 8 {
            0 => Vote::Halt,
            1 => Vote::Wait,
            2 | 3 => Vote::Scatter,
            _ => Vote::Continue,
        }
    }

    fn signal(&self, state: &u64, context: &Context<'_, Self>) -> u64 {
        // The aggregate that the vertex saw when it voted.
        state.wrapping_add(*context.aggregate())
    }
}

/// The graph that [`Rumour`] runs on here.
pub(super) fn rumour_graph() -> Graph {
    "uniform:n=40,m=200,seed=3,sym=0".parse::<Spec>().unwrap().plain().unwrap()
}

/// The smallest vertex of each component; can be updated in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smallest;

impl Program for Smallest {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Smallest {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for Smallest {
    fn init(&self, context: &mut Context<'_, Self>) -> (VertexId, Vote) {
        (context.vertex(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        label: &mut VertexId,
        smallest: Option<VertexId>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(smaller) = smallest.filter(|smallest| smallest < label) else {
            return Vote::Halt;
        };
        *label = smaller;
        Vote::Scatter
    }

    fn signal(&self, label: &VertexId, _: &Context<'_, Self>) -> VertexId {
        *label
    }
}

/// Stays awake for ever, with zero-sized states and aggregates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awake;

impl Program for Awake {
    type Input = ();
    type State = ();
    type Signal = ();
    type Edge = ();
    type Combiner = Nothing;
    type Aggregate = Nothing;
}

impl EdgeCompute for Awake {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<()> {
        Some(())
    }
}

impl VertexCompute for Awake {
    fn init(&self, _: &mut Context<'_, Self>) -> ((), Vote) {
        ((), Vote::Wait)
    }

    fn vertex_compute(&self, (): &mut (), _: Option<()>, _: &mut Context<'_, Self>) -> Vote {
        Vote::Wait
    }

    fn signal(&self, (): &(), _: &Context<'_, Self>) {}
}

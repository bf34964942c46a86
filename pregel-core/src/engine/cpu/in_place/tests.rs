//! When states may be updated in place.
#![allow(clippy::unwrap_used)]

use crate::engine::{Cpu, Engine, Reference, RunOptions, StopReason};
use crate::graph::generate::Spec;
use crate::program::{
    Context, Direction, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// The smallest label of the component, or that among the neighbours if the
/// program calls every superstep converged.
#[derive(Clone, Copy)]
struct Labels {
    one_superstep: bool,
}

impl Program for Labels {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::Both;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Labels {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for Labels {
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

    fn converged(&self, (): &()) -> bool {
        self.one_superstep
    }
}

#[test]
fn a_program_that_converges_at_once_stops_after_one_superstep() {
    let graph = "grid:rows=9,cols=9".parse::<Spec>().unwrap().plain().unwrap();
    let options = RunOptions::default();
    for (one_superstep, stop) in [(true, StopReason::Converged), (false, StopReason::Halted)] {
        let program = Labels { one_superstep };
        let expected = Reference.run(&graph, &program, &options).unwrap();
        let found = Cpu::new().run(&graph, &program, &options).unwrap();
        assert_eq!(found.states, expected.states);
        assert_eq!((found.report.stop, expected.report.stop), (stop, stop));
        if one_superstep {
            assert_eq!((found.report.supersteps, expected.report.supersteps), (1, 1));
        }
    }
}

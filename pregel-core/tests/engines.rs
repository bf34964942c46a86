//! What engines promise of the calls that they make of a program.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_core::prelude::*;

/// Distances in edges from vertex 0; `signal` cannot be made of a vertex that has
/// none, and such a vertex never scatters.
#[derive(Clone, Copy)]
struct Hops;

impl Program for Hops {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Hops {
    fn edge_compute(&self, hops: &u32, _: Edge<()>) -> Option<u32> {
        Some(*hops)
    }
}

impl VertexCompute for Hops {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        if context.vertex() == 0 { (0, Vote::Scatter) } else { (u32::MAX, Vote::Halt) }
    }

    fn vertex_compute(
        &self,
        hops: &mut u32,
        nearest: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(nearer) = nearest.filter(|nearest| nearest < hops) else { return Vote::Halt };
        *hops = nearer;
        // The last vertex of a path has nothing to send.
        if context.out_degree() == 0 { Vote::Halt } else { Vote::Scatter }
    }

    fn signal(&self, hops: &u32, context: &Context<'_, Self>) -> u32 {
        assert!(context.out_degree() > 0, "vertex {} does not scatter", context.vertex());
        hops.checked_add(1).expect("a vertex without a distance does not scatter")
    }
}

#[test]
fn signals_are_made_only_of_vertices_that_scatter() {
    let graph = Graph::from_edges([(0, 1), (1, 2), (2, 1), (2, 3)]).unwrap();
    let options = RunOptions::default();
    assert_eq!(Reference.run(&graph, &Hops, &options).unwrap().states, [0, 1, 2, 3]);
    for strategy in [Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox] {
        let options = options.clone().with_strategy(strategy);
        assert_eq!(Cpu::new().run(&graph, &Hops, &options).unwrap().states, [0, 1, 2, 3]);
    }
}

//! A program that takes inputs is run without them, and one that reads weights on a graph that
//! has none.

use pregel_core::prelude::*;

#[derive(Clone, Copy)]
struct Mine;

impl Program for Mine {
    type Input = u64;
    type State = u32;
    type Signal = u32;
    type Edge = f32;
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Mine {
    fn edge_compute(&self, signal: &u32, _: Edge<f32>) -> Option<u32> {
        Some(*signal)
    }
}

impl VertexCompute for Mine {
    fn init(&self, _: &mut Context<Self>) -> (u32, Vote) {
        (0, Vote::Scatter)
    }

    fn vertex_compute(&self, _: &mut u32, _: Option<u32>, _: &mut Context<Self>) -> Vote {
        Vote::Halt
    }

    fn signal(&self, _: &u32, _: &Context<Self>) -> u32 {
        0
    }
}

fn main() {
    let options = RunOptions::default();
    let weighted: Graph<f32> = Graph::from_weighted_edges([(0, 1, 1.0)]).unwrap();
    let _ = Cpu::new().run(&weighted, &Mine, &options);
    let mut session = Cpu::new().prepare::<Mine>(&weighted, &options).unwrap();
    let _ = session.run(&Mine);
    let plain = Graph::from_edges([(0, 1)]).unwrap();
    let _ = Cpu::new().prepare::<Mine>(&plain, &options);
}

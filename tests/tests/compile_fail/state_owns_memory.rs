//! A state that owns memory.

use pregel_core::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, Vote,
};

#[derive(Clone, Copy)]
struct Mine;

impl Program for Mine {
    type Input = ();
    type State = Vec<u32>;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Mine {
    fn edge_compute(&self, signal: &u32, _: Edge<()>) -> Option<u32> {
        Some(*signal)
    }
}

impl VertexCompute for Mine {
    fn init(&self, _: &mut Context<'_, Self>) -> (Vec<u32>, Vote) {
        (Default::default(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        _: &mut Vec<u32>,
        _: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        Vote::Halt
    }

    fn signal(&self, _: &Vec<u32>, _: &Context<'_, Self>) -> u32 {
        0
    }
}

fn main() {}

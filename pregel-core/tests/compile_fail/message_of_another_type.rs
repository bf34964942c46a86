//! The edges carry another type than the combiner combines.

use pregel_core::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, Vote,
};

#[derive(Clone, Copy)]
struct Mine;

impl Program for Mine {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Mine {
    fn edge_compute(&self, signal: &u32, _: Edge<()>) -> Option<f32> {
        Some(*signal as f32)
    }
}

impl VertexCompute for Mine {
    fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
        (Default::default(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        _: &mut u32,
        _: Option<f32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        Vote::Halt
    }

    fn signal(&self, _: &u32, _: &Context<'_, Self>) -> u32 {
        0
    }
}

fn main() {}

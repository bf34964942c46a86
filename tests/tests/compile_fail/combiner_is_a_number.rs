//! A number is no combiner.

use pregel_core::program::{Nothing, Program};

#[derive(Clone, Copy)]
struct Mine;

impl Program for Mine {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = f32;
    type Aggregate = Nothing;
}

fn main() {}

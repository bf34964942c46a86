//! A number is no aggregate.

use pregel_core::program::{Min, Program};

#[derive(Clone, Copy)]
struct Mine;

impl Program for Mine {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = u64;
}

fn main() {}

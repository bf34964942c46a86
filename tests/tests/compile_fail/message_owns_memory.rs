//! A message that owns memory.

use pregel_core::program::{List, Nothing, Program};

#[derive(Clone, Copy)]
struct Mine;

impl Program for Mine {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = List<Vec<u8>>;
    type Aggregate = Nothing;
}

fn main() {}

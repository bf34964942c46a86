//! A program that the threads cannot copy.

use pregel_core::program::{Min, Nothing, Program};

#[derive(Clone)]
#[allow(dead_code)]
struct Mine(String);

impl Program for Mine {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

fn main() {}

//! Types that do not combine as asked.

use pregel_core::prelude::*;

#[derive(Clone, Copy)]
struct First;

impl Program for First {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Or<i32>;
    type Aggregate = Sum<bool>;
}

#[derive(Clone, Copy)]
struct Second;

impl Program for Second {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Sorted<f32>;
    type Aggregate = Or<i32>;
}

#[derive(Clone, Copy)]
struct Third;

impl Program for Third {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = f32;
    type Aggregate = Nothing;
}

fn main() {}

//! Data that is not plain: not every byte is a `bool` or an enum, and a GPU cannot follow what
//! a `Vec` points at.

use pregel_core::prelude::*;

#[derive(Clone, Copy)]
enum Colour {
    Red,
}

#[derive(Clone, Copy)]
struct First;

impl Program for First {
    type Input = Option<u32>;
    type State = bool;
    type Signal = Colour;
    type Edge = ();
    type Combiner = Any<bool>;
    type Aggregate = Nothing;
}

#[derive(Clone, Copy)]
struct Second;

impl Program for Second {
    type Input = ();
    type State = Vec<u32>;
    type Signal = u32;
    type Edge = ();
    type Combiner = List<Vec<u8>>;
    type Aggregate = Nothing;
}

fn main() {
    let _ = Colour::Red;
}

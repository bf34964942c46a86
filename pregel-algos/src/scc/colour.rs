//! Colours forwards and collects backwards.

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Max, Min, Nothing, Program, VertexCompute, VertexId,
    Vote,
};

use super::numbers::{number, vertex};
use super::{Member, OPEN};

/// Gives each open vertex the largest number of an open vertex that reaches it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Colour {
    round: u32,
    pivot: VertexId,
    largest: u32,
}

impl Colour {
    /// Spreads the numbers that all vertices have in this round.
    pub fn from_all(round: u32) -> Self {
        Self { round, pivot: OPEN, largest: u32::MAX }
    }

    /// Spreads that of one vertex alone.
    pub fn from_pivot(pivot: VertexId, round: u32) -> Self {
        Self { round, pivot, largest: number(pivot, round) }
    }
}

impl Program for Colour {
    type Input = Member;
    type State = Member;
    type Signal = u32;
    type Edge = ();
    type Combiner = Max<u32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Colour {
    fn edge_compute(&self, colour: &u32, _: Edge<()>) -> Option<u32> {
        Some(*colour)
    }
}

impl VertexCompute for Colour {
    fn init(&self, context: &mut Context<'_, Self>) -> (Member, Vote) {
        let (input, own) = (context.input(), context.vertex());
        let starts = input.is_open() && (self.pivot == OPEN || self.pivot == own);
        let mark = if starts { number(own, self.round) } else { 0 };
        (Member { mark, ..input }, Vote::of(starts, false))
    }

    fn vertex_compute(
        &self,
        member: &mut Member,
        largest: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match largest {
            Some(largest) if member.is_open() && largest > member.mark => {
                member.mark = largest;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, member: &Member, _: &Context<'_, Self>) -> u32 {
        member.mark
    }

    /// The largest number first, as it replaces all others.
    #[inline(always)]
    fn priority(&self, member: &Member) -> Option<f32> {
        Some((u32::MAX - member.mark) as f32)
    }

    /// Nothing replaces the largest number.
    fn wants_message(&self, member: &Member) -> bool {
        member.is_open() && member.mark < self.largest
    }
}

/// Collects the component of every vertex whose own number in this round is its colour: the
/// vertices of that colour that reach it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Collect {
    /// The round whose numbers are the colours.
    pub round: u32,
}

impl Program for Collect {
    type Input = Member;
    type State = Member;
    type Signal = u32;
    type Edge = ();
    /// The smallest colour of the collected vertices to which a vertex leads. Colours do not fall
    /// along an edge, so if any of them is the vertex's own, it is the smallest.
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::In;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Collect {
    fn edge_compute(&self, colour: &u32, _: Edge<()>) -> Option<u32> {
        Some(*colour)
    }
}

impl VertexCompute for Collect {
    fn init(&self, context: &mut Context<'_, Self>) -> (Member, Vote) {
        let (mut member, own) = (context.input(), context.vertex());
        let is_root = member.is_open() && member.mark == number(own, self.round);
        if is_root {
            member.root = own;
        }
        (member, Vote::of(is_root, false))
    }

    fn vertex_compute(
        &self,
        member: &mut Member,
        smallest: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        if member.is_open() && smallest == Some(member.mark) {
            member.root = vertex(member.mark, self.round);
            Vote::Scatter
        } else {
            Vote::Halt
        }
    }

    fn signal(&self, member: &Member, _: &Context<'_, Self>) -> u32 {
        member.mark
    }

    /// A vertex without colour cannot be reached from the others.
    fn wants_message(&self, member: &Member) -> bool {
        member.is_open() && member.mark != 0
    }
}

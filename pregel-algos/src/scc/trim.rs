//! Takes away the vertices without an edge on one side.

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Nothing, Program, Sum, VertexCompute, Vote,
};

use super::Member;

/// Takes away, again and again, every vertex that no other open vertex leads to; if `SINKS`,
/// every vertex that leads to no other. It becomes a component by itself.
///
/// One run of each is enough: what the second takes away leads to no open vertex, so no
/// vertex loses an edge that the first one counted.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Trim<const SINKS: bool> {
    /// Whether the marks of the inputs are numbers of self-loops, which do not count; 0 or 1.
    /// If it is 0, self-loops count like other edges, so a vertex that has one remains.
    pub without_loops: u32,
}

impl<const SINKS: bool> Program for Trim<SINKS> {
    type Input = Member;
    type State = Member;
    type Signal = ();
    type Edge = ();
    type Combiner = Sum<u32>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = if SINKS { Direction::In } else { Direction::Out };
}

impl<const SINKS: bool> EdgeCompute for Trim<SINKS> {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<u32> {
        Some(1)
    }
}

impl<const SINKS: bool> VertexCompute for Trim<SINKS> {
    fn init(&self, context: &mut Context<'_, Self>) -> (Member, Vote) {
        let input = context.input();
        let loops = if self.without_loops != 0 { input.mark } else { 0 };
        (Member { mark: loops, ..input }, Vote::of(input.is_open(), input.is_open()))
    }

    /// The first messages count the edges to open vertices, later ones those that are lost.
    fn vertex_compute(
        &self,
        member: &mut Member,
        sum: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        if !member.is_open() {
            return Vote::Halt;
        }
        let sum = sum.unwrap_or(0);
        member.mark = if context.superstep() == 1 {
            sum.wrapping_sub(member.mark)
        } else {
            member.mark.wrapping_sub(sum)
        };
        if member.mark == 0 {
            member.root = context.vertex();
            Vote::Scatter
        } else {
            Vote::Halt
        }
    }

    fn signal(&self, _: &Member, _: &Context<'_, Self>) {}

    fn wants_message(&self, member: &Member) -> bool {
        member.is_open()
    }
}

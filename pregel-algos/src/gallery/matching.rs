//! A maximal matching of a bipartite graph: pairs of a left and a right vertex, to which none
//! can be added.
//!
//! The four phases of the Pregel paper (Malewicz and others, SIGMOD 2010, section 5.3): left
//! vertices ask, right vertices grant one request, left vertices accept one grant, right
//! vertices note it. Choices are random, but the same on every engine.
//!
//! A message is for one neighbour, but edges carry the same signal to all of them. So it says
//! which vertex it is for, and the others ignore it: the idiom for a message to one vertex. The cost is
//! a message along each edge. The inputs say on which side a vertex is; directions are ignored,
//! and edges within a side never match. O(log V) rounds of four supersteps in expectation.
//!
//! ```
//! use pregel_algos::gallery::matching::{LEFT, Matching, RIGHT};
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(0, 2), (0, 3), (1, 3)])?;
//! let mut session = Cpu::new().prepare::<Matching>(&graph, &RunOptions::default())?;
//! let outcome = session.run_with(&Matching { seed: 1 }, &[LEFT, LEFT, RIGHT, RIGHT])?;
//! let mates: Vec<u32> = outcome.states.iter().map(|side| side.mate).collect();
//! assert_eq!(mates[3], if mates[0] == 3 { 0 } else { 1 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, List, Mail, Program, Sum, VertexCompute, VertexId, Vote,
};

use super::shuffled;

/// The input of a left vertex.
pub const LEFT: u32 = 0;
/// The input of a right vertex.
pub const RIGHT: u32 = 1;
/// No vertex, or all of them.
pub const NOBODY: VertexId = VertexId::MAX;

/// What a vertex has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Side {
    /// The other vertex of its pair; [`NOBODY`] without one.
    pub mate: VertexId,
    /// The vertex that its next message is for; [`NOBODY`] if it is for all.
    to: VertexId,
}

/// A request, a grant or an acceptance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Letter {
    from: VertexId,
    to: VertexId,
    /// [`LEFT`] or [`RIGHT`].
    side: u32,
}

/// A maximal matching.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Matching {
    /// Which random choices.
    pub seed: u32,
}

impl Matching {
    /// One of the vertices of the other side that wrote to this vertex, or to all.
    fn choose(&self, mail: &Mail<'_, Letter>, context: &Context<'_, Self>) -> Option<VertexId> {
        let me = context.vertex();
        let for_me = |letter: &Letter| {
            letter.side != context.input() && (letter.to == NOBODY || letter.to == me)
        };
        let seed = self.seed ^ context.superstep().wrapping_mul(0x85eb_ca6b) ^ me;
        mail.iter().filter(for_me).map(|letter| letter.from).min_by_key(|v| shuffled(seed, *v))
    }
}

impl Program for Matching {
    type Input = u32;
    type State = Side;
    type Signal = Letter;
    type Edge = ();
    type Combiner = List<Letter>;
    /// Whether there is hope: grants, and whatever follows from them.
    type Aggregate = Sum<u32>;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for Matching {
    fn edge_compute(&self, letter: &Letter, _: Edge<()>) -> Option<Letter> {
        Some(*letter)
    }
}

impl VertexCompute for Matching {
    fn init(&self, context: &mut Context<'_, Self>) -> (Side, Vote) {
        let asks = context.input() == LEFT;
        (Side { mate: NOBODY, to: NOBODY }, Vote::of(asks, true))
    }

    fn vertex_compute(
        &self,
        side: &mut Side,
        mail: Mail<'_, Letter>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let left = context.input() == LEFT;
        // 1: right vertices grant, 2: left ones accept, 3: right ones note it, 0: left ones ask.
        let phase = context.superstep() % 4;
        let chosen =
            if left == (phase == 2) && phase != 0 { self.choose(&mail, context) } else { None };
        if phase != 1 || chosen.is_some() {
            context.contribute(1);
        }
        side.to = chosen.unwrap_or(NOBODY);
        match phase {
            2 | 3 => side.mate = side.to,
            _ => {}
        }
        match (phase, chosen) {
            (0, _) => Vote::of(left, true),
            (2, Some(_)) => Vote::Scatter,
            (3, Some(_)) => Vote::Halt,
            (_, chosen) => Vote::of(chosen.is_some(), true),
        }
    }

    fn signal(&self, side: &Side, context: &Context<'_, Self>) -> Letter {
        Letter { from: context.vertex(), to: side.to, side: context.input() }
    }

    fn wants_message(&self, side: &Side) -> bool {
        side.mate == NOBODY
    }

    fn converged(&self, hope: &u32) -> bool {
        *hope == 0
    }
}

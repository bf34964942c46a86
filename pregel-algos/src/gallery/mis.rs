//! A maximal independent set: vertices of which no two are neighbours, and to which none can be
//! added.
//!
//! Luby's algorithm (M. Luby, *SIAM J. Computing* 15, 1986), with one random order for all
//! rounds (Blelloch, Fineman and Shun, SPAA 2012). An undecided vertex sends its number to its
//! neighbours. One that has a smaller number than all of its undecided neighbours joins the
//! set, and says so with the number 0; one that hears 0 is out. So the result is the set that a
//! sequential loop finds if it takes the vertices in the order of their numbers, and it is the
//! same on every engine.
//!
//! Directions are ignored, and so are self-loops. Idiom: local minima, random and reproducible.
//! O(log² V) supersteps with high probability, O(V + E) each.
//!
//! ```
//! use pregel_algos::gallery::mis::{IN, IndependentSet};
//! use pregel_core::prelude::*;
//!
//! // A star: either its centre or all of its leaves.
//! let graph = Graph::from_edges([(0, 1), (0, 2), (0, 3)])?;
//! let outcome = Cpu::new().run(&graph, &IndependentSet { seed: 1 }, &RunOptions::default())?;
//! let [centre, leaves @ ..] = &outcome.states[..] else { unreachable!() };
//! assert!(leaves.iter().all(|leaf| (*leaf == IN) != (*centre == IN)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, VertexId, Vote,
};

use super::shuffled;

/// A vertex that is not decided yet; at the end of a run there is none.
pub const UNDECIDED: u32 = 0;
/// A vertex of the set.
pub const IN: u32 = 1;
/// A neighbour of one.
pub const OUT: u32 = 2;

/// A maximal independent set. The states are [`IN`] and [`OUT`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct IndependentSet {
    /// Which random order.
    pub seed: u32,
}

impl IndependentSet {
    /// The place of a vertex in the random order, from 1 on.
    #[inline]
    pub fn place(&self, vertex: VertexId) -> u64 {
        1 + u64::from(shuffled(self.seed, vertex))
    }
}

impl Program for IndependentSet {
    type Input = ();
    type State = u32;
    type Signal = u64;
    type Edge = ();
    type Combiner = Min<u64>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for IndependentSet {
    fn edge_compute(&self, place: &u64, _: Edge<()>) -> Option<u64> {
        Some(*place)
    }
}

impl VertexCompute for IndependentSet {
    fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
        (UNDECIDED, Vote::Continue)
    }

    fn vertex_compute(
        &self,
        state: &mut u32,
        first: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        match first {
            Some(0) => {
                *state = OUT;
                Vote::Halt
            }
            Some(first) if first < self.place(context.vertex()) => Vote::Continue,
            _ => {
                *state = IN;
                Vote::Scatter
            }
        }
    }

    fn signal(&self, state: &u32, context: &Context<'_, Self>) -> u64 {
        if *state == IN { 0 } else { self.place(context.vertex()) }
    }

    fn wants_message(&self, state: &u32) -> bool {
        *state == UNDECIDED
    }
}

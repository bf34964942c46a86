//! A colouring: neighbours have different colours.
//!
//! A vertex takes its colour when all neighbours that come before it in a random order have
//! theirs: the smallest colour that none of them has (M. Jones and P. Plassmann, *SIAM J.
//! Scientific Computing* 14, 1993). Until the last vertex has a colour, all vertices send in
//! every superstep: the colour if there is one, otherwise the place in the order. The result is
//! that of a sequential loop that takes the vertices in this order.
//!
//! Directions are ignored, and so are self-loops. Idioms: a message list in ascending order, and
//! a run that ends when an aggregate says so. At most one colour more than the largest degree.
//! O(log V) supersteps in expectation where degrees are bounded, O(V + E) each.
//!
//! ```
//! use pregel_algos::gallery::colouring::Colouring;
//! use pregel_core::prelude::*;
//!
//! // A cycle of even length takes two colours, or three.
//! let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])?;
//! let colours = Cpu::new().run(&graph, &Colouring { seed: 1 }, &RunOptions::default())?.states;
//! assert!((0..4).all(|v| colours[v] != colours[(v + 1) % 4] && colours[v] < 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Mail, Program, Sorted, Sum, VertexCompute, VertexId,
    Vote,
};

use super::shuffled;

/// A vertex without a colour; at the end of a run there is none.
pub const NO_COLOUR: u32 = u32::MAX;

/// Greater than every colour; added to the place of a vertex that has none.
const PLACES: u64 = 1 << 32;

/// A colouring; the states are colours, from 0 on.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Colouring {
    /// Which random order.
    pub seed: u32,
}

impl Colouring {
    /// The place of a vertex in the random order.
    #[inline]
    pub fn place(&self, vertex: VertexId) -> u32 {
        shuffled(self.seed, vertex)
    }
}

impl Program for Colouring {
    type Input = ();
    type State = u32;
    type Signal = u64;
    type Edge = ();
    type Combiner = Sorted<u64>;
    /// The number of vertices that had no colour before this superstep.
    type Aggregate = Sum<u32>;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for Colouring {
    fn edge_compute(&self, known: &u64, _: Edge<()>) -> Option<u64> {
        Some(*known)
    }
}

impl VertexCompute for Colouring {
    fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
        (NO_COLOUR, Vote::Continue)
    }

    fn vertex_compute(
        &self,
        colour: &mut u32,
        neighbours: Mail<'_, u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        if *colour != NO_COLOUR {
            return Vote::Continue;
        }
        context.contribute(1);
        let own = PLACES + u64::from(self.place(context.vertex()));
        let mut free = 0;
        for known in neighbours.iter() {
            if known == free {
                free += 1;
            } else if known >= PLACES {
                if known < own {
                    return Vote::Continue;
                }
                break;
            }
        }
        *colour = free as u32;
        Vote::Continue
    }

    fn signal(&self, colour: &u32, context: &Context<'_, Self>) -> u64 {
        match *colour {
            NO_COLOUR => PLACES + u64::from(self.place(context.vertex())),
            colour => u64::from(colour),
        }
    }

    fn wants_message(&self, colour: &u32) -> bool {
        *colour == NO_COLOUR
    }

    fn converged(&self, without_colour: &u32) -> bool {
        *without_colour == 0
    }
}

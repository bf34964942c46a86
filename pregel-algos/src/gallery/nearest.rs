//! The nearest facility: to which hospital, warehouse or charging station is it shortest, and
//! how far is that?
//!
//! Shortest paths from many sources at once, where each vertex remembers of which source its
//! path comes. The graph falls into the cells of a Voronoi diagram. What no facility reaches,
//! or reaches only from far away, is not supplied.
//!
//! Idioms: a struct as state and message, and a combiner of one's own: of two offers the
//! shorter one, at equal lengths that of the smaller vertex. The rule for ties makes it exact,
//! so that every engine gives the same cells. Work as Bellman–Ford, O(V · E) at worst, and
//! much less where engines use the priority.
//!
//! ```
//! use pregel_algos::gallery::nearest::{Nearest, Offer};
//! use pregel_core::prelude::*;
//!
//! let roads = [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 1.0)];
//! let graph = GraphBuilder::new().with_directed(false).with_weighted_edges(roads).build()?;
//! let mut session = Cpu::new().prepare::<Nearest>(&graph, &RunOptions::default())?;
//! // Facilities at both ends.
//! let outcome = session.run_with(&Nearest, &[1, 0, 0, 1])?;
//! assert_eq!(outcome.states[1], Offer { distance: 2.0, facility: 0 });
//! assert_eq!(outcome.states[2], Offer { distance: 1.0, facility: 3 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Edge, EdgeCompute, Law, Monoid, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// A facility and the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Offer {
    /// Length of the shortest path; `f32::INFINITY` if there is none.
    pub distance: f32,
    /// The facility; `VertexId::MAX` if there is none.
    pub facility: VertexId,
}

impl Offer {
    /// No facility.
    pub const NONE: Self = Self { distance: f32::INFINITY, facility: VertexId::MAX };

    /// Whether this one is preferred to another.
    #[inline]
    pub fn beats(&self, other: &Self) -> bool {
        self.distance < other.distance
            || self.distance == other.distance && self.facility < other.facility
    }
}

/// The preferred one of two offers.
#[derive(Clone, Copy, Debug)]
pub struct Best;

impl Monoid for Best {
    type Value = Offer;
    const LAW: Law = Law::Exact;
    #[inline]
    fn identity() -> Offer {
        Offer::NONE
    }
    #[inline]
    fn combine(a: Offer, b: Offer) -> Offer {
        if b.beats(&a) { b } else { a }
    }
}

/// The nearest facility of each vertex, along the edges from the facility on. The input is 1
/// for a facility, otherwise 0; edge values are lengths, which must not be negative.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Nearest;

impl Program for Nearest {
    type Input = u32;
    type State = Offer;
    type Signal = Offer;
    type Edge = f32;
    type Combiner = Best;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Nearest {
    fn edge_compute(&self, offer: &Offer, edge: Edge<f32>) -> Option<Offer> {
        Some(Offer { distance: offer.distance + edge.value, ..*offer })
    }
}

impl VertexCompute for Nearest {
    fn init(&self, context: &mut Context<'_, Self>) -> (Offer, Vote) {
        if context.input() == 0 {
            return (Offer::NONE, Vote::Halt);
        }
        (Offer { distance: 0.0, facility: context.vertex() }, Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        best: &mut Offer,
        offer: Option<Offer>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match offer {
            Some(offer) if offer.beats(best) => {
                *best = offer;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, best: &Offer, _: &Context<'_, Self>) -> Offer {
        *best
    }

    fn priority(&self, best: &Offer) -> Option<f32> {
        Some(best.distance)
    }

    fn check_edge(length: &f32) -> Result<(), &'static str> {
        if *length >= 0.0 { Ok(()) } else { Err("lengths must not be negative") }
    }
}

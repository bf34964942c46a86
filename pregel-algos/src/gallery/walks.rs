//! Random walks: how often do walkers that follow random edges visit each vertex?
//!
//! Walkers are counted, not named. In each superstep a vertex deals its walkers to its edges in
//! turn, like cards, beginning at a random edge. So each walker takes every edge with the same
//! probability. Walkers that leave a vertex in the same superstep are not independent: they
//! spread over its edges more evenly, which only lowers the variance of the counts. Walkers at a
//! vertex without out-edges stay there, and visit it again in every superstep.
//!
//! Idiom: a different message along each edge. `edge_compute` sees only the signal and the edge's
//! value, so [`numbered`] gives each edge its position in the row of its source, and the signal
//! says which positions get one walker more than the others. `length` supersteps, each O(V + E)
//! at most; the positions take 4 bytes per edge.
//!
//! On a connected undirected graph that is not bipartite, a vertex's share of the visits
//! approaches its degree divided by the sum of all degrees (L. Lovász, *Random walks on graphs: a
//! survey*, 1993).
//!
//! ```
//! use pregel_algos::gallery::walks::{Walks, numbered};
//! use pregel_core::prelude::*;
//!
//! // A triangle, and a vertex that hangs on it.
//! let edges = [(0, 1), (1, 2), (2, 0), (0, 3)];
//! let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build()?;
//! let graph = numbered(&graph);
//! let mut session = Cpu::new().prepare::<Walks>(&graph, &RunOptions::default())?;
//! let outcome = session.run_with(&Walks { seed: 1, length: 99 }, &[1000; 4])?;
//! let visits: Vec<u64> = outcome.states.iter().map(|place| place.visits).collect();
//! assert_eq!(visits.iter().sum::<u64>(), 4000 * 100); // where they begin counts as well
//! assert!((145_000..155_000).contains(&visits[0])); // three of the eight ends
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Edge, EdgeCompute, Nothing, Program, Sum, VertexCompute, VertexId, Vote,
};
#[cfg(feature = "std")]
use pregel_core::{graph::Graph, program::Value};

use super::shuffled;

/// The same edges, each with its position in the row of its source as its value. An undirected
/// edge becomes two directed ones, which differ in their positions. Shares the rows; O(V + E).
///
/// A row must have fewer than 2³² edges.
#[cfg(feature = "std")]
pub fn numbered<E: Value>(graph: &Graph<E>) -> Graph<u32> {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    let next: Vec<AtomicU32> = (0..graph.vertex_count()).map(|_| AtomicU32::new(0)).collect();
    let directed = graph.without_values().into_directed();
    directed.map_values(|from, _, ()| next[from as usize].fetch_add(1, Relaxed))
}

/// The walkers at a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// How many are there now. The sum over all vertices is always that of the inputs, which
    /// is less than 2⁶⁴.
    pub walkers: u64,
    /// The sum of `walkers` over all supersteps from 0 on, at most `u64::MAX`.
    pub visits: u64,
}

/// How the walkers of a vertex spread over its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Deal {
    /// Walkers for every edge.
    each: u64,
    /// The first position that gets one more.
    start: u32,
    /// The first position after them. If it is less than `start`, they wrap around to 0.
    end: u32,
}

/// Random walks. The inputs are the numbers of walkers that begin at each vertex, and the edges
/// have the values that [`numbered`] gives them; with others the number of walkers changes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Walks {
    /// Which random choices.
    pub seed: u32,
    /// Number of steps that each walker takes.
    pub length: u32,
}

impl Walks {
    /// The position of the edge that gets the first walker which leaves `vertex` after
    /// `superstep`, less than `degree`.
    #[inline]
    pub fn start(&self, superstep: u32, vertex: VertexId, degree: u32) -> u32 {
        let random = shuffled(shuffled(self.seed, superstep), vertex);
        ((u64::from(random) * u64::from(degree)) >> 32) as u32
    }

    fn vote(&self, place: &Place, context: &Context<'_, Self>) -> Vote {
        if place.walkers == 0 || context.superstep() >= self.length {
            return Vote::Halt;
        }
        // Awake, because its walkers leave even if no others come.
        Vote::of(context.out_degree() > 0, true)
    }
}

impl Program for Walks {
    type Input = u32;
    type State = Place;
    type Signal = Deal;
    type Edge = u32;
    type Combiner = Sum<u64>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Walks {
    fn edge_compute(&self, deal: &Deal, edge: Edge<u32>) -> Option<u64> {
        let (from_start, before_end) = (edge.value >= deal.start, edge.value < deal.end);
        let one_more = if deal.start <= deal.end {
            from_start && before_end
        } else {
            from_start || before_end
        };
        let walkers = deal.each + u64::from(one_more);
        (walkers > 0).then_some(walkers)
    }
}

impl VertexCompute for Walks {
    fn init(&self, context: &mut Context<'_, Self>) -> (Place, Vote) {
        let walkers = u64::from(context.input());
        let place = Place { walkers, visits: walkers };
        (place, self.vote(&place, context))
    }

    fn vertex_compute(
        &self,
        place: &mut Place,
        came: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let stay = if context.out_degree() == 0 { place.walkers } else { 0 };
        place.walkers = stay.saturating_add(came.unwrap_or(0));
        place.visits = place.visits.saturating_add(place.walkers);
        self.vote(place, context)
    }

    fn signal(&self, place: &Place, context: &Context<'_, Self>) -> Deal {
        let degree = context.out_degree().max(1);
        let start = self.start(context.superstep(), context.vertex(), degree as u32);
        let end = (u64::from(start) + place.walkers % degree) % degree;
        Deal { each: place.walkers / degree, start, end: end as u32 }
    }
}

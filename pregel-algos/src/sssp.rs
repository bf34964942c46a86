//! Single-source shortest paths over non-negative edge lengths.
//!
//! A vertex keeps its tentative distance and offers `distance + length` to
//! its out-neighbours; a better offer lowers the distance and is passed on
//! (Bellman–Ford). The distance is also the soft priority, so an engine that
//! honours it runs delta-stepping (Meyer and Sanders, *Δ-stepping: a
//! parallelizable shortest path algorithm*, J. Algorithms 49, 2003).
//!
//! Work: O(V · E) in plain supersteps at worst, near O(E) with priorities on
//! graphs of random lengths. Unreached vertices keep `f32::INFINITY`.
//!
//! # Precision
//!
//! Distances are sums of `f32`, rounded after every edge. **A path whose length
//! exceeds `f32::MAX`, about 3.4e38, has the length infinity: its end is
//! reported as unreached**, and so is everything that only such paths reach.
//! Scale the lengths down if sums can grow that large. Edges of infinite length
//! are allowed and never used. [`wide`] has distances in `f64` and `i64`.
//!
//! # Example
//!
//! ```
//! use pregel_algos::sssp::{SsspTree, path_to};
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_weighted_edges([(0, 1, 1.0), (1, 2, 2.5), (0, 2, 9.0)])?;
//! let tree = Cpu::new().run(&graph, &SsspTree { source: 0 }, &RunOptions::default())?.states;
//! assert_eq!(tree[2].distance, 3.5);
//! assert!(path_to(&tree, 2).eq([2, 1, 0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod wide;

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Law, Min, Monoid, Nothing, Program, VertexCompute,
    VertexId, Vote,
};

/// Distances from one source; `f32::INFINITY` where there is no path, or only
/// paths [too long for `f32`](self#precision).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Sssp {
    /// Where the paths begin.
    pub source: VertexId,
}

impl Program for Sssp {
    type Input = ();
    type State = f32;
    type Signal = f32;
    type Edge = f32;
    type Combiner = Min<f32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Sssp {
    fn edge_compute(&self, distance: &f32, edge: Edge<f32>) -> Option<f32> {
        Some(distance + edge.value)
    }
}

impl VertexCompute for Sssp {
    fn init(&self, context: &mut Context<'_, Self>) -> (f32, Vote) {
        if context.vertex() == self.source {
            (0.0, Vote::Scatter)
        } else {
            (f32::INFINITY, Vote::Halt)
        }
    }

    fn vertex_compute(&self, old: &mut f32, offer: Option<f32>, _: &mut Context<'_, Self>) -> Vote {
        match offer {
            Some(offer) if offer < *old => {
                *old = offer;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, distance: &f32, _: &Context<'_, Self>) -> f32 {
        *distance
    }

    fn priority(&self, distance: &f32) -> Option<f32> {
        Some(*distance)
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        in_graph(self.source, graph.vertex_count)
    }

    fn check_edge(length: &f32) -> Result<(), &'static str> {
        non_negative(length)
    }
}

/// Distances and parents from one source: a shortest-path tree.
///
/// Where several vertices could be the parent on a shortest path, any of them is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SsspTree {
    /// Where the paths begin.
    pub source: VertexId,
}

/// What [`SsspTree`] knows of a vertex, and what it offers its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    /// Length of the path; `f32::INFINITY` when unreached, or [too long for
    /// `f32`](self#precision).
    pub distance: f32,
    /// The vertex before this one on the path; [`NO_PARENT`] at the source
    /// and at unreached vertices.
    pub parent: VertexId,
}

/// The parent of the source and of unreached vertices.
pub const NO_PARENT: VertexId = VertexId::MAX;

/// The monoid of the shorter step, or of the smaller parent if both are equally
/// long.
///
/// The laws hold for distances from +0 to infinity. Others do not occur: the
/// source has +0, and [`check_edge`](VertexCompute::check_edge) refuses negative
/// lengths and NaN.
#[derive(Clone, Copy, Debug)]
pub struct Shorter;

impl Monoid for Shorter {
    type Value = Step;
    const LAW: Law = Law::Exact;
    fn identity() -> Step {
        Step { distance: f32::INFINITY, parent: NO_PARENT }
    }
    fn combine(a: Step, b: Step) -> Step {
        if (b.distance, b.parent) < (a.distance, a.parent) { b } else { a }
    }
}

impl Program for SsspTree {
    type Input = ();
    type State = Step;
    type Signal = Step;
    type Edge = f32;
    type Combiner = Shorter;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for SsspTree {
    fn edge_compute(&self, from: &Step, edge: Edge<f32>) -> Option<Step> {
        Some(Step { distance: from.distance + edge.value, parent: from.parent })
    }
}

impl VertexCompute for SsspTree {
    fn init(&self, context: &mut Context<'_, Self>) -> (Step, Vote) {
        if context.vertex() == self.source {
            (Step { distance: 0.0, parent: NO_PARENT }, Vote::Scatter)
        } else {
            (Shorter::identity(), Vote::Halt)
        }
    }

    fn vertex_compute(
        &self,
        best: &mut Step,
        offer: Option<Step>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match offer {
            // Only strictly shorter: edges of length 0 must not close a cycle.
            Some(offer) if offer.distance < best.distance => {
                *best = offer;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    /// Names this vertex as the parent of those that read it.
    fn signal(&self, best: &Step, context: &Context<'_, Self>) -> Step {
        Step { distance: best.distance, parent: context.vertex() }
    }

    fn priority(&self, best: &Step) -> Option<f32> {
        Some(best.distance)
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        in_graph(self.source, graph.vertex_count)
    }

    fn check_edge(length: &f32) -> Result<(), &'static str> {
        non_negative(length)
    }
}

/// The vertices of the path to `target`, from `target` back to the source;
/// nothing if it was not reached. O(length of the path).
pub fn path_to(tree: &[Step], target: VertexId) -> impl Iterator<Item = VertexId> + '_ {
    let reached = |v: &VertexId| tree.get(*v as usize).is_some_and(|s| s.distance < f32::INFINITY);
    core::iter::successors(Some(target).filter(reached), |v| {
        Some(tree[*v as usize].parent).filter(|p| *p != NO_PARENT)
    })
    .take(tree.len())
}

pub(crate) fn in_graph(source: VertexId, vertex_count: u32) -> Result<(), &'static str> {
    if source < vertex_count { Ok(()) } else { Err("the source vertex is not in the graph") }
}

pub(crate) fn non_negative(length: &f32) -> Result<(), &'static str> {
    // False of a NaN.
    if *length >= 0.0 {
        Ok(())
    } else {
        Err("an edge length is negative or not a number; shortest paths need lengths ≥ 0")
    }
}

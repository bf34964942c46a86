//! Betweenness centrality: how many shortest paths pass through a vertex, from all sources
//! or from a sample of them.
//!
//! Each source takes two programs (Brandes, *A Faster Algorithm for Betweenness Centrality*,
//! Journal of Mathematical Sociology 25, 2001). [`CountPaths`] searches forwards and counts
//! the shortest paths σ to every vertex. [`Accumulate`] works backwards from the vertices
//! where shortest paths end, and adds up the dependencies
//! δ(v) = Σ σ(v)/σ(w) · (1 + δ(w)) over the successors w of v. `betweenness` runs the two
//! programs in turn; the states stay in the engine from the first source to the last.
//!
//! Parallel edges count as different paths, and loops are ignored. Path counts are `f64`: a
//! graph with more than 10³⁰⁸ shortest paths between two vertices, such as a square grid with
//! more than about 500 vertices per side, gives NaN.
//!
//! O(V + E) work per source, in about twice as many supersteps as there are levels.
//!
//! # Example
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use pregel_algos::betweenness::betweenness;
//! use pregel_core::prelude::*;
//!
//! // 0 and 1 lead to 4, through 2 or through 3.
//! let graph = Graph::from_edges([(0, 2), (1, 2), (0, 3), (1, 3), (2, 4), (3, 4)])?;
//! let every_vertex: Vec<VertexId> = (0..graph.vertex_count()).collect();
//! let found = betweenness(&Cpu::new(), &graph, &every_vertex, &RunOptions::default())?;
//! assert_eq!(found.centrality, [0.0, 0.0, 1.0, 1.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "std")]
mod phases;

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, GraphFacts, Law, Monoid, Nothing, Program, Sum,
    VertexCompute, VertexId, Vote,
};

use crate::bfs::UNREACHED;
use crate::sssp::in_graph;

#[cfg(feature = "std")]
pub use phases::{Betweenness, betweenness};

/// The forward phase: levels from one source, and the number of shortest paths.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CountPaths {
    /// Where the paths begin.
    pub source: VertexId,
}

/// What a vertex knows after the forward phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Counted {
    /// The sum of the dependencies of all earlier sources on it.
    pub centrality: f64,
    /// Number of shortest paths from the source to it.
    pub paths: f64,
    /// Number of edges on each of these paths; [`UNREACHED`] if there are none.
    pub level: u32,
    reserved: u32,
}

impl Program for CountPaths {
    type Input = Dependency;
    type State = Counted;
    type Signal = f64;
    type Edge = ();
    type Combiner = Sum<f64>;
    type Aggregate = Nothing;
}

impl EdgeCompute for CountPaths {
    fn edge_compute(&self, paths: &f64, _: Edge<()>) -> Option<f64> {
        Some(*paths)
    }
}

impl VertexCompute for CountPaths {
    fn init(&self, context: &mut Context<'_, Self>) -> (Counted, Vote) {
        let centrality = context.input().centrality;
        if context.vertex() == self.source {
            (Counted { centrality, paths: 1.0, level: 0, reserved: 0 }, Vote::Scatter)
        } else {
            (Counted { centrality, paths: 0.0, level: UNREACHED, reserved: 0 }, Vote::Halt)
        }
    }

    fn vertex_compute(
        &self,
        state: &mut Counted,
        paths: Option<f64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        match paths {
            Some(paths) if state.level == UNREACHED => {
                state.level = context.superstep();
                state.paths = paths;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, state: &Counted, _: &Context<'_, Self>) -> f64 {
        state.paths
    }

    fn wants_message(&self, state: &Counted) -> bool {
        state.level == UNREACHED
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        in_graph(self.source, graph.vertex_count)
    }
}

/// The backward phase: the dependency of one source on every vertex.
///
/// In superstep 0, all vertices that were reached send their levels. From these, each learns
/// in superstep 1 how many of its edges lead to successors, which are one level further from
/// the source. From then on, a vertex sends its share as soon as all its successors have sent
/// theirs. Vertices without successors send it at once.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Accumulate;

/// What a vertex knows after the backward phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Dependency {
    /// The sum of the dependencies of all sources on it, the last one included.
    pub centrality: f64,
    /// The dependency of the last source on it; at the source itself, the number of other
    /// vertices that it reaches.
    pub dependency: f64,
    /// Number of shortest paths from the last source to it.
    pub paths: f64,
    /// Number of edges on each of these paths; [`UNREACHED`] if there are none.
    pub level: u32,
    /// Number of edges to successors that have not sent their shares yet.
    waiting: u32,
}

/// The combined shares of vertices at one level.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Shares {
    /// The sum of (1 + δ) / σ.
    pub sum: f64,
    /// The level of the senders.
    pub level: u32,
    /// How many shares were combined.
    pub count: u32,
}

/// Adds up the shares from the deepest level, and drops the others. If a vertex has
/// successors, they are at the deepest level, since no edge leads down by more than one.
#[derive(Clone, Copy, Debug)]
pub struct Deepest;

impl Monoid for Deepest {
    type Value = Shares;
    const LAW: Law = Law::Rounded;

    fn identity() -> Shares {
        Shares { sum: 0.0, level: 0, count: 0 }
    }

    fn combine(a: Shares, b: Shares) -> Shares {
        if a.level == b.level {
            Shares { sum: a.sum + b.sum, level: a.level, count: a.count.wrapping_add(b.count) }
        } else if a.level > b.level {
            a
        } else {
            b
        }
    }
}

impl Program for Accumulate {
    type Input = Counted;
    type State = Dependency;
    type Signal = Shares;
    type Edge = ();
    type Combiner = Deepest;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::In;
}

impl EdgeCompute for Accumulate {
    fn edge_compute(&self, share: &Shares, _: Edge<()>) -> Option<Shares> {
        Some(*share)
    }
}

impl VertexCompute for Accumulate {
    fn init(&self, context: &mut Context<'_, Self>) -> (Dependency, Vote) {
        let Counted { centrality, paths, level, .. } = context.input();
        let state = Dependency { centrality, dependency: 0.0, paths, level, waiting: 0 };
        (state, if level == UNREACHED { Vote::Halt } else { Vote::Continue })
    }

    fn vertex_compute(
        &self,
        state: &mut Dependency,
        shares: Option<Shares>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let successors = shares.filter(|shares| shares.level == state.level.wrapping_add(1));
        if context.superstep() == 1 {
            state.waiting = successors.map_or(0, |successors| successors.count);
        } else if let Some(successors) = successors {
            state.dependency += state.paths * successors.sum;
            state.waiting = state.waiting.wrapping_sub(successors.count);
        } else {
            return Vote::Halt;
        }
        // The source, at level 0, does not lie between itself and other vertices.
        if state.waiting > 0 || state.level == 0 {
            return Vote::Halt;
        }
        state.centrality += state.dependency;
        Vote::Scatter
    }

    fn signal(&self, state: &Dependency, _: &Context<'_, Self>) -> Shares {
        Shares { sum: (1.0 + state.dependency) / state.paths, level: state.level, count: 1 }
    }

    fn wants_message(&self, state: &Dependency) -> bool {
        state.level != UNREACHED
    }
}

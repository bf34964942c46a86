//! Breadth-first search: the number of edges from a source to every vertex.
//!
//! A message carries nothing: that it comes in superstep `s` says that the
//! vertex is `s` edges away. Visited vertices want no message, and any
//! message settles the vertex, so a pulling engine stops at the first parent
//! (Beamer, Asanović, Patterson, *Direction-Optimizing Breadth-First Search*,
//! SC 2012). Work O(V + E), one superstep per level.
//!
//! # Example
//!
//! ```
//! use pregel_algos::bfs::{Bfs, UNREACHED};
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(0, 1), (1, 2), (0, 2), (3, 0)])?;
//! let outcome = Cpu::new().run(&graph, &Bfs { source: 0 }, &RunOptions::default())?;
//! assert_eq!(outcome.states, [0, 1, 1, UNREACHED]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Any, Context, Edge, EdgeCompute, GraphFacts, Nothing, Program, VertexCompute, VertexId, Vote,
};

use crate::sssp::in_graph;

/// The level, and as parent the id, of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;

/// Levels from one source.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bfs {
    /// Where the search begins.
    pub source: VertexId,
}

impl Program for Bfs {
    type Input = ();
    type State = u32;
    type Signal = ();
    type Edge = ();
    type Combiner = Any<()>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Bfs {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<()> {
        Some(())
    }
}

impl VertexCompute for Bfs {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        if context.vertex() == self.source { (0, Vote::Scatter) } else { (UNREACHED, Vote::Halt) }
    }

    fn vertex_compute(
        &self,
        level: &mut u32,
        found: Option<()>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        match found {
            Some(()) if *level == UNREACHED => {
                *level = context.superstep();
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, _: &u32, _: &Context<'_, Self>) {}

    fn wants_message(&self, level: &u32) -> bool {
        *level == UNREACHED
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        in_graph(self.source, graph.vertex_count)
    }
}

/// Levels and parents from one source: a breadth-first tree.
///
/// Where several neighbours one level up could be the parent, any of them is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BfsTree {
    /// Where the search begins.
    pub source: VertexId,
}

/// What [`BfsTree`] knows of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Visit {
    /// Number of edges from the source; [`UNREACHED`] when there is no path.
    pub level: u32,
    /// A neighbour one level up; [`UNREACHED`] at the source and at
    /// unreached vertices.
    pub parent: VertexId,
}

impl Program for BfsTree {
    type Input = ();
    type State = Visit;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Any<VertexId>;
    type Aggregate = Nothing;
}

impl EdgeCompute for BfsTree {
    fn edge_compute(&self, sender: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*sender)
    }
}

impl VertexCompute for BfsTree {
    fn init(&self, context: &mut Context<'_, Self>) -> (Visit, Vote) {
        let (level, vote) = if context.vertex() == self.source {
            (0, Vote::Scatter)
        } else {
            (UNREACHED, Vote::Halt)
        };
        (Visit { level, parent: UNREACHED }, vote)
    }

    fn vertex_compute(
        &self,
        visit: &mut Visit,
        parent: Option<VertexId>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        match parent {
            Some(parent) if visit.level == UNREACHED => {
                *visit = Visit { level: context.superstep(), parent };
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, _: &Visit, context: &Context<'_, Self>) -> VertexId {
        context.vertex()
    }

    fn wants_message(&self, visit: &Visit) -> bool {
        visit.level == UNREACHED
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        in_graph(self.source, graph.vertex_count)
    }
}

//! Breadth-first search with priorities.

use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Min, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// The level of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;

/// The number of edges from a source to every vertex, as a value that only decreases: in any
/// order of messages, with the least level first if the engine goes by priority.
///
/// Groute (Ben-Nun, Sutton, Pai and Pingali, PPoPP 2017) searches like this, so that messages
/// need not arrive level by level. The bundled `Bfs` sends no number: there the superstep is the
/// level. Work O(V + E) level by level, as there.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Levels {
    /// Where the search begins.
    pub source: VertexId,
}

impl Program for Levels {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Levels {
    fn edge_compute(&self, level: &u32, _: Edge<()>) -> Option<u32> {
        Some(level + 1)
    }
}

impl VertexCompute for Levels {
    fn init(&self, at: &mut Context<'_, Self>) -> (u32, Vote) {
        if at.vertex() == self.source { (0, Vote::Scatter) } else { (UNREACHED, Vote::Halt) }
    }

    fn vertex_compute(
        &self,
        level: &mut u32,
        found: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match found {
            Some(found) if found < *level => {
                *level = found;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    #[inline(always)]
    fn priority(&self, level: &u32) -> Option<f32> {
        Some(*level as f32)
    }

    fn signal(&self, level: &u32, _: &Context<'_, Self>) -> u32 {
        *level
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        (self.source < graph.vertex_count).then_some(()).ok_or("the source is not in the graph")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pregel_core::engine::{Cpu, Engine, Reference, RunOptions};
    use pregel_core::graph::Graph;

    use super::*;

    #[test]
    fn levels_count_edges() {
        let graph = Graph::from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (4, 0)]).unwrap();
        let (program, options) = (Levels { source: 0 }, RunOptions::default());
        for levels in [
            Reference.run(&graph, &program, &options).unwrap().states,
            Cpu::new().run(&graph, &program, &options).unwrap().states,
        ] {
            assert_eq!(levels, [0, 1, 1, 2, UNREACHED]);
        }
        assert!(Reference.run(&graph, &Levels { source: 5 }, &options).is_err());
    }
}

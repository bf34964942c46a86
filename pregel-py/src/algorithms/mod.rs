//! The bundled algorithms, as functions of Python.

mod gallery;
mod paths;
mod ranks;
mod structure;

pub use gallery::{colouring, eigenvector, hits, katz, mis, nearest, nearness, widest};
pub use paths::{betweenness, bfs, sssp};
pub use ranks::pagerank;
pub use structure::{cdlp, hcc, kcore, lcc, scc, triangles, wcc};

use pregel_core::engine::{Outcome, RunError, RunOptions, Session};
use pregel_core::graph::Graph as Rows;
use pregel_core::program::VertexCompute;

use crate::engine::{Able, Job};

/// A run of a program.
pub struct Run<'a, P: VertexCompute> {
    pub graph: &'a Rows<P::Edge>,
    pub program: P,
    pub inputs: &'a [P::Input],
    pub options: RunOptions,
}

impl<P: VertexCompute> Job for Run<'_, P> {
    type Output = Outcome<P>;

    fn run<E: Able>(self, engine: &E) -> Result<Outcome<P>, RunError> {
        engine.prepare::<P>(self.graph, &self.options)?.run_with(&self.program, self.inputs)
    }
}

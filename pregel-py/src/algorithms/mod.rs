//! The bundled algorithms, as functions of Python.

mod all_pairs;
mod gallery;
mod paths;
mod ranks;
mod structure;

pub use all_pairs::{AllPaths, Distances, apsp};
pub use gallery::{colouring, eigenvector, hits, katz, mis, nearest, nearness, widest};
pub use paths::{betweenness, bfs, sssp};
pub use ranks::pagerank;
pub use structure::{cdlp, hcc, kcore, lcc, scc, triangles, wcc};

use pregel_core::engine::{Report, Run as _, RunError, RunOptions, Session};
use pregel_core::graph::Graph as Rows;
use pregel_core::program::{Value, VertexCompute};

use crate::data::Left;
use crate::engine::{Able, Choice, Job};
use crate::errors::Failure;
use crate::options::Options;

/// A run of a program.
pub struct Run<'a, P: VertexCompute> {
    pub graph: &'a Rows<P::Edge>,
    pub program: P,
    pub inputs: &'a [P::Input],
    pub options: RunOptions,
}

/// What a run found, wherever it is.
pub struct Found<T: Value> {
    pub states: Left<T>,
    pub report: Report,
}

impl<P: VertexCompute> Job for Run<'_, P> {
    type Output = Found<P::State>;

    fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
        let mut session = engine.prepare::<P>(self.graph, &self.options)?;
        let mut run = session.start(&self.program, self.inputs)?;
        run.advance_to_end()?;
        let found = run.keep()?;
        Ok(Found { states: E::left(found.states), report: found.report })
    }
}

impl<P: VertexCompute> Run<'_, P> {
    /// Runs. The states stay on the GPU if the user wants them there.
    pub fn find(self, options: &Options) -> Result<Found<P::State>, Failure> {
        let found = options.engine.run(self)?;
        if options.on_device {
            return Ok(found);
        }
        Ok(Found { states: Left::Host(found.states.into_vec()?), report: found.report })
    }

    /// Runs, and takes the states to memory.
    pub fn find_here(self, engine: Choice) -> Result<(Vec<P::State>, Report), Failure> {
        let found = engine.run(self)?;
        Ok((found.states.into_vec()?, found.report))
    }
}

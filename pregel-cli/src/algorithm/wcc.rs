//! `pregel run wcc`: weakly connected components by union-find.

use anyhow::Result;
use pregel_algos::verify;
use pregel_core::engine::{ConnectedComponents, Solution as Solved};
use pregel_core::graph::Ids;
use pregel_core::program::VertexId;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Matching};
use crate::groups::Groups;
use crate::output::Column;
use crate::runner::Runner;

#[derive(Debug)]
pub struct Wcc;

impl Algorithm for Wcc {
    fn facts(&self) -> Facts {
        let about = "The components of hcc by union-find: much faster, but not a vertex program";
        Facts {
            vertex_program: false,
            counterpart: Some("hcc"),
            matching: Matching::Partition,
            ..Facts::new("wcc", about, &[])
        }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let check = |found: &Solved<Vec<VertexId>>| verify::hcc::labels(&graph, &found.answer);
        let (labels, runs) = runner.solve(ConnectedComponents, &graph, check)?;
        Ok(Solution::of_column(Column::Vertex(labels), runs))
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "component", "components")
    }
}

//! `pregel run hcc`: weakly connected components.

use anyhow::Result;
use pregel_algos::{hcc, verify};
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Matching};
use crate::groups::Groups;
use crate::output::Column;
use crate::runner::Runner;

#[derive(Debug)]
pub struct Hcc;

impl Algorithm for Hcc {
    fn facts(&self) -> Facts {
        let about = "Weakly connected components, named by their smallest vertex";
        Facts { matching: Matching::Partition, ..Facts::new("hcc", about, &[]) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let (labels, runs) = runner
            .run(&graph, &hcc::Hcc, &[], |outcome| verify::hcc::labels(&graph, &outcome.states))?;
        Ok(Solution::of_column(Column::Vertex(labels), runs))
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "component", "components")
    }
}

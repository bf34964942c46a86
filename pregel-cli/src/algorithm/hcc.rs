//! `pregel run hcc`: weakly connected components.

use anyhow::Result;
use pregel_algos::{hcc, verify};
use pregel_core::graph::Ids;

use super::{Algorithm, Param, Solution};
use crate::groups::Groups;
use crate::job::Job;
use crate::output::Column;

#[derive(Debug)]
pub struct Hcc;

impl Algorithm for Hcc {
    fn name(&self) -> &'static str {
        "hcc"
    }

    fn about(&self) -> &'static str {
        "Weakly connected components, named by their smallest vertex"
    }

    fn takes(&self) -> &'static [Param] {
        &[]
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        let graph = job.input.plain();
        let (labels, runs) = job
            .run(&graph, &hcc::Hcc, &[], |outcome| verify::hcc::labels(&graph, &outcome.states))?;
        Ok(Solution { columns: vec![Column::Vertex(labels)], runs, source: None, path: None })
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "component", "components")
    }
}

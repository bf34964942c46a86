//! `pregel run wcc`: weakly connected components by union-find.

use anyhow::Result;
use pregel_algos::verify;
use pregel_core::engine::Components;
use pregel_core::graph::Ids;

use super::{Algorithm, Param, Solution};
use crate::groups::Groups;
use crate::job::Job;
use crate::output::Column;

#[derive(Debug)]
pub struct Wcc;

impl Algorithm for Wcc {
    fn name(&self) -> &'static str {
        "wcc"
    }

    fn about(&self) -> &'static str {
        "The components of hcc by union-find: much faster, but no vertex program"
    }

    fn takes(&self) -> &'static [Param] {
        &[]
    }

    fn laid_out(&self) -> bool {
        false
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        let graph = job.input.plain();
        let check = |found: &Components| verify::hcc::labels(&graph, &found.labels);
        let (components, runs) = job.components(&graph, check)?;
        let columns = vec![Column::Vertex(components.labels)];
        Ok(Solution { columns, runs, source: None, path: None })
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "component", "components")
    }
}

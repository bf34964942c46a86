//! `pregel run cdlp`: communities by label propagation.

use anyhow::Result;
use pregel_algos::{cdlp, verify};
use pregel_core::graph::Ids;

use super::{Algorithm, Param, Solution};
use crate::groups::Groups;
use crate::job::Job;
use crate::output::Column;

#[derive(Debug)]
pub struct Cdlp;

impl Algorithm for Cdlp {
    fn name(&self) -> &'static str {
        "cdlp"
    }

    fn about(&self) -> &'static str {
        "Communities by synchronous label propagation (LDBC Graphalytics)"
    }

    fn takes(&self) -> &'static [Param] {
        &[]
    }

    /// It may oscillate for ever; 10 is usual in LDBC Graphalytics.
    fn default_supersteps(&self) -> Option<u32> {
        Some(10)
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        let graph = job.input.plain();
        let (labels, runs) = job.run(&graph, &cdlp::Cdlp, &[], |outcome| {
            verify::cdlp::labels(&graph, outcome.report.supersteps, &outcome.states)
        })?;
        Ok(Solution { columns: vec![Column::Vertex(labels)], runs, source: None, path: None })
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "community", "communities")
    }
}

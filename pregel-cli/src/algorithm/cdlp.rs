//! `pregel run cdlp`: communities by label propagation.

use anyhow::Result;
use pregel_algos::{cdlp, verify};
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::Facts;
use crate::groups::Groups;
use crate::output::Column;
use crate::runner::Runner;

#[derive(Debug)]
pub struct Cdlp;

impl Algorithm for Cdlp {
    fn facts(&self) -> Facts {
        let about = "Communities by synchronous label propagation (LDBC Graphalytics)";
        // It can oscillate for ever; LDBC Graphalytics usually runs 10 supersteps.
        Facts { default_supersteps: Some(10), ..Facts::new("cdlp", about, &[]) }
    }

    fn renumbers(&self, runner: &Runner<'_>) -> bool {
        runner.renumbers::<cdlp::Cdlp>(&runner.input.plain())
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let (labels, runs) = runner.run(&graph, &cdlp::Cdlp, &[], |outcome| {
            verify::cdlp::labels(&graph, outcome.report.supersteps, &outcome.states)
        })?;
        Ok(Solution::of_column(Column::Vertex(labels), runs))
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "community", "communities")
    }
}

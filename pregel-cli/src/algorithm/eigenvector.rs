//! `pregel run eigenvector`: eigenvector centrality.

use anyhow::Result;
use pregel_algos::gallery::eigenvector::{self, normalised};
use pregel_algos::verify::{self, Violation};
use pregel_core::engine::StopReason;
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Param};
use crate::output::Column;
use crate::ranking::highest;
use crate::runner::Runner;

#[derive(Debug)]
pub struct Eigenvector;

impl Algorithm for Eigenvector {
    fn facts(&self) -> Facts {
        let about = "Eigenvector centrality, by power iteration; squares sum to 1";
        let facts = Facts::new("eigenvector", about, &[Param::Tolerance]);
        Facts { default_supersteps: Some(1000), ..facts }
    }

    fn renumbers(&self, runner: &Runner<'_>) -> bool {
        runner.renumbers::<eigenvector::Eigenvector>(&runner.input.plain())
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let tolerance = runner.job.params.tolerance;
        let program = eigenvector::Eigenvector { tolerance };
        let (values, runs) = runner.run(&graph, &program, &[], |outcome| {
            if outcome.report.stop != StopReason::Converged {
                let text = "the run did not converge: allow more --supersteps, or a larger \
                            --tolerance. Without cycles there is no such vector";
                return Err(Violation::Whole(text.into()));
            }
            // One superstep more may enlarge a change by as much as a vertex has out-edges.
            let most = (0..graph.vertex_count()).map(|v| graph.out().degree(v)).max().unwrap_or(0);
            let bound = tolerance * (1.0 + most as f64) + 1e-9;
            verify::eigenvector::values(&graph, &outcome.states, bound)
        })?;
        Ok(Solution::of_column(Column::F64(normalised(&values)), runs))
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        highest(ids, values, "highest centralities", "centrality")
    }
}

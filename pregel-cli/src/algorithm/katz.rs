//! `pregel run katz`: Katz centrality.

use anyhow::Result;
use pregel_algos::gallery::katz;
use pregel_algos::verify::{self, Violation};
use pregel_core::engine::StopReason;
use pregel_core::graph::{DegreeStats, Ids};

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Param};
use crate::output::Column;
use crate::ranking::highest;
use crate::runner::Runner;

#[derive(Debug)]
pub struct Katz;

impl Algorithm for Katz {
    fn facts(&self) -> Facts {
        let about = "Katz centrality: walks that end at a vertex, long ones counting less";
        Facts {
            default_supersteps: Some(1000),
            ..Facts::new("katz", about, &[Param::Attenuation, Param::Tolerance])
        }
    }

    fn renumbers(&self, runner: &Runner<'_>) -> bool {
        runner.renumbers::<katz::Katz>(&runner.input.plain())
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let (graph, params) = (runner.input.plain(), &runner.job.params);
        let most = DegreeStats::of_incoming(&graph).max.max(1);
        // No eigenvalue is larger than the largest in-degree, so that this always converges.
        let attenuation = params.attenuation.map_or(0.9 / most as f64, f64::from);
        let program = katz::Katz { attenuation, base: 1.0, tolerance: params.tolerance };
        let (values, runs) = runner.run(&graph, &program, &[], |outcome| {
            if outcome.report.stop != StopReason::Converged {
                let text = "the run did not converge: allow more --supersteps, or a smaller \
                            --attenuation";
                return Err(Violation::Whole(text.into()));
            }
            // One superstep more may change a vertex by what all of its senders have changed.
            let sent = attenuation * most as f64;
            let bound = params.tolerance * sent.max(1.0);
            verify::katz::values(&graph, &program, &outcome.states, bound)
        })?;
        Ok(Solution::of_column(Column::F64(values), runs))
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        highest(ids, values, "highest centralities", "centrality")
    }
}

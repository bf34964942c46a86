//! `pregel run mis`: a maximal independent set.

use anyhow::Result;
use pregel_algos::gallery::mis;
use pregel_algos::verify;
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Param};
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, percent};

#[derive(Debug)]
pub struct IndependentSet;

impl Algorithm for IndependentSet {
    fn facts(&self) -> Facts {
        let about = "A maximal independent set: 1 for its vertices, 0 for all others";
        Facts::new("mis", about, &[Param::Seed])
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let program = mis::IndependentSet { seed: runner.job.params.seed };
        let (states, runs) = runner
            .run(&graph, &program, &[], |outcome| verify::mis::set(&graph, &outcome.states))?;
        let members = states.into_iter().map(|state| u64::from(state == mis::IN)).collect();
        Ok(Solution::of_column(Column::Count(members), runs))
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        let Column::Count(members) = values else { return String::new() };
        let size = members.iter().sum();
        let share = percent(size, members.len() as u64);
        format!("{} in the set ({share})\n", count(size, "vertex", "vertices"))
    }
}

//! `pregel run colouring`: colours of which no two neighbours have the same.

use anyhow::Result;
use pregel_algos::gallery::colouring;
use pregel_algos::verify;
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Param};
use crate::levels::counted;
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, histogram};

/// Colours that a summary lists.
const LISTED: usize = 20;

#[derive(Debug)]
pub struct Colouring;

impl Algorithm for Colouring {
    fn facts(&self) -> Facts {
        let about = "Colours, from 0 on, of which no two neighbours have the same";
        Facts::new("colouring", about, &[Param::Seed])
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let program = colouring::Colouring { seed: runner.job.params.seed };
        let (colours, runs) = runner.run(&graph, &program, &[], |outcome| {
            verify::colouring::colours(&graph, &outcome.states)
        })?;
        Ok(Solution::of_column(Column::Level(colours), runs))
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        let Column::Level(colours) = values else { return String::new() };
        let coloured = colours.iter().filter(|colour| **colour != colouring::NO_COLOUR);
        let sizes = counted(coloured.map(|colour| *colour as usize));
        let used = count(sizes.len() as u64, "colour", "colours");
        let rows = sizes.iter().enumerate().take(LISTED);
        let rows = rows.map(|(colour, size)| (colour.to_string(), *size));
        format!("{used}\n\n{}", histogram("colour", "vertices", rows))
    }
}

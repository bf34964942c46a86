//! `pregel run kcore`: core numbers.

use anyhow::Result;
use pregel_algos::{kcore, verify};
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::Facts;
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, histogram, percent, thousands};

#[derive(Debug)]
pub struct KCore;

impl Algorithm for KCore {
    fn facts(&self) -> Facts {
        Facts::new("kcore", "Core numbers: the largest k whose k-core has the vertex", &[])
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let numbers = |cores: &[kcore::Core]| cores.iter().map(|core| core.number).collect();
        let (cores, runs) = runner.run(&graph, &kcore::KCore, &[], |outcome| {
            let numbers: Vec<u32> = numbers(&outcome.states);
            verify::kcore::numbers(&graph, &numbers)
        })?;
        Ok(Solution::of_column(Column::Level(numbers(&cores)), runs))
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        let Column::Level(numbers) = values else { return String::new() };
        let n = numbers.len() as u64;
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let degeneracy = sorted.last().copied().unwrap_or(0);
        let innermost = sorted.len() - sorted.partition_point(|number| *number < degeneracy);
        // Many numbers are shown in ranges.
        let width = u64::from(degeneracy / 20) + 1;
        let ranges: Vec<&[u32]> =
            sorted.chunk_by(|a, b| u64::from(*a) / width == u64::from(*b) / width).collect();
        let rows = ranges.into_iter().map(|range| {
            let first = u64::from(range[0]) / width * width;
            let last = (first + width - 1).min(u64::from(degeneracy));
            let label = if first == last { format!("{first}") } else { format!("{first}-{last}") };
            (label, range.len() as u64)
        });
        let table = histogram("core", "vertices", rows);
        format!(
            "degeneracy {}, the innermost core has {} ({})\n\n{table}",
            thousands(u64::from(degeneracy)),
            count(innermost as u64, "vertex", "vertices"),
            percent(innermost as u64, n)
        )
    }
}

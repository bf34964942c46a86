//! `pregel run widest`: widths of the widest paths from one vertex.

use anyhow::Result;
use pregel_algos::gallery::widest::{self, UNREACHED};
use pregel_algos::verify;
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Param, WeightUse};
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, percent, short};

#[derive(Debug)]
pub struct Widest;

impl Algorithm for Widest {
    fn facts(&self) -> Facts {
        let about = "Widest paths from a source: the best bottleneck, weights being widths";
        let facts = Facts::new("widest", about, &[Param::Source]);
        Facts { weights: WeightUse::Always, ..facts }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let name = &runner.input.name;
        if !runner.input.graph.has_weights() && runner.job.graph.weights_auto {
            runner.progress.note(&format!("{name} has no weights; every edge has width 1"));
        }
        let graph = runner.input.graph.weighted();
        let source = runner.start()?;
        let (widths, runs) = runner.run(&graph, &widest::Widest { source }, &[], |outcome| {
            verify::widest::widths(&graph, source, &outcome.states)
        })?;
        let columns = vec![Column::F32(widths)];
        Ok(Solution { source: Some(source), ..Solution::of_columns(columns, runs) })
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        let Column::F32(widths) = values else { return String::new() };
        let reached = || widths.iter().copied().filter(|width| *width > UNREACHED);
        let number = reached().count() as u64;
        let narrowest = reached().fold(f32::INFINITY, f32::min);
        let narrowest = match number {
            // The source alone.
            0 | 1 => String::new(),
            _ => format!(", the narrowest way {} wide", short(narrowest.into())),
        };
        let share = percent(number, widths.len() as u64);
        format!("{} reached ({share}){narrowest}\n", count(number, "vertex", "vertices"))
    }
}

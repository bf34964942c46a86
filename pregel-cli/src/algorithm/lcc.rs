//! `pregel run lcc`: local clustering coefficients, and triangles.

use std::iter;

use anyhow::Result;
use pregel_algos::verify;
use pregel_core::engine::{Clustering, LocalClustering, Solution as Solved};

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::Facts;
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, histogram, short, thousands};

/// Steps that `--verify` takes at most, about a minute on one core.
pub const STEPS: u64 = 1 << 34;

#[derive(Debug)]
pub struct Lcc;

impl Algorithm for Lcc {
    fn facts(&self) -> Facts {
        let about = "Local clustering coefficients: how closely neighbours are joined; triangles";
        Facts { vertex_program: false, ..Facts::new("lcc", about, &[]) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let check = |found: &Solved<Clustering>| {
            let coefficients = &found.answer.coefficients;
            let checked = verify::lcc::coefficients(&graph, coefficients, STEPS)?;
            note_checked(runner, "coefficients", checked, graph.vertex_count());
            Ok(())
        };
        let (found, runs) = runner.solve(LocalClustering, &graph, check)?;
        let summary = Some(summary(&found));
        let column = Column::F64(found.coefficients);
        Ok(Solution { summary, ..Solution::of_column(column, runs) })
    }
}

/// Notes that not all values are checked, if not.
pub fn note_checked(runner: &Runner<'_>, values: &str, checked: u32, vertices: u32) {
    if checked < vertices {
        let checked = thousands(checked.into());
        runner.progress.note(&format!("the {values} of {checked} vertices are checked, not all"));
    }
}

/// The mean coefficient, the number of triangles, and how many vertices have coefficients in
/// each tenth.
fn summary(found: &Clustering) -> String {
    const BINS: usize = 10;
    let coefficients = &found.coefficients;
    let mean = coefficients.iter().sum::<f64>() / coefficients.len().max(1) as f64;
    let mut zero = 0;
    let mut bins = [0u64; BINS];
    for coefficient in coefficients {
        if *coefficient == 0.0 {
            zero += 1;
        } else {
            // A tenth holds its upper end.
            let bin = (coefficient * BINS as f64).ceil() as usize;
            bins[bin.clamp(1, BINS) - 1] += 1;
        }
    }
    let end = |(i, vertices)| (short(f64::from(i) / BINS as f64), vertices);
    let rows = iter::once(("0".to_owned(), zero)).chain((1u32..).zip(bins).map(end));
    let table = histogram("coefficient up to", "vertices", rows);
    let triangles = count(found.triangles, "triangle", "triangles");
    format!("mean coefficient {}, {triangles}\n\n{table}", short(mean))
}

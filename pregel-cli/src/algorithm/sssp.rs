//! `pregel run sssp`: distances from one vertex.

use anyhow::Result;
use pregel_algos::many::sssp::SsspFromMany;
use pregel_algos::{sssp, verify};
use pregel_core::graph::{Graph, Ids};
use rayon::prelude::*;

use crate::algorithm::contract::{Algorithm, Path, Solution};
use crate::algorithm::many;
use crate::facts::{Facts, Param, WeightUse};
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, histogram, percent, short};

#[derive(Debug)]
pub struct Sssp;

impl Algorithm for Sssp {
    fn facts(&self) -> Facts {
        let about = "Shortest paths from a source, over weights that are not negative";
        let takes = &[Param::Source, Param::Sources, Param::Target, Param::Parents, Param::Delta];
        Facts { weights: WeightUse::Always, ..Facts::new("sssp", about, takes) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let name = &runner.input.name;
        if !runner.input.graph.has_weights() && runner.job.graph.weights_auto {
            runner.progress.note(&format!("{name} has no weights; every edge weighs 1"));
        }
        let graph = runner.input.graph.weighted();
        if let Some(wanted) = &runner.job.params.sources {
            let check = |source, found: &[f32]| verify::sssp::distances(&graph, source, found);
            let mut lost = 0;
            let count = |distances: &[f32]| lost += overflows(&graph, distances);
            let solution = many::solve::<SsspFromMany>(runner, wanted, &graph, check, count)?;
            note_overflow(runner, lost);
            return Ok(solution);
        }
        let (source, target) = (runner.start()?, runner.target()?);
        if !runner.job.params.parents {
            let program = sssp::Sssp { source };
            let (distances, runs) = runner.run(&graph, &program, &[], |outcome| {
                verify::sssp::distances(&graph, source, &outcome.states)
            })?;
            note_overflow(runner, overflows(&graph, &distances));
            let columns = vec![Column::F32(distances)];
            return Ok(Solution { source: Some(source), ..Solution::of_columns(columns, runs) });
        }
        // Of paths of the same length, any may be found.
        runner.refuse_check()?;
        let program = sssp::SsspTree { source };
        let (tree, runs) = runner.run(&graph, &program, &[], |outcome| {
            verify::sssp::tree(&graph, source, &outcome.states)
        })?;
        let (distances, parents): (Vec<_>, Vec<_>) =
            tree.into_iter().map(|step| (step.distance, step.parent)).unzip();
        note_overflow(runner, overflows(&graph, &distances));
        let path = target.map(|target| Path::find(source, target, &parents));
        let columns = vec![Column::F32(distances), Column::Vertex(parents)];
        Ok(Solution { source: Some(source), path, ..Solution::of_columns(columns, runs) })
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        const BINS: usize = 10;
        let Column::F32(distances) = values else { return String::new() };
        let finite = || distances.iter().copied().filter(|d| d.is_finite()).map(f64::from);
        let farthest = finite().fold(0.0, f64::max);
        let reached = finite().count() as u64;
        let mean = finite().sum::<f64>() / reached.max(1) as f64;
        let width = if farthest > 0.0 { farthest / BINS as f64 } else { 1.0 };
        let mut bins = vec![0u64; if farthest > 0.0 { BINS } else { 1 }];
        let last = bins.len() - 1;
        for distance in finite() {
            bins[((distance / width) as usize).min(last)] += 1;
        }
        let rows = (1..).zip(bins).map(|(i, size)| {
            let end = if farthest > 0.0 { width * f64::from(i) } else { 0.0 };
            (short(end), size)
        });
        let table = histogram("distance up to", "vertices", rows);
        format!(
            "{} reached ({}), mean distance {}, the farthest {}\n\n{table}",
            count(reached, "vertex", "vertices"),
            percent(reached, distances.len() as u64),
            short(mean),
            short(farthest)
        )
    }
}

/// Says which vertices count as unreached only because their distance is too
/// large for `f32`.
fn note_overflow(runner: &Runner<'_>, lost: u64) {
    if lost > 0 {
        runner.progress.note(&format!(
            "distances above {:e} do not fit f32 and are reported as inf, as if the vertices were \
             unreached: this happens after {}; smaller weights avoid it",
            f32::MAX,
            count(lost, "edge", "edges")
        ));
    }
}

/// Number of edges that lead from a finite distance to an infinite one though
/// they are finite themselves.
fn overflows(graph: &Graph<f32>, distances: &[f32]) -> u64 {
    let largest = |numbers: &[f32]| {
        numbers.par_iter().copied().filter(|x| x.is_finite()).reduce(|| 0.0, f32::max)
    };
    if (largest(distances) + largest(graph.out_values())).is_finite() {
        return 0;
    }
    let (out, lengths) = (graph.out(), graph.out_values());
    (0..graph.vertex_count())
        .into_par_iter()
        .filter(|v| distances[*v as usize].is_finite())
        .map(|v| {
            let edges = out.row(v).iter().zip(&lengths[out.range(v)]);
            let lost = edges.filter(|(target, length)| {
                length.is_finite()
                    && distances[**target as usize].is_infinite()
                    && (distances[v as usize] + **length).is_infinite()
            });
            lost.count() as u64
        })
        .sum()
}

//! `pregel run sssp`: distances from one vertex.

use anyhow::Result;
use pregel_algos::{sssp, verify};
use pregel_core::graph::Ids;
use pregel_core::io::Weights;

use super::{Algorithm, Param, Path, Solution};
use crate::input::WeightUse;
use crate::job::Job;
use crate::output::Column;
use crate::text::{Align, Table, bar, count, percent, short, thousands};

#[derive(Debug)]
pub struct Sssp;

impl Algorithm for Sssp {
    fn name(&self) -> &'static str {
        "sssp"
    }

    fn about(&self) -> &'static str {
        "Shortest paths from a source, over weights that are not negative"
    }

    fn takes(&self) -> &'static [Param] {
        &[Param::Source, Param::Target, Param::Parents, Param::Delta]
    }

    fn weights(&self) -> WeightUse {
        WeightUse::Always
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        let (source, target) = (job.start()?, job.target()?);
        if !job.input.graph.has_weights() && job.plan.graph.load.weights == Weights::Auto {
            job.progress.note(&format!("{} has no weights; every edge weighs 1", job.input.name));
        }
        let graph = job.input.graph.weighted();
        if !job.plan.params.parents {
            let program = sssp::Sssp { source };
            let (distances, runs) = job.run(&graph, &program, &[], |outcome| {
                verify::sssp::distances(&graph, source, &outcome.states)
            })?;
            let columns = vec![Column::F32(distances)];
            return Ok(Solution { columns, runs, source: Some(source), path: None });
        }
        let program = sssp::SsspTree { source };
        let (tree, runs) = job.run(&graph, &program, &[], |outcome| {
            verify::sssp::tree(&graph, source, &outcome.states)
        })?;
        let (distances, parents): (_, Vec<_>) =
            tree.into_iter().map(|step| (step.distance, step.parent)).unzip();
        let path = target.map(|target| Path::find(source, target, &parents));
        let columns = vec![Column::F32(distances), Column::Vertex(parents)];
        Ok(Solution { columns, runs, source: Some(source), path })
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
        let most = bins.iter().copied().max().unwrap_or(0);
        let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
        table.row(["distance up to", "vertices", ""]);
        for (i, size) in (1..).zip(bins) {
            let end = if farthest > 0.0 { width * f64::from(i) } else { 0.0 };
            table.row([short(end), thousands(size), bar(size, most)]);
        }
        format!(
            "{} reached ({}), mean distance {}, the farthest {}\n\n{table}",
            count(reached, "vertex", "vertices"),
            percent(reached, distances.len() as u64),
            short(mean),
            short(farthest)
        )
    }
}

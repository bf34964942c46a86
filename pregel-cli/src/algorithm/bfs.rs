//! `pregel run bfs`: levels from one vertex.

use anyhow::Result;
use pregel_algos::{bfs, verify};
use pregel_core::graph::Ids;

use super::{Algorithm, Param, Path, Solution};
use crate::job::Job;
use crate::output::{Column, NO_VERTEX};
use crate::text::{Align, Table, bar, count, percent, thousands};

#[derive(Debug)]
pub struct Bfs;

impl Algorithm for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn about(&self) -> &'static str {
        "Breadth-first search: number of edges from a source"
    }

    fn takes(&self) -> &'static [Param] {
        &[Param::Source, Param::Target, Param::Parents]
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        let (source, target) = (job.start()?, job.target()?);
        let graph = job.input.plain();
        if !job.plan.params.parents {
            let program = bfs::Bfs { source };
            let (levels, runs) = job.run(&graph, &program, &[], |outcome| {
                verify::bfs::levels(&graph, source, &outcome.states)
            })?;
            let columns = vec![Column::Level(levels)];
            return Ok(Solution { columns, runs, source: Some(source), path: None });
        }
        let program = bfs::BfsTree { source };
        let (tree, runs) = job.run(&graph, &program, &[], |outcome| {
            verify::bfs::tree(&graph, source, &outcome.states)
        })?;
        let (levels, parents): (_, Vec<_>) =
            tree.into_iter().map(|visit| (visit.level, visit.parent)).unzip();
        let path = target.map(|target| Path::find(source, target, &parents));
        let columns = vec![Column::Level(levels), Column::Vertex(parents)];
        Ok(Solution { columns, runs, source: Some(source), path })
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        let Column::Level(levels) = values else { return String::new() };
        let n = levels.len() as u64;
        let mut histogram: Vec<u64> = Vec::new();
        for level in levels.iter().filter(|level| **level != NO_VERTEX) {
            let level = *level as usize;
            if histogram.len() <= level {
                histogram.resize(level + 1, 0);
            }
            histogram[level] += 1;
        }
        let reached: u64 = histogram.iter().sum();
        let deepest = histogram.len().saturating_sub(1);
        // Long searches are shown by ranges of levels.
        let width = histogram.len().div_ceil(20).max(1);
        let bins: Vec<u64> = histogram.chunks(width).map(|bin| bin.iter().sum()).collect();
        let most = bins.iter().copied().max().unwrap_or(0);
        let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
        table.row(["level", "vertices", ""]);
        for (first, &size) in (0..).step_by(width).zip(&bins) {
            let last = (first + width - 1).min(deepest);
            let label = if first == last { format!("{first}") } else { format!("{first}-{last}") };
            table.row([label, thousands(size), bar(size, most)]);
        }
        format!(
            "{} reached ({}), the farthest {} away\n\n{table}",
            count(reached, "vertex", "vertices"),
            percent(reached, n),
            count(deepest as u64, "edge", "edges")
        )
    }
}

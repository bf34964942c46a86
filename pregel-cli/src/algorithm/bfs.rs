//! `pregel run bfs`: levels from one vertex.

use anyhow::Result;
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::{bfs, verify};
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Path, Solution};
use crate::algorithm::many;
use crate::facts::{Facts, Param};
use crate::levels;
use crate::output::Column;
use crate::runner::Runner;

#[derive(Debug)]
pub struct Bfs;

impl Algorithm for Bfs {
    fn facts(&self) -> Facts {
        Facts::new(
            "bfs",
            "Breadth-first search: number of edges from a source",
            &[Param::Source, Param::Sources, Param::Target, Param::Parents],
        )
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        if let Some(wanted) = &runner.job.params.sources {
            let check = |source, levels: &[u32]| verify::bfs::levels(&graph, source, levels);
            return many::solve::<BfsFromMany>(runner, wanted, &graph, check, |_| {});
        }
        let (source, target) = (runner.start()?, runner.target()?);
        if !runner.job.params.parents {
            let program = bfs::Bfs { source };
            let (levels, runs) = runner.run(&graph, &program, &[], |outcome| {
                verify::bfs::levels(&graph, source, &outcome.states)
            })?;
            let columns = vec![Column::Level(levels)];
            return Ok(Solution { source: Some(source), ..Solution::of_columns(columns, runs) });
        }
        let program = bfs::BfsTree { source };
        let (tree, runs) = runner.run(&graph, &program, &[], |outcome| {
            verify::bfs::tree(&graph, source, &outcome.states)
        })?;
        let (levels, parents): (_, Vec<_>) =
            tree.into_iter().map(|visit| (visit.level, visit.parent)).unzip();
        let path = target.map(|target| Path::find(source, target, &parents));
        let columns = vec![Column::Level(levels), Column::Vertex(parents)];
        Ok(Solution { source: Some(source), path, ..Solution::of_columns(columns, runs) })
    }

    fn summary(&self, _: &Ids, values: &Column) -> String {
        let Column::Level(levels) = values else { return String::new() };
        levels::describe(levels)
    }
}

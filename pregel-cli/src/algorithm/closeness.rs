//! `pregel run closeness` and `harmonic`: how near a vertex is to all others.

use anyhow::{Result, bail};
use pregel_algos::gallery::closeness::Nearness;
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::verify;
use pregel_core::graph::Ids;
use pregel_core::program::VertexId;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::algorithm::many;
use crate::facts::{Facts, Param};
use crate::output::Column;
use crate::ranking::highest;
use crate::runner::Runner;
use crate::text::thousands;

/// From so many sources on, a note says how to do with fewer.
const MANY: usize = 1 << 16;

/// Which of the two.
#[derive(Debug)]
pub enum Centrality {
    Closeness,
    Harmonic,
}

impl Algorithm for Centrality {
    fn facts(&self) -> Facts {
        let (name, about) = match self {
            Self::Closeness => ("closeness", "Closeness: inverse of the mean distance to a vertex"),
            Self::Harmonic => {
                ("harmonic", "Harmonic centrality: sum of inverse distances to a vertex")
            }
        };
        Facts { one_run: false, ..Facts::new(name, about, &[Param::Sources]) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let sources: Vec<VertexId> = match &runner.job.params.sources {
            Some(wanted) => many::find_sources(wanted, runner)?,
            None => (0..graph.vertex_count()).collect(),
        };
        if sources.is_empty() {
            bail!("{} has no vertices", runner.input.name);
        }
        if runner.job.params.sources.is_none() && sources.len() >= MANY {
            runner.progress.note(&format!(
                "searching from all {} vertices; --sources N estimates from a sample",
                thousands(sources.len() as u64)
            ));
        }
        let mut nearness = Nearness::new(graph.vertex_count());
        let check = |source, levels: &[u32]| verify::bfs::levels(&graph, source, levels);
        let keep = |_, levels: Vec<u32>| nearness.add(&levels);
        let (_, runs) = runner.run_many::<BfsFromMany>(&graph, &sources, check, keep)?;
        let values = match self {
            Self::Closeness => nearness.closeness(),
            Self::Harmonic => nearness.harmonic(),
        };
        Ok(Solution::of_column(Column::F64(values), runs))
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        highest(ids, values, "highest centralities", "centrality")
    }
}

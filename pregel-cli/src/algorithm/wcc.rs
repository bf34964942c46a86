//! `pregel run wcc`: weakly connected components by union-find.

use anyhow::Result;
use pregel_algos::verify;
use pregel_core::engine::Cpu;
use pregel_core::graph::Ids;

use super::{Algorithm, Param, Solution};
use crate::groups::Groups;
use crate::job::Job;
use crate::machine::needs_cpu;
use crate::output::Column;

#[derive(Debug)]
pub struct Wcc;

impl Algorithm for Wcc {
    fn name(&self) -> &'static str {
        "wcc"
    }

    fn about(&self) -> &'static str {
        "The components of hcc by union-find: much faster, but no vertex program"
    }

    fn takes(&self) -> &'static [Param] {
        &[]
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        needs_cpu(self.name(), "hcc", job.machine)?;
        let (graph, options, engine) = (job.input.plain(), job.options(), Cpu::new());
        let (components, runs) = job.repeat(
            Default::default(),
            || engine.components(&graph, &options),
            |components| &components.report,
            |components| verify::hcc::labels(&graph, &components.labels),
        )?;
        let columns = vec![Column::Vertex(components.labels)];
        Ok(Solution { columns, runs, source: None, path: None })
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let Column::Vertex(labels) = values else { return String::new() };
        Groups::of(labels).describe(ids, "component", "components")
    }
}

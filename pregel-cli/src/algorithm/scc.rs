//! `pregel run scc`: strongly connected components.

use anyhow::Result;
use pregel_algos::scc::StrongComponents;
use pregel_algos::verify;
use pregel_core::graph::{Graph, Ids};
use pregel_core::program::VertexId;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::facts::{Facts, Matching};
use crate::groups::Groups;
use crate::output::Column;
use crate::runner::Runner;
use crate::text::count;

#[derive(Debug)]
pub struct Scc;

impl Algorithm for Scc {
    fn facts(&self) -> Facts {
        let about = "Strongly connected components, named by their smallest vertex";
        Facts { matching: Matching::Partition, one_run: false, ..Facts::new("scc", about, &[]) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let check = |found: &StrongComponents| verify::scc::labels(&graph, &found.labels);
        let (found, runs) = runner.strong_components(&graph, check)?;
        let summary = Some(summary(&graph, &found, runner.input.ids()));
        let column = Column::Vertex(found.labels);
        Ok(Solution { summary, ..Solution::of_column(column, runs) })
    }
}

/// The number of components, what the largest holds, how many have one vertex, and how long it
/// took to find them.
fn summary(graph: &Graph, found: &StrongComponents, ids: &Ids) -> String {
    let groups = Groups::of(&found.labels);
    let Some(&(largest, vertices)) = groups.sizes.first() else {
        return groups.describe(ids, "component", "components");
    };
    let inside = |v: &VertexId| found.labels[*v as usize] == largest;
    // An undirected edge is in two rows, from where one of them is read; a self-loop is in one.
    let here = |from: VertexId, to: VertexId| inside(&to) && (graph.directed() || from <= to);
    let of_row = |from| graph.out().row(from).iter().filter(|to| here(from, **to)).count() as u64;
    let edges = (0..graph.vertex_count()).filter(inside).map(of_row).sum();
    let trivial = groups.sizes.iter().filter(|(_, size)| *size == 1).count() as u64;
    format!(
        "the largest component has {} and {} inside it; {} of a single vertex\n{}, {}\n\n{}",
        count(vertices, "vertex", "vertices"),
        count(edges, "edge", "edges"),
        count(trivial, "component", "components"),
        count(found.rounds.into(), "round", "rounds"),
        count(found.supersteps().into(), "superstep", "supersteps"),
        groups.describe(ids, "component", "components")
    )
}

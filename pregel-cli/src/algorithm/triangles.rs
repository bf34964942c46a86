//! `pregel run triangles`: triangles at every vertex, whatever the direction of edges.

use anyhow::Result;
use pregel_algos::verify;
use pregel_core::engine::{CountTriangles, Solution as Solved, TriangleCounts};
use pregel_core::graph::Ids;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::algorithm::lcc::{STEPS, note_checked};
use crate::facts::Facts;
use crate::groups::power_range;
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{Align, Table, bar, count, short, thousands};

#[derive(Debug)]
pub struct Triangles;

impl Algorithm for Triangles {
    fn facts(&self) -> Facts {
        let about = "Triangles at every vertex, directions ignored; transitivity";
        Facts { vertex_program: false, on_gpu: false, ..Facts::new("triangles", about, &[]) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let check = |found: &Solved<TriangleCounts>| {
            let TriangleCounts { of_vertices, total, .. } = &found.answer;
            let checked = verify::triangles::counts(&graph, of_vertices, *total, STEPS)?;
            note_checked(runner, "triangles", checked, graph.vertex_count());
            Ok(())
        };
        let (found, runs) = runner.solve_on_cpu(CountTriangles, &graph, check)?;
        let summary = Some(summary(&found));
        let column = Column::Count(found.of_vertices);
        Ok(Solution { summary, ..Solution::of_column(column, runs) })
    }

    fn summary(&self, _: &Ids, _: &Column) -> String {
        String::new()
    }
}

/// The number of triangles, how often neighbours are joined, and how many vertices have how many
/// triangles.
fn summary(found: &TriangleCounts) -> String {
    let mut none = 0;
    let mut bins = [0u64; u64::BITS as usize];
    for triangles in &found.of_vertices {
        match triangles.checked_ilog2() {
            None => none += 1,
            Some(bin) => bins[bin as usize] += 1,
        }
    }
    let most = bins.iter().copied().fold(none, u64::max);
    let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
    table.row(["triangles", "vertices", ""]);
    table.row(["0".into(), thousands(none), bar(none, most)]);
    for (bin, &vertices) in bins.iter().enumerate().filter(|(_, vertices)| **vertices > 0) {
        table.row([power_range(bin), thousands(vertices), bar(vertices, most)]);
    }
    format!(
        "{}, transitivity {}, mean clustering {}\n\n{table}",
        count(found.total, "triangle", "triangles"),
        short(found.transitivity()),
        short(found.mean_clustering())
    )
}

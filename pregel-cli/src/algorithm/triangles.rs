//! `pregel run triangles`: triangles at every vertex, whatever the direction of edges.

use anyhow::Result;
use pregel_algos::verify;
use pregel_core::engine::{CountTriangles, Solution as Solved, TriangleCounts};

use crate::algorithm::contract::{Algorithm, Solution};
use crate::algorithm::lcc::{STEPS, note_checked};
use crate::facts::Facts;
use crate::groups::{by_power, range_of_bin};
use crate::output::Column;
use crate::runner::Runner;
use crate::text::{count, histogram, short};

#[derive(Debug)]
pub struct Triangles;

impl Algorithm for Triangles {
    fn facts(&self) -> Facts {
        let about = "Triangles at every vertex, directions ignored; transitivity";
        Facts { vertex_program: false, ..Facts::new("triangles", about, &[]) }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let graph = runner.input.plain();
        let check = |found: &Solved<TriangleCounts>| {
            let TriangleCounts { of_vertices, total, .. } = &found.answer;
            let checked = verify::triangles::counts(&graph, of_vertices, *total, STEPS)?;
            note_checked(runner, "triangles", checked, graph.vertex_count());
            Ok(())
        };
        let (found, runs) = runner.solve(CountTriangles, &graph, check)?;
        let summary = Some(summary(&found));
        let column = Column::Count(found.of_vertices);
        Ok(Solution { summary, ..Solution::of_column(column, runs) })
    }
}

/// The number of triangles, how often neighbours are joined, and how many vertices have how many
/// triangles.
fn summary(found: &TriangleCounts) -> String {
    let bins = by_power(found.of_vertices.iter().copied()).into_iter().enumerate();
    let rows = bins.filter(|(bin, vertices)| *bin == 0 || *vertices > 0);
    let rows = rows.map(|(bin, vertices)| (range_of_bin(bin), vertices));
    let table = histogram("triangles", "vertices", rows);
    format!(
        "{}, transitivity {}, mean clustering {}\n\n{table}",
        count(found.total, "triangle", "triangles"),
        short(found.transitivity()),
        short(found.mean_clustering())
    )
}

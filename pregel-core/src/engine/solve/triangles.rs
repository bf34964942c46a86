//! Triangles at every vertex, whatever the direction of edges.

use super::pairs::{Pairs, vertices_times};
use super::search::{EDGE_NS as SEARCH_EDGE_NS, Prepared, Triangles};
use super::{Problem, Solution, Solve, SolveOptions, Solver};
use crate::engine::{Cpu, Needs, RunError};
use crate::graph::Graph;
use crate::program::Value;

/// The number of triangles at every vertex: pairs of its neighbours that are neighbours, too.
///
/// Directions are ignored: two vertices are neighbours if an edge leads from either to the other.
/// Parallel edges and edges in both directions count once and self-loops not at all; edge values
/// are not read. So these are the triangles that NetworkX and SNAP count in the undirected graph.
/// For an undirected graph, [`LocalClustering`](super::LocalClustering) finds the same
/// coefficients; for a directed graph, its coefficients count an edge in each direction.
///
/// Time and memory are those of [`LocalClustering`](super::LocalClustering) on an undirected
/// graph. The result is the same on any number of threads and on a GPU. If an observer cancels the
/// run, it is that of the triangles found so far.
///
/// ```
/// use pregel_core::engine::{CountTriangles, Solve, SolveOptions};
/// use pregel_core::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let found = Cpu::new().solve(CountTriangles, &graph, &SolveOptions::default())?.answer;
/// assert_eq!((found.total, found.of_vertices.as_slice()), (1, &[1, 1, 1, 0][..]));
/// // Of five paths of two edges, one at each corner of the triangle is closed.
/// assert_eq!(found.transitivity(), 3.0 / 5.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountTriangles;

/// The triangles of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriangleCounts {
    /// Sets of three vertices that are all neighbours.
    pub total: u64,
    /// The triangles that have each vertex as a corner, in the user's order.
    pub of_vertices: Vec<u64>,
    /// The number of distinct neighbours of each vertex.
    pub degrees: Vec<u32>,
}

impl TriangleCounts {
    /// From what vertices with these degrees were credited with, one for each triangle.
    pub(in crate::engine) fn of(found: Triangles, degrees: Vec<u32>) -> Self {
        Self { total: found.triangles, of_vertices: found.credits, degrees }
    }

    /// The share of paths of two edges whose ends are neighbours, 0 to 1; 0 if there are no such
    /// paths. O(V).
    pub fn transitivity(&self) -> f64 {
        let pairs: u128 = self.degrees.iter().map(|degree| u128::from(pairs(*degree))).sum();
        if pairs == 0 { 0.0 } else { 3.0 * self.total as f64 / pairs as f64 }
    }

    /// The mean over all vertices of the share of pairs of neighbours that are neighbours, which
    /// is 0 for a vertex with fewer than two; 0 if there are no vertices. O(V).
    pub fn mean_clustering(&self) -> f64 {
        let share = |(triangles, degree): (&u64, &u32)| match pairs(*degree) {
            0 => 0.0,
            pairs => *triangles as f64 / pairs as f64,
        };
        let sum: f64 = self.of_vertices.iter().zip(&self.degrees).map(share).sum();
        sum / self.degrees.len().max(1) as f64
    }
}

/// The number of pairs of this many neighbours.
fn pairs(degree: u32) -> u64 {
    let degree = u64::from(degree);
    degree * degree.saturating_sub(1) / 2
}

impl Problem for CountTriangles {
    type Answer = TriangleCounts;

    const EDGE_NS: f64 = SEARCH_EDGE_NS;
}

/// A graph whose triangles the CPU counts.
#[derive(Debug)]
pub struct CpuTriangles(Prepared);

impl Solve<CountTriangles> for Cpu {
    type Solver<'g, E: Value> = CpuTriangles;

    fn prepare_solver<E: Value>(
        &self,
        _: CountTriangles,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Result<CpuTriangles, RunError> {
        Ok(CpuTriangles(Prepared::new(self, graph, false, options)))
    }

    fn can_solve<E: Value>(&self, _: CountTriangles, _: &Graph<E>) -> Result<(), RunError> {
        Ok(())
    }

    fn needs<E: Value>(_: CountTriangles, graph: &Graph<E>) -> Result<Needs, RunError> {
        let needs = Pairs::needs(graph, false).with_host("credits", vertices_times(graph, 8));
        Ok(needs.with_host("degrees", vertices_times(graph, 4)))
    }
}

impl Solver for CpuTriangles {
    type Answer = TriangleCounts;

    fn run(&mut self) -> Result<Solution<TriangleCounts>, RunError> {
        let (found, report) = self.0.find();
        let answer = TriangleCounts::of(found, self.0.pairs.degrees.clone());
        Ok(Solution { answer, report })
    }
}

//! Local clustering coefficients, from the triangles of `search.rs`.

use std::time::Instant;

use rayon::prelude::*;

use super::pairs::{Pairs, vertices_times};
use super::search::{EDGE_NS as SEARCH_EDGE_NS, Prepared, Triangles};
use super::{Problem, Solution, Solve, SolveOptions, SolveReport, Solver};
use crate::engine::{Cpu, Needs, RunError};
use crate::graph::Graph;
use crate::program::Value;

/// The local clustering coefficient of every vertex, as LDBC Graphalytics defines it, and the
/// number of triangles.
///
/// N(v) are the distinct neighbours of v in either direction, without v. The coefficient is
/// the number of edges u → w with both ends in N(v), divided by |N(v)| · (|N(v)| − 1), and 0 if
/// there are fewer than two neighbours. In an undirected graph every edge counts in both
/// directions. Parallel edges count once and self-loops not at all; edge values are not read.
///
/// O(V + E^1.5) time. In addition to the graph, and on a directed one its rows by target,
/// 12 bytes per vertex and for each pair of neighbours 4 bytes, or 5 if the graph is directed;
/// during a run 16 more bytes per vertex, half of which are the result. If the rows of the
/// graph are not sorted, also copies of the longest rows of a vertex for each thread.
///
/// A GPU takes 16 bytes per vertex, and 4 or 5 for each pair; the pairs are made in the memory of
/// the host. It tells an observer of a single pass, when that is done.
///
/// The result is the same, bit for bit, on any number of threads and on a GPU. If an observer
/// cancels the run, it is that of the triangles found so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalClustering;

/// How closely the neighbours of each vertex are joined.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Clustering {
    /// The local clustering coefficient of every vertex, 0 to 1, in the user's order.
    pub coefficients: Vec<f64>,
    /// Sets of three vertices that are all neighbours, whatever the direction of their edges.
    pub triangles: u64,
}

impl Clustering {
    /// From what vertices with these degrees were credited with; `weighted` if an edge counted
    /// in each direction. O(V), parallel.
    pub(in crate::engine) fn of(found: Triangles, degrees: &[u32], weighted: bool) -> Self {
        // An undirected edge counts in both directions.
        let factor = if weighted { 1 } else { 2 };
        let coefficient = |(credits, degree): (u64, &u32)| match u64::from(*degree) {
            0 | 1 => 0.0,
            degree => (factor * credits) as f64 / (degree * (degree - 1)) as f64,
        };
        let credits = found.credits.into_par_iter().zip(degrees);
        Self { coefficients: credits.map(coefficient).collect(), triangles: found.triangles }
    }
}

impl Problem for LocalClustering {
    type Answer = Clustering;

    const EDGE_NS: f64 = SEARCH_EDGE_NS;
}

/// A graph whose triangles the CPU finds.
#[derive(Debug)]
pub struct CpuClustering(Prepared);

impl Solve<LocalClustering> for Cpu {
    type Solver<'g, E: Value> = CpuClustering;

    fn prepare_solver<E: Value>(
        &self,
        _: LocalClustering,
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Result<CpuClustering, RunError> {
        Ok(CpuClustering(Prepared::new(self, graph, graph.directed(), options)))
    }

    fn can_solve<E: Value>(&self, _: LocalClustering, _: &Graph<E>) -> Result<(), RunError> {
        Ok(())
    }

    fn needs<E: Value>(_: LocalClustering, graph: &Graph<E>) -> Result<Needs, RunError> {
        let needs =
            Pairs::needs(graph, graph.directed()).with_host("credits", vertices_times(graph, 8));
        Ok(needs.with_host("coefficients", vertices_times(graph, 8)))
    }
}

impl Solver for CpuClustering {
    type Answer = Clustering;

    fn run(&mut self) -> Result<Solution<Clustering>, RunError> {
        let start = Instant::now();
        let Prepared { engine, pairs, .. } = &self.0;
        let (found, report) = self.0.find();
        let (degrees, weighted) = (&pairs.degrees, pairs.weighted());
        let answer = engine.install(|| Clustering::of(found, degrees, weighted));
        Ok(Solution { answer, report: SolveReport { time: start.elapsed(), ..report } })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::ops::ControlFlow;

    use super::super::search::{PART, PARTS};
    use super::*;
    use crate::engine::StopReason;
    use crate::graph::generate::Spec;
    use crate::graph::{Buffer, Csr, Ids};

    fn solve(graph: &Graph, options: &SolveOptions) -> Solution<Clustering> {
        Cpu::with_threads(2).unwrap().solve(LocalClustering, graph, options).unwrap()
    }

    fn found(graph: &Graph) -> Clustering {
        solve(graph, &SolveOptions::default()).answer
    }

    fn spec(text: &str) -> Graph {
        text.parse::<Spec>().unwrap().plain().unwrap()
    }

    #[test]
    fn every_corner_is_credited_with_the_edge_opposite() {
        // 0 ⇄ 1 → 2 → 0, and 3 at a corner.
        let edges = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 3), (2, 2), (1, 2)];
        let found = found(&Graph::from_edges(edges).unwrap());
        assert_eq!(found.triangles, 1);
        assert_eq!(found.coefficients, [0.5, 0.5, 2.0 / 6.0, 0.0]);
    }

    #[test]
    fn rows_need_not_be_sorted() {
        let graph = spec("rmat:scale=7,sym=0");
        let mut targets = graph.out().targets().to_vec();
        for v in 0..graph.vertex_count() {
            targets[graph.out().range(v)].reverse();
        }
        let offsets = Buffer::from(graph.out().offsets().to_vec());
        let rows = Csr::new(offsets, targets.into()).unwrap();
        assert!(!rows.is_sorted());
        let ids = Ids::range(0, graph.vertex_count());
        let reversed = Graph::new(true, ids, rows, Vec::new().into()).unwrap();
        let expected = found(&graph);
        assert!(expected.triangles > 1000);
        assert_eq!(found(&reversed), expected);
    }

    #[test]
    fn rows_may_be_cut_into_parts() {
        // A vertex of 1,500 pairs, all of whose neighbours are joined with 1,500 others.
        let n = 1500;
        let edges = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
        let graph = Graph::from_edges(edges).unwrap();
        let found = found(&graph);
        assert_eq!(found.triangles, 1500 * 1499 * 1498 / 6);
        assert!(found.coefficients.iter().all(|c| *c == 0.5));
    }

    #[test]
    fn an_observer_may_stop_it() {
        // More pairs than one pass has.
        let graph = spec("uniform:n=500000,m=4400000,sym=0");
        let options = SolveOptions::default().with_observer(|_| ControlFlow::Break(()));
        let report = solve(&graph, &options).report;
        assert_eq!((report.stop, report.passes.len()), (StopReason::Cancelled, 1));
        assert_eq!(report.edges(), PART * PARTS);
    }
}

//! The programs that are measured on a GPU, with what makes their results correct.

use pregel_algos::bfs::{Bfs, BfsTree, UNREACHED, Visit};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId};
use rayon::prelude::*;

use crate::input::Input;

/// Every program. `pagerank` is in `f32`. The kinds of `sssp` differ in the weights: those
/// of the graph, integers from 1 to 4 or to 100,000, or all equal.
pub const NAMES: [&str; 11] = [
    "pagerank",
    "pagerank64",
    "bfs",
    "bfs-tree",
    "sssp",
    "sssp-small",
    "sssp-large",
    "sssp-equal",
    "hcc",
    "wcc",
    "cdlp",
];

/// Counts the vertices whose result differs from the expected one.
pub type Wrong<'a, S> = &'a dyn Fn(&[S], &[S]) -> usize;

/// A program on a graph.
#[allow(missing_debug_implementations, reason = "the comparison is a closure")]
pub struct Task<'a, P: VertexCompute> {
    /// Its name.
    pub name: &'static str,
    /// The graph.
    pub graph: &'a Graph<P::Edge>,
    /// The program.
    pub program: P,
    /// Supersteps after which it ends, if it does not halt.
    pub limit: Option<u32>,
    /// Whether every superstep has a message for every edge.
    pub uses_all_edges: bool,
    /// Compares results.
    pub wrong: Wrong<'a, P::State>,
}

impl<'a, P: VertexCompute> Task<'a, P> {
    /// A program that runs until it halts.
    fn new(
        name: &'static str,
        graph: &'a Graph<P::Edge>,
        program: P,
        wrong: Wrong<'a, P::State>,
    ) -> Self {
        Self { name, graph, program, limit: None, uses_all_edges: false, wrong }
    }

    fn with_limit(self, supersteps: u32) -> Self {
        Self { limit: Some(supersteps), ..self }
    }

    fn with_all_edges(self) -> Self {
        Self { uses_all_edges: true, ..self }
    }

    /// The fewest bytes that a superstep must read with the graph in rows or columns, if
    /// there is such a number: 4 for each edge, which names its other end, and the signal
    /// and the state of each vertex once. `None` for programs whose supersteps need not
    /// look at every edge.
    pub fn least_bytes(&self) -> Option<u64> {
        let vertex = (size_of::<P::Signal>() + size_of::<P::State>()) as u64;
        let bytes = 4 * self.graph.edge_count() + vertex * u64::from(self.graph.vertex_count());
        self.uses_all_edges.then_some(bytes)
    }
}

/// What is done with every program.
pub trait Bench {
    /// Whether to include a program.
    fn includes(&self, name: &str) -> bool;
    /// Measures a program.
    fn program<P: VertexCompute<Input = ()>>(&mut self, task: &Task<'_, P>);
    /// Measures components by union-find, without a program.
    fn components(&mut self, graph: &Graph);
}

/// Measures the programs that `bench` includes, on one graph.
pub fn measure_all(input: &Input, bench: &mut impl Bench) {
    let Input { plain: graph, source, .. } = input;
    let source = *source;
    let tolerance = summed_tolerance(most_received(graph));
    let close = |a: &f32, b: &f32| (a - b).abs() <= tolerance * a.abs().max(b.abs());
    let closer = |a: &f64, b: &f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let close = |expected: &[f32], found: &[f32]| differing(expected, found, close);
    let closer = |expected: &[f64], found: &[f64]| differing(expected, found, closer);
    let same = |expected: &[u32], found: &[u32]| differing(expected, found, |a, b| a == b);
    let tree = |expected: &[Visit], found: &[Visit]| wrong_visits(graph, expected, found);

    let program = PageRank::<f32>::new(0.85, 0.0);
    let task = Task::new("pagerank", graph, program, &close);
    measure(bench, &task.with_limit(20).with_all_edges());
    let program = PageRank::<f64>::new(0.85, 0.0);
    let task = Task::new("pagerank64", graph, program, &closer);
    measure(bench, &task.with_limit(20).with_all_edges());
    measure(bench, &Task::new("bfs", graph, Bfs { source }, &same));
    measure(bench, &Task::new("bfs-tree", graph, BfsTree { source }, &tree));
    shortest_paths(input, bench);
    measure(bench, &Task::new("hcc", graph, Hcc, &same));
    if bench.includes("wcc") {
        bench.components(graph);
    }
    measure(bench, &Task::new("cdlp", graph, Cdlp, &same).with_limit(5));
}

fn measure<P: VertexCompute<Input = ()>>(bench: &mut impl Bench, task: &Task<'_, P>) {
    if bench.includes(task.name) {
        bench.program(task);
    }
}

/// The most messages that a vertex receives if all send along their edges. O(V + E).
fn most_received(graph: &Graph) -> u64 {
    let mut received = vec![0u32; graph.vertex_count() as usize];
    for target in graph.out().targets() {
        received[*target as usize] += 1;
    }
    received.into_iter().max().unwrap_or(0).into()
}

/// By how much two sums of as many `f32` may differ, relative to them, if they are added
/// in different orders. One after the other, each of `terms` additions rounds by up to half
/// of [`f32::EPSILON`], in the same direction where all terms are equal, as in a star.
fn summed_tolerance(terms: u64) -> f32 {
    (terms as f32 * f32::EPSILON / 2.0).max(1e-3)
}

/// SSSP with every kind of weights, which are drawn only if they are needed.
fn shortest_paths(input: &Input, bench: &mut impl Bench) {
    let program = Sssp { source: input.source };
    let exactly = |expected: &[f32], found: &[f32]| {
        differing(expected, found, |a, b| a.to_bits() == b.to_bits())
    };
    measure(bench, &Task::new("sssp", &input.weighted, program, &exactly));
    for (name, largest) in [("sssp-small", 4), ("sssp-large", 100_000), ("sssp-equal", 1)] {
        if bench.includes(name) {
            let graph = input.reweighted(largest);
            measure(bench, &Task::new(name, &graph, program, &exactly));
        }
    }
}

/// How many results differ; a missing one does.
pub fn differing<S: Sync>(
    expected: &[S],
    found: &[S],
    same: impl Fn(&S, &S) -> bool + Sync,
) -> usize {
    let missing = expected.len().abs_diff(found.len());
    let pairs = expected.par_iter().zip(found);
    missing + pairs.filter(|(expected, found)| !same(expected, found)).count()
}

/// How many vertices have another level than expected, or a parent that is not one level up
/// or has no edge to them.
fn wrong_visits(graph: &Graph, expected: &[Visit], found: &[Visit]) -> usize {
    let rows = graph.out();
    let sorted = rows.is_sorted();
    let leads = |parent: VertexId, child: VertexId| {
        let row = rows.row(parent);
        if sorted { row.binary_search(&child).is_ok() } else { row.contains(&child) }
    };
    let correct = |child: usize| {
        let Visit { level, parent } = found[child];
        if level == UNREACHED || level == 0 {
            return parent == UNREACHED;
        }
        let above = found.get(parent as usize);
        above.is_some_and(|above| above.level.checked_add(1) == Some(level))
            && leads(parent, child as VertexId)
    };
    let wrong = |child: &usize| expected[*child].level != found[*child].level || !correct(*child);
    let both = expected.len().min(found.len());
    expected.len().abs_diff(found.len()) + (0..both).into_par_iter().filter(wrong).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_trees_are_noticed() {
        let graph = Graph::from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (4, 0)]).unwrap();
        let visit = |level, parent| Visit { level, parent };
        let nothing = visit(UNREACHED, UNREACHED);
        let expected = [visit(0, UNREACHED), visit(1, 0), visit(1, 0), visit(2, 1), nothing];
        let wrong = |vertex: usize, visit: Visit| {
            let mut found = expected;
            found[vertex] = visit;
            wrong_visits(&graph, &expected, &found)
        };
        assert_eq!(wrong(3, visit(2, 1)), 0);
        assert_eq!(wrong(3, visit(2, 2)), 0, "another parent on the same level");
        assert_eq!(wrong(3, visit(3, 2)), 1, "another level");
        assert_eq!(wrong(3, visit(2, 0)), 1, "a parent on another level");
        assert_eq!(wrong(2, visit(1, 4)), 1, "an unreached parent");
        assert_eq!(wrong(1, visit(1, 99)), 1, "a parent outside the graph");
        assert_eq!(wrong(4, visit(UNREACHED, 0)), 1, "an unreached vertex with a parent");
        assert_eq!(wrong_visits(&graph, &expected, &expected[..3]), 2);
        let same_level = [visit(0, UNREACHED), visit(1, 0), visit(1, 0), visit(2, 1), visit(1, 0)];
        assert_eq!(wrong_visits(&graph, &same_level, &same_level), 1, "no edge from the parent");
    }

    #[test]
    fn long_sums_may_differ_more() {
        let leaves = 100_000u32;
        let star = Graph::from_edges((1..=leaves).map(|leaf| (leaf, 0))).unwrap();
        assert_eq!(most_received(&star), leaves.into());
        assert_eq!(summed_tolerance(10), 1e-3);
        // Terms that are added to a large sum lose their last digits.
        let term = 0.3f32 / leaves as f32;
        let found = (0..leaves).fold(0.0f32, |sum, _| sum + term);
        let expected = (f64::from(term) * f64::from(leaves)) as f32;
        assert!((found - expected).abs() <= summed_tolerance(leaves.into()) * expected);
    }

    #[test]
    fn missing_results_differ() {
        assert_eq!(differing(&[1, 2, 3], &[1, 5], |a, b| a == b), 2);
    }
}

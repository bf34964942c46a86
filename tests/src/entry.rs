//! Graphs, parameters and judges from which the suite's entries are made.

use pregel_algos::bfs::{BfsTree, Visit};
use pregel_algos::pagerank::{PageRank, Real, Teleport, Transition};
use pregel_algos::sssp::{SsspTree, Step};
use pregel_algos::verify;
use pregel_core::engine::{Outcome, StopReason, Strategy};
use pregel_core::graph::Graph;
use pregel_core::program::{Program, Value, VertexCompute, VertexId};

use crate::suite::{Entry, Judge, Parameters, Run, Trial, bit_equal, same, same_states};
use crate::zoo::Case;

impl<P: VertexCompute> Entry<P> {
    /// An entry whose states compare bit for bit, without superstep limit.
    pub fn new(
        graph: fn(&Case) -> Graph<P::Edge>,
        runs: fn(&Graph<P::Edge>) -> Parameters<P>,
    ) -> Self {
        Self { graph, runs, limit: None, judge: bit_equal }
    }

    /// The same with a superstep limit.
    #[must_use]
    pub fn limit(self, supersteps: u32) -> Self {
        Self { limit: Some(supersteps), ..self }
    }

    /// The same with another judge.
    #[must_use]
    pub fn judge(self, judge: Judge<P>) -> Self {
        Self { judge, ..self }
    }
}

/// The graph without edge values.
pub fn plain(case: &Case) -> Graph<()> {
    case.graph.without_values()
}

/// The graph with its values.
pub fn weighted(case: &Case) -> Graph<f32> {
    case.graph.clone()
}

/// The graph with the probability of every edge among those of its vertex;
/// directed, since the two directions of an edge differ.
pub fn probable<F: Real>(case: &Case) -> Graph<F> {
    // One more, so that edges of value 0 are taken too.
    let total = |row: &Vec<(usize, f64)>| row.iter().map(|(_, w)| w + 1.0).sum();
    let totals: Vec<f64> = case.lists.out.iter().map(total).collect();
    let probability = |u: VertexId, _, w| (f64::from(w) + 1.0) / totals[u as usize];
    let graph = case.graph.clone().into_directed();
    graph.map_values(|u, v, w| F::from(probability(u, v, w)).unwrap_or(F::zero()))
}

/// One run with each of up to three sources: the first, middle and last
/// vertex. None without a vertex: a source has to be in the graph.
pub fn from_sources<E: Value, P: Program<Input = ()>>(
    graph: &Graph<E>,
    program: impl Fn(VertexId) -> P,
) -> Parameters<P> {
    let n = graph.vertex_count();
    let mut sources = vec![0, n / 2, n.saturating_sub(1)];
    sources.dedup();
    sources.retain(|source| *source < n);
    sources.into_iter().map(|source| (program(source), Vec::new())).collect()
}

/// One run without input.
pub fn once<P: Program<Input = ()>>(program: P) -> Parameters<P> {
    vec![(program, Vec::new())]
}

/// Where a personalised surfer teleports: to every third vertex, to the later
/// ones more often; sums to 1.
pub fn teleport<F: Real>(vertices: u32) -> Vec<F> {
    let weight = |v: u32| if v.is_multiple_of(3) { 1.0 + f64::from(v) } else { 0.0 };
    let total: f64 = (0..vertices).map(weight).sum();
    (0..vertices).map(|v| F::from(weight(v) / total).unwrap_or(F::zero())).collect()
}

/// A judge: levels as the reference has them, and a right tree.
///
/// # Errors
/// In words.
pub fn bfs_tree(
    trial: &Trial<BfsTree>,
    run: &Run<BfsTree>,
    found: &Outcome<BfsTree>,
) -> Result<(), String> {
    let levels = |tree: &[Visit]| tree.iter().map(|visit| visit.level).collect::<Vec<_>>();
    same("levels", &levels(&found.states), &levels(&run.expected.states))?;
    let verdict = verify::bfs::tree(&trial.graph, run.program.source, &found.states);
    verdict.map_err(|violation| violation.to_string())
}

/// A judge: distances as the reference has them, and a right tree; the same
/// tree, unless the engine may update in place.
///
/// # Errors
/// In words.
pub fn sssp_tree(
    trial: &Trial<SsspTree>,
    run: &Run<SsspTree>,
    found: &Outcome<SsspTree>,
) -> Result<(), String> {
    if found.report.strategy != Strategy::Auto {
        same_states::<SsspTree>(&found.states, &run.expected.states)?;
    }
    let bits = |tree: &[Step]| tree.iter().map(|step| step.distance.to_bits()).collect::<Vec<_>>();
    same("distances", &bits(&found.states), &bits(&run.expected.states))?;
    let verdict = verify::sssp::tree(&trial.graph, run.program.source, &found.states);
    verdict.map_err(|violation| violation.to_string())
}

/// A judge: every rank within rounding of the reference's, and ranks that sum
/// to 1 and, if the run converged, rest.
///
/// The bound for one rank is relative: twice the spacing of the numbers
/// around 1 times the number of vertices, since no sum has more terms than a
/// vertex's in-edges or the dangling vertices (multi-edges apart), and every
/// addition rounds once.
///
/// # Errors
/// In words.
pub fn ranks<F: Real, W: Transition<F>, T: Teleport<F>>(
    trial: &Trial<PageRank<F, W, T>>,
    run: &Run<PageRank<F, W, T>>,
    found: &Outcome<PageRank<F, W, T>>,
) -> Result<(), String> {
    let real = |x: F| x.to_f64().unwrap_or(f64::NAN);
    same("number of ranks", &found.states.len(), &run.expected.states.len())?;
    let spacing = real(F::epsilon());
    let relative = 2.0 * spacing * f64::from(trial.graph.vertex_count().max(8));
    for (vertex, (a, b)) in found.states.iter().zip(&run.expected.states).enumerate() {
        let (a, b) = (real(*a), real(*b));
        let close = (a - b).abs() <= relative * a.max(b);
        if !close {
            return Err(format!("vertex {vertex}: rank {a}, the reference has {b}"));
        }
    }
    // From superstep k to the next, ranks move by at most 2 · damping^k.
    let damping = real(run.program.damping());
    let moved = match found.report.stop {
        StopReason::Limit => 2.0 * damping.powi(found.report.supersteps as i32),
        _ => 0.0,
    };
    let bound = moved + relative;
    let verdict =
        verify::pagerank::ranks(&trial.graph, &run.program, &run.inputs, &found.states, bound);
    verdict.map_err(|violation| violation.to_string())
}

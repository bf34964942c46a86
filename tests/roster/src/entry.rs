//! The graphs, parameters and judges that the entries of the roster consist of.

use pregel_algos::bfs::{BfsTree, Visit};
use pregel_algos::many::{Many, starts};
use pregel_algos::pagerank::{PageRank, Real, Teleport, Transition};
use pregel_algos::sssp::{SsspTree, Step};
use pregel_algos::verify;
use pregel_core::engine::{Outcome, StopReason, Strategy};
use pregel_core::graph::Graph;
use pregel_core::program::{Program, Value, VertexCompute, VertexId};

use crate::suite::{Entry, Judge, Parameters, Run, Trial, bit_equal, same, same_states};
use crate::zoo::Case;

impl<P: VertexCompute> Entry<P> {
    /// An entry without a superstep limit, whose states are compared bit for bit.
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

/// The graph with the probability of each edge among the out-edges of its source;
/// directed, since the two directions of an edge differ.
pub fn probable<F: Real>(case: &Case) -> Graph<F> {
    // Plus one, so that edges of value 0 have a probability too.
    let total = |row: &Vec<(usize, f64)>| row.iter().map(|(_, w)| w + 1.0).sum();
    let totals: Vec<f64> = case.lists.out.iter().map(total).collect();
    let probability = |u: VertexId, _, w| (f64::from(w) + 1.0) / totals[u as usize];
    let graph = case.graph.clone().into_directed();
    graph.map_values(|u, v, w| F::from(probability(u, v, w)).unwrap_or(F::zero()))
}

/// One run from each of the first, the middle and the last vertex, without
/// duplicates. No run if the graph has no vertex, since a source must be in it.
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

/// The sources of [`from_many`], for programs that search from up to `most` at once: as many
/// as possible, some of them more than once in small graphs; then three.
pub fn packs(vertex_count: u32, most: usize) -> Vec<Vec<VertexId>> {
    if vertex_count == 0 {
        return Vec::new();
    }
    let spread = |i: usize| (i as u64 * 2_654_435_761 % u64::from(vertex_count)) as VertexId;
    vec![(0..most).map(spread).collect(), vec![vertex_count / 2, 0, vertex_count - 1]]
}

/// One run from each of the [`packs`] of sources.
pub fn from_many<P: Many>(graph: &Graph<P::Edge>) -> Parameters<P> {
    let n = graph.vertex_count();
    let run = |sources: Vec<VertexId>| {
        let starts = starts(n, &sources).unwrap_or_else(|e| panic!("{e}"));
        (P::new(sources.len()), starts)
    };
    packs(n, P::MOST).into_iter().map(run).collect()
}

/// One run without inputs.
pub fn once<P: Program<Input = ()>>(program: P) -> Parameters<P> {
    vec![(program, Vec::new())]
}

/// The teleport distribution of a personalised surfer: every third vertex, with a
/// weight that grows with its id.
pub fn teleport<F: Real>(vertices: u32) -> Vec<F> {
    let weight = |v: u32| if v.is_multiple_of(3) { 1.0 + f64::from(v) } else { 0.0 };
    let total: f64 = (0..vertices).map(weight).sum();
    (0..vertices).map(|v| F::from(weight(v) / total).unwrap_or(F::zero())).collect()
}

/// A judge: the levels equal the reference's, and the tree is valid.
///
/// # Errors
/// A description of the first difference.
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

/// A judge: the distances equal the reference's, and the tree is valid; it is the
/// same tree unless the engine may update in place.
///
/// # Errors
/// A description of the first difference.
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

/// A judge: each rank equals the reference's up to rounding, the ranks sum to 1,
/// and if the run converged, another superstep would not change them.
///
/// The bound for one rank is relative: twice the machine epsilon times the number of
/// vertices. Multi-edges aside, no sum has more terms than there are vertices, whether
/// it is over in-edges or over dangling vertices, and each addition rounds once.
///
/// # Errors
/// A description of the first difference.
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
    // Superstep k + 1 moves the ranks by at most 2 · damping^k in total.
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

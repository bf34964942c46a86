//! What engines compute for the backend.

use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::{Many, Searches};
use pregel_algos::pagerank::{Odds, PageRank, Teleport, Transition};
use pregel_algos::scc::strong_components;
use pregel_core::engine::{
    ConnectedComponents, CountTriangles, Report, RunError, RunOptions, Solution, SolveOptions,
    StopReason, TriangleCounts,
};
use pregel_core::graph::Graph as Rows;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};

use super::not_here;
use crate::algorithms::Run;
use crate::engine::{Able, Choice, Job};
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::options::Options;
use crate::run::interruptible;

/// PageRank as NetworkX has it; `None` if it does not converge within the supersteps of the
/// options. The distributions, which are dictionaries of weights, are `personalization`, `nstart` and
/// `dangling`.
#[pyfunction]
pub fn nx_pagerank<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    options: &Bound<'py, Options>,
    alpha: f64,
    tol: f64,
    distributions: [Option<Bound<'py, PyDict>>; 3],
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let (inner, options) = (graph.get(), options.get());
    let n = inner.rows.vertex_count() as usize;
    let read = |given: &Option<Bound<'py, PyDict>>| {
        given.as_ref().map(|given| distribution(inner, given)).transpose()
    };
    let [personalization, nstart, dangling] = &distributions;
    let [teleport, start, dangling] = [read(personalization)?, read(nstart)?, read(dangling)?];
    if matches!(teleport, Some(None)) {
        return Err(pyo3::exceptions::PyZeroDivisionError::new_err(()));
    }
    if matches!(start, Some(None)) || matches!(dangling, Some(None)) {
        return Err(not_here("the weights of nstart or of dangling sum to 0"));
    }
    let [teleport, start, dangling] = [teleport, start, dangling].map(Option::flatten);
    let tolerance = n as f64 * tol;
    let sensible = (0.0..=1.0).contains(&alpha) && tolerance >= 0.0;
    if !sensible {
        return Err(not_here("alpha is not between 0 and 1, or the tolerance is negative"));
    }
    // The other programs begin with the distribution by which they teleport, and may end before
    // the first superstep if the tolerance exceeds 1.
    let plain = teleport.is_none() && start.is_none() && dangling.is_none() && tolerance < 0.5;
    let even = || vec![1.0 / n as f64; n];
    let odds: Vec<Odds<f64>> = if plain {
        Vec::new()
    } else {
        let teleport = teleport.unwrap_or_else(even);
        let start = start.unwrap_or_else(even);
        let dangling = dangling.as_ref().unwrap_or(&teleport);
        (0..n).map(|v| Odds::new(start[v], teleport[v], dangling[v])).collect()
    };
    let weighted = transitions(&inner.weights)?;
    let rows = &inner.rows;
    let (ranks, report) = interruptible(py, |cancel| {
        // There are no kernels with odds.
        let engine = if plain { options.engine } else { Choice::Cpu };
        let run = Ranking { engine, run: options.of_run(cancel), alpha, tolerance };
        match (&weighted, plain) {
            (None, true) => run.with::<(), ()>(rows, &[]),
            (None, false) => run.with::<(), _>(rows, &odds),
            (Some(weighted), true) => run.with::<f64, _>(weighted, &even()),
            (Some(weighted), false) => run.with::<f64, _>(weighted, &odds),
        }
    })?;
    if report.stop != StopReason::Converged {
        return Ok(None);
    }
    let dict = PyDict::new(py);
    for (node, rank) in nodes(py, inner)?.iter().zip(ranks) {
        dict.set_item(node, rank)?;
    }
    Ok(Some(dict))
}

/// How ranks are computed.
struct Ranking {
    engine: Choice,
    run: RunOptions,
    alpha: f64,
    tolerance: f64,
}

impl Ranking {
    fn with<W: Transition<f64>, T: Teleport<f64>>(
        self,
        graph: &Rows<W>,
        inputs: &[T],
    ) -> Result<(Vec<f64>, Report), Failure> {
        let program = PageRank::<f64, W, T>::new(self.alpha, self.tolerance);
        let run = Run { graph, program, inputs, options: self.run };
        run.find_here(self.engine)
    }
}

/// The weights as probabilities, unless all are 1.
fn transitions(weights: &Weights) -> PyResult<Option<Rows<f64>>> {
    let weights = match weights {
        Weights::None => return Ok(None),
        Weights::F64(graph) => graph.clone(),
        Weights::I64(graph) => graph.map_values(|_, _, weight| weight as f64),
        Weights::F32(graph) => graph.map_values(|_, _, weight| f64::from(weight)),
    };
    let (rows, values) = (weights.out(), weights.out_values());
    if values.iter().any(|weight| !(*weight >= 0.0 && weight.is_finite())) {
        return Err(not_here("the weight of an edge is negative or infinite"));
    }
    let sums: Vec<f64> =
        (0..weights.vertex_count()).map(|v| values[rows.range(v)].iter().sum()).collect();
    let empty = |v: u32| rows.degree(v) > 0 && sums[v as usize] == 0.0;
    if (0..weights.vertex_count()).any(empty) {
        return Err(not_here("all edges of a node have weight 0"));
    }
    Ok(Some(weights.map_values(|source, _, weight| weight / sums[source as usize])))
}

/// A dictionary of weights as probabilities; `None` if they sum to 0.
fn distribution(graph: &Graph, given: &Bound<'_, PyDict>) -> PyResult<Option<Vec<f64>>> {
    let mut weights = vec![0.0; graph.rows.vertex_count() as usize];
    for (v, node) in nodes(given.py(), graph)?.iter().enumerate() {
        if let Some(weight) = given.get_item(node)? {
            let weight = weight.extract::<f64>();
            weights[v] = weight.map_err(|_| not_here("a weight is not a float"))?;
        }
    }
    let sum: f64 = weights.iter().sum();
    if sum == 0.0 {
        return Ok(None);
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    Ok(Some(weights))
}

fn nodes<'py>(py: Python<'py>, graph: &Graph) -> PyResult<Bound<'py, PyList>> {
    match &graph.nodes {
        Some(nodes) => Ok(nodes.list.bind(py).clone()),
        None => Err(value("this graph was not made from one of NetworkX")),
    }
}

/// The components as sets of nodes, in the order of their first nodes.
fn sets<'py>(py: Python<'py>, graph: &Graph, labels: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let components = PyList::empty(py);
    let mut made: Vec<Option<Bound<'py, PySet>>> = vec![None; labels.len()];
    for (node, label) in nodes(py, graph)?.iter().zip(labels) {
        let place = &mut made[*label as usize];
        let set = match place {
            Some(set) => set,
            None => {
                let set = PySet::empty(py)?;
                components.append(&set)?;
                place.insert(set)
            }
        };
        set.add(node)?;
    }
    Ok(components)
}

/// Weakly connected components, as sets of nodes; only their number if `count`.
#[pyfunction]
pub fn nx_components<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    options: &Bound<'py, Options>,
    count: bool,
) -> PyResult<Bound<'py, PyAny>> {
    struct Components<'a>(&'a Rows, SolveOptions);
    impl Job for Components<'_> {
        type Output = Solution<Vec<u32>>;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            engine.solve(ConnectedComponents, self.0, &self.1)
        }
    }
    let (inner, options) = (graph.get(), options.get());
    let found = interruptible(py, |cancel| {
        options.engine.run(Components(&inner.rows, options.of_solver(cancel)))
    })?;
    finish(py, inner, &found.answer, count)
}

/// Strongly connected components, as sets of nodes; only their number if `count`.
#[pyfunction]
pub fn nx_strong<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    options: &Bound<'py, Options>,
    count: bool,
) -> PyResult<Bound<'py, PyAny>> {
    struct Strong<'a>(&'a Rows, RunOptions);
    impl Job for Strong<'_> {
        type Output = Vec<u32>;
        fn run<E: Able>(self, engine: &E) -> Result<Vec<u32>, RunError> {
            Ok(strong_components(engine, self.0, &self.1)?.labels)
        }
    }
    let (inner, options) = (graph.get(), options.get());
    let labels = interruptible(py, |cancel| {
        options.engine.run(Strong(&inner.rows, options.of_run(cancel)))
    })?;
    finish(py, inner, &labels, count)
}

fn finish<'py>(
    py: Python<'py>,
    graph: &Graph,
    labels: &[u32],
    count: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if count {
        // A component is named by its smallest vertex.
        let roots = (0..).zip(labels).filter(|(v, label): &(u32, _)| v == *label).count();
        return Ok(roots.into_pyobject(py)?.into_any());
    }
    Ok(sets(py, graph, labels)?.into_any())
}

/// For each of some vertices, or for all: how many it reaches, itself included, how far the
/// farthest is, and the sum of all distances.
#[pyfunction]
#[pyo3(signature = (graph, options, sources=None))]
pub fn nx_eccentricities(
    py: Python<'_>,
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    sources: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(u32, u32, u64)>> {
    struct All<'a>(&'a Rows, &'a [u32], RunOptions);
    impl Job for All<'_> {
        type Output = Vec<(u32, u32, u64)>;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            let Self(graph, sources, options) = self;
            let mut searches =
                Searches::<_, BfsFromMany>::prepare(engine, graph, &options, sources.len())?;
            let mut found = Vec::with_capacity(sources.len());
            for pack in sources.chunks(BfsFromMany::MOST) {
                for levels in searches.run(pack)?.columns {
                    let reached = || levels.iter().filter(|level| **level != u32::MAX);
                    let sum = reached().map(|level| u64::from(*level)).sum();
                    let farthest = reached().max().copied().unwrap_or(0);
                    found.push((reached().count() as u32, farthest, sum));
                }
            }
            Ok(found)
        }
    }
    let (inner, options) = (graph.get(), options.get());
    let sources = match sources {
        Some(sources) => crate::sources::vertices(inner, sources)?,
        None => (0..inner.rows.vertex_count()).collect(),
    };
    interruptible(py, |cancel| {
        options.engine.run(All(&inner.rows, &sources, options.of_run(cancel)))
    })
}

/// For each vertex, the number of triangles and of distinct neighbours.
#[pyfunction]
pub fn nx_triangles(
    py: Python<'_>,
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
) -> PyResult<(Vec<u64>, Vec<u32>)> {
    struct Triangles<'a>(&'a Rows, SolveOptions);
    impl Job for Triangles<'_> {
        type Output = Solution<TriangleCounts>;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            engine.solve(CountTriangles, self.0, &self.1)
        }
    }
    let (inner, options) = (graph.get(), options.get());
    let found = interruptible(py, |cancel| {
        options.engine.run(Triangles(&inner.rows, options.of_solver(cancel)))
    })?;
    Ok((found.answer.of_vertices, found.answer.degrees))
}

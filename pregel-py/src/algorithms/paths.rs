//! Breadth-first search, shortest paths, and betweenness.

use std::collections::VecDeque;
use std::sync::Arc;

use pregel_algos::betweenness::{Betweenness, betweenness as find_betweenness};
use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::sssp::wide::{Length, SsspWide, starts};
use pregel_algos::sssp::{Sssp, SsspTree};
use pregel_core::engine::{RunError, RunOptions};
use pregel_core::graph::Graph as Rows;
use pyo3::prelude::*;

use super::Run;
use crate::column::{Column, Kind};
use crate::data::{Data, Left, Values};
use crate::engine::{Able, Job};
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::options::Options;
use crate::report::Went;
use crate::run::interruptible;
use crate::sources::vertices;

/// Levels from one source, and parents if wanted.
#[pyfunction]
pub fn bfs(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    source: &Bound<'_, PyAny>,
    parents: bool,
) -> PyResult<(Column, Option<Column>)> {
    let (inner, options) = (graph.get(), options.get());
    let (rows, source) = (&inner.rows, inner.find(source)?);
    let n = rows.vertex_count();
    if !parents {
        let (levels, report) = interruptible(graph.py(), |cancel| {
            let (program, options_of_run) = (Bfs { source }, options.of_run(cancel));
            let run = Run { graph: rows, program, inputs: &[], options: options_of_run };
            let found = run.find(options)?;
            Ok((found.states.ids(n)?, found.report))
        })?;
        return Ok((Column::new(levels, Kind::Level, graph, "bfs", Went::from(report)), None));
    }
    let (levels, parents, report) = interruptible(graph.py(), |cancel| {
        let (program, options_of_run) = (BfsTree { source }, options.of_run(cancel));
        let run = Run { graph: rows, program, inputs: &[], options: options_of_run };
        let (states, report) = run.find_here(options.engine)?;
        let (levels, parents): (Vec<u32>, Vec<u32>) =
            states.iter().map(|visit| (visit.level, visit.parent)).unzip();
        Ok((levels, parents, report))
    })?;
    let went = Arc::new(Went::from(report));
    let levels = Column::new(Data::of_ids(levels, n), Kind::Level, graph, "bfs", went.clone());
    let parents = Column::new(Data::of_ids(parents, n), Kind::Vertex, graph, "bfs", went);
    Ok((levels, Some(parents)))
}

/// What shortest paths are wanted.
struct Wanted<'a> {
    sources: Vec<u32>,
    parents: bool,
    options: &'a Options,
    delta: Option<f32>,
}

/// What was found: distances, parents, and how.
type Found<L> = (Left<L>, Option<Vec<u32>>, Went);

/// Distances from the nearest source, and parents if wanted.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn sssp(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    sources: &Bound<'_, PyAny>,
    parents: bool,
    cutoff: Option<&Bound<'_, PyAny>>,
    dtype: Option<&str>,
    delta: Option<f32>,
) -> PyResult<(Column, Option<Column>)> {
    let (py, inner) = (graph.py(), graph.get());
    let sources = vertices(inner, sources)?;
    if sources.is_empty() {
        return Err(value("there is no source to start from"));
    }
    // Integers beyond 2⁵³ stay what they are, and floats beyond 64 bits become the largest.
    let whole = cutoff.map(|cutoff| {
        cutoff.extract::<i64>().or_else(|_| cutoff.extract::<f64>().map(|c| c.floor() as i64))
    });
    let whole = whole.transpose()?;
    let cutoff = cutoff.map(|cutoff| cutoff.extract::<f64>()).transpose()?;
    if cutoff.is_some_and(|cutoff| cutoff.is_nan() || cutoff < 0.0) {
        return Err(value("the cutoff must not be negative"));
    }
    let wanted = Wanted { sources, parents, options: options.get(), delta };
    let (distances, parents, went) = match (&inner.weights, dtype) {
        (Weights::None, _) => {
            return Err(value(
                "the graph has no weights; bfs counts edges, and weights of 1 make sssp do the \
                 same",
            ));
        }
        (weights, Some("float32")) | (weights @ Weights::F32(_), None) => {
            let (distances, parents, went) = interruptible(py, |cancel| {
                let graph = match weights {
                    Weights::F32(graph) => graph.clone(),
                    Weights::F64(graph) => graph.map_values(|_, _, length| length as f32),
                    Weights::I64(graph) => graph.map_values(|_, _, length| length as f32),
                    Weights::None => return Err(Failure::Value("no weights".into())),
                };
                match (&wanted.sources[..], cutoff) {
                    (&[source], None) => narrow(&graph, source, &wanted, cancel),
                    _ => {
                        let graph = graph.map_values(|_, _, length| f64::from(length));
                        let cutoff = cutoff.unwrap_or(f64::INFINITY);
                        let (distances, parents, went) = wide(&graph, cutoff, &wanted, cancel)?;
                        let narrow = distances.into_vec()?.iter().map(|d| *d as f32).collect();
                        Ok((Left::Host(narrow), parents, went))
                    }
                }
            })?;
            (Values::from(distances), parents, went)
        }
        (weights, Some("float64")) | (weights @ Weights::F64(_), None) => {
            let (distances, parents, went) = interruptible(py, |cancel| {
                let graph = match weights {
                    Weights::F32(graph) => graph.map_values(|_, _, length| f64::from(length)),
                    Weights::F64(graph) => graph.clone(),
                    Weights::I64(graph) => graph.map_values(|_, _, length| length as f64),
                    Weights::None => return Err(Failure::Value("no weights".into())),
                };
                wide(&graph, cutoff.unwrap_or(f64::INFINITY), &wanted, cancel)
            })?;
            (distances.into(), parents, went)
        }
        (Weights::I64(weights), None | Some("int64")) => {
            let (distances, parents, went) = interruptible(py, |cancel| {
                wide(weights, whole.unwrap_or(i64::MAX), &wanted, cancel)
            })?;
            (
                Data::I64(Arc::new(distances.into_vec().map_err(Failure::from)?)).into(),
                parents,
                went,
            )
        }
        (_, Some("int64")) => {
            return Err(value("dtype is \"int64\", but the weights of the graph are floats"));
        }
        (_, Some(other)) => {
            return Err(value(format!(
                "dtype is «{other}», expected \"float32\", \"float64\" or \"int64\""
            )));
        }
    };
    let (went, n) = (Arc::new(went), inner.rows.vertex_count());
    let distances = Column::new(distances, Kind::Distance, graph, "sssp", went.clone());
    let parents = parents
        .map(|parents| Column::new(Data::of_ids(parents, n), Kind::Vertex, graph, "sssp", went));
    Ok((distances, parents))
}

/// Shortest paths in `f32` from one source, which GPUs find as well.
fn narrow(
    graph: &Rows<f32>,
    source: u32,
    wanted: &Wanted<'_>,
    cancel: &pregel_core::engine::Cancel,
) -> Result<Found<f32>, Failure> {
    let options = wanted.options.of_run(cancel).with_delta(wanted.delta);
    if wanted.parents {
        let program = SsspTree { source };
        let run = Run { graph, program, inputs: &[], options };
        let (states, report) = run.find_here(wanted.options.engine)?;
        let (distances, parents) = states.iter().map(|step| (step.distance, step.parent)).unzip();
        Ok((Left::Host(distances), Some(parents), report.into()))
    } else {
        let program = Sssp { source };
        let found = Run { graph, program, inputs: &[], options }.find(wanted.options)?;
        Ok((found.states, None, found.report.into()))
    }
}

/// Shortest paths in wide numbers, from any number of sources.
fn wide<L: Length>(
    graph: &Rows<L>,
    cutoff: L,
    wanted: &Wanted<'_>,
    cancel: &pregel_core::engine::Cancel,
) -> Result<Found<L>, Failure> {
    let inputs = starts::<L>(graph.vertex_count(), &wanted.sources)
        .map_err(|reason| RunError::Program { reason })?;
    let options = wanted.options.of_run(cancel).with_delta(wanted.delta);
    let program = SsspWide::new().with_cutoff(cutoff);
    let run = Run { graph, program, inputs: &inputs, options };
    let (distances, report) = run.find_here(wanted.options.engine)?;
    let parents = wanted.parents.then(|| tree(graph, &wanted.sources, &distances));
    Ok((Left::Host(distances), parents, report.into()))
}

/// A tree of shortest paths, given the distances: a search from the sources along edges that lie
/// on shortest paths. O(V + E).
fn tree<L: Length>(graph: &Rows<L>, sources: &[u32], distances: &[L]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut parents = vec![NONE; distances.len()];
    let mut reached = vec![false; distances.len()];
    let mut queue = VecDeque::new();
    for &source in sources {
        if !std::mem::replace(&mut reached[source as usize], true) {
            queue.push_back(source);
        }
    }
    let (rows, lengths) = (graph.out(), graph.out_values());
    while let Some(u) = queue.pop_front() {
        for edge in rows.range(u) {
            let v = rows.targets()[edge] as usize;
            let offer = distances[u as usize].extend(lengths[edge]);
            if !reached[v] && offer == distances[v] && offer < L::TOP {
                reached[v] = true;
                parents[v] = u;
                queue.push_back(v as u32);
            }
        }
    }
    parents
}

/// Betweenness centrality, from some sources or from all.
#[pyfunction]
pub fn betweenness(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    sources: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    struct Brandes<'a>(&'a Rows, Vec<u32>, RunOptions);
    impl Job for Brandes<'_> {
        type Output = Betweenness;
        fn run<E: Able>(self, engine: &E) -> Result<Betweenness, RunError> {
            find_betweenness(engine, self.0, &self.1, &self.2)
        }
    }
    let (inner, options) = (graph.get(), options.get());
    let rows = &inner.rows;
    let sources = match sources {
        Some(sources) => vertices(inner, sources)?,
        None => (0..rows.vertex_count()).collect(),
    };
    let found = interruptible(graph.py(), |cancel| {
        options.engine.run(Brandes(rows, sources, options.of_run(cancel)))
    })?;
    let data = Data::F64(Arc::new(found.centrality));
    let went = Went::of_all(found.reports.into_iter().flatten());
    Ok(Column::new(data, Kind::Number, graph, "betweenness", went))
}

//! Centralities, sets and paths from the gallery.

use std::sync::Arc;

use pregel_algos::gallery::closeness::Nearness;
use pregel_algos::gallery::colouring::Colouring;
use pregel_algos::gallery::eigenvector::{Eigenvector, normalised};
use pregel_algos::gallery::hits::{Hits, hits as find_hits};
use pregel_algos::gallery::katz::Katz;
use pregel_algos::gallery::mis::{IN, IndependentSet};
use pregel_algos::gallery::nearest::Nearest;
use pregel_algos::gallery::widest::Widest;
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::{Many, Searches};
use pregel_core::engine::{Cancel, Report, RunError, RunOptions, StopReason};
use pregel_core::graph::Graph as Rows;
use pregel_core::program::VertexCompute;
use pyo3::prelude::*;

use super::{Found, Run};
use crate::column::{Column, Kind};
use crate::data::Data;
use crate::engine::{Able, Job};
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::options::Options;
use crate::report::Went;
use crate::run::interruptible;
use crate::sources::vertices;

/// Runs a program on the rows of a graph.
fn run_on<P: VertexCompute>(
    py: Python<'_>,
    rows: &Rows<P::Edge>,
    options: &Bound<'_, Options>,
    program: P,
    inputs: &[P::Input],
) -> PyResult<Found<P::State>> {
    let options = options.get();
    interruptible(py, |cancel| {
        Run { graph: rows, program, inputs, options: options.of_run(cancel) }.find(options)
    })
}

/// Runs a program without inputs on a graph without weights.
fn run<P: VertexCompute<Edge = ()>>(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    program: P,
) -> PyResult<Found<P::State>> {
    run_on(graph.py(), &graph.get().rows, options, program, &[])
}

/// Katz centrality.
#[pyfunction]
pub fn katz(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    attenuation: Option<f64>,
    base: f64,
    tolerance: f64,
) -> PyResult<Column> {
    let attenuation = match attenuation {
        Some(attenuation) => attenuation,
        None => {
            let rows = &graph.get().rows;
            let most = interruptible(graph.py(), |_: &Cancel| {
                let rows = rows.incoming();
                let degrees = (0..rows.vertex_count()).map(|v| rows.degree(v));
                Ok::<_, Failure>(degrees.max().unwrap_or(0).max(1))
            })?;
            // No eigenvalue is larger than the largest in-degree, so that this always converges.
            0.9 / most as f64
        }
    };
    let found = run(graph, options, Katz { attenuation, base, tolerance })?;
    Ok(Column::new(found.states, Kind::Number, graph, "katz", Went::from(found.report)))
}

/// Eigenvector centrality.
#[pyfunction]
pub fn eigenvector(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    tolerance: f64,
) -> PyResult<Column> {
    let found = run(graph, options, Eigenvector { tolerance })?;
    let states = found.states.into_vec().map_err(Failure::from)?;
    let data = Data::F64(Arc::new(normalised(&states)));
    Ok(Column::new(data, Kind::Number, graph, "eigenvector", Went::from(found.report)))
}

/// Hubs and authorities.
#[pyfunction]
pub fn hits(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    iterations: u32,
    tolerance: f64,
) -> PyResult<(Column, Column)> {
    struct Turns<'a>(&'a Rows, RunOptions, u32, f64);
    impl Job for Turns<'_> {
        type Output = Hits;
        fn run<E: Able>(self, engine: &E) -> Result<Hits, RunError> {
            find_hits(engine, self.0, &self.1, self.2, self.3)
        }
    }
    let is_sensible = tolerance >= 0.0;
    if !is_sensible {
        return Err(value("the tolerance must not be negative"));
    }
    let (rows, options) = (&graph.get().rows, options.get());
    let found = interruptible(graph.py(), |cancel| {
        options.engine.run(Turns(rows, options.of_run(cancel), iterations, tolerance))
    })?;
    let took_all = found.reports.len() as u64 >= 2 * u64::from(iterations);
    let stop = if took_all { "limit" } else { "converged" };
    let went = Arc::new(Went { stop, ..Went::of_all(found.reports) });
    let column =
        |scores, went| Column::new(Data::F64(Arc::new(scores)), Kind::Number, graph, "hits", went);
    Ok((column(found.hubs, went.clone()), column(found.authorities, went)))
}

/// Closeness or harmonic centrality, from some sources or from all.
#[pyfunction]
pub fn nearness(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    sources: Option<&Bound<'_, PyAny>>,
    harmonic: bool,
) -> PyResult<Column> {
    struct All<'a>(&'a Rows, &'a [u32], RunOptions);
    impl Job for All<'_> {
        type Output = (Nearness, Vec<Report>);
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            let Self(graph, sources, options) = self;
            let mut searches =
                Searches::<_, BfsFromMany>::prepare(engine, graph, &options, sources.len())?;
            let mut nearness = Nearness::new(graph.vertex_count());
            let mut reports = Vec::new();
            for pack in sources.chunks(BfsFromMany::MOST) {
                let found = searches.run(pack)?;
                let cancelled = |report: &Report| matches!(report.stop, StopReason::Cancelled);
                if found.reports.iter().any(cancelled) {
                    reports.extend(found.reports);
                    break;
                }
                found.columns.iter().for_each(|levels| nearness.add(levels));
                reports.extend(found.reports);
            }
            Ok((nearness, reports))
        }
    }
    let (inner, options) = (graph.get(), options.get());
    let mut sources = match sources {
        Some(sources) => vertices(inner, sources)?,
        None => (0..inner.rows.vertex_count()).collect(),
    };
    // A source that is given twice counts once.
    sources.sort_unstable();
    sources.dedup();
    let (found, reports) = interruptible(graph.py(), |cancel| {
        options.engine.run(All(&inner.rows, &sources, options.of_run(cancel)))
    })?;
    let (values, name) =
        if harmonic { (found.harmonic(), "harmonic") } else { (found.closeness(), "closeness") };
    let went = Went::of_all(reports);
    Ok(Column::new(Data::F64(Arc::new(values)), Kind::Number, graph, name, went))
}

/// Colours of which no two neighbours have the same.
#[pyfunction]
pub fn colouring(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    seed: u32,
) -> PyResult<Column> {
    let found = run(graph, options, Colouring { seed })?;
    let colours = found.states.ids(graph.get().rows.vertex_count()).map_err(Failure::from)?;
    Ok(Column::new(colours, Kind::Level, graph, "colouring", Went::from(found.report)))
}

/// A maximal independent set: 1 for its vertices, 0 for all others.
#[pyfunction]
pub fn mis(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>, seed: u32) -> PyResult<Column> {
    let found = run(graph, options, IndependentSet { seed })?;
    let states = found.states.into_vec().map_err(Failure::from)?;
    let members = states.iter().map(|state| i32::from(*state == IN)).collect();
    let data = Data::I32(Arc::new(members));
    Ok(Column::new(data, Kind::Number, graph, "mis", Went::from(found.report)))
}

/// The weights as the gallery takes them.
fn narrow(graph: &Graph) -> PyResult<Rows<f32>> {
    Ok(match &graph.weights {
        Weights::F32(graph) => graph.clone(),
        Weights::F64(graph) => graph.map_values(|_, _, weight| weight as f32),
        Weights::I64(graph) => graph.map_values(|_, _, weight| weight as f32),
        Weights::None => return Err(value("the graph has no weights")),
    })
}

/// Widths of the widest paths from a source.
#[pyfunction]
pub fn widest(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    source: &Bound<'_, PyAny>,
) -> PyResult<Column> {
    let inner = graph.get();
    let program = Widest { source: inner.find(source)? };
    let found = run_on(graph.py(), &narrow(inner)?, options, program, &[])?;
    Ok(Column::new(found.states, Kind::Number, graph, "widest", Went::from(found.report)))
}

/// The nearest of some vertices, and how far it is from there.
#[pyfunction]
pub fn nearest(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    facilities: &Bound<'_, PyAny>,
) -> PyResult<(Column, Column)> {
    let inner = graph.get();
    let n = inner.rows.vertex_count();
    let mut inputs = vec![0; n as usize];
    for facility in vertices(inner, facilities)? {
        inputs[facility as usize] = 1;
    }
    let found = run_on(graph.py(), &narrow(inner)?, options, Nearest, &inputs)?;
    let states = found.states.into_vec().map_err(Failure::from)?;
    let (distances, facilities): (Vec<f32>, Vec<u32>) =
        states.iter().map(|offer| (offer.distance, offer.facility)).unzip();
    let went = Arc::new(Went::from(found.report));
    let data = Data::F32(Arc::new(distances));
    let distances = Column::new(data, Kind::Distance, graph, "nearest", went.clone());
    let facilities = Data::of_ids(facilities, n);
    Ok((distances, Column::new(facilities, Kind::Vertex, graph, "nearest", went)))
}

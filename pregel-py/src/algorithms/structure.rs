//! Components, communities, cores and triangles.

use std::sync::Arc;

use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::kcore::KCore;
use pregel_algos::scc::{StrongComponents, strong_components};
use pregel_core::engine::{
    ConnectedComponents, CountTriangles, LocalClustering, RunError, RunOptions, Solution,
    SolveOptions,
};
use pregel_core::graph::Graph as Rows;
use pyo3::prelude::*;

use super::Run;
use crate::column::{Column, Kind};
use crate::data::Data;
use crate::engine::{Able, Job};
use crate::graph::Graph;
use crate::options::Options;
use crate::report::Went;
use crate::run::interruptible;

/// Weakly connected components, by union-find.
#[pyfunction]
pub fn wcc(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    struct Wcc<'a>(&'a Rows, SolveOptions);
    impl Job for Wcc<'_> {
        type Output = Solution<Vec<u32>>;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            engine.solve(ConnectedComponents, self.0, &self.1)
        }
    }
    let (rows, options) = (&graph.get().rows, options.get());
    let found = interruptible(graph.py(), |cancel| {
        options.engine.run(Wcc(rows, options.of_solver(cancel)))
    })?;
    let data = Data::of_ids(found.answer, rows.vertex_count());
    Ok(Column::new(data, Kind::Vertex, graph, "wcc", Went::from(found.report)))
}

/// Weakly connected components, by a vertex program.
#[pyfunction]
pub fn hcc(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    let (rows, options) = (&graph.get().rows, options.get());
    let (labels, report) = interruptible(graph.py(), |cancel| {
        let options_of_run = options.of_run(cancel);
        let run = Run { graph: rows, program: Hcc, inputs: &[], options: options_of_run };
        let found = run.find(options)?;
        Ok((found.states.ids(rows.vertex_count())?, found.report))
    })?;
    Ok(Column::new(labels, Kind::Vertex, graph, "hcc", Went::from(report)))
}

/// Strongly connected components.
#[pyfunction]
pub fn scc(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    struct Scc<'a>(&'a Rows, RunOptions);
    impl Job for Scc<'_> {
        type Output = StrongComponents;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            strong_components(engine, self.0, &self.1)
        }
    }
    let (rows, options) = (&graph.get().rows, options.get());
    let found =
        interruptible(graph.py(), |cancel| options.engine.run(Scc(rows, options.of_run(cancel))))?;
    let data = Data::of_ids(found.labels, rows.vertex_count());
    let (time, prepare_time, stop) = (found.time, found.prepare_time, found.stop.name());
    let went = Went::of_all(found.phases.into_iter().map(|phase| phase.report));
    let went = Went { time, prepare_time, stop, ..went };
    Ok(Column::new(data, Kind::Vertex, graph, "scc", went))
}

/// Communities by label propagation.
#[pyfunction]
pub fn cdlp(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    let (rows, options) = (&graph.get().rows, options.get());
    let (labels, report) = interruptible(graph.py(), |cancel| {
        let options_of_run = options.of_run(cancel);
        let run = Run { graph: rows, program: Cdlp, inputs: &[], options: options_of_run };
        let found = run.find(options)?;
        Ok((found.states.ids(rows.vertex_count())?, found.report))
    })?;
    Ok(Column::new(labels, Kind::Vertex, graph, "cdlp", Went::from(report)))
}

/// Core numbers.
#[pyfunction]
pub fn kcore(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    let (rows, options) = (&graph.get().rows, options.get());
    let (numbers, report) = interruptible(graph.py(), |cancel| {
        let options_of_run = options.of_run(cancel);
        let run = Run { graph: rows, program: KCore, inputs: &[], options: options_of_run };
        let (states, report) = run.find_here(options.engine)?;
        let numbers: Vec<i64> = states.iter().map(|core| core.number.into()).collect();
        Ok((numbers, report))
    })?;
    let data = Data::I64(Arc::new(numbers));
    Ok(Column::new(data, Kind::Number, graph, "kcore", Went::from(report)))
}

/// Triangles at every vertex.
#[pyfunction]
pub fn triangles(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    struct Triangles<'a>(&'a Rows, SolveOptions);
    impl Job for Triangles<'_> {
        type Output = Solution<pregel_core::engine::TriangleCounts>;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            engine.solve(CountTriangles, self.0, &self.1)
        }
    }
    let (rows, options) = (&graph.get().rows, options.get());
    let found = interruptible(graph.py(), |cancel| {
        options.engine.run(Triangles(rows, options.of_solver(cancel)))
    })?;
    let counts = found.answer.of_vertices.into_iter().map(|count| count as i64).collect();
    let data = Data::I64(Arc::new(counts));
    Ok(Column::new(data, Kind::Number, graph, "triangles", Went::from(found.report)))
}

/// Local clustering coefficients.
#[pyfunction]
pub fn lcc(graph: &Bound<'_, Graph>, options: &Bound<'_, Options>) -> PyResult<Column> {
    struct Lcc<'a>(&'a Rows, SolveOptions);
    impl Job for Lcc<'_> {
        type Output = Solution<pregel_core::engine::Clustering>;
        fn run<E: Able>(self, engine: &E) -> Result<Self::Output, RunError> {
            engine.solve(LocalClustering, self.0, &self.1)
        }
    }
    let (rows, options) = (&graph.get().rows, options.get());
    let found = interruptible(graph.py(), |cancel| {
        options.engine.run(Lcc(rows, options.of_solver(cancel)))
    })?;
    let data = Data::F64(Arc::new(found.answer.coefficients));
    Ok(Column::new(data, Kind::Number, graph, "lcc", Went::from(found.report)))
}

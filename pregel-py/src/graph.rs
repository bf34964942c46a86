//! The class `Graph`.

use std::path::PathBuf;

use pregel_core::engine::Cancel;
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{
    Buffer, Csr, Duplicates, EdgeList, EdgeValue, Graph as Rows, GraphBuilder, Ids, SelfLoops,
};
use pregel_core::io::{self, AnyGraph, LoadOptions, Weights as FileWeights};
use pregel_core::program::Value;
use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::prelude::*;

use crate::arrays::Copying;
use crate::errors::{Failure, value};
use crate::inputs::{Values, offsets, vertices};
use crate::nodes::{self, Nodes};
use crate::run::interruptible;

/// A graph: rows of edges, perhaps with weights, and what the user calls its vertices.
#[pyclass(frozen, weakref, module = "pregel")]
#[derive(Debug)]
pub struct Graph {
    pub rows: Rows,
    pub weights: Weights,
    pub nodes: Option<Nodes>,
}

/// The same rows with weights.
#[derive(Debug)]
pub enum Weights {
    None,
    F32(Rows<f32>),
    F64(Rows<f64>),
    I64(Rows<i64>),
}

impl Weights {
    fn dtype(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::F32(_) => Some("float32"),
            Self::F64(_) => Some("float64"),
            Self::I64(_) => Some("int64"),
        }
    }
}

impl Graph {
    /// A graph of rows that are to be checked.
    pub fn of_rows(
        directed: bool,
        ids: Ids,
        rows: Csr,
        values: Values,
        nodes: Option<Nodes>,
    ) -> Result<Self, Failure> {
        let make = Make { directed, ids, rows, nodes };
        match values {
            Values::None => {
                let rows = Rows::new(make.directed, make.ids, make.rows, Vec::new().into())?;
                Ok(Self { rows, weights: Weights::None, nodes: make.nodes })
            }
            Values::F32(values) => make.weighted(values, Weights::F32),
            Values::F64(values) => make.weighted(values, Weights::F64),
            Values::I64(values) => make.weighted(values, Weights::I64),
        }
    }

    /// A graph of a list of edges.
    pub fn of_edges(build: Build, values: Values) -> Result<Self, Failure> {
        match values {
            Values::None => {
                let rows = build.graph::<()>(Vec::new())?;
                Ok(Self { rows, weights: Weights::None, nodes: None })
            }
            Values::F32(values) => build.weighted(values.to_vec(), Weights::F32),
            Values::F64(values) => build.weighted(values.to_vec(), Weights::F64),
            Values::I64(values) => build.weighted(values.to_vec(), Weights::I64),
        }
    }

    fn of_any(graph: AnyGraph) -> Self {
        match graph {
            AnyGraph::Plain(rows) => Self { rows, weights: Weights::None, nodes: None },
            AnyGraph::Weighted(weighted) => Self {
                rows: weighted.without_values(),
                weights: Weights::F32(weighted),
                nodes: None,
            },
        }
    }

    /// The vertex that the user means.
    pub fn find(&self, node: &Bound<'_, PyAny>) -> PyResult<u32> {
        nodes::find(self.rows.ids(), self.nodes.as_ref(), node)
    }
}

/// Everything of a graph but its values.
struct Make {
    directed: bool,
    ids: Ids,
    rows: Csr,
    nodes: Option<Nodes>,
}

impl Make {
    fn weighted<E: Value>(
        self,
        values: Buffer<E>,
        weights: impl FnOnce(Rows<E>) -> Weights,
    ) -> Result<Graph, Failure> {
        let weighted = Rows::new(self.directed, self.ids, self.rows, values)?;
        let rows = weighted.without_values();
        Ok(Graph { rows, weights: weights(weighted), nodes: self.nodes })
    }
}

/// A list of edges, and what is to become of it.
pub struct Build {
    pub edges: Vec<[u32; 2]>,
    pub directed: bool,
    pub vertex_count: Option<u32>,
    pub ids: Option<Ids>,
    pub duplicates: Duplicates,
    pub self_loops: SelfLoops,
}

impl Build {
    fn graph<E: EdgeValue>(self, values: Vec<E>) -> Result<Rows<E>, Failure> {
        let largest = self.edges.par_iter().map(|[u, v]| *u.max(v)).max();
        let needed = largest.map_or(0, |v| v.saturating_add(1));
        let vertex_count = self.vertex_count.unwrap_or(needed);
        let list = EdgeList { vertex_count, edges: self.edges, values };
        let mut builder = GraphBuilder::new()
            .with_edge_list(list)
            .with_directed(self.directed)
            .with_duplicates(self.duplicates)
            .with_self_loops(self.self_loops);
        if let Some(ids) = self.ids {
            builder = builder.with_vertex_count(ids.len()).with_ids(ids);
        }
        Ok(builder.build()?)
    }

    fn weighted<E: EdgeValue>(
        self,
        values: Vec<E>,
        weights: impl FnOnce(Rows<E>) -> Weights,
    ) -> Result<Graph, Failure> {
        let weighted = self.graph(values)?;
        Ok(Graph { rows: weighted.without_values(), weights: weights(weighted), nodes: None })
    }
}

/// Reads what becomes of parallel edges.
pub fn duplicates(name: &str) -> PyResult<Duplicates> {
    match name {
        "keep" => Ok(Duplicates::Keep),
        "first" => Ok(Duplicates::First),
        "smallest" => Ok(Duplicates::Smallest),
        "sum" => Ok(Duplicates::Sum),
        other => Err(value(format!(
            "duplicates is «{other}», expected \"keep\", \"first\", \"smallest\" or \"sum\""
        ))),
    }
}

#[pymethods]
impl Graph {
    #[staticmethod]
    #[pyo3(signature = (indptr, indices, weights=None, *, directed=true, copy=None, nodes=None))]
    fn from_csr(
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        directed: bool,
        copy: Option<bool>,
        nodes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let copying = Copying::from(copy);
        let offsets = offsets(indptr, copying)?;
        let targets = vertices(indices, "indices", copying)?;
        let values = Values::read(weights, copying)?;
        let nodes = match nodes {
            None => None,
            Some(nodes) => Some(Nodes::new(&nodes.try_iter()?.collect_list(py)?)?),
        };
        interruptible(py, |_| {
            let rows = Csr::new(offsets, targets)?;
            let ids = Ids::range(0, rows.vertex_count());
            if let Some(nodes) = &nodes {
                let count = Python::attach(|py| nodes.list.bind(py).len());
                if count != rows.vertex_count() as usize {
                    let rows = rows.vertex_count();
                    return Err(Failure::Value(format!("{rows} rows, but {count} nodes")));
                }
            }
            Self::of_rows(directed, ids, rows, values, nodes)
        })
    }

    #[staticmethod]
    #[pyo3(signature = (
        sources, targets, weights=None, *, directed=true, vertex_count=None, duplicates="keep",
        self_loops=true,
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn from_edges(
        py: Python<'_>,
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        directed: bool,
        vertex_count: Option<u32>,
        duplicates: &str,
        self_loops: bool,
    ) -> PyResult<Self> {
        let sources = vertices(sources, "sources", Copying::Always)?;
        let targets = vertices(targets, "targets", Copying::Always)?;
        let values = Values::read(weights, Copying::Always)?;
        if sources.len() != targets.len() {
            let (sources, targets) = (sources.len(), targets.len());
            return Err(value(format!("{sources} sources, but {targets} targets")));
        }
        let duplicates = self::duplicates(duplicates)?;
        let self_loops = if self_loops { SelfLoops::Keep } else { SelfLoops::Drop };
        interruptible(py, |_| {
            let ends = sources.par_iter().zip(&targets[..]);
            let edges = ends.map(|(u, v)| [*u, *v]).collect();
            let ids = None;
            let build = Build { edges, directed, vertex_count, ids, duplicates, self_loops };
            Self::of_edges(build, values)
        })
    }

    #[staticmethod]
    #[pyo3(signature = (table, source, target, weight=None, *, directed=true, duplicates="keep"))]
    fn from_arrow(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        source: &str,
        target: &str,
        weight: Option<&str>,
        directed: bool,
        duplicates: &str,
    ) -> PyResult<Self> {
        let duplicates = self::duplicates(duplicates)?;
        let stream = crate::arrow::open(table)?;
        interruptible(py, |cancel| {
            let columns = crate::arrow::Names { source, target, weight };
            crate::arrow::graph(stream, &columns, directed, duplicates, cancel)
        })
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, directed=None, weights=true))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        directed: Option<bool>,
        weights: bool,
    ) -> PyResult<Self> {
        interruptible(py, |_: &Cancel| {
            let wanted = if weights { FileWeights::Auto } else { FileWeights::None };
            let options = LoadOptions::default().with_directed(directed).with_weights(wanted);
            Ok(Self::of_any(io::load(&path, &options)?.graph))
        })
    }

    #[staticmethod]
    #[pyo3(signature = (spec, *, weighted=false))]
    fn generate(py: Python<'_>, spec: &str, weighted: bool) -> PyResult<Self> {
        interruptible(py, |_: &Cancel| {
            let spec: Spec = spec.parse().map_err(Failure::from)?;
            let graph = if weighted {
                AnyGraph::Weighted(spec.weighted()?)
            } else {
                AnyGraph::Plain(spec.plain()?)
            };
            Ok(Self::of_any(graph))
        })
    }

    #[getter]
    fn vertex_count(&self) -> u32 {
        self.rows.vertex_count()
    }

    #[getter]
    fn edge_count(&self) -> u64 {
        self.rows.edge_count()
    }

    #[getter]
    fn directed(&self) -> bool {
        self.rows.directed()
    }

    #[getter]
    fn weight_type(&self) -> Option<&'static str> {
        self.weights.dtype()
    }

    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = nodes::labels(py, self.rows.ids(), self.nodes.as_ref())?;
        // Not the list by which the graph finds its nodes.
        Ok(if self.nodes.is_some() { list.get_slice(0, list.len()) } else { list })
    }

    fn index(&self, node: &Bound<'_, PyAny>) -> PyResult<u32> {
        self.find(node)
    }

    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        node: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for v in self.rows.out().row(self.find(node)?) {
            list.append(nodes::label(py, self.rows.ids(), self.nodes.as_ref(), *v)?)?;
        }
        Ok(list)
    }

    /// The same graph without weights, which shares the rows.
    fn _without_weights(&self, py: Python<'_>) -> Self {
        let nodes = self.nodes.as_ref().map(|nodes| nodes.clone_ref(py));
        Self { rows: self.rows.clone(), weights: Weights::None, nodes }
    }

    /// The smallest weight; 1 if there are none.
    fn _smallest_weight(&self) -> f64 {
        match &self.weights {
            Weights::None => 1.0,
            Weights::F32(graph) => smallest(graph.out_values(), f64::from),
            Weights::F64(graph) => smallest(graph.out_values(), |weight| weight),
            Weights::I64(graph) => smallest(graph.out_values(), |weight| weight as f64),
        }
    }

    fn __len__(&self) -> usize {
        self.rows.vertex_count() as usize
    }

    fn __repr__(&self) -> String {
        let kind = if self.rows.directed() { "directed" } else { "undirected" };
        let weights = self.weights.dtype().map_or(String::new(), |t| format!(", {t} weights"));
        let (vertices, edges) = (self.rows.vertex_count(), self.rows.edge_count());
        format!("<pregel.Graph: {kind}, {vertices} vertices, {edges} edges in rows{weights}>")
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(nodes) = &self.nodes {
            visit.call(&nodes.list)?;
            visit.call(&nodes.index)?;
        }
        Ok(())
    }
}

fn smallest<T: Copy + Sync>(weights: &[T], number: impl Fn(T) -> f64 + Sync) -> f64 {
    weights.par_iter().map(|weight| number(*weight)).reduce(|| f64::INFINITY, f64::min)
}

/// Makes a list of what an iterator gives.
trait CollectList<'py> {
    fn collect_list(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>>;
}

impl<'py> CollectList<'py> for Bound<'py, pyo3::types::PyIterator> {
    fn collect_list(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.collect::<PyResult<Vec<_>>>()?)
    }
}

//! Shortest paths between all pairs of vertices.

use std::sync::Arc;

use pregel_core::engine::Cpu;
use pregel_core::engine::gpu::DeviceLength;
use pregel_core::engine::paths::{
    AllPairs, Length, Matrix, Method, PathOptions, Paths, PathsError, PathsReport, best_on_cpu,
    lengths_of, search_all,
};
use pregel_core::graph::Graph as Rows;
use pregel_core::program::Value;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use rayon::prelude::*;

use crate::buffers::Layout;
use crate::data::{Data, Dtype};
use crate::dlpack::{self, HOST, Numbers, Owner, Request};
use crate::engine::Choice;
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::nodes;
use crate::options::Options;
use crate::report::Went;
use crate::run::interruptible;

/// Vertices below which a GPU is not worth its start.
const FEW: u32 = 512;

/// The distances between all pairs of vertices, and perhaps what leads along the paths.
#[derive(Debug)]
pub enum AllPaths {
    F32(Paths<f32>),
    I32(Paths<i32>),
}

/// Does the same with distances of any type.
macro_rules! each_type {
    ($found:expr, $paths:ident => $do:expr) => {
        match $found {
            AllPaths::F32($paths) => $do,
            AllPaths::I32($paths) => $do,
        }
    };
}

impl AllPaths {
    fn dtype(&self) -> Dtype {
        match self {
            Self::F32(_) => Dtype::F32,
            Self::I32(_) => Dtype::I32,
        }
    }

    /// Numbers from the beginning of a row to that of the next.
    fn stride(&self) -> usize {
        each_type!(self, paths => paths.distances.side())
    }

    /// Where the first number is.
    fn address(&self) -> *const u8 {
        each_type!(self, paths => paths.distances.values().as_ptr().cast())
    }

    /// All numbers, without what lies between rows.
    fn packed(&self) -> Data {
        fn rows<T: Value>(matrix: &Matrix<T>) -> Arc<Vec<T>> {
            Arc::new((0..matrix.vertex_count()).flat_map(|v| matrix.row(v)).copied().collect())
        }
        match self {
            Self::F32(paths) => Data::F32(rows(&paths.distances)),
            Self::I32(paths) => Data::I32(rows(&paths.distances)),
        }
    }
}

/// The distances between all pairs of vertices: a square, in the order of the vertices.
#[pyclass(frozen, weakref, module = "pregel")]
#[derive(Debug)]
pub struct Distances {
    found: Arc<AllPaths>,
    has_paths: bool,
    graph: Py<Graph>,
    went: Went,
}

#[pymethods]
impl Distances {
    #[getter]
    fn graph(&self, py: Python<'_>) -> Py<Graph> {
        self.graph.clone_ref(py)
    }

    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.went.to_python(py, "apsp")
    }

    #[getter]
    fn dtype(&self) -> &'static str {
        self.found.dtype().name()
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.__len__(), self.__len__())
    }

    fn __len__(&self) -> usize {
        each_type!(&*self.found, paths => paths.distances.vertex_count() as usize)
    }

    /// The distance of two vertices that the user names.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        ends: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    ) -> PyResult<Bound<'py, PyAny>> {
        let graph = self.graph.get();
        let (from, to) = (graph.find(&ends.0)?, graph.find(&ends.1)?);
        each_type!(&*self.found, paths => {
            Ok(paths.distances.row(from)[to as usize].into_pyobject(py)?.into_any())
        })
    }

    fn path<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        if !self.has_paths {
            return Err(value("there are distances alone; pass paths=True to apsp"));
        }
        let graph = self.graph.get();
        let (from, to) = (graph.find(source)?, graph.find(target)?);
        let Some(path) = each_type!(&*self.found, paths => paths.path(from, to)) else {
            return Ok(None);
        };
        let name = |v: &u32| nodes::label(py, graph.rows.ids(), graph.nodes.as_ref(), *v);
        let names = path.iter().map(name).collect::<PyResult<Vec<_>>>()?;
        Ok(Some(PyList::new(py, names)?))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numpy = slf.py().import("numpy")?;
        let view = slf.py().import("builtins")?.call_method1("memoryview", (slf,))?;
        let keywords = PyDict::new(slf.py());
        keywords.set_item("dtype", dtype)?;
        keywords.set_item("copy", copy)?;
        numpy.call_method("array", (view,), Some(&keywords))
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let request = Request { on_stream: stream.is_some(), max_version, dl_device, copy };
        let terms = request.terms(HOST)?;
        let n = self.__len__();
        let numbers = if terms.copied {
            Numbers::of_data(py.detach(|| self.found.packed())).in_rows(n)
        } else {
            Numbers {
                address: self.found.address().expose_provenance() as u64,
                device: HOST,
                dtype: self.found.dtype(),
                shape: Box::new([n as i64; 2]),
                strides: Box::new([self.found.stride() as i64, 1]),
                owner: Owner::Distances(Arc::clone(&self.found)),
            }
        };
        dlpack::hand_out(py, numbers, &terms)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        HOST
    }

    /// # Safety
    /// `view` and `flags` must be those that Python passes to `bf_getbuffer`.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        let found = Arc::clone(&slf.get().found);
        let layout = Layout::square(slf.get().__len__(), found.stride(), found.dtype());
        // SAFETY: Python passes a view that may be written. The object, to which the view gets a
        // reference, owns the numbers and never changes them.
        unsafe { layout.fill(view, flags, found.address(), slf.into_any()) }
    }

    /// # Safety
    /// `view` must be one that `__getbuffer__` filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: each view is released once.
        unsafe { Layout::free(view) }
    }

    fn __repr__(&self) -> String {
        let (n, dtype) = (self.__len__(), self.dtype());
        format!("<pregel.Distances of apsp: {n} × {n} × {dtype}>")
    }
}

/// Distances between all pairs of vertices, and paths if wanted.
#[pyfunction]
pub fn apsp(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    paths: bool,
    dtype: Option<&str>,
) -> PyResult<Distances> {
    let (inner, engine) = (graph.get(), options.get().engine);
    let whole = matches!(inner.weights, Weights::None | Weights::I64(_));
    let whole = match dtype {
        None => whole,
        Some("float32") => false,
        Some("int32") if whole => true,
        Some("int32") => {
            return Err(value("dtype is \"int32\", but the weights of the graph are floats"));
        }
        Some(other) => {
            let text = format!("dtype is «{other}», expected \"float32\" or \"int32\"");
            return Err(value(text));
        }
    };
    let (found, report) = interruptible(graph.py(), |cancel| {
        let options = PathOptions::default().with_successors(paths).with_cancel(cancel.clone());
        let rows = &inner.rows;
        if whole {
            let (paths, report) = match &inner.weights {
                Weights::I64(graph) => {
                    let is_too_large = |w: &&i64| w.unsigned_abs() as f64 > i32::LARGEST;
                    if let Some(weight) = graph.out_values().par_iter().find_any(is_too_large) {
                        let text = format!("a weight of {weight} is too large for int32");
                        return Err(Failure::Value(text));
                    }
                    solve(engine, graph, |w| *w as i32, &options)?
                }
                _ => solve(engine, rows, |()| 1, &options)?,
            };
            return Ok((AllPaths::I32(paths), report));
        }
        let (paths, report) = match &inner.weights {
            Weights::None => solve(engine, rows, |()| 1.0, &options)?,
            Weights::F32(graph) => solve(engine, graph, |w| *w, &options)?,
            Weights::F64(graph) => solve(engine, graph, |w| *w as f32, &options)?,
            Weights::I64(graph) => solve(engine, graph, |w| *w as f32, &options)?,
        };
        Ok((AllPaths::F32(paths), report))
    })?;
    let (graph, went) = (graph.clone().unbind(), Went::from(report));
    Ok(Distances { found: Arc::new(found), has_paths: paths, graph, went })
}

/// Finds the paths on this engine. Where there is no path, distances become [`Length::NO_PATH`].
fn solve<E: Value, T: DeviceLength>(
    engine: Choice,
    graph: &Rows<E>,
    length: impl Fn(&E) -> T + Copy + Send + Sync,
    options: &PathOptions,
) -> Result<(Paths<T>, PathsReport), Failure> {
    let cpu = || on_cpu(&Cpu::new(), graph, length, options);
    let found = match engine.gpu(graph.vertex_count() < FEW)? {
        None => cpu(),
        Some(gpu) => match lengths_of(graph, length).and_then(|m| gpu.all_pairs(m, options)) {
            Err(PathsError::Memory { .. }) if engine == Choice::Auto => cpu(),
            found => found,
        },
    };
    let (mut paths, report) = found.map_err(|error| named(error, graph))?;
    paths.distances.for_each_row(|_, row| {
        row.iter_mut().filter(|d| !d.is_finite()).for_each(|d| *d = T::NO_PATH);
    });
    Ok((paths, report))
}

/// Finds the paths on all cores, in whichever way is expected to be faster.
fn on_cpu<E: Value, T: Length>(
    cpu: &Cpu,
    graph: &Rows<E>,
    length: impl Fn(&E) -> T + Copy + Send + Sync,
    options: &PathOptions,
) -> Result<(Paths<T>, PathsReport), PathsError> {
    if best_on_cpu(graph, length) == Method::Search {
        let options = options.clone().with_method(Method::Search);
        return search_all(cpu, graph, length, &options);
    }
    cpu.all_pairs(lengths_of(graph, length)?, options)
}

/// The error in the user's terms.
fn named<E: Value>(error: PathsError, graph: &Rows<E>) -> Failure {
    match error {
        PathsError::Run(error) => error.into(),
        PathsError::Memory { .. } => Failure::Memory(error.to_string()),
        PathsError::NegativeCycle { vertex } => {
            let id = graph.ids().get(vertex);
            Failure::Value(format!(
                "a negative cycle goes through vertex «{id}»: there are no shortest paths"
            ))
        }
        error => Failure::Value(error.to_string()),
    }
}

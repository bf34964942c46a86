//! The class `Column`: a value for each vertex.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, PrimitiveArray};
use pyo3::exceptions::PyIndexError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::buffers::Layout;
use crate::data::{Data, Values, each};
use crate::dlpack::{self, Request};
use crate::errors::value;
use crate::graph::Graph;
use crate::nodes;
use crate::report::Went;

/// What the numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of their own.
    Number,
    /// Numbers of edges; −1 where there is no path.
    Level,
    /// Lengths of paths; infinity, or 2⁶³ − 1, where there is no path.
    Distance,
    /// Vertices; −1 for none.
    Vertex,
}

impl Kind {
    /// Whether number `v` says that vertex `v` was not reached.
    fn is_none(self, data: &Data, v: usize) -> bool {
        match (data, self) {
            (_, Self::Number) => false,
            (Data::I32(numbers), Self::Level | Self::Vertex) => numbers[v] < 0,
            (Data::I64(numbers), Self::Level | Self::Vertex) => numbers[v] < 0,
            (Data::I64(numbers), Self::Distance) => numbers[v] == i64::MAX,
            (Data::F32(numbers), Self::Distance) => numbers[v] == f32::INFINITY,
            (Data::F64(numbers), Self::Distance) => numbers[v] == f64::INFINITY,
            _ => false,
        }
    }
}

/// A value for each vertex of a graph, in the order of its vertices.
#[pyclass(frozen, weakref, module = "pregel")]
#[derive(Debug)]
pub struct Column {
    values: Values,
    kind: Kind,
    graph: Py<Graph>,
    algorithm: &'static str,
    went: Arc<Went>,
}

impl Column {
    pub fn new(
        values: impl Into<Values>,
        kind: Kind,
        graph: &Bound<'_, Graph>,
        algorithm: &'static str,
        went: impl Into<Arc<Went>>,
    ) -> Self {
        let values = values.into();
        Self { values, kind, graph: graph.clone().unbind(), algorithm, went: went.into() }
    }

    /// Number `v` of `data`, or what the user calls the vertex that it stands for.
    fn item<'py>(&self, py: Python<'py>, data: &Data, v: usize) -> PyResult<Bound<'py, PyAny>> {
        if self.kind == Kind::Vertex && !self.kind.is_none(data, v) {
            let vertex = match data {
                Data::I32(ids) => ids[v] as u32,
                Data::I64(ids) => ids[v] as u32,
                Data::F32(_) | Data::F64(_) => 0,
            };
            let graph = self.graph.get();
            return nodes::label(py, graph.rows.ids(), graph.nodes.as_ref(), vertex);
        }
        match data {
            Data::I32(numbers) => Ok(numbers[v].into_pyobject(py)?.into_any()),
            Data::I64(numbers) => Ok(numbers[v].into_pyobject(py)?.into_any()),
            Data::F32(numbers) => Ok(numbers[v].into_pyobject(py)?.into_any()),
            Data::F64(numbers) => Ok(numbers[v].into_pyobject(py)?.into_any()),
        }
    }

    fn arrow(&self, py: Python<'_>) -> PyResult<(FFI_ArrowArray, FFI_ArrowSchema)> {
        let array = match self.values.host(py)? {
            Data::I32(n) => {
                PrimitiveArray::<Int32Type>::from_iter_values(n.iter().copied()).to_data()
            }
            Data::I64(n) => {
                PrimitiveArray::<Int64Type>::from_iter_values(n.iter().copied()).to_data()
            }
            Data::F32(n) => {
                PrimitiveArray::<Float32Type>::from_iter_values(n.iter().copied()).to_data()
            }
            Data::F64(n) => {
                PrimitiveArray::<Float64Type>::from_iter_values(n.iter().copied()).to_data()
            }
        };
        to_ffi(&array).map_err(|error| value(error.to_string()))
    }
}

#[pymethods]
impl Column {
    #[getter]
    fn graph(&self, py: Python<'_>) -> Py<Graph> {
        self.graph.clone_ref(py)
    }

    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.went.to_python(py, self.algorithm)
    }

    #[getter]
    fn dtype(&self) -> &'static str {
        self.values.dtype().name()
    }

    /// Where the numbers are.
    #[getter]
    fn device(&self) -> String {
        match &self.values {
            Values::Host(_) => "cpu".into(),
            Values::Gpu(numbers) => format!("cuda:{}", numbers.ordinal()),
        }
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// The value of a vertex that the user names.
    fn __getitem__<'py>(&self, node: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = node.py();
        let graph = self.graph.get();
        let dense = nodes::are_dense(graph.rows.ids(), graph.nodes.as_ref());
        if dense {
            // Like a list, so that iteration ends.
            let v: isize = node.extract()?;
            let length = self.values.len() as isize;
            let at = if v < 0 { v + length } else { v };
            if !(0..length).contains(&at) {
                return Err(PyIndexError::new_err(format!("there is no vertex {v}")));
            }
            return self.item(py, self.values.host(py)?, at as usize);
        }
        let at = graph.find(node)? as usize;
        self.item(py, self.values.host(py)?, at)
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        each!(self.values.host(py)?, numbers => PyList::new(py, numbers.iter()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.tolist(py)?.call_method0("__iter__")
    }

    #[pyo3(signature = (*, all=false))]
    fn to_dict<'py>(&self, py: Python<'py>, all: bool) -> PyResult<Bound<'py, PyDict>> {
        let graph = self.graph.get();
        let labels = nodes::labels(py, graph.rows.ids(), graph.nodes.as_ref())?;
        let (dict, data) = (PyDict::new(py), self.values.host(py)?);
        for (v, label) in labels.iter().enumerate() {
            if all || !self.kind.is_none(data, v) {
                dict.set_item(label, self.item(py, data, v)?)?;
            }
        }
        Ok(dict)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let numpy = py.import("numpy")?;
        let array = numpy.call_method1("frombuffer", (slf, slf.get().dtype()))?;
        let array = match dtype {
            Some(dtype) => {
                let other = array.getattr("dtype")?.ne(numpy.call_method1("dtype", (dtype,))?)?;
                if other && copy == Some(false) {
                    return Err(value("another dtype needs a copy, but copy=False"));
                }
                let keywords = PyDict::new(py);
                keywords.set_item("copy", false)?;
                array.call_method("astype", (dtype,), Some(&keywords))?
            }
            None => array,
        };
        if copy == Some(true) { array.call_method0("copy") } else { Ok(array) }
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
        dlpack::export(py, &self.values, &request)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device(&self.values)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let (_, schema) = self.arrow(py)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // By the interface, a request that cannot be met is ignored.
        let _ = requested_schema;
        let (array, schema) = self.arrow(py)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    /// # Safety
    /// `view` and `flags` must be those that Python passes to `bf_getbuffer`.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        let data = slf.get().values.host(slf.py())?.clone();
        let layout = Layout::row(data.len(), data.dtype());
        // SAFETY: Python passes a view that may be written. The column, to which the view gets a
        // reference, owns the numbers and never changes them.
        unsafe { layout.fill(view, flags, data.bytes().as_ptr(), slf.into_any()) }
    }

    /// # Safety
    /// `view` must be one that `__getbuffer__` filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: each view is released once.
        unsafe { Layout::free(view) }
    }

    fn __repr__(&self) -> String {
        const SHOWN: usize = 6;
        let (algorithm, length) = (self.algorithm, self.values.len());
        let numbers = match &self.values {
            Values::Host(data) => {
                let shown: Vec<String> = each!(data, numbers => {
                    numbers.iter().take(SHOWN).map(ToString::to_string).collect()
                });
                let rest = if length > SHOWN { ", …" } else { "" };
                format!("[{}{rest}]", shown.join(", "))
            }
            Values::Gpu(numbers) => format!("on cuda:{}", numbers.ordinal()),
        };
        format!("<pregel.Column of {algorithm}: {length} × {} {numbers}>", self.dtype())
    }
}

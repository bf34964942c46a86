//! What the user calls a vertex: numbers, names, or any objects.

use pregel_core::graph::{Id, Ids};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// The user's own objects, in the order of the vertices, and where each is.
#[derive(Debug)]
pub struct Nodes {
    pub list: Py<PyList>,
    pub index: Py<PyDict>,
}

impl Nodes {
    /// Numbers these objects, which must be distinct.
    pub fn new(list: &Bound<'_, PyList>) -> PyResult<Self> {
        let index = PyDict::new(list.py());
        for (v, node) in list.iter().enumerate() {
            index.set_item(node, v)?;
        }
        if index.len() != list.len() {
            let (nodes, distinct) = (list.len(), index.len());
            let text = format!("there are {nodes} nodes, but only {distinct} of them are distinct");
            return Err(crate::errors::value(text));
        }
        Ok(Self { list: list.clone().unbind(), index: index.unbind() })
    }
}

impl Nodes {
    /// The same nodes.
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { list: self.list.clone_ref(py), index: self.index.clone_ref(py) }
    }
}

/// The vertex that the user means.
pub fn find(ids: &Ids, nodes: Option<&Nodes>, node: &Bound<'_, PyAny>) -> PyResult<u32> {
    let py = node.py();
    let found = match nodes {
        Some(nodes) => match nodes.index.bind(py).get_item(node)? {
            Some(v) => Some(v.extract()?),
            None => None,
        },
        None if node.is_instance_of::<PyString>() => ids.find(node.extract::<&str>()?),
        None => match node.extract::<u64>() {
            Ok(number) => ids.find_integer(number),
            Err(_) => None,
        },
    };
    found.ok_or_else(|| {
        let given = node.repr().map_or_else(|_| "it".into(), |repr| repr.to_string());
        PyKeyError::new_err(format!("{given} is not a vertex of the graph"))
    })
}

/// What the user calls a vertex.
pub fn label<'py>(
    py: Python<'py>,
    ids: &Ids,
    nodes: Option<&Nodes>,
    v: u32,
) -> PyResult<Bound<'py, PyAny>> {
    match nodes {
        Some(nodes) => nodes.list.bind(py).get_item(v as usize),
        None => Ok(match ids.get(v) {
            Id::Integer(number) => number.into_pyobject(py)?.into_any(),
            Id::Name(name) => PyString::new(py, name).into_any(),
        }),
    }
}

/// Whether the user calls the vertices 0, 1, 2 and so on.
pub fn are_dense(ids: &Ids, nodes: Option<&Nodes>) -> bool {
    nodes.is_none()
        && (ids.is_empty() || ids.find_integer(u64::from(ids.len()) - 1) == Some(ids.len() - 1))
}

/// The user's names of all vertices.
pub fn labels<'py>(
    py: Python<'py>,
    ids: &Ids,
    nodes: Option<&Nodes>,
) -> PyResult<Bound<'py, PyList>> {
    match nodes {
        Some(nodes) => Ok(nodes.list.bind(py).clone()),
        None => {
            let list = PyList::empty(py);
            for v in 0..ids.len() {
                list.append(label(py, ids, None, v)?)?;
            }
            Ok(list)
        }
    }
}

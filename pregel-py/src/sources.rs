//! Vertices and values of vertices, as the user gives them.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arrays::{Copying, Numbers, take};
use crate::errors::{value, wrong_type};
use crate::graph::Graph;
use pregel_core::graph::Buffer;

/// The vertices in a list.
pub fn vertices(graph: &Graph, nodes: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if nodes.is_instance_of::<PyString>() {
        return Err(wrong_type("expected a list of vertices; for one vertex, a list with it"));
    }
    nodes.try_iter()?.map(|node| graph.find(&node?)).collect()
}

/// A distribution over the vertices: a dictionary of some of them, or an array of all. The
/// result sums to 1.
pub fn distribution(graph: &Graph, given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    let (py, n) = (given.py(), graph.rows.vertex_count() as usize);
    let mut weights = vec![0.0; n];
    if let Ok(dict) = given.cast::<PyDict>() {
        for (node, weight) in dict.iter() {
            weights[graph.find(&node)? as usize] = weight.extract()?;
        }
    } else {
        let array: Buffer<f64> = match Numbers::read(given, name)? {
            Numbers::Empty => Vec::new().into(),
            Numbers::F64(array) => take(py, array, Copying::Always)?,
            Numbers::F32(array) => {
                array.to_vec(py)?.into_iter().map(f64::from).collect::<Vec<_>>().into()
            }
            Numbers::I64(array) => {
                array.to_vec(py)?.into_iter().map(|x| x as f64).collect::<Vec<_>>().into()
            }
            _ => return Err(wrong_type(format!("{name} must hold floats or int64"))),
        };
        if array.len() != n {
            let found = array.len();
            return Err(value(format!("{name} has {found} values, but there are {n} vertices")));
        }
        weights.copy_from_slice(&array);
    }
    if let Some(bad) = weights.iter().find(|w| !(**w >= 0.0 && w.is_finite())) {
        return Err(value(format!("{name} holds {bad}; expected finite weights of 0 or more")));
    }
    let sum: f64 = weights.iter().sum();
    if sum == 0.0 {
        return Err(value(format!("all weights of {name} are 0; at least one must be positive")));
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    Ok(weights)
}

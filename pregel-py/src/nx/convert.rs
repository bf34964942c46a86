//! From dictionaries of dictionaries to rows.

use pregel_core::graph::{Csr, Ids};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use super::not_here;
use crate::errors::value;
use crate::graph::Graph;
use crate::inputs::Values;
use crate::nodes::Nodes;
use crate::run::interruptible;

/// After how many rows or edges signals are handled.
const ASK: usize = 1 << 16;

/// Makes a graph of NetworkX' dictionaries. Rows keep the order of `adjacency`, and vertices that
/// of `nodes`. With an attribute, edges have its values: `int64` if all are integers, otherwise
/// `float64`; `default` stands for those that are missing. If all values are 1, the graph has no
/// weights.
///
/// The rows are those of a directed graph in any case: for an undirected one, each edge is in the
/// rows of both of its ends.
#[pyfunction]
#[pyo3(signature = (nodes, adjacency, multigraph, attribute=None, default=None))]
pub fn nx_graph(
    py: Python<'_>,
    nodes: &Bound<'_, PyDict>,
    adjacency: &Bound<'_, PyDict>,
    multigraph: bool,
    attribute: Option<&Bound<'_, PyString>>,
    default: Option<&Bound<'_, PyAny>>,
) -> PyResult<Graph> {
    let nodes = nodes.keys();
    let index = Index::of(&nodes)?;
    let mut rows = Reader {
        index: &index,
        attribute,
        default: default.map(Weight::read).transpose()?,
        targets: Vec::new(),
        weights: Weights::Ones(0),
    };
    let mut offsets = Vec::with_capacity(nodes.len() + 1);
    offsets.push(0u64);
    let mut asked = 0;
    for node in nodes.iter() {
        let Some(row) = adjacency.get_item(&node)? else {
            return Err(not_here("a node has no adjacency"));
        };
        if multigraph {
            rows.read_keyed(&row)?;
        } else {
            rows.read(&row)?;
        }
        offsets.push(rows.targets.len() as u64);
        let work = offsets.len() + rows.targets.len();
        if work - asked >= ASK {
            asked = work;
            py.check_signals()?;
        }
    }
    let Reader { targets, weights, .. } = rows;
    let nodes = Nodes { list: nodes.unbind(), index: index.dict.unbind() };
    interruptible(py, |_| {
        let rows = Csr::new(offsets.into(), targets.into())?;
        let ids = Ids::range(0, rows.vertex_count());
        Graph::of_rows(true, ids, rows, weights.finish(), Some(nodes))
    })
}

/// Where each node is.
struct Index<'py> {
    dict: Bound<'py, PyDict>,
    /// The same for small integers, from the first on: position + 1, or 0 for none.
    dense: Option<(i64, Vec<u32>)>,
}

impl<'py> Index<'py> {
    fn of(nodes: &Bound<'py, PyList>) -> PyResult<Self> {
        let dict = PyDict::new(nodes.py());
        if u32::try_from(nodes.len()).is_err() {
            return Err(value("there are more nodes than 32 bits can number"));
        }
        let mut integers = Some(Vec::with_capacity(nodes.len()));
        for (v, node) in nodes.iter().enumerate() {
            dict.set_item(&node, v)?;
            match (exact_integer(&node), &mut integers) {
                (Some(number), Some(integers)) => integers.push(number),
                _ => integers = None,
            }
        }
        let dense = integers.and_then(|integers| {
            let (first, last) = (*integers.iter().min()?, *integers.iter().max()?);
            let span = usize::try_from(last.checked_sub(first)?).ok()?;
            if span > 4 * integers.len() + 1024 {
                return None;
            }
            let mut places = vec![0; span + 1];
            for (v, number) in (1..).zip(integers) {
                places[(number - first) as usize] = v;
            }
            Some((first, places))
        });
        Ok(Self { dict, dense })
    }

    fn get(&self, node: &Bound<'py, PyAny>) -> PyResult<u32> {
        if let Some((first, places)) = &self.dense {
            let place = exact_integer(node)
                .and_then(|number| usize::try_from(number.checked_sub(*first)?).ok())
                .and_then(|at| places.get(at));
            if let Some(place @ 1..) = place {
                return Ok(place - 1);
            }
        }
        match self.dict.get_item(node)? {
            Some(v) => v.extract(),
            None => Err(not_here("an edge leads to a node that the graph does not have")),
        }
    }
}

/// The number, if this is an `int` itself and fits 64 bits.
fn exact_integer(object: &Bound<'_, PyAny>) -> Option<i64> {
    if object.is_exact_instance_of::<PyInt>() { object.extract().ok() } else { None }
}

/// A weight.
#[derive(Clone, Copy)]
enum Weight {
    Integer(i64),
    Float(f64),
}

impl Weight {
    fn read(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyFloat>() {
            let float: f64 = object.extract()?;
            if float.is_nan() {
                return Err(not_here("the weight of an edge is not a number"));
            }
            return Ok(Self::Float(float));
        }
        if let Some(number) = exact_integer(object) {
            return Ok(Self::Integer(number));
        }
        if object.is_instance_of::<PyBool>() {
            return Ok(Self::Integer(i64::from(object.is_truthy()?)));
        }
        if object.is_instance_of::<PyFloat>() {
            return Self::read(&PyFloat::new(object.py(), object.extract()?));
        }
        let kind = object.get_type().name()?.to_string();
        Err(not_here(format!(
            "the weight of an edge is of type {kind}, or larger than 64 bits hold; this backend \
             takes int and float"
        )))
    }
}

/// The weights so far.
enum Weights {
    /// This many, which are all 1.
    Ones(usize),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

impl Weights {
    fn push(&mut self, weight: Weight) -> PyResult<()> {
        match (&mut *self, weight) {
            (Self::Ones(count), Weight::Integer(1)) => *count += 1,
            (Self::Integers(integers), Weight::Integer(weight)) => integers.push(weight),
            (Self::Floats(floats), Weight::Float(weight)) => floats.push(weight),
            (Self::Ones(count), Weight::Integer(weight)) => {
                let mut integers = vec![1; *count];
                integers.push(weight);
                *self = Self::Integers(integers);
            }
            (Self::Ones(count), Weight::Float(weight)) => {
                let mut floats = vec![1.0; *count];
                floats.push(weight);
                *self = Self::Floats(floats);
            }
            (Self::Integers(integers), Weight::Float(weight)) => {
                let floats = integers.iter().map(|weight| exact(*weight));
                let mut floats = floats.collect::<PyResult<Vec<f64>>>()?;
                floats.push(weight);
                *self = Self::Floats(floats);
            }
            (Self::Floats(floats), Weight::Integer(weight)) => floats.push(exact(weight)?),
        }
        Ok(())
    }

    fn finish(self) -> Values {
        match self {
            Self::Ones(_) => Values::None,
            Self::Integers(integers) => Values::I64(integers.into()),
            Self::Floats(floats) => Values::F64(floats.into()),
        }
    }
}

/// The integer as a float, which must hold it exactly.
fn exact(integer: i64) -> PyResult<f64> {
    if integer.unsigned_abs() <= 1 << 53 {
        Ok(integer as f64)
    } else {
        Err(not_here("weights are both floats and integers beyond 2**53"))
    }
}

/// Reads rows.
struct Reader<'a, 'py> {
    index: &'a Index<'py>,
    attribute: Option<&'a Bound<'py, PyString>>,
    default: Option<Weight>,
    targets: Vec<u32>,
    weights: Weights,
}

impl<'py> Reader<'_, 'py> {
    /// A dictionary of neighbours and what is known of the edge.
    fn read(&mut self, row: &Bound<'py, PyAny>) -> PyResult<()> {
        for (node, data) in dictionary(row)?.iter() {
            let target = self.index.get(&node)?;
            self.edge(target, &data)?;
        }
        Ok(())
    }

    /// A dictionary of neighbours and, by key, what is known of each edge.
    fn read_keyed(&mut self, row: &Bound<'py, PyAny>) -> PyResult<()> {
        for (node, edges) in dictionary(row)?.iter() {
            let target = self.index.get(&node)?;
            for (_, data) in dictionary(&edges)?.iter() {
                self.edge(target, &data)?;
            }
        }
        Ok(())
    }

    fn edge(&mut self, target: u32, data: &Bound<'py, PyAny>) -> PyResult<()> {
        self.targets.push(target);
        let Some(attribute) = self.attribute else { return Ok(()) };
        let weight = match (dictionary(data)?.get_item(attribute)?, self.default) {
            (Some(weight), _) => Weight::read(&weight)?,
            (None, Some(default)) => default,
            (None, None) => {
                return Err(not_here(format!("an edge has no attribute «{attribute}»")));
            }
        };
        self.weights.push(weight)
    }
}

fn dictionary<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyDict>> {
    object.cast::<PyDict>().map_err(|_| not_here("the graph does not consist of dictionaries"))
}

//! What searches found, as Python's dictionaries and lists.

use pregel_core::engine::Cancel;
use pregel_core::graph::Csr;
use pyo3::BoundObject;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};

use super::search::{Cost, Levels, NONE, Shortest, Stuck, Wanted, breadth_first, dijkstra};
use super::{bidirectional, not_here};
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::run::interruptible;

/// From how many edges on a search runs without the interpreter; before, changing over would
/// take longer than the search.
pub const LONG: u64 = 20_000;

/// Does the work, interruptibly if it may take long.
pub fn compute<T: Send>(
    py: Python<'_>,
    graph: &Graph,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if graph.rows.edge_count() < LONG {
        return Ok(work());
    }
    interruptible(py, |_: &Cancel| Ok::<T, Failure>(work()))
}

/// The nodes of a backend's graph.
pub fn nodes<'py>(py: Python<'py>, graph: &Graph) -> PyResult<Bound<'py, PyList>> {
    match &graph.nodes {
        Some(nodes) => Ok(nodes.list.bind(py).clone()),
        None => Err(value("this graph was not made from one of NetworkX")),
    }
}

/// Breadth-first search from some nodes. `what` says what of it is returned:
///
/// * `lengths`: a dictionary of levels, in the order in which nodes were reached;
/// * `paths`: a dictionary of paths;
/// * `edges`: a list of the edges along which nodes were reached;
/// * `nodes`: a set of the nodes that were reached;
/// * `count`: how many nodes were reached;
/// * `layers`: a list of lists of nodes at the same level;
/// * `path`: the path to `target`, or `None`.
#[pyfunction]
#[pyo3(signature = (graph, sources, what, cutoff=None, target=None))]
pub fn nx_bfs<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    sources: &Bound<'py, PyAny>,
    what: &str,
    cutoff: Option<u32>,
    target: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let graph = graph.get();
    let sources = crate::sources::vertices(graph, sources)?;
    let target = target.map(|target| graph.find(target)).transpose()?;
    let cutoff = cutoff.unwrap_or(u32::MAX);
    let found = compute(py, graph, || breadth_first(graph.rows.out(), &sources, cutoff, target))?;
    let nodes = nodes(py, graph)?;
    let Levels { order, parents, levels } = &found;
    let node = |v: u32| nodes.get_item(v as usize);
    Ok(match what {
        "lengths" => {
            let dict = PyDict::new(py);
            for v in order {
                dict.set_item(node(*v)?, levels[*v as usize])?;
            }
            dict.into_any()
        }
        "paths" => paths(py, &nodes, order, parents)?.into_any(),
        "edges" => {
            let list = PyList::empty(py);
            for v in order.iter().filter(|v| parents[**v as usize] != NONE) {
                list.append(PyTuple::new(py, [node(parents[*v as usize])?, node(*v)?])?)?;
            }
            list.into_any()
        }
        "nodes" => {
            let set = PySet::empty(py)?;
            for v in order {
                set.add(node(*v)?)?;
            }
            set.into_any()
        }
        "layers" => {
            let layers = PyList::empty(py);
            for layer in order.chunk_by(|u, v| levels[*u as usize] == levels[*v as usize]) {
                let layer = layer.iter().map(|v| node(*v)).collect::<PyResult<Vec<_>>>()?;
                layers.append(PyList::new(py, layer)?)?;
            }
            layers.into_any()
        }
        "count" => order.len().into_pyobject(py)?.into_any(),
        "path" => match target {
            Some(target) if levels[target as usize] != NONE => {
                path(py, &nodes, parents, target)?.into_any()
            }
            _ => py.None().into_bound(py),
        },
        other => return Err(value(format!("there is no answer «{other}»"))),
    })
}

/// The path to `target`.
fn path<'py>(
    py: Python<'py>,
    nodes: &Bound<'py, PyList>,
    parents: &[u32],
    target: u32,
) -> PyResult<Bound<'py, PyList>> {
    let back = |v: &u32| Some(parents[*v as usize]).filter(|parent| *parent != NONE);
    let mut vertices: Vec<u32> = std::iter::successors(Some(target), back).collect();
    vertices.reverse();
    let vertices = vertices.iter().map(|v| nodes.get_item(*v as usize));
    PyList::new(py, vertices.collect::<PyResult<Vec<_>>>()?)
}

/// A path for each vertex in `order`, each of which comes behind its parent.
fn paths<'py>(
    py: Python<'py>,
    nodes: &Bound<'py, PyList>,
    order: &[u32],
    parents: &[u32],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let mut made: Vec<Option<Bound<'py, PyList>>> = vec![None; parents.len()];
    for &v in order {
        let node = nodes.get_item(v as usize)?;
        let parent = parents[v as usize];
        let list = match (parent != NONE).then(|| made[parent as usize].clone()).flatten() {
            Some(before) => {
                let list = before.get_slice(0, before.len());
                list.append(&node)?;
                list
            }
            None => PyList::new(py, [&node])?,
        };
        dict.set_item(node, &list)?;
        made[v as usize] = Some(list);
    }
    Ok(dict)
}

/// Shortest paths from the nearest of some nodes, along edges that all have a length of 0 or more.
/// `what` says what of it is returned:
///
/// * `lengths`: a dictionary of distances, nearest nodes first;
/// * `paths`: a dictionary of paths;
/// * `both`: both of them, in a tuple;
/// * `before`: a dictionary of the nodes before each, and one of distances;
/// * `target`: distance of and path to `target`; `None` if there is no path.
#[pyfunction]
#[pyo3(signature = (graph, sources, what, cutoff=None, target=None))]
pub fn nx_dijkstra<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    sources: &Bound<'py, PyAny>,
    what: &str,
    cutoff: Option<&Bound<'py, PyAny>>,
    target: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = graph.get();
    let sources = crate::sources::vertices(inner, sources)?;
    let target = target.map(|target| inner.find(target)).transpose()?;
    let asked = Asked { graph: inner, sources: &sources, what, target };
    match &inner.weights {
        Weights::F64(weighted) => {
            let lengths = weighted.out_values();
            let cutoff = cutoff.map(|cutoff| cutoff.extract::<f64>()).transpose()?;
            asked.answer(py, |edge| lengths[edge], cutoff)
        }
        Weights::I64(weighted) => {
            let lengths = weighted.out_values();
            asked.answer(py, |edge| lengths[edge], cutoff.map(floor).transpose()?)
        }
        Weights::None => asked.answer(py, |_| 1i64, cutoff.map(floor).transpose()?),
        Weights::F32(_) => Err(not_here("weights are float32")),
    }
}

/// The largest integer that is not larger than this number.
fn floor(cutoff: &Bound<'_, PyAny>) -> PyResult<i64> {
    if let Ok(integer) = cutoff.extract::<i64>() {
        return Ok(integer);
    }
    // What exceeds 64 bits becomes the nearest of their integers.
    Ok(cutoff.extract::<f64>()?.floor() as i64)
}

fn explain(stuck: Stuck) -> PyErr {
    match stuck {
        Stuck::Negative => {
            PyValueError::new_err(("Contradictory paths found:", "negative weights?"))
        }
        Stuck::Overflow => not_here("a path is longer than 64 bits hold"),
    }
}

/// What was asked of shortest paths.
struct Asked<'a> {
    graph: &'a Graph,
    sources: &'a [u32],
    what: &'a str,
    target: Option<u32>,
}

impl Asked<'_> {
    fn answer<'py, C>(
        &self,
        py: Python<'py>,
        length: impl Fn(usize) -> C + Send,
        cutoff: Option<C>,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        C: Cost + Send + Sync + IntoPyObject<'py>,
        PyErr: From<C::Error>,
    {
        let (rows, sources, target) = (self.graph.rows.out(), self.sources, self.target);
        let wanted = Wanted { cutoff, target, all_before: self.what == "before" };
        let found = compute(py, self.graph, || dijkstra(rows, length, sources, wanted))?;
        let found = found.map_err(explain)?;
        let Shortest { order, distances, parents, before, seen } = &found;
        let nodes = nodes(py, self.graph)?;
        let distance = |v: u32| -> PyResult<Bound<'py, PyAny>> {
            if parents[v as usize] == NONE {
                // NetworkX begins with the integer, whatever the weights are.
                return Ok(0i64.into_pyobject(py)?.into_any());
            }
            let object = distances[v as usize].into_pyobject(py)?;
            Ok(object.into_any().into_bound())
        };
        let lengths = || -> PyResult<Bound<'py, PyDict>> {
            let dict = PyDict::new(py);
            for v in order {
                dict.set_item(nodes.get_item(*v as usize)?, distance(*v)?)?;
            }
            Ok(dict)
        };
        Ok(match self.what {
            "lengths" => lengths()?.into_any(),
            "paths" => paths(py, &nodes, order, parents)?.into_any(),
            "both" => {
                let paths = paths(py, &nodes, order, parents)?;
                PyTuple::new(py, [lengths()?, paths])?.into_any()
            }
            "before" => {
                let dict = PyDict::new(py);
                for v in seen {
                    let before = before[*v as usize].iter().map(|u| nodes.get_item(*u as usize));
                    let before = PyList::new(py, before.collect::<PyResult<Vec<_>>>()?)?;
                    dict.set_item(nodes.get_item(*v as usize)?, before)?;
                }
                PyTuple::new(py, [dict, lengths()?])?.into_any()
            }
            "target" => match target {
                Some(target) if order.last() == Some(&target) => {
                    let path = path(py, &nodes, parents, target)?.into_any();
                    PyTuple::new(py, [distance(target)?, path])?.into_any()
                }
                _ => py.None().into_bound(py),
            },
            other => return Err(value(format!("there is no answer «{other}»"))),
        })
    }
}

/// A path with the fewest edges between two nodes, found from both ends; `None` if there is none.
/// `back` is the graph with all edges turned round.
#[pyfunction]
pub fn nx_bidirectional<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    back: &Bound<'py, Graph>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let (graph, back) = (graph.get(), back.get());
    let (source, target) = (graph.find(source)?, graph.find(target)?);
    let (rows, back) = (graph.rows.out(), back.rows.out());
    if rows.vertex_count() != back.vertex_count() {
        return Err(value("the two graphs are not the same, turned round"));
    }
    let found = compute(py, graph, || bidirectional::shortest_path(rows, back, source, target))?;
    found.map(|path| named(py, graph, &path)).transpose()
}

/// The nodes at these places.
fn named<'py>(py: Python<'py>, graph: &Graph, path: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let nodes = nodes(py, graph)?;
    let path = path.iter().map(|v| nodes.get_item(*v as usize));
    PyList::new(py, path.collect::<PyResult<Vec<_>>>()?)
}

/// The distance between two nodes and a shortest path, found from both ends; `None` if there is
/// none. `back` is the graph with all edges turned round.
#[pyfunction]
pub fn nx_bidirectional_dijkstra<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    back: &Bound<'py, Graph>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyList>)>> {
    let (graph, back) = (graph.get(), back.get());
    let ends = (graph.find(source)?, graph.find(target)?);
    let rows = [graph.rows.out(), back.rows.out()];
    if rows[0].vertex_count() != rows[1].vertex_count() {
        return Err(value("the two graphs are not the same, turned round"));
    }
    match (&graph.weights, &back.weights) {
        (Weights::F64(there), Weights::F64(back)) => {
            both_ways(py, graph, rows, [there.out_values(), back.out_values()], ends)
        }
        (Weights::I64(there), Weights::I64(back)) => {
            both_ways(py, graph, rows, [there.out_values(), back.out_values()], ends)
        }
        (Weights::None, Weights::None) => {
            let ones = rows.map(|rows| vec![1i64; rows.targets().len()]);
            both_ways(py, graph, rows, [&ones[0], &ones[1]], ends)
        }
        _ => Err(value("the two graphs have different weights")),
    }
}

fn both_ways<'py, C>(
    py: Python<'py>,
    graph: &Graph,
    rows: [&Csr; 2],
    lengths: [&[C]; 2],
    (source, target): (u32, u32),
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyList>)>>
where
    C: Cost + Send + Sync + IntoPyObject<'py>,
    PyErr: From<C::Error>,
{
    let found = compute(py, graph, || {
        let (there, back) = (|edge: usize| lengths[0][edge], |edge: usize| lengths[1][edge]);
        bidirectional::dijkstra(rows, [&there, &back], source, target)
    })?;
    let Some((distance, path)) = found.map_err(explain)? else { return Ok(None) };
    let distance = distance.into_pyobject(py)?.into_any().into_bound();
    Ok(Some((distance, named(py, graph, &path)?)))
}

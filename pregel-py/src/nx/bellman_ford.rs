//! Shortest paths along edges whose lengths may be negative, by the algorithm of Bellman and Ford
//! with a queue, as NetworkX has it.

use std::collections::VecDeque;

use pregel_core::engine::Cancel;
use pregel_core::graph::Csr;
use pyo3::BoundObject;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::answers::{LONG, nodes};
use super::not_here;
use super::search::{Cost, NONE, Stuck, shortest};
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::run::interruptible;

/// What was found.
struct Tree<C> {
    /// The vertices in the order in which they were reached first.
    order: Vec<u32>,
    distances: Vec<C>,
    /// All vertices before each on shortest paths, in the order in which they were met.
    before: Vec<Vec<u32>>,
}

/// Relaxes edges of the vertices in the queue until there is none; a vertex is passed over while
/// one before it waits.
///
/// A negative cycle is found when a vertex enters the queue for the V-th time, or, with
/// `heuristic`, when an edge is relaxed to an end of the edge to which its path owes the most
/// recent gain. O(V · E) at worst.
fn search<C: Cost>(
    rows: &Csr,
    length: impl Fn(usize) -> C,
    source: u32,
    heuristic: bool,
    cancel: &Cancel,
) -> Result<Tree<C>, Stuck> {
    let n = rows.vertex_count() as usize;
    let (mut distances, mut known) = (vec![C::ZERO; n], vec![false; n]);
    let mut before = vec![Vec::new(); n];
    let (mut waiting, mut entered) = (vec![false; n], vec![0u32; n]);
    // The vertex from which each was relaxed last, and the edge to which it owes its gain.
    let (mut relaxed_from, mut gains) = (vec![NONE; n], vec![[NONE; 2]; n]);
    let (mut order, mut queue) = (vec![source], VecDeque::from([source]));
    known[source as usize] = true;
    waiting[source as usize] = true;
    while let Some(u) = queue.pop_front() {
        if cancel.is_cancelled() {
            break;
        }
        let from = u as usize;
        waiting[from] = false;
        if before[from].iter().any(|v: &u32| waiting[*v as usize]) {
            continue;
        }
        let base = distances[from];
        for (v, cost) in shortest(rows, u, &length) {
            let offer = base.plus(cost).ok_or(Stuck::Overflow)?;
            let at = v as usize;
            let shorter = if known[at] { offer < distances[at] } else { offer.is_below_infinity() };
            if shorter {
                if heuristic {
                    if gains[from].contains(&v) {
                        return Err(Stuck::Negative);
                    }
                    gains[at] = if relaxed_from[at] == u { gains[from] } else { [u, v] };
                }
                if !std::mem::replace(&mut waiting[at], true) {
                    queue.push_back(v);
                    entered[at] += 1;
                    if entered[at] as usize == n {
                        return Err(Stuck::Negative);
                    }
                }
                if !std::mem::replace(&mut known[at], true) {
                    order.push(v);
                }
                distances[at] = offer;
                before[at].clear();
                before[at].push(u);
                relaxed_from[at] = u;
            } else if known[at] && offer == distances[at] {
                before[at].push(u);
            }
        }
    }
    Ok(Tree { order, distances, before })
}

/// The first path to `target` that a search back from it finds, which never visits a vertex twice
/// on one path: there may be cycles of length 0.
fn path(before: &[Vec<u32>], source: u32, target: u32, on_path: &mut [bool]) -> Option<Vec<u32>> {
    let mut stack = vec![(target, 0)];
    on_path[target as usize] = true;
    let mut found = None;
    while let Some((v, next)) = stack.last_mut() {
        if *v == source {
            found = Some(stack.iter().rev().map(|(v, _)| *v).collect());
            break;
        }
        match before[*v as usize].get(*next) {
            Some(&u) => {
                *next += 1;
                if !std::mem::replace(&mut on_path[u as usize], true) {
                    stack.push((u, 0));
                }
            }
            None => {
                on_path[*v as usize] = false;
                stack.pop();
            }
        }
    }
    stack.iter().for_each(|(v, _)| on_path[*v as usize] = false);
    found
}

/// Shortest paths from a node, as NetworkX' Bellman–Ford finds them; `None` if there is a negative
/// cycle. `what` says what of it is returned:
///
/// * `lengths`: a dictionary of distances, in the order in which nodes were reached;
/// * `both`: dictionaries of distances and of paths;
/// * `before`: a dictionary of the nodes before each, and one of distances;
/// * `target`: distance of and path to `target`, an empty tuple if there is no path.
#[pyfunction]
#[pyo3(signature = (graph, source, what, heuristic=true, target=None))]
pub fn nx_bellman_ford<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    source: &Bound<'py, PyAny>,
    what: &str,
    heuristic: bool,
    target: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let inner = graph.get();
    let source = inner.find(source)?;
    let target = target.map(|target| inner.find(target)).transpose()?;
    let asked = Asked { graph: inner, source, what, heuristic, target };
    match &inner.weights {
        Weights::F64(weighted) => {
            let lengths = weighted.out_values();
            asked.answer(py, |edge| lengths[edge])
        }
        Weights::I64(weighted) => {
            let lengths = weighted.out_values();
            asked.answer(py, |edge| lengths[edge])
        }
        Weights::None => asked.answer(py, |_| 1i64),
        Weights::F32(_) => Err(not_here("weights are float32")),
    }
}

/// What was asked.
struct Asked<'a> {
    graph: &'a Graph,
    source: u32,
    what: &'a str,
    heuristic: bool,
    target: Option<u32>,
}

impl Asked<'_> {
    fn answer<'py, C>(
        &self,
        py: Python<'py>,
        length: impl Fn(usize) -> C + Send,
    ) -> PyResult<Option<Bound<'py, PyTuple>>>
    where
        C: Cost + Send + Sync + IntoPyObject<'py>,
        PyErr: From<C::Error>,
    {
        let (rows, source) = (self.graph.rows.out(), self.source);
        let found = if self.graph.rows.edge_count() < LONG {
            search(rows, length, source, self.heuristic, &Cancel::new())
        } else {
            interruptible(py, |cancel| {
                Ok::<_, Failure>(search(rows, length, source, self.heuristic, cancel))
            })?
        };
        let Tree { order, distances, before } = match found {
            Ok(tree) => tree,
            Err(Stuck::Negative) => return Ok(None),
            Err(Stuck::Overflow) => return Err(not_here("a path is longer than 64 bits hold")),
        };
        let nodes = nodes(py, self.graph)?;
        let node = |v: u32| nodes.get_item(v as usize);
        let distance = |v: u32| -> PyResult<Bound<'py, PyAny>> {
            if v == source {
                // NetworkX begins with the integer, whatever the weights are.
                return Ok(0i64.into_pyobject(py)?.into_any());
            }
            let object = distances[v as usize].into_pyobject(py)?;
            Ok(object.into_any().into_bound())
        };
        let mut on_path = vec![false; distances.len()];
        let mut path_to = |v: u32| -> PyResult<Bound<'py, PyList>> {
            let Some(vertices) = path(&before, source, v, &mut on_path) else {
                return Err(not_here("no path leads back to the source"));
            };
            PyList::new(py, vertices.into_iter().map(node).collect::<PyResult<Vec<_>>>()?)
        };
        if self.what == "target" {
            let reached = self.target.filter(|target| order.contains(target));
            return Ok(Some(match reached {
                Some(target) => PyTuple::new(py, [distance(target)?, path_to(target)?.into_any()])?,
                None => PyTuple::empty(py),
            }));
        }
        let (lengths, others) = (PyDict::new(py), PyDict::new(py));
        for &v in &order {
            let name = node(v)?;
            lengths.set_item(&name, distance(v)?)?;
            match self.what {
                "lengths" => {}
                "both" => others.set_item(&name, path_to(v)?)?,
                "before" => {
                    let before = before[v as usize].iter().map(|u| node(*u));
                    let before = PyList::new(py, before.collect::<PyResult<Vec<_>>>()?)?;
                    others.set_item(&name, before)?;
                }
                other => return Err(value(format!("there is no answer «{other}»"))),
            }
        }
        Ok(Some(match self.what {
            "before" => PyTuple::new(py, [others, lengths])?,
            _ => PyTuple::new(py, [lengths, others])?,
        }))
    }
}

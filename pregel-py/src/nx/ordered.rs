//! Results whose order a caller of NetworkX sees: strong components as a search completes them, and
//! the edges that a breadth-first search meets, with their kinds.

use pregel_core::graph::Csr;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySet, PyString, PyTuple};

use super::answers::{compute, nodes};
use super::search::NONE;
use crate::graph::Graph;

/// Strong components, each with its vertices, in the order in which a depth-first search completes
/// them: every component follows those that it leads to. O(V + E).
///
/// Source: R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion.
fn strong_components(rows: &Csr) -> Vec<Vec<u32>> {
    const DONE: u32 = NONE - 1;
    let n = rows.vertex_count();
    // When a vertex was met: `NONE` before that, `DONE` once its component is known.
    let mut met = vec![NONE; n as usize];
    let mut low = vec![0; n as usize];
    let (mut clock, mut open, mut components) = (0, Vec::new(), Vec::new());
    // The vertices on the path of the search, and how many edges of each have been followed.
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..n {
        if met[root as usize] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((v, next)) = path.last_mut() {
            let v = *v as usize;
            if *next == 0 && met[v] == NONE {
                (met[v], low[v]) = (clock, clock);
                clock += 1;
                open.push(v as u32);
            }
            let row = rows.row(v as u32);
            let mut child = None;
            while let Some(&w) = row.get(*next) {
                *next += 1;
                match met[w as usize] {
                    NONE => {
                        child = Some(w);
                        break;
                    }
                    DONE => {}
                    time => low[v] = low[v].min(time),
                }
            }
            if let Some(w) = child {
                path.push((w, 0));
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == met[v] {
                let first = open.iter().rposition(|w| *w as usize == v).unwrap_or(0);
                let component = open.split_off(first);
                component.iter().for_each(|w| met[*w as usize] = DONE);
                components.push(component);
            }
        }
    }
    components
}

/// Strong components as sets of nodes, in the order of NetworkX.
#[pyfunction]
pub fn nx_strong_in_order<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
) -> PyResult<Bound<'py, PyList>> {
    let graph = graph.get();
    let found = compute(py, graph, || strong_components(graph.rows.out()))?;
    let nodes = nodes(py, graph)?;
    let sets = PyList::empty(py);
    for component in found {
        let set = PySet::empty(py)?;
        for v in component {
            set.add(nodes.get_item(v as usize)?)?;
        }
        sets.append(set)?;
    }
    Ok(sets)
}

/// What an edge is to a breadth-first search.
#[derive(Clone, Copy)]
enum Label {
    Tree,
    Level,
    Forward,
    Reverse,
}

impl Label {
    fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Level => "level",
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }
}

/// The edges that a breadth-first search meets, in order. Parallel edges, which are next to each
/// other, count once. An undirected graph reports each edge in one direction only.
/// O(V + E).
fn labeled(rows: &Csr, sources: &[u32], directed: bool) -> Vec<(u32, u32, Label)> {
    let n = rows.vertex_count() as usize;
    let (mut levels, mut done) = (vec![NONE; n], vec![false; n]);
    let (mut queue, mut edges) = (Vec::new(), Vec::new());
    for &source in sources {
        if levels[source as usize] == NONE {
            levels[source as usize] = 0;
            queue.push(source);
        }
    }
    let mut next = 0;
    while let Some(&u) = queue.get(next) {
        next += 1;
        let level = levels[u as usize];
        let mut previous = NONE;
        for &v in rows.row(u) {
            if std::mem::replace(&mut previous, v) == v {
                continue;
            }
            let label = match levels[v as usize] {
                NONE => {
                    levels[v as usize] = level + 1;
                    queue.push(v);
                    Label::Tree
                }
                same if same == level => {
                    if done[v as usize] && !directed {
                        continue;
                    }
                    Label::Level
                }
                deeper if deeper > level => Label::Forward,
                _ if directed => Label::Reverse,
                _ => continue,
            };
            edges.push((u, v, label));
        }
        done[u as usize] = true;
    }
    edges
}

/// The edges that a breadth-first search meets, as triples with the name of their kind.
#[pyfunction]
pub fn nx_labeled<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    sources: &Bound<'py, PyAny>,
    directed: bool,
) -> PyResult<Bound<'py, PyList>> {
    let graph = graph.get();
    let sources = crate::sources::vertices(graph, sources)?;
    let found = compute(py, graph, || labeled(graph.rows.out(), &sources, directed))?;
    let nodes = nodes(py, graph)?;
    let list = PyList::empty(py);
    for (u, v, label) in found {
        let (u, v) = (nodes.get_item(u as usize)?, nodes.get_item(v as usize)?);
        // The very strings of NetworkX, which compares them by `is`.
        let label = PyString::intern(py, label.name());
        list.append(PyTuple::new(py, [u, v, label.into_any()])?)?;
    }
    Ok(list)
}

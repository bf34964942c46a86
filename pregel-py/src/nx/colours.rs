//! Greedy colouring, in the order of NetworkX' strategy `largest_first`.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answers::{compute, nodes};
use super::search::NONE;
use crate::graph::Graph;

/// Colours by node. Nodes of a higher degree come first, those of the same in their order; each
/// gets the smallest colour that none of those that its edges lead to has. A self-loop of an
/// undirected graph counts twice in the degree. O(V log V + E).
#[pyfunction]
pub fn nx_greedy_colours<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
    directed: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let graph = graph.get();
    let rows = graph.rows.out();
    let n = rows.vertex_count();
    let (order, colours) = compute(py, graph, || {
        let mut degrees: Vec<u64> = (0..n).map(|v| rows.degree(v)).collect();
        for v in 0..n {
            for &u in rows.row(v) {
                if directed || u == v {
                    degrees[u as usize] += 1;
                }
            }
        }
        let mut order: Vec<u32> = (0..n).collect();
        order.sort_by_key(|v| std::cmp::Reverse(degrees[*v as usize]));
        let mut colours = vec![NONE; n as usize];
        // The vertex that has last seen each colour at one of its neighbours.
        let mut seen_by: Vec<u32> = Vec::new();
        for &v in &order {
            for &u in rows.row(v) {
                if let Some(seen) = seen_by.get_mut(colours[u as usize] as usize) {
                    *seen = v;
                }
            }
            let free = seen_by.iter().position(|seen| *seen != v).unwrap_or(seen_by.len());
            if free == seen_by.len() {
                seen_by.push(NONE);
            }
            colours[v as usize] = free as u32;
        }
        (order, colours)
    })?;
    let nodes = nodes(py, graph)?;
    let dict = PyDict::new(py);
    for v in order {
        dict.set_item(nodes.get_item(v as usize)?, colours[v as usize])?;
    }
    Ok(dict)
}

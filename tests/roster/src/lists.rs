//! Plain adjacency lists, which the oracles work on.

use pregel_core::graph::Graph;
use pregel_core::program::Value;

/// Neighbours and edge values of every vertex, in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists {
    /// Whether edges have a direction.
    pub directed: bool,
    /// For each vertex, the targets of its out-edges with their values.
    pub out: Vec<Vec<(usize, f64)>>,
    /// For each vertex, the sources of its in-edges with their values.
    pub incoming: Vec<Vec<(usize, f64)>>,
}

impl Lists {
    /// The lists of these edges. If they are undirected, each is entered in both
    /// directions, a self-loop once.
    pub fn new(vertices: usize, directed: bool, edges: &[(usize, usize, f64)]) -> Self {
        let mut out = vec![Vec::new(); vertices];
        let mut incoming = vec![Vec::new(); vertices];
        for &(u, v, value) in edges {
            out[u].push((v, value));
            incoming[v].push((u, value));
            if !directed && u != v {
                out[v].push((u, value));
                incoming[u].push((v, value));
            }
        }
        Self { directed, out, incoming }
    }

    /// The lists of a finished graph, read edge by edge from its out-rows.
    pub fn of<E: Value>(graph: &Graph<E>, value: impl Fn(E) -> f64) -> Self {
        let vertices = graph.vertex_count() as usize;
        let mut out = vec![Vec::new(); vertices];
        let mut incoming = vec![Vec::new(); vertices];
        let rows = graph.out();
        for (u, targets) in out.iter_mut().enumerate() {
            for edge in rows.range(u as u32) {
                let v = rows.targets()[edge] as usize;
                let value = value(graph.out_values().get(edge).copied().unwrap_or(E::zeroed()));
                targets.push((v, value));
                incoming[v].push((u, value));
            }
        }
        Self { directed: graph.directed(), out, incoming }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }
}

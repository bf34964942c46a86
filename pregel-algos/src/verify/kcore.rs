//! Properties of core numbers.

use std::format;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};

use super::{Violation, one_each};

/// Whether `numbers` are the core numbers, directions ignored, every edge counted.
///
/// They are not too large if each vertex of number c has c edges to vertices of at least
/// this number. They are not too small if the vertices can be removed in ascending order
/// of their numbers so that each has at most as many edges left as its number says: of any
/// k-core, the vertex that is removed first has k edges left. O(V log V + E).
///
/// # Errors
/// The first [`Violation`].
pub fn numbers<E: Value>(graph: &Graph<E>, numbers: &[u32]) -> Result<(), Violation> {
    one_each(graph, numbers)?;
    let number = |v: VertexId| numbers[v as usize];
    for vertex in 0..graph.vertex_count() {
        let own = number(vertex);
        let inside = neighbours(graph, vertex).filter(|&other| number(other) >= own).count();
        if inside < own as usize {
            let fact = format!("its core number is {own}, but it has degree {inside} there");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    let mut left: Vec<usize> =
        (0..graph.vertex_count()).map(|v| neighbours(graph, v).count()).collect();
    let mut removed = std::vec![false; numbers.len()];
    let mut order: Vec<VertexId> = (0..graph.vertex_count()).collect();
    order.sort_by_key(|&v| number(v));
    for shell in order.chunk_by(|&a, &b| number(a) == number(b)) {
        let level = number(shell[0]);
        let few = |left: &[usize], v: VertexId| left[v as usize] <= level as usize;
        let mut open: Vec<VertexId> = shell.to_vec();
        while let Some(vertex) = open.pop() {
            if removed[vertex as usize] || !few(&left, vertex) {
                continue;
            }
            removed[vertex as usize] = true;
            for other in neighbours(graph, vertex) {
                left[other as usize] -= 1;
                if number(other) == level && few(&left, other) {
                    open.push(other);
                }
            }
        }
        if let Some(&vertex) = shell.iter().find(|&&v| !removed[v as usize]) {
            let fact = format!("its core number is {level}, but it is in a deeper core");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    Ok(())
}

/// The other end of each edge of `vertex`, whatever its direction.
fn neighbours<E: Value>(graph: &Graph<E>, vertex: VertexId) -> impl Iterator<Item = VertexId> + '_ {
    let incoming = if graph.directed() { graph.incoming().row(vertex) } else { &[] };
    graph.out().row(vertex).iter().chain(incoming).copied()
}

//! Properties of strongly connected components.

use std::format;
use std::vec;
use std::vec::Vec;

use pregel_core::graph::{Csr, Graph};
use pregel_core::program::{Value, VertexId};

use super::{Violation, edges, one_each};

/// Whether two vertices have the same label if and only if each reaches the other, and the label
/// is the smallest id in the component.
///
/// The vertex that a label names must have that label, and must reach and be reached by all
/// others of that label, over vertices of that label. Then no component of the labels is too
/// large. None is too small if no cycle of edges leads through several labels: all labels can be
/// removed in such an order that no edge leads to a removed one from one that remains.
///
/// # Errors
/// The first [`Violation`].
pub fn labels<E: Value>(graph: &Graph<E>, labels: &[VertexId]) -> Result<(), Violation> {
    one_each(graph, labels)?;
    for (vertex, &label) in (0..).zip(labels) {
        if label > vertex {
            let fact = match labels.get(label as usize) {
                Some(_) => format!("its label {} is not the smallest id", graph.ids().get(label)),
                None => format!("its label {label} is no vertex"),
            };
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    let sides =
        [(graph.out(), "does not reach it"), (graph.incoming(), "cannot be reached from it")];
    for (rows, lacks) in sides {
        if let Some(vertex) = first_unmet(rows, labels) {
            let label = graph.ids().get(labels[vertex as usize]);
            let fact = format!("its label {label} {lacks} within the component");
            return Err(Violation::vertex(graph, vertex, fact));
        }
    }
    acyclic(graph, labels)
}

/// The first vertex that its label does not reach along these rows over vertices of that label.
fn first_unmet(rows: &Csr, labels: &[VertexId]) -> Option<VertexId> {
    let mut met: Vec<bool> = (0..).zip(labels).map(|(v, label)| *label == v).collect();
    let mut open: Vec<VertexId> =
        (0..).zip(&met).filter(|(_, met)| **met).map(|(v, _)| v).collect();
    while let Some(vertex) = open.pop() {
        for &other in rows.row(vertex) {
            let same = labels[other as usize] == labels[vertex as usize];
            if same && !met[other as usize] {
                met[other as usize] = true;
                open.push(other);
            }
        }
    }
    met.iter().position(|met| !met).map(|vertex| vertex as VertexId)
}

/// Removes labels that no edge leads to from others, and says which edge is left if some remain.
fn acyclic<E: Value>(graph: &Graph<E>, labels: &[VertexId]) -> Result<(), Violation> {
    // The vertices of each label, as a list that begins at the label.
    let mut next = vec![VertexId::MAX; labels.len()];
    for (vertex, &label) in (0..).zip(labels) {
        if label != vertex {
            next[vertex as usize] = next[label as usize];
            next[label as usize] = vertex;
        }
    }
    let mut incoming = vec![0u64; labels.len()];
    for (from, to, _) in edges(graph) {
        let [from, to] = [from, to].map(|v| labels[v as usize]);
        incoming[to as usize] += u64::from(from != to);
    }
    let is_free = |(v, label): (VertexId, &VertexId)| *label == v && incoming[v as usize] == 0;
    let mut open: Vec<VertexId> =
        (0..).zip(labels).filter(|pair| is_free(*pair)).map(|(v, _)| v).collect();
    while let Some(label) = open.pop() {
        let mut vertex = label;
        while (vertex as usize) < labels.len() {
            for &target in graph.out().row(vertex) {
                let other = labels[target as usize];
                if other != label {
                    incoming[other as usize] -= 1;
                    if incoming[other as usize] == 0 {
                        open.push(other);
                    }
                }
            }
            vertex = next[vertex as usize];
        }
    }
    let remains = |v: VertexId| incoming[labels[v as usize] as usize] > 0;
    let joins = |(from, to): (VertexId, VertexId)| {
        labels[from as usize] != labels[to as usize] && remains(from) && remains(to)
    };
    match edges(graph).find(|(from, to, _)| joins((*from, *to))) {
        None => Ok(()),
        Some((from, to, _)) => {
            let [a, b] = [from, to].map(|v| graph.ids().get(labels[v as usize]));
            let fact = format!("it joins the labels {a} and {b}, which lie on or behind a cycle");
            Err(Violation::edge(graph, from, to, fact))
        }
    }
}

//! Rows that must mirror each other, against counting the edges.

use proptest::prelude::*;

use crate::graph::{Csr, CsrError, Graph, Ids};
use crate::program::VertexId;

/// An edge with its value.
type Edge = (VertexId, VertexId, u32);

/// Rows of these edges, each row in the order of the list, and the values.
fn rows(n: u32, edges: &[Edge]) -> (Csr, Vec<u32>) {
    let mut edges = edges.to_vec();
    edges.sort_by_key(|edge| edge.0);
    let starts = |v: u32| edges.partition_point(|edge| edge.0 < v) as u64;
    let offsets: Vec<u64> = (0..=n).map(starts).collect();
    let targets: Vec<u32> = edges.iter().map(|edge| edge.1).collect();
    let csr = Csr::new(offsets.into(), targets.into()).unwrap();
    (csr, edges.iter().map(|edge| edge.2).collect())
}

fn undirected(n: u32, edges: &[Edge]) -> Result<Graph<u32>, CsrError> {
    let (rows, values) = rows(n, edges);
    Graph::new(false, Ids::range(0, n), rows, values.into())
}

fn reversed(edges: &[Edge]) -> Vec<Edge> {
    edges.iter().map(|&(u, v, value)| (v, u, value)).collect()
}

fn same_edges(a: &[Edge], b: &[Edge]) -> bool {
    let [mut a, mut b] = [a.to_vec(), b.to_vec()];
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

#[test]
fn undirected_rows_that_are_not_symmetric_are_refused() {
    let asymmetric = |from, to| Err(CsrError::Asymmetric { from, to });
    let refused = |edges: &[Edge]| undirected(3, edges).map(|_| ());
    // One way only.
    assert_eq!(refused(&[(0, 1, 0)]), asymmetric(1, 0));
    // Every vertex sends as many edges as it receives.
    assert_eq!(refused(&[(0, 1, 0), (1, 2, 0), (2, 0, 0)]), asymmetric(1, 0));
    // More often one way than the other.
    let edges = [(0, 1, 0), (0, 1, 0), (1, 0, 0)];
    assert!(matches!(refused(&edges), Err(CsrError::Asymmetric { .. })));
    let edges = [(0, 1, 0), (1, 0, 0), (1, 0, 0)];
    assert!(matches!(refused(&edges), Err(CsrError::Asymmetric { .. })));
    // Another value the other way.
    assert_eq!(refused(&[(0, 1, 7), (1, 0, 8)]), asymmetric(1, 0));
    // Values of parallel edges may come in any order.
    assert_eq!(refused(&[(0, 1, 7), (0, 1, 8), (1, 0, 8), (1, 0, 7)]), Ok(()));
    assert_eq!(refused(&[(0, 1, 7), (0, 1, 7), (1, 0, 8), (1, 0, 7)]), asymmetric(1, 0));
    // A self-loop is its own mirror image.
    assert_eq!(refused(&[(2, 2, 1), (2, 2, 2), (0, 2, 3), (2, 0, 3)]), Ok(()));
}

/// A few edges, many of them parallel, with few different values.
fn edges(n: u32) -> impl Strategy<Value = Vec<Edge>> {
    prop::collection::vec((0..n, 0..n, 0..2u32), 0..12)
}

/// What may happen to the list of edges: nothing, or another target or value of
/// one of them.
fn change() -> impl Strategy<Value = Option<(usize, VertexId, u32)>> {
    prop::option::of((any::<usize>(), 0..5u32, 0..2u32))
}

fn changed(mut edges: Vec<Edge>, change: Option<(usize, VertexId, u32)>) -> Vec<Edge> {
    if let Some((i, target, value)) = change
        && !edges.is_empty()
    {
        let i = i % edges.len();
        (edges[i].1, edges[i].2) = (target, value);
    }
    edges
}

proptest! {
    #[test]
    fn symmetry_is_what_counting_says(
        half in edges(5), change in change(), sorted: bool, seed in any::<prop::sample::Index>(),
    ) {
        let loops = |edge: &&Edge| edge.0 != edge.1;
        let mut both = half.clone();
        both.extend(reversed(&half.iter().filter(loops).copied().collect::<Vec<_>>()));
        let mut both = changed(both, change);
        if sorted {
            both.sort_by_key(|edge| edge.1);
        } else if !both.is_empty() {
            let middle = seed.index(both.len());
            both.rotate_left(middle);
        }
        let graph = undirected(5, &both);
        prop_assert_eq!(graph.is_ok(), same_edges(&both, &reversed(&both)));
        if let Err(CsrError::Asymmetric { from, to }) = graph.map(|_| ()) {
            let between = |u, v| {
                let mut values: Vec<u32> =
                    both.iter().filter(|e| (e.0, e.1) == (u, v)).map(|e| e.2).collect();
                values.sort_unstable();
                values
            };
            prop_assert_ne!(between(from, to), between(to, from));
        }
    }

    #[test]
    fn undirected_values_stay_symmetric_whatever_they_are_mapped_by(half in edges(5)) {
        let mut both = half.clone();
        both.extend(reversed(&half));
        let graph = undirected(5, &both).unwrap();
        let mapped = graph.map_values(|u, v, value| u * 100 + v * 10 + value);
        for u in 0..5 {
            for (edge, &v) in graph.out().range(u).zip(graph.out().row(u)) {
                let expected = u.min(v) * 100 + u.max(v) * 10 + graph.out_values()[edge];
                prop_assert_eq!(mapped.out_values()[edge], expected);
            }
        }
    }
}

/// Rows long enough for several threads.
#[test]
fn one_wrong_edge_among_many_is_found() {
    let n = 600u32;
    let mut edges: Vec<Edge> = (0..n).flat_map(|u| (0..n).map(move |v| (u, v, u ^ v))).collect();
    assert!(undirected(n, &edges).is_ok());
    let wrong = (n * 300 + 500) as usize;
    edges[wrong].2 += 1;
    assert_eq!(undirected(n, &edges).map(|_| ()), Err(CsrError::Asymmetric { from: 500, to: 300 }));
    edges[wrong] = (300, 501, 300 ^ 501);
    assert!(matches!(undirected(n, &edges), Err(CsrError::Asymmetric { .. })));
}

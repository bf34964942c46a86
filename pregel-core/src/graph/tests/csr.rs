use proptest::prelude::*;

use crate::graph::csr::{first_pair, first_where, row_ends};
use crate::graph::{Csr, CsrError, EdgeList, Graph, GraphBuilder, Ids};

fn csr(offsets: Vec<u64>, targets: Vec<u32>) -> Result<Csr, CsrError> {
    Csr::new(offsets.into(), targets.into())
}

#[test]
fn broken_rows_are_refused() {
    let refused = |offsets, targets| csr(offsets, targets).unwrap_err();
    assert_eq!(refused(vec![], vec![]), CsrError::Offsets { row: 0 });
    assert_eq!(refused(vec![1, 1], vec![0]), CsrError::Offsets { row: 0 });
    assert_eq!(refused(vec![0, 2, 1], vec![0]), CsrError::Offsets { row: 1 });
    assert_eq!(refused(vec![0, 1], vec![0, 0]), CsrError::End { end: 1, edges: 2 });
    assert_eq!(
        refused(vec![0, 1, 2], vec![1, 2]),
        CsrError::Target { edge: 1, target: 2, vertices: 2 }
    );
}

#[test]
fn graphs_refuse_what_does_not_match() {
    let rows = || csr(vec![0, 1], vec![0]).unwrap();
    let refused = |ids, values: Vec<f32>| {
        Graph::new(true, Ids::range(0, ids), rows(), values.into()).unwrap_err()
    };
    assert_eq!(refused(1, vec![]), CsrError::Values { edges: 1, values: 0 });
    assert_eq!(refused(2, vec![1.0]), CsrError::Ids { vertices: 1, ids: 2 });
}

#[test]
fn checks_find_the_first_fault_in_any_chunk() {
    for place in [0, 1, 16_382, 16_383, 16_384, 16_385, 49_998] {
        let mut numbers: Vec<u64> = (0..50_000).collect();
        numbers[place] = u64::MAX;
        assert_eq!(first_where(&numbers, |n| *n == u64::MAX), Some(place));
        assert_eq!(first_pair(&numbers, |a, b| a > b), Some(place));
        numbers[49_999] = u64::MAX;
        assert_eq!(first_where(&numbers, |n| *n == u64::MAX), Some(place));
    }
    let ascending: Vec<u64> = (0..50_000).collect();
    assert_eq!(first_pair(&ascending, |a, b| a > b), None);
    assert_eq!(first_where(&ascending, |n| *n == 50_000), None);
}

#[test]
fn row_ends_pass_32_bits() {
    let most = u64::from(u32::MAX);
    let mut degrees = [most, 0, 1, most, most];
    assert_eq!(row_ends(&mut degrees, 5), 3 * most + 6);
    assert_eq!(degrees, [most + 5, most + 5, most + 6, 2 * most + 6, 3 * most + 6]);
}

/// A list of edges with values that tell them apart.
fn graph() -> impl Strategy<Value = Graph<u32>> {
    (1u32..30).prop_flat_map(|n| {
        prop::collection::vec([0..n, 0..n], 0..150).prop_map(move |edges| {
            let values = (0..edges.len() as u32).collect();
            let list = EdgeList { vertex_count: n, edges, values };
            GraphBuilder::new().with_edge_list(list).build().unwrap()
        })
    })
}

proptest! {
    #[test]
    fn transposing_twice_changes_nothing(graph in graph()) {
        let rows = graph.out();
        let transposed = rows.transpose();
        prop_assert!(rows.is_sorted() && transposed.is_sorted());
        let back = transposed.transpose();
        prop_assert_eq!(back.offsets(), rows.offsets());
        prop_assert_eq!(back.targets(), rows.targets());
    }

    #[test]
    fn values_travel_with_their_edges(graph in graph()) {
        // (source, target) by value; values are distinct.
        let mut by_value = vec![(0, 0); graph.edge_count() as usize];
        for u in 0..graph.vertex_count() {
            for i in graph.out().range(u) {
                by_value[graph.out_values()[i] as usize] = (u, graph.out().targets()[i]);
            }
        }
        let incoming = graph.incoming();
        for v in 0..graph.vertex_count() {
            prop_assert_eq!(
                incoming.degree(v),
                by_value.iter().filter(|(_, target)| *target == v).count() as u64
            );
            for i in incoming.range(v) {
                let value = graph.incoming_values()[i];
                prop_assert_eq!(by_value[value as usize], (incoming.targets()[i], v));
            }
        }
    }

    #[test]
    fn mapped_values_see_their_edges(graph in graph()) {
        let mapped = graph.map_values(|u, v, value| [u, v, value]);
        for u in 0..graph.vertex_count() {
            for i in graph.out().range(u) {
                let expected = [u, graph.out().targets()[i], graph.out_values()[i]];
                prop_assert_eq!(mapped.out_values()[i], expected);
            }
        }
    }
}

#[test]
fn unsorted_symmetric_rows_get_a_transpose_of_their_own() {
    let rows = csr(vec![0, 2, 3, 4], vec![2, 1, 0, 0]).unwrap();
    let graph = Graph::new(false, Ids::range(0, 3), rows, vec![20u32, 10, 10, 20].into()).unwrap();
    let directed = graph.into_directed();
    assert!(directed.directed());
    assert_eq!(directed.incoming().row(0), [1, 2]);
    assert_eq!(directed.incoming_values(), [10, 20, 10, 20]);
}

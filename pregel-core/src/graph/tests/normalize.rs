use crate::graph::{Csr, Graph, Ids, NormalizeError};

/// Vertices 10, 11, 12; 10 → 11, 12, and 11 → 10, 12.
fn graph<E: crate::program::Value>(weights: Vec<E>) -> Graph<E> {
    let rows = Csr::new(vec![0, 2, 4, 4].into(), vec![1, 2, 0, 2].into()).unwrap();
    Graph::new(true, Ids::range(10, 3), rows, weights.into()).unwrap()
}

#[test]
fn weights_become_probabilities() {
    let shares = graph(vec![1.0f32, 3.0, 0.0, 5.0]).normalized().unwrap();
    assert_eq!(shares.out_values(), [0.25, 0.75, 0.0, 1.0]);
    assert_eq!(shares.incoming_values(), [0.0, 0.25, 0.75, 1.0]);
}

#[test]
fn weights_of_zero_become_even_shares() {
    let shares = graph(vec![0.0f64, -0.0, 2.0, 6.0]).normalized().unwrap();
    assert_eq!(shares.out_values(), [0.5, 0.5, 0.25, 0.75]);
}

#[test]
fn extreme_weights_neither_overflow_nor_vanish() {
    let shares = graph(vec![f64::MAX, f64::MAX, 5e-324, 5e-324]).normalized().unwrap();
    assert_eq!(shares.out_values(), [0.5, 0.5, 0.5, 0.5]);
}

#[test]
fn undirected_edges_get_two_probabilities() {
    // The path 0 – 1 – 2 with weights 1 and 3.
    let rows = Csr::new(vec![0, 1, 3, 4].into(), vec![1, 0, 2, 1].into()).unwrap();
    let path = Graph::new(false, Ids::range(0, 3), rows, vec![1.0f32, 1.0, 3.0, 3.0].into());
    let shares = path.unwrap().normalized().unwrap();
    assert!(shares.directed());
    assert_eq!(shares.out_values(), [1.0, 0.25, 0.75, 1.0]);
    assert_eq!(shares.incoming().row(1), [0, 2]);
    assert_eq!(shares.incoming_values(), [0.25, 1.0, 1.0, 0.75]);
}

#[test]
fn impossible_weights_are_refused() {
    for weight in [-1.0, f32::NAN, f32::INFINITY] {
        let error = graph(vec![1.0f32, 1.0, 1.0, weight]).normalized().unwrap_err();
        let NormalizeError::Weight { source_id, target_id, weight: found } = error;
        assert_eq!((source_id.as_str(), target_id.as_str()), ("11", "12"));
        assert_eq!(found.to_bits(), f64::from(weight).to_bits());
    }
}

use crate::graph::{Csr, DegreeStats, Graph, Ids, edge_hash, weight_sum};

fn rows(offsets: Vec<u64>, targets: Vec<u32>) -> Csr {
    Csr::new(offsets.into(), targets.into()).unwrap()
}

#[test]
fn degrees_are_counted() {
    // Degrees 5, 0, 1, 2, 0, 1.
    let rows = rows(vec![0, 5, 5, 6, 8, 8, 9], vec![0; 9]);
    let stats = DegreeStats::of(&rows);
    assert_eq!((stats.min, stats.max, stats.median, stats.isolated), (0, 5, 1, 2));
    assert_eq!(stats.mean, 1.5);
    assert_eq!(stats.histogram, [2, 2, 1, 1]);
    assert_eq!(stats.above_one(), 2);
}

#[test]
fn a_graph_without_vertices_has_no_degrees() {
    let stats = DegreeStats::of(&rows(vec![0], vec![]));
    assert_eq!((stats.min, stats.max, stats.median, stats.isolated), (0, 0, 0, 0));
    assert_eq!(stats.mean, 0.0);
    assert!(stats.histogram.is_empty());
    assert_eq!(stats.above_one(), 0);
}

#[test]
fn hashes_tell_edges_but_not_their_order() {
    let graph = |targets: [u32; 3], weights: [f32; 3]| {
        let rows = rows(vec![0, 2, 3, 3], targets.to_vec());
        Graph::new(true, Ids::range(0, 3), rows, weights.to_vec().into()).unwrap()
    };
    let first = graph([1, 2, 0], [1.0, 2.0, 4.0]);
    assert_eq!(edge_hash(&first), edge_hash(&graph([2, 1, 0], [0.0; 3])));
    assert_ne!(edge_hash(&first), edge_hash(&graph([1, 2, 2], [0.0; 3])));
    assert_eq!(weight_sum(&first), 7);
}

#[test]
fn sums_of_weights_wrap() {
    let weight = (1u64 << 63) as f32;
    let graph = Graph::from_weighted_edges([(0, 1, weight), (1, 0, weight), (1, 1, 5.0)]).unwrap();
    assert_eq!(weight_sum(&graph), 5);
}

//! Every engine and strategy gives the result of an oracle.

use std::collections::VecDeque;

use pregel_core::graph::Graph;
use pregel_testing::{Failure, all_engines, described, small_graphs};

use {{crate}}_programs::{Hops, UNREACHED};

/// The same by a queue: sequential, obvious, and without a vertex program.
fn oracle(graph: &Graph, source: u32, most: u32) -> Vec<u32> {
    let mut hops = vec![UNREACHED; graph.vertex_count() as usize];
    hops[source as usize] = 0;
    let mut queue = VecDeque::from([source]);
    while let Some(vertex) = queue.pop_front() {
        let next = hops[vertex as usize] + 1;
        for &target in graph.out().row(vertex) {
            if hops[target as usize] == UNREACHED && next <= most {
                hops[target as usize] = next;
                queue.push_back(target);
            }
        }
    }
    hops
}

/// Runs on the reference, on the CPU under every strategy and on an emulated GPU; tests the
/// combiner and what the program promises.
#[test]
fn agrees_with_the_oracle() -> Result<(), Failure> {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let source = graph.vertex_count() / 2;
        for most in [2, UNREACHED] {
            let outcome = all_engines(&graph, &Hops { source, most })?;
            assert_eq!(
                outcome.states,
                oracle(&graph, source, most),
                "the engines and the oracle, source {source}, most {most}, on {}",
                described(&graph)
            );
        }
    }
    Ok(())
}

#[test]
fn the_oracle_is_right_by_hand() {
    let graph = Graph::from_edges([(0, 1), (1, 2), (0, 2), (2, 3), (4, 0)]).unwrap();
    assert_eq!(oracle(&graph, 0, UNREACHED), [0, 1, 1, 2, UNREACHED]);
    assert_eq!(oracle(&graph, 0, 1), [0, 1, 1, UNREACHED, UNREACHED]);
}

//! Every engine and strategy against an oracle that knows nothing about engines.
#![allow(missing_docs)]

use pregel_core::engine::{Cpu, Engine, RunError, RunOptions};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_testing::{all_engines, small_graphs};
use widest_path_programs::{UNREACHED, Widest};

/// Adds the edges from the widest to the narrowest, like Kruskal's algorithm, and
/// finds after each width what is reached.
fn oracle(graph: &Graph<f32>, source: u32) -> Vec<f32> {
    let mut widths: Vec<f32> = graph.out_values().to_vec();
    widths.sort_by(|a, b| b.total_cmp(a));
    widths.dedup();
    let mut states = vec![UNREACHED; graph.vertex_count() as usize];
    states[source as usize] = f32::INFINITY;
    for least in widths {
        let mut reached = vec![source];
        let mut seen = vec![false; states.len()];
        seen[source as usize] = true;
        while let Some(v) = reached.pop() {
            for edge in graph.out().range(v) {
                let next = graph.out().targets()[edge] as usize;
                if graph.out_values()[edge] >= least && !seen[next] {
                    seen[next] = true;
                    reached.push(next as u32);
                }
            }
        }
        for (state, seen) in states.iter_mut().zip(seen) {
            if seen && *state == UNREACHED {
                *state = least;
            }
        }
    }
    states
}

/// Compares all engines and strategies with each other and with the oracle, bit for bit.
fn check(graph: &Graph<f32>, source: u32) {
    let outcome = all_engines(graph, &Widest { source }).unwrap();
    let bits = |widths: &[f32]| widths.iter().map(|width| width.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&outcome.states), bits(&oracle(graph, source)));
}

#[test]
fn the_oracle_is_right_by_hand() {
    // 0 → 1 is narrow, 0 → 2 → 1 is wide; nothing leads to 3.
    let edges = [(0, 1, 2.0), (0, 2, 9.0), (2, 1, 5.0), (3, 0, 1.0)];
    let graph = Graph::from_weighted_edges(edges).unwrap();
    let expected = [f32::INFINITY, 5.0, 9.0, UNREACHED];
    assert_eq!(oracle(&graph, 0), expected);
    let outcome = Cpu::new().run(&graph, &Widest { source: 0 }, &RunOptions::default());
    assert_eq!(outcome.unwrap().states, expected);
}

#[test]
fn on_small_graphs_of_every_kind() {
    for graph in small_graphs() {
        check(&graph, graph.vertex_count() / 2);
    }
}

/// With hubs, without, with long ways, and with vertices out of reach.
#[test]
fn on_larger_graphs() {
    for spec in [
        "rmat:scale=7,maxw=40",
        "uniform:n=150,m=400,sym=0,maxw=30",
        "grid:rows=9,cols=14,drop=200,maxw=20",
    ] {
        let spec: Spec = spec.parse().unwrap();
        let graph = spec.weighted().unwrap();
        spec.sources(&graph, 2).into_iter().for_each(|source| check(&graph, source));
    }
}

#[test]
fn nonsense_is_refused() {
    let graph = Graph::from_weighted_edges([(0, 1, f32::NAN)]).unwrap();
    let run = |source| Cpu::new().run(&graph, &Widest { source }, &RunOptions::default()).err();
    assert!(matches!(run(0), Some(RunError::Edge { .. })));
    let graph = "grid:rows=2,cols=2".parse::<Spec>().unwrap().weighted().unwrap();
    let error = Cpu::new().run(&graph, &Widest { source: 4 }, &RunOptions::default()).err();
    assert_eq!(error.unwrap().to_string(), "the source vertex is not in the graph");
}

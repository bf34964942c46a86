//! Every engine and strategy against an oracle that knows nothing about engines.
#![allow(missing_docs)]

use pregel_core::engine::gpu::{Gpu, Images};
use pregel_core::engine::{Cpu, Engine, Reference, RunError, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_emulator::Emulator;
use widest_path_programs::{UNREACHED, Widest};

// The kernels of the program for an emulated GPU.
pregel_emulator::export!(widest: Widest);

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

/// Graphs with hubs, without, with long ways, and with vertices out of reach.
fn graphs() -> Vec<(&'static str, Graph<f32>)> {
    let specs = [
        "rmat:scale=7,maxw=40",
        "uniform:n=150,m=400,sym=0,maxw=30",
        "grid:rows=9,cols=14,drop=200,maxw=20",
    ];
    specs.map(|spec| (spec, spec.parse::<Spec>().unwrap().weighted().unwrap())).into()
}

/// Holds an engine against the oracle, bit for bit.
fn check<E: Engine>(engine: &E, strategies: &[Strategy]) {
    for (spec, graph) in graphs() {
        for source in spec.parse::<Spec>().unwrap().sources(&graph, 2) {
            let expected: Vec<u32> = oracle(&graph, source).iter().map(|w| w.to_bits()).collect();
            for &strategy in strategies {
                let options = RunOptions::default().with_strategy(strategy);
                let states = engine.run(&graph, &Widest { source }, &options).unwrap().states;
                let states: Vec<u32> = states.iter().map(|width| width.to_bits()).collect();
                assert_eq!(states, expected, "{spec} from {source}, {}", strategy.name());
            }
        }
    }
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
fn on_the_cpu() {
    check(&Reference, &[Strategy::Auto]);
    check(&Cpu::new(), &[Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox]);
}

#[test]
fn on_an_emulated_gpu() {
    let images = Images::new().graph(pregel_emulator::graph::KERNELS);
    let images = images.program::<Widest>("widest", widest::KERNELS);
    let strategies = [Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox];
    check(&Gpu::new(Emulator::new(), images), &strategies);
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

//! Strongly connected components, on every engine, and of real graphs.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use pregel_algos::scc::{OPEN, strong_components};
use pregel_algos::verify;
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{Fastest, RunError, StopReason};
use pregel_core::graph::Graph;
use pregel_core::io::{LoadOptions, load};
use pregel_core::prelude::*;
use pregel_emulator::Emulator;
use pregel_roster::phases::check_scc;
use pregel_roster::relay::relay;
use pregel_roster::suite::{Contender, cpu, emulated, reference, rounds};
use pregel_roster::{data, oracle};

#[test]
fn reference_agrees_with_tarjan() {
    check_scc(&reference(Auto), u64::MAX);
}

#[test]
fn cpu_agrees_with_tarjan() {
    for strategy in [Auto, Push, Pull, Mailbox] {
        check_scc(&cpu(2, strategy, false), u64::MAX);
    }
    check_scc(&cpu(4, Auto, true), u64::MAX);
}

#[test]
fn gpu_agrees_with_tarjan() {
    check_scc(&emulated(Auto, false, GpuOptions::default()), 2000);
    check_scc(&emulated(Auto, false, rounds()), 400);
    check_scc(&emulated(Auto, true, GpuOptions::default()), 400);
    for strategy in [Push, Pull, Mailbox] {
        check_scc(&emulated(strategy, false, GpuOptions::default()), 400);
    }
}

#[test]
fn phases_change_hands() {
    check_scc(&relay(cpu(1, Auto, false), cpu(3, Auto, false)), 400);
    let on_gpu = Fastest::new(Some(emulated(Auto, false, GpuOptions::default()).engine))
        .with_gpu_first(true);
    check_scc(&Contender { engine: on_gpu, options: RunOptions::default(), picky: true }, 400);
    let on_cpu = Fastest::<Emulator>::new(None);
    check_scc(&Contender { engine: on_cpu, options: RunOptions::default(), picky: true }, 400);
}

/// Pairs of vertices that lead to each other, each leading to the pair with the next smaller ids.
fn falling_pairs(pairs: u32) -> Graph {
    let inside = (0..pairs).flat_map(|i| [(2 * i, 2 * i + 1), (2 * i + 1, 2 * i)]);
    let between = (1..pairs).map(|i| (2 * i, 2 * i - 2));
    Graph::from_edges(inside.chain(between)).unwrap()
}

#[test]
fn a_chain_of_components_takes_few_rounds() {
    let graph = falling_pairs(2000);
    let found = strong_components(&Cpu::new(), &graph, &RunOptions::default()).unwrap();
    assert!((0..).zip(&found.labels).all(|(v, label)| *label == v / 2 * 2));
    // The vertex with the largest id reaches all others, so with ids as numbers there would be
    // a round for every pair.
    assert!(found.rounds < 50, "{}", found.rounds);
}

#[test]
fn self_loops_do_not_keep_vertices_from_being_trimmed() {
    let path = (0..100).flat_map(|v| [(v, v), (v, v), (v, v + 1)]);
    let graph = Graph::from_edges(path).unwrap();
    for engine in [Cpu::with_threads(1).unwrap(), Cpu::with_threads(2).unwrap()] {
        let found = strong_components(&engine, &graph, &RunOptions::default()).unwrap();
        assert!((0..101).eq(found.labels.iter().copied()));
        assert_eq!(found.rounds, 0);
    }
}

#[test]
fn a_superstep_limit_is_ignored() {
    let graph = falling_pairs(20);
    let options = RunOptions::default().with_max_supersteps(Some(1));
    let found = strong_components(&Reference, &graph, &options).unwrap();
    assert_eq!(found.labels[37..], [36, 38, 38]);
}

#[test]
fn a_run_can_be_cancelled() {
    let graph = falling_pairs(20);
    let options = RunOptions::default().with_observer(|_| ControlFlow::Break(()));
    let found = strong_components(&Cpu::new(), &graph, &options).unwrap();
    assert_eq!((found.stop, found.phases.len()), (StopReason::Cancelled, 1));
    assert!(found.labels.iter().all(|label| *label == OPEN));

    let cancel = pregel_core::engine::Cancel::new();
    cancel.cancel();
    let options = RunOptions::default().with_cancel(cancel);
    let refusal = strong_components(&Cpu::new(), &graph, &options).unwrap_err();
    assert!(matches!(refusal, RunError::Cancelled { .. }), "{refusal}");
}

/// The number of components, and the vertices and edges inside the largest.
fn facts(graph: &Graph, labels: &[VertexId]) -> (usize, usize, usize) {
    let mut sizes = vec![0; labels.len()];
    labels.iter().for_each(|label| sizes[*label as usize] += 1);
    let largest = (0..sizes.len()).max_by_key(|label| sizes[*label]).unwrap();
    let inside = |v: VertexId| labels[v as usize] as usize == largest;
    let edges = (0..graph.vertex_count()).filter(|v| inside(*v));
    let edges = edges.flat_map(|v| graph.out().row(v)).filter(|v| inside(**v)).count();
    (sizes.iter().filter(|size| **size > 0).count(), sizes[largest], edges)
}

#[test]
fn components_of_real_graphs() {
    // The largest components of the first three are published with the graphs (SNAP); the other
    // numbers were counted elsewhere.
    let graphs = [
        ("wiki-Vote/wiki-Vote.txt.gz", None, Some(1300), Some(39_456)),
        ("cit-HepPh/cit-HepPh.txt.xz", None, Some(12_711), Some(139_981)),
        ("soc-Slashdot0902/soc-Slashdot0902.txt.xz", None, Some(71_307), Some(912_381)),
        ("uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz", Some(5504), Some(53_856), None),
        ("road/bremen_dist.gr.xz", Some(722), Some(33_151), None),
        ("road/graph_ballard.gr.xz", Some(322), None, None),
        ("road/south_seattle_car.gr.xz", Some(2946), None, None),
        ("road/graph_23rd.gr", Some(231), None, None),
    ];
    for (file, components, vertices, edges) in graphs {
        let Some(path) = data::path(file) else { continue };
        let loaded = load(&path, &LoadOptions::default()).unwrap();
        let graph = loaded.graph.plain();
        let found = strong_components(&Cpu::new(), &graph, &RunOptions::default()).unwrap();
        let counted = facts(&graph, &found.labels);
        assert_eq!(counted.0, components.unwrap_or(counted.0), "{file}");
        assert_eq!(counted.1, vertices.unwrap_or(counted.1), "{file}");
        assert_eq!(counted.2, edges.unwrap_or(counted.2), "{file}");
        verify::scc::labels(&graph, &found.labels).unwrap();
        let lists = pregel_roster::lists::Lists::of(&graph, |()| 1.0);
        let labels = found.labels.iter().map(|label| *label as usize);
        assert!(labels.eq(oracle::scc::labels(&lists)), "{file}");
        println!("{file}: {counted:?}, {} rounds", found.rounds);
    }
}

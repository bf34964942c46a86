//! The optimisations of pull, under the emulator: they are used when they should be,
//! and results do not depend on them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_core::engine::gpu::{Choice, Costs, Gpu, GpuOptions};
use pregel_core::engine::{
    Engine, Outcome, Reference, RunOptions, Session, StopReason, Strategy, SuperstepReport,
};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{EdgeList, Graph, GraphBuilder};
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;
use pregel_roster::suite::course;

/// Bytes of shared memory that a launch can give each block under the emulator.
const MOST: u32 = 512;

fn emulator() -> Gpu<Emulator> {
    Gpu::new(Emulator::new(), images())
}

/// An engine that copies hot signals on small graphs as well.
fn copying() -> Gpu<Emulator> {
    let mut costs = Costs::default();
    (costs.hot_part, costs.edges_per_hot_signal) = (0.25, 32);
    emulator().with_options(GpuOptions::default().with_costs(costs))
}

fn graph(spec: &str) -> Graph {
    spec.parse::<Spec>().unwrap().plain().unwrap()
}

fn pulled(max_supersteps: u32) -> RunOptions {
    let max_supersteps = Some(max_supersteps);
    RunOptions::default().with_strategy(Strategy::Pull).with_max_supersteps(max_supersteps)
}

fn copies<P: VertexCompute>(outcome: &Outcome<P>) -> u64 {
    outcome.report.device.as_ref().unwrap().copies
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
    }
}

#[test]
fn hot_signals_are_copied_where_most_messages_come_from_few() {
    let rank = PageRank::<f64>::new(0.85, 0.0);
    // Graphs and bytes copied: a power law, and a quarter of the memory is left to the L1 cache;
    // even degrees; too few edges; few enough vertices for all to be hot.
    let cases = [
        ("rmat:scale=9", MOST - MOST / 4),
        ("uniform:n=1000,m=8000", 0),
        ("rmat:scale=5,ef=4", 0),
        ("uniform:n=6,m=1000,dedup=0", 32),
    ];
    for (spec, copied) in cases {
        let (graph, engine) = (graph(spec), copying());
        let options = pulled(4);
        let found = engine.run(&graph, &rank, &options).unwrap();
        let expected = Reference.run(&graph, &rank, &options).unwrap();
        close(&found.states, &expected.states);
        assert_eq!(engine.device().given(), copied, "{spec}");
    }
}

#[test]
fn warps_read_ahead_where_no_group_is_long() {
    /// Shared memory of a block: two heads of 512 bytes for each of its eight warps.
    const HEADS: u32 = 8 * 2 * 512;
    let mut costs = Costs::default();
    costs.even_vertices = 0;
    let options = GpuOptions::default().with_hot(Choice::Never).with_costs(costs);
    let reading_ahead =
        |shared: u32| Gpu::new(Emulator::new().with_shared(shared), images()).with_options(options);
    let rank = PageRank::<f64>::new(0.85, 0.0);
    // Nearly all groups are of one degree, and the last is not full; columns are longer than what is
    // read ahead; degrees differ, and so do those of senders and receivers; hubs.
    let cases = [
        ("grid:rows=61,cols=67,drop=50", true),
        ("lattice:rows=40,cols=45,degree=12", true),
        ("uniform:n=3001,m=5000", true),
        ("uniform:n=3001,m=9000,sym=0", true),
        ("rmat:scale=9", false),
    ];
    for (spec, is_even) in cases {
        let graph = graph(spec);
        for options in [pulled(6), pulled(6).with_deterministic(true)] {
            let (engine, cramped) = (reading_ahead(HEADS), reading_ahead(HEADS - 1));
            let expected = Reference.run(&graph, &rank, &options).unwrap();
            let components = Reference.run(&graph, &Hcc, &options).unwrap();
            for (engine, given) in [(&engine, HEADS), (&cramped, 0)] {
                let found = engine.run(&graph, &rank, &options).unwrap();
                close(&found.states, &expected.states);
                assert_eq!(course(&found.report), course(&expected.report), "{spec}");
                let found = engine.run(&graph, &Hcc, &options).unwrap();
                assert_eq!(found.states, components.states, "{spec}");
                assert_eq!(course(&found.report), course(&components.report), "{spec}");
                assert_eq!(engine.device().given(), if is_even { given } else { 0 }, "{spec}");
            }
        }
    }
}

#[test]
fn deterministic_sums_do_not_depend_on_batches() {
    let (graph, rank) = (graph("rmat:scale=9"), PageRank::<f32>::new(0.85, 0.0));
    let options = pulled(5).with_deterministic(true);
    let bits = |options: &RunOptions| -> Vec<u32> {
        let found = copying().run(&graph, &rank, options).unwrap();
        found.states.iter().map(|state| state.to_bits()).collect()
    };
    assert_eq!(bits(&options), bits(&options));
    // In batches of supersteps, or one at a time.
    let watched = options.clone().with_observer(|_| ControlFlow::Continue(()));
    assert_eq!(bits(&watched), bits(&options));
}

#[test]
fn similar_supersteps_are_queued_in_batches() {
    let (graph, rank) = (graph("rmat:scale=7"), PageRank::<f64>::new(0.85, 0.0));
    let options = pulled(20);
    let found = emulator().run(&graph, &rank, &options).unwrap();
    let expected = Reference.run(&graph, &rank, &options).unwrap();
    close(&found.states, &expected.states);
    assert_eq!(course(&found.report), course(&expected.report));
    assert_eq!(found.report.stop, StopReason::Limit);
    // Superstep 0, then batches of 2, 4, 8 and the remaining 6.
    assert_eq!(copies(&found), 5);
}

#[test]
fn a_batch_ends_when_the_program_has_converged() {
    let (graph, rank) = (graph("rmat:scale=7"), PageRank::<f64>::new(0.85, 1e-4));
    let options = pulled(1).with_max_supersteps(None);
    let found = emulator().run(&graph, &rank, &options).unwrap();
    let expected = Reference.run(&graph, &rank, &options).unwrap();
    close(&found.states, &expected.states);
    assert_eq!(course(&found.report), course(&expected.report));
    assert_eq!(found.report.stop, StopReason::Converged);
    assert!(copies(&found) < u64::from(found.report.supersteps));
}

#[test]
fn a_batch_ends_when_a_vertex_does_not_scatter() {
    for spec in ["rmat:scale=7", "grid:rows=9,cols=9"] {
        let graph = graph(spec);
        let options = pulled(1).with_max_supersteps(None);
        let found = emulator().run(&graph, &Hcc, &options).unwrap();
        let expected = Reference.run(&graph, &Hcc, &options).unwrap();
        assert_eq!(found.states, expected.states);
        assert_eq!(course(&found.report), course(&expected.report), "{spec}");
        assert_eq!(found.report.stop, StopReason::Halted);
    }
}

#[test]
fn vertices_that_scatter_along_no_edge_do_not_run_for_ever() {
    let list = EdgeList { vertex_count: 40, edges: Vec::new(), values: Vec::new() };
    let graph: Graph = GraphBuilder::new().with_edge_list(list).build().unwrap();
    let rank = PageRank::<f64>::new(0.85, 0.0);
    let options = pulled(9);
    let found = emulator().run(&graph, &rank, &options).unwrap();
    let expected = Reference.run(&graph, &rank, &options).unwrap();
    close(&found.states, &expected.states);
    assert_eq!(course(&found.report), course(&expected.report));
}

#[test]
fn an_observer_hears_of_a_superstep_before_the_next() {
    let (graph, rank) = (graph("rmat:scale=7"), PageRank::<f64>::new(0.85, 0.0));
    let heard = Arc::new(Mutex::new(0));
    let count = Arc::clone(&heard);
    let observer = move |step: &SuperstepReport| {
        *count.lock().unwrap() += 1;
        if step.superstep == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = pulled(20).with_observer(observer);
    let found = emulator().run(&graph, &rank, &options).unwrap();
    assert_eq!((found.report.stop, *heard.lock().unwrap()), (StopReason::Cancelled, 4));
    assert_eq!(copies(&found), 4);
}

#[test]
fn several_warps_join_what_hubs_receive() {
    // 70 vertices get messages from most of 2,500 others, so that three groups have parts, and one more
    // gets some from all of them.
    let hubs = (0..70).flat_map(|hub| {
        (0..2500).filter(move |v| (v * 7 + hub * 13) % 9 > 1).map(move |v| (v + 100, hub))
    });
    let graph = Graph::from_edges(hubs.chain((0..2570).map(|v| (v + 101, 90)))).unwrap();
    let rank = PageRank::<f64>::new(0.85, 0.0);
    let options = pulled(5);
    let expected = Reference.run(&graph, &rank, &options).unwrap().states;
    let labels = Reference.run(&graph, &Hcc, &RunOptions::default()).unwrap().states;
    for strategy in [Strategy::Pull, Strategy::Mailbox] {
        for deterministic in [false, true] {
            let engine = emulator();
            let options = options.clone().with_strategy(strategy).with_deterministic(deterministic);
            close(&engine.run(&graph, &rank, &options).unwrap().states, &expected);
            let options = options.with_max_supersteps(None);
            assert_eq!(engine.run(&graph, &Hcc, &options).unwrap().states, labels);
            // In a session counters are left as they were found.
            let mut session = engine.prepare::<Hcc>(&graph, &options).unwrap();
            for _ in 0..2 {
                assert_eq!(session.run(&Hcc).unwrap().states, labels);
            }
        }
    }
}

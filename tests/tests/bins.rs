//! Messages by way of bins, under the emulator.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::pagerank::PageRank;
use pregel_core::engine::gpu::{ByBins, Choice, Gpu, GpuOptions, Way};
use pregel_core::engine::{Engine, Outcome, Reference, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_gpu_kernels::emulator::Emulator;
use pregel_tests::emulated::images;
use pregel_tests::suite::course;
use pregel_tests::test_programs::Chatter;

/// Bytes of shared memory: the least that a bin of doubles needs.
const SHARED: u32 = 40 << 10;

/// Supersteps: superstep 0, a row of two, and what is left.
const SUPERSTEPS: u32 = 7;

fn graph(spec: &str) -> Graph {
    spec.parse::<Spec>().unwrap().plain().unwrap()
}

fn options() -> RunOptions {
    let max_supersteps = Some(SUPERSTEPS);
    RunOptions { strategy: Strategy::Pull, max_supersteps, ..RunOptions::default() }
}

fn engine(bins: Choice) -> Gpu<Emulator> {
    let device = Emulator::new().with_shared(SHARED);
    Gpu::new(device, images()).with_options(GpuOptions::default().with_bins(bins))
}

fn launches<P: VertexCompute>(outcome: &Outcome<P>) -> u64 {
    outcome.report.device.as_ref().unwrap().launches
}

/// Several ranges and bins: hubs in chunks; short rows.
const GRAPHS: [&str; 3] =
    ["rmat:scale=13,ef=3", "uniform:n=11000,m=30000", "grid:rows=80,cols=80,drop=9"];

#[test]
fn sums_are_those_of_a_pull() {
    for spec in GRAPHS {
        let (graph, rank) = (graph(spec), PageRank::<f64>::new(0.85, 0.0));
        let found = engine(Choice::Always).run(&graph, &rank, &options()).unwrap();
        let expected = Reference.run(&graph, &rank, &options()).unwrap();
        for (a, b) in found.states.iter().zip(&expected.states) {
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{spec}: {a} {b}");
        }
        assert_eq!(course(&found.report), course(&expected.report), "{spec}");
        // Two kernels more in each superstep but the first row, and those that cut.
        let plain = engine(Choice::Never).run(&graph, &rank, &options()).unwrap();
        assert!(launches(&found) >= launches(&plain) + 2 * u64::from(SUPERSTEPS - 2), "{spec}");
    }
}

#[test]
fn an_edge_that_keeps_silent_is_noticed() {
    // Nobody; somebody some day; almost everybody.
    for silent in [0, 9973, 2] {
        for spec in GRAPHS {
            let (graph, chatter) = (graph(spec), Chatter { silent });
            let engine = engine(Choice::Always);
            let mut session =
                pregel_core::engine::Engine::prepare::<Chatter>(&engine, &graph, &options())
                    .unwrap();
            let expected = Reference.run(&graph, &chatter, &options()).unwrap();
            // The second run begins with bins; so does one after a silent one.
            for run in 0..2 {
                let found = pregel_core::engine::Session::run(&mut session, &chatter).unwrap();
                assert_eq!(found.states, expected.states, "{spec} {silent} {run}");
                assert_eq!(course(&found.report), course(&expected.report), "{spec} {silent}");
            }
            let all = Chatter { silent: 0 };
            let found = pregel_core::engine::Session::run(&mut session, &all).unwrap();
            let expected = Reference.run(&graph, &all, &options()).unwrap();
            assert_eq!(found.states, expected.states, "{spec} after {silent}");
        }
    }
}

#[test]
fn graphs_too_small_are_pulled_as_ever() {
    for spec in ["rmat:scale=3", "uniform:n=1,m=0", "rmat:scale=9"] {
        let (graph, chatter) = (graph(spec), Chatter { silent: 0 });
        let found = engine(Choice::Always).run(&graph, &chatter, &options()).unwrap();
        let expected = Reference.run(&graph, &chatter, &options()).unwrap();
        assert_eq!(found.states, expected.states, "{spec}");
    }
}

//! A run allocates no more device memory than was planned, and a run whose plan does
//! not fit is refused before anything is allocated.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::cdlp::Cdlp;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, GpuOptions};
use pregel_core::engine::{Engine, Fastest, RunError, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;

/// A power-law graph, which has hubs and padding.
fn graph() -> Graph<f32> {
    "rmat:scale=10".parse::<Spec>().unwrap().weighted().unwrap()
}

fn options(strategy: Strategy) -> RunOptions {
    RunOptions::default().with_strategy(strategy).with_max_supersteps(2)
}

/// Runs the program on a device with this capacity; returns the planned and the
/// allocated bytes.
fn run<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: &P,
    (strategy, layout): (Strategy, GpuOptions),
    capacity: u64,
) -> (Result<u64, RunError>, u64) {
    let engine = Gpu::new(Emulator::with_memory(capacity), images()).with_options(layout);
    let planned = engine.run(graph, program, &options(strategy)).map(|outcome| {
        let device = outcome.report.device.unwrap();
        device.memory.iter().map(|need| need.bytes).sum()
    });
    (planned, engine.device().peak())
}

/// Bytes of sums, counts and lists of chunks, which the plan leaves out.
const SMALL: u64 = 64 << 10;

fn check<P: VertexCompute<Input = ()>>(
    name: &str,
    graph: &Graph<P::Edge>,
    program: &P,
    ways: &[(Strategy, GpuOptions)],
) {
    for &(strategy, layout) in ways {
        let (planned, taken) = run(graph, program, (strategy, layout), 1 << 40);
        let planned = planned.unwrap();
        assert!(taken <= planned + SMALL, "{name}, {strategy:?}: {taken} of {planned} bytes");
        assert!(taken > planned / 2, "{name}, {strategy:?}: only {taken} of {planned} bytes");

        let (refused, taken) = run(graph, program, (strategy, layout), planned / 2);
        assert_eq!(taken, 0, "{name}, {strategy:?}");
        let Err(RunError::TooLarge { needed, free, largest }) = refused else {
            panic!("{name}, {strategy:?} was not refused");
        };
        assert!(needed > free && free == planned / 2, "{needed} of {free}");
        assert!(largest.contains("KiB"), "{largest}");
    }
}

#[test]
fn plans_hold() {
    use Strategy::{Auto, Mailbox, Pull, Push};
    let weighted = graph();
    let plain = weighted.without_values();
    let usual = GpuOptions::default();
    let medusa = (Mailbox, GpuOptions::medusa());
    let by_thread = (Mailbox, GpuOptions::medusa_thread());
    let [auto, mailbox] = [Auto, Mailbox].map(|strategy| (strategy, usual));
    let all = [auto, (Push, usual), (Pull, usual), mailbox, medusa, by_thread];
    check("pagerank", &plain, &PageRank::<f64>::new(0.85, 0.0), &all);
    check("sssp", &weighted, &Sssp { source: 3 }, &all);
    check("cdlp", &plain, &Cdlp, &[auto, mailbox, medusa, by_thread]);
}

#[test]
fn the_plan_of_rounds_by_priority_holds() {
    // Without a superstep limit, with which there are no rounds.
    let (graph, program) = (graph(), Sssp { source: 3 });
    let run = |capacity| {
        let engine = Gpu::new(Emulator::with_memory(capacity), images());
        let ran = engine.run(&graph, &program, &RunOptions::default());
        (ran.map(|outcome| outcome.report.device.unwrap()), engine.device().peak())
    };
    let (device, taken) = run(1 << 40);
    let device = device.unwrap();
    assert!(device.memory.iter().any(|need| need.name == "vertices that wait"));
    let planned: u64 = device.memory.iter().map(|need| need.bytes).sum();
    assert!(taken <= planned + SMALL && taken > planned / 2, "{taken} of {planned} bytes");
    let (refused, taken) = run(planned / 2);
    assert!(matches!(refused, Err(RunError::TooLarge { .. })) && taken == 0);
}

#[test]
fn a_graph_that_does_not_fit_runs_on_the_cpu() {
    let graph = graph();
    let gpu = |capacity| Gpu::new(Emulator::with_memory(capacity), images());
    for (capacity, expected) in [(1 << 30, "cuda"), (1 << 16, "cpu")] {
        let engine = Fastest::new(Some(gpu(capacity))).with_gpu_first(true);
        let outcome = engine.run(&graph, &Sssp { source: 3 }, &options(Strategy::Auto)).unwrap();
        assert_eq!(outcome.report.engine, expected);
    }
}

//! Runs whose reports have the totals alone.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::Gpu;
use pregel_core::engine::{Cpu, Engine, Reference, Report, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;

/// The report of a run, and how many supersteps its observer saw.
fn run<E: Engine, P: VertexCompute<Input = ()>>(
    (engine, strategy): (&E, Strategy),
    graph: &Graph<P::Edge>,
    program: &P,
    totals_only: bool,
) -> (Report, u32) {
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    let options = RunOptions::default()
        .with_strategy(strategy)
        .with_max_supersteps(12)
        .with_totals_only(totals_only)
        .with_observer(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        });
    let report = engine.run(graph, program, &options).unwrap().report;
    (report, seen.load(Ordering::Relaxed))
}

fn check<E: Engine, P: VertexCompute<Input = ()>>(
    engine: &E,
    strategy: Strategy,
    graph: &Graph<P::Edge>,
    program: &P,
) {
    let run = |totals_only| run((engine, strategy), graph, program, totals_only);
    let ((full, seen), (totals, also_seen)) = (run(false), run(true));
    assert_eq!(full.steps.len() as u32, seen);
    assert_eq!(full.steps.iter().map(|step| step.messages).sum::<u64>(), full.messages);
    assert!(seen > 2 && totals.steps.is_empty());
    assert_eq!(
        (totals.supersteps, totals.messages, totals.stop, also_seen),
        (full.supersteps, full.messages, full.stop, seen)
    );
}

#[test]
fn totals_do_not_depend_on_what_is_kept() {
    let spec: Spec = "grid:rows=5,cols=9,maxw=20".parse().unwrap();
    let (plain, weighted) = (spec.plain().unwrap(), spec.weighted().unwrap());
    let (rank, paths) = (PageRank::<f64>::new(0.85, 0.0), Sssp { source: 0 });
    // One thread: several may send more or fewer messages in place.
    let cpu = Cpu::with_threads(1).unwrap();
    let emulated = Gpu::new(Emulator::new(), images());
    check(&Reference, Strategy::Auto, &plain, &rank);
    check(&Reference, Strategy::Auto, &weighted, &paths);
    check(&cpu, Strategy::Auto, &plain, &rank);
    check(&cpu, Strategy::Auto, &weighted, &paths);
    check(&cpu, Strategy::Push, &weighted, &paths);
    check(&emulated, Strategy::Pull, &plain, &rank);
    check(&emulated, Strategy::Pull, &weighted, &paths);
}

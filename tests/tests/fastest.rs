//! The engine that chooses between a GPU and the CPU.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_core::engine::gpu::{Gpu, Images};
use pregel_core::engine::{Engine, Fastest, RunError, RunOptions, Strategy};
use pregel_core::graph::generate::Spec;
use pregel_gpu_kernels::emulator::Emulator;
use pregel_gpu_kernels::graph::KERNELS;
use pregel_tests::emulated::bfs;

/// An engine whose device has the kernels of BFS alone.
fn engine() -> Fastest<Emulator> {
    let images = Images::new().graph(KERNELS).program::<Bfs>("bfs", bfs::KERNELS);
    Fastest::new(Some(Gpu::new(Emulator::new(), images)))
}

#[test]
fn programs_without_kernels_run_on_the_cpu() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let (engine, options) = (engine(), RunOptions::default());

    assert!(engine.refusal::<Bfs>(&graph, &options).is_none());
    let on_gpu = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap();
    assert_eq!(on_gpu.report.engine, "cuda");

    let why = engine.refusal::<BfsTree>(&graph, &options);
    assert!(matches!(why, Some(RunError::NoKernels { .. })), "{why:?}");
    let on_cpu = engine.run(&graph, &BfsTree { source: 0 }, &options).unwrap();
    assert_eq!(on_cpu.report.engine, "cpu");
    let levels: Vec<u32> = on_cpu.states.iter().map(|step| step.level).collect();
    assert_eq!(on_gpu.states, levels);
}

#[test]
fn without_a_gpu_all_runs_on_the_cpu() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let (engine, options) = (Fastest::<Emulator>::new(None), RunOptions::default());
    assert!(engine.refusal::<Bfs>(&graph, &options).is_none());
    let outcome = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap();
    assert_eq!(outcome.report.engine, "cpu");
}

#[test]
fn mistakes_are_not_hidden_by_the_other_engine() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let options = RunOptions::default().with_strategy(Strategy::Medusa);
    assert_eq!(engine().run(&graph, &Bfs { source: 0 }, &options).unwrap().report.engine, "cuda");
    let refused = Fastest::<Emulator>::new(None).run(&graph, &Bfs { source: 0 }, &options);
    assert!(matches!(refused, Err(RunError::Unsupported(_))));
    let nowhere = engine().run(&graph, &Bfs { source: 99 }, &RunOptions::default());
    assert!(matches!(nowhere, Err(RunError::Program { .. })));
}

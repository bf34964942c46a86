//! The engine that chooses between a GPU and the CPU.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::pagerank::PageRank;
use pregel_core::engine::gpu::{Device, Gpu, GpuSession, Images};
use pregel_core::engine::{Engine, Fastest, Placement, RunError, RunOptions, Session, Strategy};
use pregel_core::graph::generate::Spec;
use pregel_emulator::Emulator;
use pregel_emulator::graph::KERNELS;
use pregel_roster::emulated::bfs;

// A session may move to another thread.
const _: () = {
    const fn sends<T: Send>() {}
    sends::<GpuSession<'static, Emulator, Bfs>>();
    sends::<<Fastest<Emulator> as Engine>::Session<'static, Bfs>>();
};

/// An engine whose device has no kernels but those of BFS.
fn engine() -> Fastest<Emulator> {
    Fastest::new(Some(Gpu::new(Emulator::new(), images()))).with_gpu_first(true)
}

fn images() -> Images<pregel_emulator::Kernels> {
    Images::new().graph(KERNELS).program::<Bfs>("bfs", bfs::KERNELS)
}

#[test]
fn programs_without_kernels_run_on_the_cpu() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let (engine, options) = (engine(), RunOptions::default());

    assert_eq!(engine.placement::<Bfs>(&graph, &options), Placement::Gpu);
    let on_gpu = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap();
    assert_eq!(on_gpu.report.engine, "cuda");

    let placement = engine.placement::<BfsTree>(&graph, &options);
    let refused = matches!(placement, Placement::Refused(RunError::NoKernels { .. }));
    assert!(refused, "{placement:?}");
    let on_cpu = engine.run(&graph, &BfsTree { source: 0 }, &options).unwrap();
    assert_eq!(on_cpu.report.engine, "cpu");
    let levels: Vec<u32> = on_cpu.states.iter().map(|step| step.level).collect();
    assert_eq!(on_gpu.states, levels);
}

#[test]
fn kernels_of_others_are_refused() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let options = RunOptions::default();
    let check = |images| {
        let engine = Gpu::new(Emulator::new(), images);
        let prepared = engine.prepare::<Bfs>(&graph, &options).map(drop);
        let checked = engine.check::<Bfs>(&graph, &options);
        assert_eq!(prepared, checked);
        checked
    };
    assert_eq!(check(images()), Ok(()));
    let own = || Images::new().program::<Bfs>("bfs", bfs::KERNELS);
    assert!(matches!(check(own()), Err(RunError::NoKernels { .. })));
    let others = check(own().graph(bfs::KERNELS));
    assert!(matches!(others, Err(RunError::OtherKernels { name: "graph", .. })), "{others:?}");
    let others = check(images().program::<Bfs>("bfs", KERNELS));
    assert!(matches!(others, Err(RunError::OtherKernels { name: "bfs", .. })), "{others:?}");
}

#[test]
fn without_a_gpu_programs_run_on_the_cpu() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let (engine, options) = (Fastest::<Emulator>::new(None), RunOptions::default());
    let eager = engine.clone().with_gpu_first(true);
    assert_eq!(eager.placement::<Bfs>(&graph, &options), Placement::NoGpu);
    assert!(!eager.tries_gpu::<Bfs>(&graph, &options));
    let outcome = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap();
    assert_eq!(outcome.report.engine, "cpu");
}

#[test]
fn nobody_waits_for_a_gpu_that_is_not_worth_it() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let opened = Arc::new(AtomicU32::new(0));
    let counter = opened.clone();
    let engine = Fastest::with_lazy_gpu(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Some(Gpu::new(Emulator::new(), images()))
    });
    let run = |options: &RunOptions| {
        engine.run(&graph, &Bfs { source: 0 }, options).unwrap().report.engine
    };
    let (once, often) = (RunOptions::default(), RunOptions::default().with_expected_runs(u32::MAX));
    let placement = engine.placement::<Bfs>(&graph, &once);
    assert!(matches!(placement, Placement::Sooner { cpu, gpu } if cpu < gpu), "{placement:?}");
    assert_eq!(run(&once), "cpu");
    assert!(!engine.tries_gpu::<Bfs>(&graph, &once));
    assert_eq!(opened.load(Ordering::Relaxed), 0);

    let large = "grid:rows=300,cols=300".parse::<Spec>().unwrap().plain().unwrap();
    assert!(engine.tries_gpu::<Bfs>(&large, &often));
    assert_eq!(engine.placement::<Bfs>(&large, &often), Placement::Gpu);
    assert_eq!(engine.placement::<Bfs>(&large, &often), Placement::Gpu);
    assert_eq!(opened.load(Ordering::Relaxed), 1);
    let eager = engine.clone().with_gpu_first(true);
    let outcome = eager.run(&graph, &Bfs { source: 0 }, &once).unwrap();
    assert_eq!(outcome.report.engine, "cuda");
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

#[test]
fn errors_are_not_hidden_by_falling_back() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let options = RunOptions::default().with_strategy(Strategy::Push).with_deterministic(true);
    let refused = engine().run(&graph, &PageRank::<f64>::new(0.85, 0.0), &options);
    assert!(matches!(refused, Err(RunError::Unsupported(_))));
    for delta in [0.0, -1.0, f32::NAN] {
        let options = RunOptions::default().with_delta(delta);
        let refused = engine().run(&graph, &Bfs { source: 0 }, &options);
        assert!(matches!(refused, Err(RunError::Unsupported(_))), "{delta}");
    }
    let nowhere = engine().run(&graph, &Bfs { source: 99 }, &RunOptions::default());
    assert!(matches!(nowhere, Err(RunError::Program { .. })));
}

#[test]
fn a_run_whose_memory_somebody_else_took_goes_to_the_cpu() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let gpu = Gpu::new(Emulator::with_memory(1 << 20), images());
    let engine = Fastest::new(Some(gpu)).with_gpu_first(true);
    // The rows to push along are laid out when they are needed first.
    let options = RunOptions::default().with_strategy(Strategy::Push);
    let program = Bfs { source: 0 };
    let expected = engine.run(&graph, &program, &options).unwrap();
    assert_eq!(expected.report.engine, "cuda");

    let device = engine.gpu().unwrap().device();
    let mut session = engine.prepare::<Bfs>(&graph, &options).unwrap();
    let taken = device.allocate(device.memory().unwrap().free).unwrap();
    let outcome = session.run(&program).unwrap();
    assert_eq!((outcome.report.engine, outcome.states), ("cpu", expected.states.clone()));
    // What was on the GPU is free again, and the session stays where it is.
    drop(taken);
    assert_eq!(device.memory().unwrap().free, 1 << 20);
    assert_eq!(session.run(&program).unwrap().report.engine, "cpu");
    assert!(matches!(session.run(&Bfs { source: 99 }), Err(RunError::Program { .. })));
}

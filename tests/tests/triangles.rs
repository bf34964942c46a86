//! Triangles on the emulated GPU equal those of the oracle and of the CPU, whatever part of the
//! credits a warp collects.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;

use pregel_core::engine::gpu::{Gpu, Images};
use pregel_core::engine::{
    CountTriangles, Cpu, LocalClustering, RunError, Solve, SolveOptions, StopReason,
};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{Duplicates, Graph, GraphBuilder};
use pregel_emulator::Emulator;
use pregel_emulator::graph::KERNELS;
use pregel_roster::short_cuts::fan;
use pregel_roster::triangles::compare;
use pregel_roster::zoo::{ZOO, zoo};

/// An emulated GPU, where a launch can give a block this many bytes of shared memory.
fn gpu(shared: u32) -> Gpu<Emulator> {
    Gpu::new(Emulator::with_memory(1 << 40).with_shared(shared), Images::new().graph(KERNELS))
}

/// Compares every graph, in as many runs, on such an engine.
fn every_graph(shared: u32, runs: u32) {
    let (engine, cases) = (gpu(shared), zoo());
    assert_eq!(cases.len(), ZOO);
    cases.iter().for_each(|case| compare(&engine, case, runs));
    assert!(engine.device().given() <= shared);
}

#[test]
fn of_every_graph_with_the_least_window() {
    every_graph(2 << 10, 1);
}

#[test]
fn of_every_graph_with_a_window_that_is_no_multiple_of_a_warp() {
    every_graph(45 * 64, 1);
}

/// Twice, since a run must not change the solver.
#[test]
fn of_every_graph_with_the_window_of_a_device() {
    every_graph(48 << 10, 2);
}

#[test]
fn of_rows_around_the_window() {
    for directed in [true, false] {
        let least = gpu(2 << 10);
        for window in [32, 64] {
            (window - 3..window + 3).for_each(|blades| compare(&least, &fan(blades, directed), 2));
        }
    }
    let full = gpu(48 << 10);
    compare(&full, &fan(479, true), 2);
    compare(&full, &fan(481, false), 2);
    assert_eq!(full.device().given(), 16 << 10);
}

#[test]
fn one_launch_and_one_copy_of_the_counts() {
    let graph = "rmat:scale=8".parse::<Spec>().unwrap().plain().unwrap();
    let found = gpu(48 << 10).solve(CountTriangles, &graph, &SolveOptions::default()).unwrap();
    let device = found.report.device.unwrap();
    assert_eq!((device.launches, device.copies), (1, 1));
    let empty = Graph::<()>::from_edges([(0, 0)]).unwrap();
    let found = gpu(48 << 10).solve(CountTriangles, &empty, &SolveOptions::default()).unwrap();
    assert_eq!((found.answer.total, found.answer.of_vertices), (0, vec![0]));
    assert_eq!(found.report.device.unwrap().launches, 0);
}

#[test]
fn an_observer_hears_of_one_pass_that_is_done() {
    let graph = "rmat:scale=8,sym=0".parse::<Spec>().unwrap().plain().unwrap();
    let options = SolveOptions::default();
    let expected = Cpu::new().solve(LocalClustering, &graph, &options).unwrap().answer;
    assert!(expected.triangles > 0);
    let options = options.with_observer(|_| ControlFlow::Break(()));
    let found = gpu(48 << 10).solve(LocalClustering, &graph, &options).unwrap();
    assert_eq!((found.report.stop, found.report.passes.len()), (StopReason::Cancelled, 1));
    assert_eq!(found.answer, expected);
}

#[test]
fn blocks_with_little_shared_memory_are_refused() {
    let graph = "grid:rows=3,cols=3".parse::<Spec>().unwrap().plain().unwrap();
    let (small, options) = (gpu((2 << 10) - 1), SolveOptions::default());
    let refusals = [
        small.can_solve(CountTriangles, &graph).unwrap_err(),
        small.solve(CountTriangles, &graph, &options).unwrap_err(),
        small.solve(LocalClustering, &graph, &options).unwrap_err(),
    ];
    for refusal in refusals {
        assert!(matches!(refusal, RunError::DeviceLimit(_)), "{refusal}");
    }
}

#[test]
fn pairs_are_counted_where_edges_would_not_fit() {
    // Every edge in both directions, twice: a quarter as many pairs.
    let edges = (0..1000).flat_map(|v| [(v, v + 1), (v + 1, v), (v, v + 1), (v + 1, v)]);
    let builder = GraphBuilder::new().with_directed(true);
    let builder = builder.with_duplicates(Duplicates::Keep);
    let graph = builder.with_edges(edges).build().unwrap();
    let options = SolveOptions::default();
    let found = gpu(48 << 10).solve(LocalClustering, &graph, &options).unwrap();
    let needed: u64 = found.report.device.unwrap().memory.iter().map(|need| need.bytes).sum();
    let fits = |bytes| {
        let emulator = Emulator::with_memory(bytes).with_shared(48 << 10);
        let engine = Gpu::new(emulator, Images::new().graph(KERNELS));
        let verdict = engine.can_solve(LocalClustering, &graph);
        assert_eq!(engine.solve(LocalClustering, &graph, &options).map(drop), verdict);
        verdict
    };
    assert_eq!(fits(needed), Ok(()));
    let refusal = fits(needed - 1).unwrap_err();
    assert!(matches!(refusal, RunError::TooLarge { .. }), "{refusal}");
}

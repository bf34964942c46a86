//! Compares the GPU engine on a real GPU with the reference: every program of the
//! roster with every strategy and layout on the zoo, and with every strategy on large
//! and real graphs. Compares components by union-find, clustering coefficients and triangles,
//! strong components, betweenness and searches by queues with their oracles, hands runs from
//! engine to engine after every superstep, and cancels long ones.
//! `PREGEL_REPEAT` repeats each of them; see [`pregel_roster::suite::Extent`].
#![allow(clippy::unwrap_used)]

use std::thread;
use std::time::{Duration, Instant};

use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::gpu::{
    Choice, Costs, Cuda, EventKind, GpuOptions, LaunchSize, Mapping, Sort,
};
use pregel_core::engine::{
    Cancel, ConnectedComponents, CountTriangles, Cpu, Engine, LocalClustering, Problem, Run,
    RunError, RunOptions, Session, Solution, Solve, SolveOptions, Solver,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_roster::conformance;
use pregel_roster::gpu::{engine, gpu};
use pregel_roster::phases::{check as check_phases, check_scc};
use pregel_roster::queues::check as check_queues;
use pregel_roster::relay::relay;
use pregel_roster::short_cuts::{fan, judge, judge_clustering, judge_triangles, long_rows};
use pregel_roster::suite::{Extent, as_large, cpu, rounds};
use pregel_roster::zoo::{Case, generated, large_graphs, zoo};

// No contender leaves hubs unsplit on large graphs: one thread would read a million
// messages in every superstep.

/// The default options.
fn default() -> GpuOptions {
    GpuOptions::default()
}

/// Resident launches and rounds by priority, each forced or turned off.
fn forced(resident: Choice, priority: Choice) -> GpuOptions {
    default().with_resident(resident).with_priority(priority)
}

/// The layout of the thesis, with few regions.
fn thesis() -> GpuOptions {
    GpuOptions::thesis(10)
}

/// Binned messages. Those of the first range are handled separately if they are at
/// least this share of all, and those of further ranges where that pays; all that can be if
/// the share is 0.
fn bins(hub_share: f64) -> GpuOptions {
    let mut costs = Costs::default();
    (costs.exchanged_ns, costs.rest_ns) = (f64::INFINITY, f64::INFINITY);
    (costs.hub_share, costs.hub_range_ns) =
        (hub_share, if hub_share > 0.0 { 20_000.0 } else { 0.0 });
    default().with_bins(Choice::Always).with_costs(costs)
}

/// Messages exchanged, those of hubs handled separately as above.
fn exchange(hub_share: f64) -> GpuOptions {
    let mut costs = Costs::default();
    (costs.binned_ns, costs.rest_ns, costs.hub_share) = (f64::INFINITY, f64::INFINITY, hub_share);
    default().with_bins(Choice::Always).with_costs(costs)
}

/// Messages of hubs handled separately as far as that pays, all others pulled.
fn rest() -> GpuOptions {
    let mut costs = Costs::default();
    (costs.exchanged_ns, costs.binned_ns) = (f64::INFINITY, f64::INFINITY);
    costs.hub_share = 0.0;
    default().with_bins(Choice::Always).with_costs(costs)
}

/// Resident rounds in which warps gather what they list, as on a large graph.
fn bulk() -> GpuOptions {
    let mut costs = Costs::default();
    (costs.bulk_vertices, costs.ahead) = (0, 0);
    forced(Choice::Always, Choice::Always).with_costs(costs)
}

/// Regions of equal width, with split hubs.
fn linear() -> GpuOptions {
    default().with_sort(Sort::Approximate { mapping: Mapping::Linear, regions: 1000 })
}

conformance! { whole:
    auto: gpu(Auto, false, default());
    auto_hosted: gpu(Auto, false, default().with_resident(Choice::Never).with_hot(Choice::Always));
    auto_as_large: gpu(Auto, false, as_large());
    auto_resident: gpu(Auto, false, forced(Choice::Always, Choice::Never));
    auto_rounds: gpu(Auto, false, forced(Choice::Never, Choice::Always));
    auto_resident_rounds: gpu(Auto, false, forced(Choice::Always, Choice::Always));
    auto_bulk_rounds: gpu(Auto, false, bulk());
    auto_deterministic: gpu(Auto, true, default());
    push: gpu(Push, false, default());
    push_fixed: gpu(Push, false, default().with_push(LaunchSize::Threads(512)));
    pull: gpu(Pull, false, default());
    pull_deterministic: gpu(Pull, true, default());
    pull_bins: gpu(Pull, false, bins(2.0));
    pull_apart: gpu(Pull, false, bins(0.0));
    pull_exchange: gpu(Pull, false, exchange(2.0));
    pull_exchange_apart: gpu(Pull, false, exchange(0.0));
    pull_rest: gpu(Pull, false, rest());
    pull_as_large: gpu(Pull, false, as_large());
    pull_linear: gpu(Pull, false, linear());
    pull_linear_deterministic: gpu(Pull, true, linear());
    pull_exact: gpu(Pull, false, default().with_sort(Sort::Exact));
    pull_unsorted: gpu(Pull, false, default().with_sort(Sort::None));
    mailbox: gpu(Mailbox, false, default());
    mailbox_deterministic: gpu(Mailbox, true, default());
    mailbox_thesis: gpu(Mailbox, false, thesis());
    mailbox_unsorted: gpu(Mailbox, false, default().with_sort(Sort::None));
    mailbox_rows: gpu(Mailbox, false, default().with_group(1));
    mailbox_rows_unsorted: gpu(Mailbox, false, default().with_group(1).with_sort(Sort::None));
    medusa: gpu(Mailbox, false, GpuOptions::medusa());
    medusa_thread: gpu(Mailbox, false, GpuOptions::medusa_thread());
    medusa_deterministic: gpu(Mailbox, true, GpuOptions::medusa());
}

conformance! { large:
    large_auto: gpu(Auto, false, default());
    large_auto_deterministic: gpu(Auto, true, default());
    large_push: gpu(Push, false, default());
    large_pull: gpu(Pull, false, default());
    large_pull_bins: gpu(Pull, false, bins(0.25));
    large_mailbox: gpu(Mailbox, false, default());
    large_medusa: gpu(Mailbox, false, GpuOptions::medusa());
}

conformance! { sampled:
    turns_with_cpu: relay(gpu(Auto, false, rounds()), cpu(2, Auto, false));
    turns_with_gpu: relay(gpu(Auto, true, default()), gpu(Mailbox, true, default()));
}

#[test]
fn phases() {
    let Extent { max_edges, .. } = Extent::from_environment();
    for strategy in [Auto, Push, Pull, Mailbox] {
        check_phases(&gpu(strategy, false, default()), max_edges);
    }
    check_phases(&gpu(Auto, true, default()), max_edges);
    check_phases(&relay(gpu(Auto, false, default()), cpu(2, Auto, false)), max_edges.min(2000));
}

#[test]
fn strong_components() {
    let Extent { max_edges, .. } = Extent::from_environment();
    for strategy in [Auto, Push, Pull, Mailbox] {
        check_scc(&gpu(strategy, false, default()), max_edges);
    }
    check_scc(&gpu(Auto, false, rounds()), max_edges);
    check_scc(&relay(gpu(Auto, false, default()), cpu(2, Auto, false)), max_edges.min(2000));
}

/// Cancels a long run 300 ms after its first 100 supersteps.
fn cancels<P: VertexCompute<Input = ()>>(spec: &str, graph: &Graph<P::Edge>, program: &P) {
    let cancel = Cancel::new();
    let options = RunOptions::default().with_cancel(cancel.clone());
    let engine = engine();
    let mut session = engine.prepare::<P>(graph, &options).unwrap_or_else(|e| panic!("{e}"));
    // Loads the kernels, which is not part of the time measured.
    let mut run = session.start(program, &[]).unwrap_or_else(|e| panic!("{e}"));
    let progress = run.advance(100).unwrap_or_else(|e| panic!("{e}"));
    assert!(!progress.has_ended(), "{spec} is too short");
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        cancel.cancel();
        Instant::now()
    });
    let error = run.advance_to_end().err();
    let took = canceller.join().map(|at| at.elapsed()).unwrap_or_default();
    let Some(RunError::Cancelled { superstep }) = error else { panic!("{spec}: {error:?}") };
    println!("{spec}: cancelled in superstep {superstep} after {took:?}");
    assert!(took < Duration::from_secs(1), "{spec}: it took {took:?}");
}

#[test]
fn large_runs_are_cancelled_within_a_second() {
    fn spec(text: &str) -> Spec {
        text.parse().unwrap_or_else(|e| panic!("{e}"))
    }
    let [power_law, path] = ["rmat:scale=22", "grid:rows=1,cols=4000000"];
    let plain = |text| spec(text).plain().unwrap_or_else(|e| panic!("{e}"));
    cancels(power_law, &plain(power_law), &PageRank::<f32>::new(0.85, 0.0));
    // Hcc runs in resident supersteps, Sssp in rounds.
    cancels(path, &plain(path), &Hcc);
    let weighted = spec(path).weighted().unwrap_or_else(|e| panic!("{e}"));
    cancels(path, &weighted, &Sssp { source: 0 });
}

/// Compares components by union-find with the oracle.
fn check_components(cases: &[Case]) {
    let (engine, Extent { repeats, max_edges }) = (engine(), Extent::from_environment());
    for case in cases.iter().filter(|case| case.graph.edge_count() <= max_edges) {
        let session =
            engine.prepare_solver(ConnectedComponents, &case.graph, &SolveOptions::default());
        let mut session = session.unwrap_or_else(|e| panic!("{}: {e}", case.name));
        // At least twice, since a run must not change the session.
        for _ in 0..repeats.max(2) {
            let found = session.run().unwrap_or_else(|e| panic!("{}: {e}", case.name));
            judge(case, &found);
        }
    }
}

#[test]
fn components() {
    check_components(&zoo());
    check_components(&long_rows());
}

#[test]
fn large_components() {
    check_components(large_graphs());
}

#[test]
fn a_recording_has_kernels_copies_and_waits() {
    // An engine of its own, since a device is recorded to its end.
    let engine = Cuda::open(0, pregel_algos::images()).unwrap();
    assert!(engine.device().recording().unwrap().is_none());
    engine.device().record().unwrap();
    let graph: Graph = "rmat:scale=12".parse::<Spec>().unwrap().plain().unwrap();
    let report = engine.run(&graph, &Hcc, &RunOptions::default()).unwrap().report;
    let recording = engine.device().recording().unwrap().unwrap();
    let launches = report.device.map(|device| device.launches).unwrap();

    let of = |kind| recording.events.iter().filter(move |event| event.kind == kind);
    assert!(of(EventKind::Kernel).count() as u64 >= launches);
    for kind in [EventKind::Load, EventKind::Write, EventKind::Read, EventKind::Wait] {
        assert!(of(kind).count() > 0, "{kind:?}");
    }
    let prepared = of(EventKind::Part).any(|event| event.name == "prepare hcc");
    assert!(prepared && of(EventKind::Part).any(|event| event.name == "superstep 0"));
    let mut before = Duration::ZERO;
    for event in &recording.events {
        assert!(event.host.start <= event.host.end);
        assert_eq!(
            event.device.is_none(),
            matches!(event.kind, EventKind::Part | EventKind::Load | EventKind::Wait),
            "{event:?}"
        );
        // One after another, up to the resolution of the driver's clock.
        if let Some(device) = &event.device {
            let slack = Duration::from_micros(2);
            assert!(device.start + slack >= before && device.start <= device.end, "{event:?}");
            before = device.end;
        }
    }
}

#[test]
fn queues() {
    let Extent { max_edges, .. } = Extent::from_environment();
    for mut cases in [zoo(), long_rows()] {
        cases.retain(|case| case.graph.edge_count() <= max_edges);
        check_queues(&engine(), &cases);
    }
}

/// Compares what is found with the CPU's answer, bit for bit, and judges it.
fn check_like_cpu<Q: Problem>(
    problem: Q,
    cases: &[Case],
    judge: impl Fn(&Case, &Solution<Q::Answer>),
) where
    Q::Answer: PartialEq,
    Cpu: Solve<Q>,
    Cuda: Solve<Q>,
{
    let (engine, Extent { repeats, max_edges }) = (engine(), Extent::from_environment());
    for case in cases.iter().filter(|case| case.graph.edge_count() <= max_edges) {
        let Case { name, graph, .. } = case;
        let options = SolveOptions::default();
        let expected = Cpu::new().solve(problem, graph, &options);
        let expected = expected.unwrap_or_else(|e| panic!("{name}: {e}")).answer;
        let session = engine.prepare_solver(problem, graph, &options);
        let mut session = session.unwrap_or_else(|e| panic!("{name}: {e}"));
        // At least twice, since a run must not change the session.
        for _ in 0..repeats.max(2) {
            let found = session.run().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(found.answer == expected, "{name}");
            judge(case, &found);
        }
    }
}

#[test]
fn triangles() {
    // Also rows around a warp, and around its window.
    let fans = [fan(31, true), fan(33, false), fan(479, true), fan(481, false), fan(700, true)];
    let small = zoo();
    check_like_cpu(LocalClustering, &small, judge_clustering);
    check_like_cpu(CountTriangles, &small, |case, found| judge_triangles(case, &found.answer));
    check_like_cpu(LocalClustering, &fans, |_, _| ());
    check_like_cpu(CountTriangles, &fans, |_, _| ());
}

#[test]
fn large_triangles() {
    check_like_cpu(LocalClustering, large_graphs(), |_, _| ());
    check_like_cpu(CountTriangles, large_graphs(), |_, _| ());
    // Long rows, of which there are few in the others.
    check_like_cpu(LocalClustering, &[generated("rmat:scale=16,sym=0")], |_, _| ());
}

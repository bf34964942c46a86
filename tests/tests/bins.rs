//! Binned messages, under the emulator.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;

use pregel_algos::bfs::Bfs;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_core::engine::gpu::{ByBins, Choice, Costs, Explanation, Gpu, GpuOptions, Way, WhyNot};
use pregel_core::engine::{Engine, Outcome, Reference, RunOptions, Session, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;
use pregel_roster::suite::course;
use pregel_roster::test_programs::Chatter;

/// Bytes of shared memory: the minimum for a bin of doubles.
const SHARED: u32 = 40 << 10;

/// Enough for superstep 0, a batch of two supersteps, and a batch that the limit cuts short.
const SUPERSTEPS: u32 = 7;

fn graph(spec: &str) -> Graph {
    spec.parse::<Spec>().unwrap().plain().unwrap()
}

fn options() -> RunOptions {
    let max_supersteps = Some(SUPERSTEPS);
    RunOptions::default().with_strategy(Strategy::Pull).with_max_supersteps(max_supersteps)
}

fn engine(bins: Choice) -> Gpu<Emulator> {
    with_costs(bins, Costs::default())
}

fn with_costs(bins: Choice, costs: Costs) -> Gpu<Emulator> {
    with_shared(SHARED, bins, costs)
}

fn with_shared(shared: u32, bins: Choice, costs: Costs) -> Gpu<Emulator> {
    let device = Emulator::new().with_shared(shared);
    let options = GpuOptions::default().with_bins(bins).with_costs(costs);
    Gpu::new(device, images()).with_options(options)
}

/// What becomes of messages that are not handled separately.
#[derive(Clone, Copy)]
enum Others {
    Binned,
    /// Each of two blocks keeps the messages of half of the vertices.
    Exchanged,
    /// The same for one part of the vertices after the other, where all do not fit this many bytes of
    /// shared memory.
    InParts(u32),
    /// The same for the first part. All others are pulled.
    FirstPart(u32),
    Pulled,
}

/// Bytes of shared memory for half of the messages of the largest graph, and a bin.
const SHARED_BY_TWO: u32 = 100 << 10;

/// Engines that handle no messages separately; those of hubs in the first range; those of hubs in
/// ranges where that pays at all; and as many as possible. Hubs are here what sends many messages
/// to the same receivers.
fn forced(others: Others) -> [Gpu<Emulator>; 4] {
    [(2.0, 0.0), (0.0, f64::INFINITY), (0.0, f64::MIN_POSITIVE), (0.0, 0.0)].map(|figures| {
        let mut costs = Costs::default();
        (costs.hub_share, costs.hub_range_ns) = figures;
        costs.rest_range_ns = costs.hub_range_ns;
        costs.exchanged_range_ns = costs.hub_range_ns;
        let never = f64::INFINITY;
        (costs.binned_ns, costs.exchanged_ns, costs.rest_ns) = match others {
            Others::Binned => (0.0, never, never),
            Others::Exchanged | Others::InParts(_) | Others::FirstPart(_) => (never, 0.0, never),
            Others::Pulled => (never, never, 0.0),
        };
        match others {
            Others::InParts(_) => costs.exchanged_lane_ns = never,
            Others::FirstPart(_) => costs.exchanged_item_ns = never,
            Others::Binned | Others::Exchanged | Others::Pulled => {}
        }
        let shared = match others {
            Others::Exchanged => SHARED_BY_TWO,
            Others::InParts(shared) | Others::FirstPart(shared) => shared,
            Others::Binned | Others::Pulled => SHARED,
        };
        with_shared(shared, Choice::Always, costs)
    })
}

/// The way in which each superstep ran.
fn ways<P: VertexCompute>(outcome: &Outcome<P>) -> Vec<Way> {
    outcome.report.steps.iter().map(|step| step.taken.unwrap().way).collect()
}

fn chosen<P: VertexCompute>(outcome: &Outcome<P>) -> &Explanation {
    outcome.report.device.as_ref().unwrap().explanation.as_ref().unwrap()
}

/// Graphs with several ranges and bins: two with hubs that are cut into chunks, two
/// with short rows.
const GRAPHS: [&str; 4] = [
    "rmat:scale=13,ef=3",
    "uniform:n=11000,m=30000",
    "grid:rows=80,cols=80,drop=9",
    // Dense enough for messages from several ranges to be handled separately.
    "rmat:scale=14,ef=20",
];

#[test]
fn sums_are_those_of_a_pull() {
    for spec in GRAPHS {
        let (graph, rank) = (graph(spec), PageRank::<f64>::new(0.85, 0.0));
        let expected = Reference.run(&graph, &rank, &options()).unwrap();
        let mut separate = Vec::new();
        for engine in &forced(Others::Binned) {
            let found = engine.run(&graph, &rank, &options()).unwrap();
            for (a, b) in found.states.iter().zip(&expected.states) {
                assert!((a - b).abs() <= 1e-12 * b.abs(), "{spec}: {a} {b}");
            }
            assert_eq!(course(&found.report), course(&expected.report), "{spec}");
            let chosen = chosen(&found);
            let ByBins::Cut { ranges, bins, messages, hub_ranges, hub_messages } = chosen.bins
            else {
                panic!("{spec}: not cut")
            };
            let few = if hub_messages > 0 { 0 } else { 5 };
            assert!(
                ranges > 1 && bins > few && messages + hub_messages >= graph.edge_count(),
                "{spec}"
            );
            assert!(ways(&found)[1..].iter().all(|way| *way == Way::Bins), "{spec}");
            separate.push((hub_ranges, hub_messages));
        }
        let [none, first, dense, all] = separate[..] else { panic!("{spec}") };
        assert_eq!((none, first.0), ((0, 0), 1), "{spec}");
        // Fewer messages than all, where some receivers get few from a range.
        assert_eq!(all.1, graph.edge_count(), "{spec}");
        assert!(first.1 <= dense.1 && dense.1 < all.1 && dense.0 <= all.0, "{spec}");
        if spec == GRAPHS[3] {
            assert!(dense.0 > 1 && first.1 < dense.1 && all.0 > 3, "{spec}: {dense:?} {all:?}");
        }
    }
}

#[test]
fn what_is_not_handled_separately_may_be_pulled() {
    for spec in GRAPHS {
        let (graph, rank) = (graph(spec), PageRank::<f64>::new(0.85, 0.0));
        let expected = Reference.run(&graph, &rank, &options()).unwrap();
        let [_, first, dense, all] = forced(Others::Pulled);
        for engine in [first, dense, all] {
            let found = engine.run(&graph, &rank, &options()).unwrap();
            for (a, b) in found.states.iter().zip(&expected.states) {
                assert!((a - b).abs() <= 1e-12 * b.abs(), "{spec}: {a} {b}");
            }
            assert_eq!(course(&found.report), course(&expected.report), "{spec}");
            let ByBins::Cut { bins, messages, hub_messages, .. } = chosen(&found).bins else {
                panic!("{spec}: not cut")
            };
            assert_eq!((bins, messages + hub_messages), (0, graph.edge_count()), "{spec}");
            assert!(ways(&found)[1..].iter().all(|way| *way == Way::Bins), "{spec}");
        }
    }
}

#[test]
fn messages_may_be_exchanged() {
    exchange(Others::Exchanged, [(1, true); 4]);
}

#[test]
fn messages_may_be_exchanged_part_by_part() {
    // A first part that is smaller than a range has no hubs.
    exchange(Others::InParts(SHARED), [(1, true), (2, true), (2, false), (3, false)]);
    exchange(Others::InParts(44 << 10), [(1, true), (2, false), (1, true), (2, true)]);
}

#[test]
fn messages_of_the_first_part_may_be_exchanged_and_others_pulled() {
    exchange(Others::FirstPart(SHARED), [(1, true), (1, true), (1, false), (1, false)]);
    exchange(Others::FirstPart(44 << 10), [(1, true), (1, false), (1, true), (1, true)]);
}

/// Exchanges messages on each graph, whose vertices are in this many parts, the first of which may have
/// hubs.
fn exchange(others: Others, parts: [(u32, bool); 4]) {
    for (spec, (parts, may_have_hubs)) in GRAPHS.into_iter().zip(parts) {
        let (graph, rank) = (graph(spec), PageRank::<f64>::new(0.85, 0.0));
        let expected = Reference.run(&graph, &rank, &options()).unwrap();
        for (engine, has_hubs) in forced(others).iter().zip([false, true, true, true]) {
            let mut session = engine.prepare(&graph, &options()).unwrap();
            for _ in 0..2 {
                let found = session.run(&rank).unwrap();
                for (a, b) in found.states.iter().zip(&expected.states) {
                    assert!((a - b).abs() <= 1e-12 * b.abs(), "{spec}: {a} {b}");
                }
                assert_eq!(course(&found.report), course(&expected.report), "{spec}");
                let ByBins::Cut { ranges, bins, messages, hub_ranges, hub_messages } =
                    chosen(&found).bins
                else {
                    panic!("{spec}: not cut")
                };
                // Two shares of each part, and phases of two bins.
                let has_hubs = has_hubs && may_have_hubs;
                assert_eq!((ranges, hub_ranges > 0), (2 * parts, has_hubs), "{spec}");
                assert!(bins > 0 && bins.is_multiple_of(2), "{spec}");
                assert!(messages + hub_messages >= graph.edge_count(), "{spec}");
                assert!(ways(&found)[1..].iter().all(|way| *way == Way::Bins), "{spec}");
            }
        }
    }
}

#[test]
fn edges_without_a_message_are_noticed() {
    // No number is silent; few are; half of them are.
    for silent in [0, 9973, 2] {
        // The dense graph takes as long as the others together.
        let graphs = if silent == 9973 { &GRAPHS[..] } else { &GRAPHS[..3] };
        for spec in graphs {
            let (graph, chatter) = (graph(spec), Chatter { silent });
            let [engine, first, dense, all] = forced(Others::Binned);
            let [_, first_pulled, dense_pulled, _] = forced(Others::Pulled);
            let [exchanged, first_exchanged, dense_exchanged, _] = forced(Others::Exchanged);
            let [in_parts, first_in_parts, ..] = forced(Others::InParts(SHARED));
            let [one_part, first_one_part, ..] = forced(Others::FirstPart(SHARED));
            let apart = [first, dense, all, first_pulled, dense_pulled];
            let parts = [in_parts, first_in_parts, one_part, first_one_part];
            let exchanged = [exchanged, first_exchanged, dense_exchanged];
            let mut session = engine.prepare::<Chatter>(&graph, &options()).unwrap();
            let expected = Reference.run(&graph, &chatter, &options()).unwrap();
            for engine in apart.iter().chain(&exchanged).chain(&parts) {
                let found = engine.run(&graph, &chatter, &options()).unwrap();
                assert_eq!(found.states, expected.states, "{spec} {silent} apart or exchanged");
                assert_eq!(course(&found.report), course(&expected.report), "{spec} {silent}");
            }
            // The second run starts with bins, and so does one after silent edges.
            for run in 0..2 {
                let found = session.run(&chatter).unwrap();
                assert_eq!(found.states, expected.states, "{spec} {silent} {run}");
                assert_eq!(course(&found.report), course(&expected.report), "{spec} {silent}");
            }
            let all = Chatter { silent: 0 };
            let found = session.run(&all).unwrap();
            let expected = Reference.run(&graph, &all, &options()).unwrap();
            assert_eq!(found.states, expected.states, "{spec} after {silent}");
        }
    }
}

#[test]
fn bins_are_kept_if_they_are_faster() {
    let (graph, rank) = (graph(GRAPHS[1]), PageRank::<f64>::new(0.85, 0.0));
    let mut costs = Costs::default();
    (costs.binned_edges, costs.cut_edge_ns) = (0, 0.0);
    (costs.binned_edge_ns, costs.binned_vertex_ns, costs.binned_ns) = (0.0, 0.0, 0.0);
    let options = RunOptions::default().with_max_supersteps(Some(32));
    let found = with_costs(Choice::Auto, costs).run(&graph, &rank, &options).unwrap();
    let expected = Reference.run(&graph, &rank, &options).unwrap();
    for (a, b) in found.states.iter().zip(&expected.states) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
    }
    // Two supersteps without bins and two with them take turns, two to four times.
    let ways = ways(&found);
    let first = ways.iter().position(|way| *way == Way::Bins).unwrap();
    assert_eq!(ways[first - 2..first], [Way::Pull; 2]);
    let (last, plain) = (ways[ways.len() - 1], |way: &&Way| **way == Way::Pull);
    let compared = ways[first..].iter().filter(plain).count();
    match chosen(&found).bins {
        ByBins::Cut { .. } => assert!(last == Way::Bins && (2..=6).contains(&compared)),
        ByBins::None(WhyNot::Slower { with_ns, without_ns }) => {
            assert!(last == Way::Pull && with_ns > 0 && without_ns > 0);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn runs_with_one_superstep_for_bins_are_compared_as_a_whole() {
    let graph = graph(GRAPHS[1]);
    let expected = Reference.run(&graph, &Hcc, &RunOptions::default()).unwrap().states;
    let mut costs = Costs::default();
    (costs.binned_edges, costs.cut_edge_ns) = (0, 0.0);
    (costs.binned_edge_ns, costs.binned_vertex_ns, costs.binned_ns) = (0.0, 0.0, 0.0);
    // Makes 30 runs; returns the ways of each, and what it says of bins.
    let runs = |costs, options: &RunOptions| -> Vec<(Vec<Way>, ByBins)> {
        let engine = with_costs(Choice::Auto, costs);
        let mut session = engine.prepare::<Hcc>(&graph, options).unwrap();
        let run = || {
            let found = session.run(&Hcc).unwrap();
            assert_eq!(found.states, expected);
            (ways(&found), chosen(&found).bins)
        };
        std::iter::repeat_with(run).take(30).collect()
    };
    let is_binned = |(ways, _): &(Vec<Way>, ByBins)| ways.contains(&Way::Bins);
    let pulled = RunOptions::default().with_strategy(Strategy::Pull);
    let announced = pulled.clone().with_expected_runs(100);
    let found = runs(costs, &announced);
    let begin: Vec<bool> = found[..3].iter().map(is_binned).collect();
    assert_eq!((begin, found[1].1), (vec![false, false, true], ByBins::Waiting));
    let (_, kept) = found[29];
    // How long the comparison takes depends on the times.
    let without = || found[3..].iter().filter(|run| !is_binned(run)).map(|(_, bins)| *bins);
    assert!(without().all(|bins| bins == ByBins::None(WhyNot::Tried) || bins == kept));
    assert!(without().count() > 0);
    assert!(found[17..].iter().all(|run| is_binned(run) == matches!(kept, ByBins::Cut { .. })));
    assert!(
        matches!(kept, ByBins::Cut { .. } | ByBins::None(WhyNot::SlowerRuns { .. })),
        "{kept:?}"
    );
    // Not announced; and too few runs to earn the cut.
    let found = runs(costs, &pulled);
    assert!(!found[..16].iter().any(is_binned) && found[16..].iter().any(is_binned));
    costs.cut_edge_ns = f64::INFINITY;
    assert!(!runs(costs, &announced).iter().any(is_binned));
}

#[test]
fn what_cannot_be_binned_is_pulled() {
    let (graph, rank) = (graph(GRAPHS[1]), PageRank::<f64>::new(0.85, 0.0));
    let why = |choice, options: &RunOptions| {
        let found = engine(choice).run(&graph, &rank, options).unwrap();
        assert!(ways(&found).iter().all(|way| *way != Way::Bins));
        match chosen(&found).bins {
            ByBins::None(why) => why,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(why(Choice::Never, &options()), WhyNot::Off);
    let few = WhyNot::FewEdges { edges: graph.edge_count(), needed: 1 << 23 };
    assert_eq!(why(Choice::Auto, &options()), few);
    let mut costs = Costs::default();
    costs.binned_bytes = 4;
    let found = with_costs(Choice::Auto, costs).run(&graph, &rank, &options()).unwrap();
    assert_eq!(chosen(&found).bins, ByBins::None(WhyNot::WideMessages { most: 4 }));
    let deterministic = options().with_deterministic(true);
    assert_eq!(why(Choice::Always, &deterministic), WhyNot::Deterministic);
    let observed = options().with_observer(|_| ControlFlow::Continue(()));
    assert_eq!(why(Choice::Always, &observed), WhyNot::Observer);
    // The messages of a chunk do not fit 512 bytes.
    let small = Gpu::new(Emulator::new(), images());
    let small = small.with_options(GpuOptions::default().with_bins(Choice::Always));
    let found = small.run(&graph, &rank, &options()).unwrap();
    assert_eq!(chosen(&found).bins, ByBins::None(WhyNot::Room));
    // Of these messages any one will do, so none are binned.
    let found = small.run(&graph, &Bfs { source: 0 }, &options()).unwrap();
    assert_eq!(chosen(&found).bins, ByBins::None(WhyNot::NotBinned));
}

#[test]
fn without_memory_for_bins_messages_are_pulled() {
    let (graph, chatter) = (graph(GRAPHS[1]), Chatter { silent: 0 });
    let direct = engine(Choice::Never);
    let expected = direct.run(&graph, &chatter, &options()).unwrap();
    // The planned memory fits, and no more.
    let needs = &expected.report.device.as_ref().unwrap().memory;
    let planned = needs.iter().map(|need| need.bytes).sum();
    let device = Emulator::with_memory(planned).with_shared(SHARED);
    let mut costs = Costs::default();
    // All messages: if only some are binned there is enough memory.
    costs.hub_share = 2.0;
    let layout = GpuOptions::default().with_bins(Choice::Always).with_costs(costs);
    let found = Gpu::new(device, images()).with_options(layout);
    let found = found.run(&graph, &chatter, &options()).unwrap();
    assert_eq!(chosen(&found).bins, ByBins::None(WhyNot::Room));
    assert_eq!(found.states, expected.states);
}

#[test]
fn bins_leave_room_for_a_push() {
    let (graph, chatter) = (graph(GRAPHS[1]), Chatter { silent: 0 });
    let way = |strategy, free: u64| {
        let measure = Gpu::new(Emulator::new().with_shared(SHARED), images());
        let options = options().with_strategy(strategy);
        let planned = measure.run(&graph, &chatter, &options).unwrap().report.device.unwrap();
        let planned: u64 = planned.memory.iter().map(|need| need.bytes).sum();
        let device = Emulator::with_memory(planned + free).with_shared(SHARED);
        let mut costs = Costs::default();
        // Messages that are exchanged would need other memory.
        (costs.hub_share, costs.exchanged_ns) = (2.0, f64::INFINITY);
        let layout = GpuOptions::default().with_bins(Choice::Always).with_costs(costs);
        let engine = Gpu::new(device, images()).with_options(layout);
        chosen(&engine.run(&graph, &chatter, &options).unwrap()).bins
    };
    let needed = (1..64)
        .map(|part| part << 15)
        .find(|free| matches!(way(Strategy::Pull, *free), ByBins::Cut { .. }));
    let needed = needed.unwrap();
    // The rows to push along are part of the plan, so bins need as much as without them.
    assert_eq!(way(Strategy::Auto, needed / 2), ByBins::None(WhyNot::Room));
    assert!(matches!(way(Strategy::Auto, 2 * needed), ByBins::Cut { .. }));
}

#[test]
fn small_graphs_give_the_same_result() {
    for spec in ["rmat:scale=3", "uniform:n=1,m=0", "rmat:scale=9"] {
        let (graph, chatter) = (graph(spec), Chatter { silent: 0 });
        let found = engine(Choice::Always).run(&graph, &chatter, &options()).unwrap();
        let expected = Reference.run(&graph, &chatter, &options()).unwrap();
        assert_eq!(found.states, expected.states, "{spec}");
    }
}

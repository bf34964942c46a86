//! The GPU engine explains its choices, and options can force them; under the emulator.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{
    Choice, Costs, Explanation, Gpu, GpuOptions, Hosted, HotSignals, Resident, Rounds, Sort, Taken,
    Way, WhyNot,
};
use pregel_core::engine::{Engine, Outcome, Reference, Report, RunOptions, Session, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;

/// Bytes of shared memory that a launch can give each block under the emulator.
const MOST: u32 = 512;

fn plain(spec: &str) -> Graph {
    spec.parse::<Spec>().unwrap().plain().unwrap()
}

/// Runs the program; returns the report, its explanation, and the bytes of hot signals
/// that a block copied.
fn run<P: VertexCompute<Input = ()>>(
    layout: GpuOptions,
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
) -> (Report, Explanation, u32)
where
    P::State: PartialEq,
{
    let engine = Gpu::new(Emulator::new(), images()).with_options(layout);
    let found = engine.run(graph, program, options).unwrap();
    let explanation = found.report.device.as_ref().unwrap().explanation.clone().unwrap();
    (found.report, explanation, engine.device().given())
}

/// Runs the program `count` times in one session, each time with the result of the reference, and
/// returns the report of each run.
fn reports<P: VertexCompute<Input = ()>>(
    layout: GpuOptions,
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
    count: usize,
) -> Vec<Report>
where
    P::State: PartialEq,
{
    let expected = Reference.run(graph, program, &RunOptions::default()).unwrap().states;
    let engine = Gpu::new(Emulator::new(), images()).with_options(layout);
    let mut session = engine.prepare::<P>(graph, options).unwrap();
    let run = || {
        let outcome = session.run(program).unwrap();
        assert!(outcome.states == expected);
        outcome.report
    };
    std::iter::repeat_with(run).take(count).collect()
}

fn with(costs: Costs) -> GpuOptions {
    GpuOptions::default().with_costs(costs)
}

/// What a run on a GPU says of its choices.
fn explained(report: &Report) -> &Explanation {
    report.device.as_ref().unwrap().explanation.as_ref().unwrap()
}

/// How each superstep of a run on a GPU ran.
fn taken(report: &Report) -> Vec<Taken> {
    report.steps.iter().map(|step| step.taken.unwrap()).collect()
}

fn limited(strategy: Strategy, supersteps: u32) -> RunOptions {
    let max_supersteps = Some(supersteps);
    RunOptions::default().with_strategy(strategy).with_max_supersteps(max_supersteps)
}

#[test]
fn hot_signals_are_counted_or_missed() {
    let rank = PageRank::<f64>::new(0.85, 0.0);
    let hot = |layout, spec: &str, strategy| {
        let (_, explanation, given) = run(layout, &plain(spec), &rank, &limited(strategy, 3));
        (explanation.hot, given)
    };
    let mut costs = Costs::default();
    (costs.hot_part, costs.edges_per_hot_signal) = (0.25, 32);
    let auto = GpuOptions::default().with_costs(costs);
    let (found, given) = hot(auto, "rmat:scale=9", Strategy::Pull);
    // After two supersteps without, there was one with hot signals, which is too short.
    let HotSignals::Tried { signals, served, edges, times_ns: None, kept: None } = found else {
        panic!("{found:?}")
    };
    // A quarter of the memory is left to the L1 cache.
    let copied = MOST - MOST / 4;
    assert_eq!((signals, given), (copied / 8, copied));
    assert!(served * 4 >= edges && served < edges);
    let even = "uniform:n=1000,m=8000";
    let (found, given) = hot(auto, even, Strategy::Pull);
    assert!(matches!(found, HotSignals::None(WhyNot::FewServed { .. })) && given == 0);
    let (found, given) = hot(auto, "rmat:scale=5,ef=4", Strategy::Pull);
    assert!(matches!(found, HotSignals::None(WhyNot::FewReads { .. })) && given == 0);
    assert_eq!(
        hot(auto, even, Strategy::Push).0,
        HotSignals::None(WhyNot::Strategy(Strategy::Push))
    );
    // Forced, if they fit.
    let (found, given) = hot(auto.with_hot(Choice::Always), even, Strategy::Pull);
    assert!(matches!(found, HotSignals::Kept { .. }) && given == copied);
    // All of it, if nothing is to be left.
    costs.l1_bytes = 0;
    let whole = GpuOptions::default().with_costs(costs).with_hot(Choice::Always);
    assert_eq!(hot(whole, even, Strategy::Pull).1, MOST);
    let (found, given) = hot(auto.with_hot(Choice::Always), "rmat:scale=1", Strategy::Pull);
    assert_eq!((found, given), (HotSignals::None(WhyNot::Room), 0));
    let (found, given) = hot(auto.with_hot(Choice::Never), "rmat:scale=9", Strategy::Pull);
    assert_eq!((found, given), (HotSignals::None(WhyNot::Off), 0));
}

#[test]
fn empty_signals_are_never_hot() {
    let always = GpuOptions::default().with_hot(Choice::Always);
    let (_, found, given) =
        run(always, &plain("rmat:scale=9"), &Bfs { source: 0 }, &limited(Strategy::Pull, 3));
    // The signal of a BFS is empty, since the superstep tells the level.
    assert_eq!((found.hot, given), (HotSignals::None(WhyNot::Words), 0));
}

#[test]
fn supersteps_say_how_they_ran() {
    let rank = PageRank::<f64>::new(0.85, 0.0);
    let graph = plain("rmat:scale=9");
    let hot = GpuOptions::default().with_hot(Choice::Always);
    let (report, found, _) = run(hot, &graph, &rank, &limited(Strategy::Pull, 20));
    let steps = taken(&report);
    let rows: Vec<u32> = steps.iter().map(|taken| taken.together).collect();
    let expected = [(1, 1), (2, 2), (4, 4), (8, 8), (6, 6)];
    let expected = expected.iter().flat_map(|(row, times)| vec![*row; *times]);
    assert_eq!(rows, expected.collect::<Vec<_>>());
    assert_eq!(steps[0].way, Way::Init);
    assert!(steps[1..].iter().all(|taken| taken.way == Way::PullHot));
    assert_eq!(steps[0].predicted, None);
    // The predictions differ by what pushing all edges costs more than pulling them.
    let (costs, edges) = (found.costs, report.steps[1].messages as f64);
    let predicted = steps[1].predicted.unwrap();
    let dearer = edges * (costs.pushed_edge_ns - costs.pulled_edge_ns) + costs.push_launches_ns;
    assert!((predicted.push_ns - predicted.pull_ns - dearer).abs() < 1.0);
    assert_eq!(found.resident, Resident::None(WhyNot::Aggregate));
}

#[test]
fn costs_decide() {
    let graph = plain("rmat:scale=7");
    let never = GpuOptions::default().with_resident(Choice::Never);
    let ways = |pushed, pulled| -> Vec<Way> {
        let mut costs = Costs::default();
        (costs.pushed_edge_ns, costs.pulled_edge_ns) = (pushed, pulled);
        costs.push_launches_ns = 0.0;
        let (report, found, _) = run(never.with_costs(costs), &graph, &Hcc, &RunOptions::default());
        let expected = Reference.run(&graph, &Hcc, &RunOptions::default()).unwrap().report;
        assert_eq!(report.messages, expected.messages);
        assert_eq!(found.resident, Resident::None(WhyNot::Off));
        taken(&report)[1..].iter().map(|taken| taken.way).collect()
    };
    assert!(ways(0.0, 1.0).iter().all(|way| *way == Way::Push));
    assert!(ways(1.0, 0.0).iter().all(|way| matches!(way, Way::Pull | Way::PullHot)));
    let both = ways(12.0, 1.0);
    assert!(both.contains(&Way::Push) && !both.iter().all(|way| *way == Way::Push), "{both:?}");
}

#[test]
fn hosted_runs_say_why_they_are_not_resident() {
    let (graph, layout, auto) =
        (plain("rmat:scale=5"), GpuOptions::default(), RunOptions::default());
    let limit = limited(Strategy::Auto, 3);
    let watched = auto.clone().with_observer(|_| ControlFlow::Continue(()));
    let hcc = |options: &RunOptions| run(layout, &graph, &Hcc, options).1;
    assert!(matches!(hcc(&auto).resident, Resident::Small { after: 22, .. }));
    assert!(matches!(hcc(&auto).rounds, Rounds::None(WhyNot::Shallow { .. })));
    let bfs = run(layout, &graph, &Bfs { source: 0 }, &auto).1;
    assert_eq!(bfs.rounds, Rounds::None(WhyNot::NotMonotone));
    assert_eq!(hcc(&watched).resident, Resident::None(WhyNot::Observer));
    let pushed = limited(Strategy::Push, 3);
    assert_eq!(hcc(&pushed).resident, Resident::None(WhyNot::Strategy(Strategy::Push)));
    let (report, listed, _) = run(layout, &graph, &Cdlp, &limit);
    assert_eq!(listed.resident, Resident::None(WhyNot::Listed));
    assert!(taken(&report)[1..].iter().all(|t| t.way == Way::Mailbox && t.predicted.is_none()));
    let all = run(layout.with_resident(Choice::Always), &graph, &Hcc, &auto).1;
    assert_eq!(all.resident, Resident::All);
    assert_eq!(all.rounds, Rounds::None(WhyNot::Everyone));
}

#[test]
fn rounds_have_a_width_or_a_reason() {
    let graph = "rmat:scale=6".parse::<Spec>().unwrap().weighted().unwrap();
    let report = |layout, options: &RunOptions| run(layout, &graph, &Sssp { source: 1 }, options);
    let sssp = |layout, options: &RunOptions| report(layout, options).1;
    // Not small enough for rounds, as far as the planner knows.
    let mut costs = Costs::default();
    costs.small_graph_launches = 0.0;
    let (usual, auto) = (GpuOptions::default().with_costs(costs), RunOptions::default());
    let few = WhyNot::FewEdges { edges: graph.edge_count(), needed: 7 << 20 };
    assert_eq!(sssp(usual, &auto).rounds, Rounds::None(few));
    let seven = |rounds| matches!(rounds, Rounds::Taken { delta: Some(7.0), given: true, .. });
    let wanted = sssp(usual, &auto.clone().with_delta(7.0));
    assert!(seven(wanted.rounds), "{wanted:?}");
    costs.rounds_edges = 0;
    let layout = usual.with_costs(costs);
    let (steps, found, _) = report(layout, &auto);
    let estimated = |rounds| matches!(rounds, Rounds::Taken { delta: Some(_), given: false, .. });
    assert!(estimated(found.rounds), "{found:?}");
    assert_eq!(found.resident, Resident::None(WhyNot::Rounds));
    assert!(taken(&steps)[1..].iter().all(|taken| taken.way == Way::Round));
    let given = auto.clone().with_delta(7.0);
    assert!(seven(sssp(layout, &given).rounds));
    let limit = limited(Strategy::Auto, 2);
    assert_eq!(sssp(layout, &limit).rounds, Rounds::None(WhyNot::Limit));
    let fixed = auto.clone().with_deterministic(true);
    assert_eq!(sssp(layout, &fixed).rounds, Rounds::None(WhyNot::Deterministic));
    let (steps, off, _) = report(layout.with_resident(Choice::Never), &auto);
    assert_eq!(off.rounds, Rounds::None(WhyNot::Off));
    assert!(taken(&steps).iter().all(|t| !matches!(t.way, Way::Round | Way::Resident)));
    // Rounds that have begun among hubs are given up if the weights are too even.
    let mut even = costs;
    even.rounds_spread = f64::INFINITY;
    let spread = report(usual.with_costs(even), &auto).1;
    assert!(estimated(spread.rounds), "{spread:?}");
    // Four hubs, to each of which 400 vertices have edges.
    let pairs = (0..4).flat_map(|hub| (4..404).map(move |v| (hub, v)));
    let edges = pairs.flat_map(|(u, v)| [(u, v), (v, u)].map(|(u, v)| (u, v, (1 + v % 5) as f32)));
    let graph = Graph::from_weighted_edges(edges).unwrap();
    let report = |layout, options: &RunOptions| run(layout, &graph, &Sssp { source: 1 }, options);
    let (steps, plain, _) = report(usual.with_costs(even), &auto);
    assert!(matches!(plain.rounds, Rounds::None(WhyNot::EvenSteps { .. })), "{plain:?}");
    assert!(taken(&steps).iter().all(|taken| taken.way != Way::Round));
    // A session remembers that they are, and does not begin any again.
    let engine = Gpu::new(Emulator::new(), images()).with_options(usual.with_costs(even));
    let mut session = engine.prepare::<Sssp>(&graph, &auto).unwrap();
    let [first, again] = [(); 2].map(|()| session.run(&Sssp { source: 1 }).unwrap());
    assert_eq!(first.states, again.states);
    let of = |outcome: &Outcome<_>| outcome.report.device.as_deref().cloned().unwrap();
    let (first, again) = (of(&first), of(&again));
    assert_eq!(first.explanation.unwrap().rounds, plain.rounds);
    assert_eq!(again.explanation.unwrap().rounds, plain.rounds);
    assert!(again.copies < first.copies);
    // The width is proportional to `near_width`.
    costs.near_width /= 2.0;
    let (Rounds::Taken { delta: Some(whole), .. }, Rounds::Taken { delta: Some(half), .. }) =
        (found.rounds, sssp(layout.with_costs(costs), &auto).rounds)
    else {
        panic!("no width")
    };
    assert!((half * 2.0 - whole).abs() <= 1e-6 * whole);
}

#[test]
fn the_layout_is_described() {
    let (graph, rank) = (plain("rmat:scale=9"), PageRank::<f64>::new(0.85, 0.0));
    let layout = |layout, strategy| run(layout, &graph, &rank, &limited(strategy, 1)).1.layout;
    let usual = layout(GpuOptions::default(), Strategy::Pull);
    assert_eq!(usual.group, Some(32));
    assert!(usual.split > 0 && usual.chunks > usual.split);
    assert!(matches!(usual.sort, Sort::Stable { .. }));
    let whole = GpuOptions::default().with_split_hubs(false).with_sort(Sort::Exact);
    let whole = layout(whole, Strategy::Mailbox);
    assert_eq!((whole.sort, whole.split, whole.chunks), (Sort::Exact, 0, 0));
    assert_eq!(layout(GpuOptions::default(), Strategy::Push).group, None);
    assert_eq!(layout(GpuOptions::medusa(), Strategy::Mailbox).sort, Sort::None);
}

#[test]
fn sessions_that_run_often_try_resident_launches() {
    let graph = plain("rmat:scale=6");
    let program = Bfs { source: 1 };
    // Makes this many runs, and returns which supersteps were resident in each.
    let resident = |costs, runs, options: &RunOptions| -> Vec<Resident> {
        let found = |report: &Report| {
            let stayed = |taken: &Taken| taken.way == Way::Resident;
            let found = explained(report).resident;
            match found {
                Resident::All => assert!(taken(report)[1..].iter().all(stayed)),
                Resident::None(_) => assert!(!taken(report).iter().any(stayed)),
                _ => {}
            }
            found
        };
        reports(with(costs), &graph, &program, options, runs).iter().map(found).collect()
    };
    let announced = RunOptions::default().with_expected_runs(100);
    // A launch as expensive as the supersteps of one search, of which there are `depth`: with
    // a more expensive one the graph would not be small.
    let costs = |depth: f64, launches: f64| {
        let mut costs = Costs::default();
        (costs.resident_launch_ns, costs.small_graph_launches) = (depth * 21_000.0, launches);
        costs
    };
    let is_small = |depth: &u32| {
        resident(costs((*depth).into(), 100.0), 1, &announced) == [Resident::SmallGraph]
    };
    let depth = (1..20).rev().find(is_small).unwrap().into();
    let found = resident(costs(depth, 100.0), 30, &announced);
    assert_eq!(found[..2], [Resident::SmallGraph; 2]);
    assert_eq!(found[2], Resident::None(WhyNot::Tried));
    let is_slower =
        |resident: &Resident| matches!(resident, Resident::None(WhyNot::SlowerRuns { .. }));
    let kept = &found[20..];
    assert!(
        kept.iter().all(is_slower) || kept.iter().all(|r| *r == Resident::SmallGraph),
        "{kept:?}"
    );
    // Not quite small.
    let found = resident(costs(depth, depth / 2.0), 30, &announced);
    assert!(matches!(found[0], Resident::Small { .. }) && found[1] == found[0], "{found:?}");
    assert_eq!(found[2], Resident::All);
    let kept = &found[20..];
    assert!(kept.iter().all(|r| *r == kept[0]) && [found[0], Resident::All].contains(&kept[0]));
    // Far from small, deterministic, or not announced.
    assert!(!resident(costs(depth, depth / 9.0), 8, &announced).contains(&Resident::All));
    let fixed = announced.clone().with_deterministic(true);
    assert!(!resident(costs(depth, depth / 2.0), 8, &fixed).contains(&Resident::All));
    assert!(
        !resident(costs(depth, depth / 2.0), 8, &RunOptions::default()).contains(&Resident::All)
    );
}

#[test]
fn sessions_that_run_often_try_one_strategy_for_all_supersteps() {
    let (graph, never) = (plain("rmat:scale=7"), Choice::Never);
    let options = RunOptions::default().with_expected_runs(100);
    // Makes 30 runs, and returns how their supersteps ran and how the session explains it.
    let runs = |pushed_edge_ns, options: &RunOptions| -> Vec<(Vec<Way>, Hosted)> {
        let mut costs = Costs::default();
        costs.pushed_edge_ns = pushed_edge_ns;
        let layout = GpuOptions::default().with_costs(costs).with_resident(never);
        let reports = reports(layout, &graph, &Bfs { source: 1 }, options, 30);
        let found = |report: &Report| {
            let ways = taken(report)[1..].iter().map(|taken| taken.way).collect();
            (ways, explained(report).hosted)
        };
        reports.iter().map(found).collect()
    };
    // Launches take most of the time, and so pushes are close.
    let found = runs(Costs::default().pushed_edge_ns, &options);
    for (ways, hosted) in &found {
        let expected = match hosted {
            Hosted::All { strategy: Strategy::Push, .. } => Way::Push,
            _ => Way::Pull,
        };
        assert!(ways.iter().all(|way| *way == expected), "{hosted:?}: {ways:?}");
    }
    assert_eq!((found[0].1, found[1].1), (Hosted::AsPlanned, Hosted::AsPlanned));
    let tried = Hosted::All { strategy: Strategy::Push, times_ns: None };
    assert_eq!(found[2].1, tried);
    let kept = found[29].1;
    assert!(matches!(kept, Hosted::AsPlanned | Hosted::All { times_ns: Some(_), .. }), "{kept:?}");
    assert!(found[20..].iter().all(|run| run.1 == kept));
    // They are not, or few runs are announced, or the strategy is given.
    let one = options.clone().with_expected_runs(1);
    let pull = options.clone().with_strategy(Strategy::Pull);
    for (pushed_edge_ns, options) in [(1e6, &options), (0.0, &one), (0.0, &pull)] {
        let found = runs(pushed_edge_ns, options);
        assert!(found.iter().all(|run| run.1 == Hosted::AsPlanned), "{found:?}");
    }
}

#[test]
fn sessions_that_run_often_try_pulls_after_short_pulls() {
    let graph = plain("rmat:scale=7");
    let mut costs = Costs::default();
    // Pulled where a third of the edges have a message; and in any case for longer than here.
    (costs.pulled_edge_ns, costs.pushed_edge_ns) = (1e8, 3e8);
    let layout = GpuOptions::default().with_costs(costs).with_resident(Choice::Never);
    let options = RunOptions::default().with_expected_runs(100);
    let runs = |options: &RunOptions| -> Vec<(Vec<Way>, Hosted)> {
        let reports = reports(layout, &graph, &Bfs { source: 1 }, options, 30);
        let ways = |report: &Report| taken(report)[1..].iter().map(|taken| taken.way).collect();
        reports.iter().map(|report| (ways(report), explained(report).hosted)).collect()
    };
    let found = runs(&options);
    let pushes_after_a_pull =
        |ways: &[Way]| ways.windows(2).any(|pair| pair == [Way::Pull, Way::Push]);
    for (ways, hosted) in &found {
        assert!(ways.contains(&Way::Pull), "{ways:?}");
        assert_eq!(pushes_after_a_pull(ways), *hosted == Hosted::AsPlanned, "{hosted:?}: {ways:?}");
    }
    assert_eq!((found[0].1, found[1].1), (Hosted::AsPlanned, Hosted::AsPlanned));
    assert_eq!(found[2].1, Hosted::PullOn { times_ns: None });
    let kept = found[29].1;
    assert!(matches!(kept, Hosted::AsPlanned | Hosted::PullOn { times_ns: Some(_) }), "{kept:?}");
    assert!(found[20..].iter().all(|run| run.1 == kept));
    for options in [options.clone().with_expected_runs(1), options.with_deterministic(true)] {
        assert!(runs(&options).iter().all(|run| run.1 == Hosted::AsPlanned));
    }
}

#[test]
fn programs_that_begin_everywhere_are_also_tried_without_rounds() {
    let graph = plain("grid:rows=3,cols=60");
    let options = RunOptions::default().with_expected_runs(100);
    let runs = reports(GpuOptions::default(), &graph, &Hcc, &options, 20);
    let in_rounds = |report: &Report| taken(report).iter().any(|taken| taken.way == Way::Round);
    let found: Vec<(bool, Rounds)> =
        runs.iter().map(|report| (in_rounds(report), explained(report).rounds)).collect();
    assert!(found[0].0 && found[1].0, "{found:?}");
    assert_eq!(found[2], (false, Rounds::None(WhyNot::Tried)));
    let (in_rounds, _) = found[16];
    assert!(found[16..].iter().all(|run| run.0 == in_rounds), "{found:?}");
}

#[test]
fn sessions_that_run_often_try_rounds_and_plain_supersteps() {
    let graph = "rmat:scale=6".parse::<Spec>().unwrap().weighted().unwrap();
    let program = Sssp { source: 1 };
    let mut costs = Costs::default();
    costs.small_graph_launches = 0.0;
    // Makes 30 runs, and returns whether each went by rounds, or why not.
    let rounds = |costs, options: &RunOptions| -> Vec<Rounds> {
        let runs = reports(with(costs), &graph, &program, options, 30);
        runs.iter().map(|report| explained(report).rounds).collect()
    };
    let is_taken = |rounds: &Rounds| matches!(rounds, Rounds::Taken { delta: Some(_), .. });
    let announced = RunOptions::default().with_expected_runs(100);
    // Plain supersteps are planned.
    let few = Rounds::None(WhyNot::FewEdges { edges: graph.edge_count(), needed: 7 << 20 });
    let found = rounds(costs, &announced);
    assert_eq!(found[..2], [few, few]);
    assert!(is_taken(&found[2]), "{found:?}");
    let kept = &found[20..];
    assert!(kept.iter().all(is_taken) || kept.iter().all(|rounds| *rounds == few), "{kept:?}");
    // No number of runs is announced.
    let found = rounds(costs, &RunOptions::default());
    assert_eq!(found[..17], [few; 17]);
    assert!(is_taken(&found[17]), "{found:?}");
    // Rounds are planned.
    costs.rounds_edges = 0;
    let found = rounds(costs, &announced);
    assert!(found[..2].iter().all(is_taken));
    assert_eq!(found[2], Rounds::None(WhyNot::Tried));
    let kept = &found[20..];
    let is_slower = |rounds: &Rounds| matches!(rounds, Rounds::None(WhyNot::SlowerRuns { .. }));
    assert!(kept.iter().all(is_taken) || kept.iter().all(is_slower), "{kept:?}");
    // Only one run is announced, or the user chose.
    let found = rounds(costs, &RunOptions::default().with_expected_runs(1));
    assert!(found.iter().all(is_taken));
    let found = rounds(costs, &announced.clone().with_delta(7.0));
    assert!(found.iter().all(is_taken));
}

#[test]
fn what_beats_some_supersteps_is_compared_with_resident_ones() {
    let graph = "rmat:scale=7".parse::<Spec>().unwrap().weighted().unwrap();
    let mut costs = Costs::default();
    // Rounds are planned, on a graph that is neither deep nor quite small.
    costs.rounds_edges = 0;
    costs.resident_ns = costs.hosted_ns;
    let edges = graph.edge_count() as f64 * costs.resident_edge_ns;
    costs.small_graph_launches = (costs.resident_launch_ns + edges) / costs.hosted_ns / 2.0;
    let options = RunOptions::default().with_expected_runs(100);
    let runs = reports(with(costs), &graph, &Sssp { source: 1 }, &options, 40);
    let ways: Vec<(Rounds, Resident)> =
        runs.iter().map(|report| (explained(report).rounds, explained(report).resident)).collect();
    let in_rounds = |(rounds, _): &(Rounds, Resident)| matches!(rounds, Rounds::Taken { .. });
    assert!(ways[..2].iter().all(in_rounds), "{ways:?}");
    assert!(matches!(ways[2], (Rounds::None(WhyNot::Tried), Resident::Small { .. })), "{ways:?}");
    // Whether they lose against rounds or win, resident ones come next.
    let all = |(rounds, resident): &(Rounds, Resident)| {
        matches!(rounds, Rounds::None(_)) && *resident == Resident::All
    };
    assert!(ways.iter().any(all), "{ways:?}");
    let kept = &ways[30..];
    assert!(kept.iter().all(|way| in_rounds(way) == in_rounds(&kept[0])), "{kept:?}");
}

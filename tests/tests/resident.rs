//! Resident launches, which do many supersteps each, and rounds by priority, under the
//! emulator: they are used when they should be, and results do not depend on them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use pregel_algos::bfs::{Bfs, UNREACHED};
use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Choice, Costs, Gpu, GpuOptions, Rounds, Way};
use pregel_core::engine::{
    Engine, Outcome, Reference, Run, RunOptions, Session, StopReason, Strategy,
};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{EdgeList, Graph, GraphBuilder};
use pregel_core::program::{
    Context, Edge, EdgeCompute, Min, Nothing, Program, VertexCompute, Vote,
};
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;
use pregel_roster::suite::course;

fn path(n: u32) -> Graph<f32> {
    let edges: Vec<[u32; 2]> = (1..n).map(|v| [v - 1, v]).collect();
    let values = (1..n).map(|v| (v % 7 + 1) as f32).collect();
    let list = EdgeList { vertex_count: n, edges, values };
    GraphBuilder::new().with_directed(false).with_edge_list(list).build().unwrap()
}

pub(crate) fn run_as<P: VertexCompute<Input = ()>>(
    layout: GpuOptions,
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
) -> Outcome<P> {
    let engine = Gpu::new(Emulator::new(), images()).with_options(layout);
    engine.run(graph, program, options).unwrap()
}

/// Options with which frontiers of at most `most` edges are resident.
fn frontiers(most: u64) -> GpuOptions {
    let mut costs = Costs::default();
    costs.resident_edges = most;
    costs.small_graph_launches = 0.0;
    GpuOptions::default().with_costs(costs)
}

fn run<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
) -> Outcome<P> {
    run_as(GpuOptions::default(), graph, program, options)
}

/// The way in which each superstep ran.
pub(crate) fn ways<P: VertexCompute>(outcome: &Outcome<P>) -> Vec<Way> {
    outcome.report.steps.iter().map(|step| step.taken.unwrap().way).collect()
}

fn launches<P: VertexCompute>(outcome: &Outcome<P>) -> u64 {
    outcome.report.device.as_ref().unwrap().launches
}

/// Compares states, stop reason, and the course of the run with the reference's.
fn same_steps<P: VertexCompute<Input = ()>>(graph: &Graph<P::Edge>, program: &P, found: &Outcome<P>)
where
    P::State: PartialEq + std::fmt::Debug,
{
    let expected = Reference.run(graph, program, &RunOptions::default()).unwrap();
    assert_eq!(found.states, expected.states);
    assert_eq!(found.report.stop, expected.report.stop);
    assert_eq!(found.report.supersteps, expected.report.supersteps);
    assert_eq!(course(&found.report), course(&expected.report));
}

#[test]
fn one_launch_does_a_thousand_supersteps_of_a_long_path() {
    let graph = path(2500).without_values();
    let program = Bfs { source: 0 };
    let found = run(&graph, &program, &RunOptions::default());
    same_steps(&graph, &program, &found);
    assert!(found.report.supersteps >= 2499);
    // 12 to prepare and for the first supersteps, then three resident ones.
    assert!(launches(&found) < 40, "{}", launches(&found));
}

#[test]
fn messages_are_combined_in_resident_launches() {
    // Labels move along the path, and every vertex receives two at first.
    let graph = path(700).without_values();
    let all = GpuOptions::default().with_resident(Choice::Always);
    let found = run_as(all, &graph, &Hcc, &RunOptions::default());
    same_steps(&graph, &Hcc, &found);
    assert!(launches(&found) < 60, "{}", launches(&found));
}

#[test]
fn labels_go_by_priority_once_supersteps_have_sent_enough() {
    // Ids jump along the path, so that most labels that move are outdated later.
    let n = 701;
    let place = |i: u32| (i * 101) % n;
    let graph: Graph = Graph::from_edges((1..n).map(|i| (place(i - 1), place(i)))).unwrap();
    let found = run(&graph, &Hcc, &RunOptions::default());
    assert!(found.states.iter().all(|label| *label == 0));
    assert_eq!(found.report.stop, StopReason::Halted);
    let ways: Vec<Way> = found.report.steps.iter().map(|step| step.taken.unwrap().way).collect();
    let plain = ways.iter().take_while(|way| **way != Way::Round).count();
    assert!((4..20).contains(&plain), "{ways:?}");
    assert!(ways[plain..].iter().all(|way| *way == Way::Round));
    let messages = found.report.messages;
    assert!(messages < 10 * 2 * u64::from(n), "{messages} messages");
    let device = found.report.device.as_ref().unwrap();
    let rounds = device.explanation.as_ref().unwrap().rounds;
    assert!(matches!(rounds, Rounds::Taken { delta: Some(_), given: false, .. }), "{rounds:?}");
}

#[test]
fn a_superstep_limit_holds_within_a_launch() {
    let graph = path(60).without_values();
    for limit in [1, 3, 4, 5, 17, 58] {
        let options = RunOptions::default().with_max_supersteps(limit);
        let found = run(&graph, &Bfs { source: 0 }, &options);
        assert_eq!((found.report.stop, found.report.supersteps), (StopReason::Limit, limit));
        let reached = found.states.iter().filter(|level| **level != UNREACHED).count();
        assert_eq!(reached as u32, limit + 1);
    }
}

#[test]
fn an_observer_hears_of_every_superstep_before_the_next() {
    let graph = path(60).without_values();
    let heard = Arc::new(Mutex::new(0));
    let count = Arc::clone(&heard);
    let observer = move |step: &pregel_core::engine::SuperstepReport| {
        *count.lock().unwrap() += 1;
        if step.superstep == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = RunOptions::default().with_observer(observer);
    let found = run(&graph, &Bfs { source: 0 }, &options);
    assert_eq!((found.report.stop, *heard.lock().unwrap()), (StopReason::Cancelled, 21));
    let reached = found.states.iter().filter(|level| **level != UNREACHED).count();
    assert_eq!(reached, 21);
}

#[test]
fn a_small_frontier_may_grow_and_shrink_again() {
    // A path into a power-law graph, and another out of it.
    let middle = "rmat:scale=9".parse::<Spec>().unwrap().plain().unwrap();
    let n = middle.vertex_count();
    let rows = (0..n).flat_map(|v| middle.out().row(v).iter().map(move |target| [v, *target]));
    let into = (0..40).map(|i| [if i == 0 { 0 } else { n + i - 1 }, n + i]);
    let out = (40..80).map(|i| [if i == 40 { 1 } else { n + i - 1 }, n + i]);
    let edges: Vec<[u32; 2]> = rows.chain(into).chain(out).collect();
    let list = EdgeList { vertex_count: n + 80, values: vec![(); edges.len()], edges };
    let builder = GraphBuilder::new().with_directed(false);
    let graph = builder.with_edge_list(list).build().unwrap();
    let program = Bfs { source: n + 39 };
    let found = run_as(frontiers(64), &graph, &program, &RunOptions::default());
    same_steps(&graph, &program, &found);
    assert!(found.report.supersteps > 80);
    // Resident, hosted, and resident again.
    let mut ways = ways(&found);
    ways.dedup();
    let resident = ways.iter().filter(|way| **way == Way::Resident).count();
    assert_eq!((ways.last(), resident), (Some(&Way::Resident), 2), "{ways:?}");
}

#[test]
fn all_supersteps_are_resident_if_they_must() {
    let all = GpuOptions::default().with_resident(Choice::Always);
    let power = "rmat:scale=9".parse::<Spec>().unwrap().plain().unwrap();
    for graph in [&power, &path(300).without_values()] {
        let bfs = run_as(all, graph, &Bfs { source: 0 }, &RunOptions::default());
        same_steps(graph, &Bfs { source: 0 }, &bfs);
        let hcc = run_as(all, graph, &Hcc, &RunOptions::default());
        same_steps(graph, &Hcc, &hcc);
        for (ways, launches) in [(ways(&bfs), launches(&bfs)), (ways(&hcc), launches(&hcc))] {
            assert_eq!(ways[0], Way::Init);
            assert!(ways.len() > 3 && ways[1..].iter().all(|way| *way == Way::Resident));
            // `init`, `frontier`, `resident`, `vote`.
            assert!(launches <= 4, "{launches}");
        }
    }
    let never = GpuOptions::default().with_resident(Choice::Never);
    let found = run_as(never, &power, &Bfs { source: 0 }, &RunOptions::default());
    assert!(!ways(&found).contains(&Way::Resident));
}

#[test]
fn what_blocks_keep_and_what_they_list_is_worked_off() {
    // The frontiers are diagonals: of up to 110 vertices, where a block keeps 64.
    let graph = "grid:rows=110,cols=110".parse::<Spec>().unwrap().plain().unwrap();
    for blocks in 1..=3 {
        let mut costs = Costs::default();
        costs.resident_blocks = blocks;
        let all = GpuOptions::default().with_resident(Choice::Always).with_costs(costs);
        let bfs = run_as(all, &graph, &Bfs { source: 0 }, &RunOptions::default());
        same_steps(&graph, &Bfs { source: 0 }, &bfs);
        let limited = RunOptions::default().with_max_supersteps(90);
        let found = run_as(all, &graph, &Bfs { source: 0 }, &limited);
        assert_eq!((found.report.stop, found.report.supersteps), (StopReason::Limit, 90));
        let hcc = run_as(all, &graph, &Hcc, &RunOptions::default());
        same_steps(&graph, &Hcc, &hcc);
    }
}

#[test]
fn a_program_that_has_always_converged_ends_at_superstep_1() {
    let graph = path(20).without_values();
    let engine = Gpu::new(Emulator::new(), images().program::<Done>("done", done::KERNELS));
    let found = engine.run(&graph, &Done, &RunOptions::default()).unwrap();
    same_steps(&graph, &Done, &found);
    assert_eq!((found.report.stop, found.report.supersteps), (StopReason::Converged, 1));
}

/// Counts the steps from vertex 0, and has always converged.
#[derive(Clone, Copy)]
struct Done;

impl Program for Done {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Done {
    fn edge_compute(&self, steps: &u32, _: Edge<()>) -> Option<u32> {
        Some(steps + 1)
    }
}

impl VertexCompute for Done {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        match context.vertex() {
            0 => (0, Vote::Scatter),
            _ => (u32::MAX, Vote::Halt),
        }
    }

    fn vertex_compute(
        &self,
        steps: &mut u32,
        found: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match found {
            Some(found) if found < *steps => {
                *steps = found;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, steps: &u32, _: &Context<'_, Self>) -> u32 {
        *steps
    }

    fn converged(&self, (): &()) -> bool {
        true
    }
}

pregel_emulator::export!(done: Done);

#[test]
fn distances_do_not_depend_on_the_width() {
    let weighted: Graph<f32> = "rmat:scale=9".parse::<Spec>().unwrap().weighted().unwrap();
    for graph in [&weighted, &path(400)] {
        let program = Sssp { source: 1 };
        let expected = Reference.run(graph, &program, &RunOptions::default()).unwrap().states;
        for delta in [None, Some(1e-3), Some(0.5), Some(1e9)] {
            let found = run(graph, &program, &RunOptions::default().with_delta(delta));
            assert_eq!(found.states, expected, "delta {delta:?}");
            assert_eq!(found.report.stop, StopReason::Halted);
        }
    }
}

#[test]
fn a_run_may_take_more_rounds_than_a_launch() {
    // One vertex is near at a time, so each takes a round.
    let graph = path(1300);
    let options = RunOptions::default().with_delta(0.5);
    let found = run(&graph, &Sssp { source: 0 }, &options);
    let expected = Reference.run(&graph, &Sssp { source: 0 }, &RunOptions::default()).unwrap();
    assert_eq!(found.states, expected.states);
    assert!(found.report.supersteps >= 1299, "{}", found.report.supersteps);
    let rounds: Vec<u32> = found.report.steps.iter().map(|step| step.superstep).collect();
    assert_eq!(rounds, (0..=found.report.supersteps).collect::<Vec<_>>());
}

#[test]
fn long_rows_are_listed_together_with_short_ones() {
    // Vertex 0 reaches hubs and single edges in one round; rows have pieces of 256 edges.
    let degrees = [0, 1, 255, 256, 257, 512, 513, 9_001, 2, 8_192, 1, 300];
    let mut edges: Vec<[u32; 2]> = (0..degrees.len() as u32).map(|i| [0, 1 + i]).collect();
    let mut n = 1 + degrees.len() as u32;
    for (hub, degree) in (1..).zip(degrees) {
        edges.extend((n..n + degree).map(|leaf| [hub, leaf]));
        n += degree;
    }
    let values: Vec<f32> = (0..edges.len()).map(|i| (i % 5 + 1) as f32).collect();
    let list = EdgeList { vertex_count: n, edges, values };
    let graph = GraphBuilder::new().with_edge_list(list).build().unwrap();
    let program = Sssp { source: 0 };
    let expected = Reference.run(&graph, &program, &RunOptions::default()).unwrap();
    let found = run(&graph, &program, &RunOptions::default().with_delta(1e9));
    assert_eq!(found.states, expected.states);
    assert!(ways(&found)[1..].iter().all(|way| *way == Way::Round));
    // Every edge is sent along once.
    assert_eq!(found.report.messages, graph.edge_count());
    let (graph, all) = (graph.without_values(), GpuOptions::default());
    let all = all.with_resident(Choice::Always);
    let bfs = run_as(all, &graph, &Bfs { source: 0 }, &RunOptions::default());
    same_steps(&graph, &Bfs { source: 0 }, &bfs);
}

#[test]
fn a_frontier_may_have_more_items_than_there_are_vertices() {
    // Vertex 0 reaches each of the others along 512 edges, two pieces of its row.
    let n = 12;
    let edges: Vec<[u32; 2]> = (1..n).flat_map(|v| [[0, v]; 512]).collect();
    let graph: Graph = Graph::from_edges(edges.iter().map(|[u, v]| (*u, *v))).unwrap();
    assert_eq!(graph.edge_count(), 512 * u64::from(n - 1));
    let all = GpuOptions::default().with_resident(Choice::Always);
    let found = run_as(all, &graph, &Bfs { source: 0 }, &RunOptions::default());
    same_steps(&graph, &Bfs { source: 0 }, &found);
}

/// Options with which a program with priorities runs in rounds, whose near list becomes
/// `growth` times as wide where a waiting vertex costs as much as `messages`.
fn growing(growth: f64, messages: f64) -> GpuOptions {
    let mut costs = Costs::default();
    (costs.rounds_edges, costs.rounds_spread) = (0, 0.0);
    (costs.near_growth, costs.near_pass_messages) = (growth, messages);
    GpuOptions::default().with_costs(costs)
}

#[test]
fn the_near_list_grows_towards_the_end() {
    let graph: Graph<f32> = "rmat:scale=10,maxw=255".parse::<Spec>().unwrap().weighted().unwrap();
    let program = Sssp { source: 1 };
    let expected = Reference.run(&graph, &program, &RunOptions::default()).unwrap().states;
    let run = |layout, options: &RunOptions| {
        let found = run_as(layout, &graph, &program, options);
        assert_eq!(found.states, expected);
        assert!(ways(&found)[1..].iter().all(|way| *way == Way::Round));
        let explanation = found.report.device.as_ref().unwrap().explanation.clone().unwrap();
        let Rounds::Taken { delta: Some(delta), grown: Some(grown), .. } = explanation.rounds
        else {
            panic!("{:?}", explanation.rounds)
        };
        (found.report.supersteps, delta, grown)
    };
    let options = RunOptions::default().with_delta(8.0);
    let (rounds, delta, grown) = run(growing(1.0, 4.0), &options);
    assert_eq!((delta, grown), (8.0, 8.0));
    let (fewer, delta, wide) = run(growing(2.0, 4.0), &options);
    assert!(delta == 8.0 && wide >= 16.0 && wide.log2().fract() == 0.0, "{delta}, {wide}");
    assert!(fewer < rounds * 3 / 4, "{fewer} rounds, {rounds} without growth");
    // Messages that cost nothing next to vertices: it grows at every pass with fewer.
    let (_, _, widest) = run(growing(2.0, 1e9), &options);
    assert!(widest > wide, "{widest}, {wide}");
    let (_, _, never) = run(growing(2.0, 0.0), &options);
    assert_eq!(never, 8.0);
    // The width is kept from launch to launch.
    let engine = Gpu::new(Emulator::new(), images()).with_options(growing(2.0, 4.0));
    let mut session = engine.prepare(&graph, &options).unwrap();
    let mut run = session.start(&program, &[]).unwrap();
    while run.advance(3).unwrap().stop.is_none() {}
    let found = run.finish().unwrap();
    assert_eq!((found.states, found.report.supersteps), (expected.clone(), fewer));
}

/// Distances; a vertex without out-edges halts instead of scattering.
#[derive(Clone, Copy)]
struct Quiet;

impl Program for Quiet {
    type Input = ();
    type State = f32;
    type Signal = f32;
    type Edge = f32;
    type Combiner = Min<f32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Quiet {
    fn edge_compute(&self, distance: &f32, edge: Edge<f32>) -> Option<f32> {
        Some(distance + edge.value)
    }
}

impl VertexCompute for Quiet {
    fn init(&self, context: &mut Context<'_, Self>) -> (f32, Vote) {
        match context.vertex() {
            0 => (0.0, Vote::Scatter),
            _ => (f32::INFINITY, Vote::Halt),
        }
    }

    fn vertex_compute(
        &self,
        distance: &mut f32,
        found: Option<f32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        match found {
            Some(found) if found < *distance => {
                *distance = found;
                if context.out_degree() > 0 { Vote::Scatter } else { Vote::Halt }
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, distance: &f32, _: &Context<'_, Self>) -> f32 {
        *distance
    }

    fn priority(&self, distance: &f32) -> Option<f32> {
        Some(*distance)
    }
}

pregel_emulator::export!(quiet: Quiet);

#[test]
fn a_vertex_may_change_without_scattering() {
    // Every other vertex is a sink, and the second edge into it is the shorter one.
    let edges = (0..200).flat_map(|v| [[2 * v, 2 * v + 1], [2 * v, 2 * v + 2]]);
    let edges: Vec<[u32; 2]> = edges.chain((1..200).map(|v| [2 * v, 2 * v - 1])).collect();
    let values = (0..edges.len()).map(|i| if i < 400 { 500.0 } else { 1.0 }).collect();
    let list = EdgeList { vertex_count: 401, edges, values };
    let graph = GraphBuilder::new().with_edge_list(list).build().unwrap();
    let engine = Gpu::new(Emulator::new(), images().program::<Quiet>("quiet", quiet::KERNELS));
    let found = engine.run(&graph, &Quiet, &RunOptions::default()).unwrap();
    let expected = Reference.run(&graph, &Quiet, &RunOptions::default()).unwrap();
    assert_eq!(found.states, expected.states);
    assert!(launches(&found) < 40, "{}", launches(&found));
}

#[test]
fn options_can_ask_for_plain_supersteps() {
    let graph = path(50);
    let program = Sssp { source: 0 };
    let plain = RunOptions::default().with_strategy(Strategy::Push);
    let found = run(&graph, &program, &plain);
    same_steps(&graph, &program, &found);
    assert!(launches(&found) > 3 * 49);
    let fixed = RunOptions::default().with_deterministic(true);
    same_steps(&graph, &program, &run(&graph, &program, &fixed));
}

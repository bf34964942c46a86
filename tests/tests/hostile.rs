//! Small programs, graphs and devices that safe code can make and that an engine must
//! survive: it gives the reference's result or an error.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::Bfs;
use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Choice, Costs, Gpu, GpuOptions};
use pregel_core::engine::{
    Cpu, Engine, Reference, RunError, RunOptions, Session, StopReason, Strategy,
};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{Csr, EdgeList, Graph, GraphBuilder, Ids};
use pregel_core::program::{
    Context, Edge, EdgeCompute, List, Mail, Min, Nothing, Program, Sum, Value, VertexCompute, Vote,
};
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;
use pregel_roster::suite::{course, rounds};
use pregel_roster::test_programs::Ledger;

fn weighted(spec: &str) -> Graph<f32> {
    spec.parse::<Spec>().unwrap().weighted().unwrap()
}

/// Rows that are given edge by edge, as a caller of [`Graph::new`] may make them.
fn undirected<E: Value>(
    rows: &[&[u32]],
    values: Vec<E>,
) -> Result<Graph<E>, impl std::error::Error> {
    let mut offsets = vec![0u64];
    for row in rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as u64);
    }
    let csr = Csr::new(offsets.into(), rows.concat().into()).unwrap();
    Graph::new(false, Ids::range(0, rows.len() as u32), csr, values.into())
}

fn plain(rows: &[&[u32]]) -> Result<Graph, impl std::error::Error> {
    undirected(rows, Vec::<()>::new())
}

#[test]
fn an_undirected_graph_is_its_own_transpose() {
    let asymmetric: [&[&[u32]]; 6] = [
        &[&[1], &[]],
        // As many edges at each vertex in both directions.
        &[&[1], &[2], &[0]],
        // The same edges, but not as often.
        &[&[1, 1], &[0]],
        &[&[1, 1, 2], &[0], &[0, 0]],
        &[&[0, 1], &[1]],
        // Only the last of many edges has no counterpart.
        &[&[1, 2, 3], &[0, 2, 3], &[0, 1], &[0, 1, 2]],
    ];
    for rows in asymmetric {
        assert!(plain(rows).is_err(), "{rows:?}");
    }
    let symmetric: [&[&[u32]]; 5] = [
        &[],
        &[&[]],
        &[&[0, 0, 1], &[0]],
        // In any order, as often as one likes.
        &[&[2, 1, 2], &[0], &[0, 0]],
        &[&[3, 1, 2], &[2, 0], &[1, 0], &[0]],
    ];
    for rows in symmetric {
        let graph = plain(rows).unwrap_or_else(|e| panic!("{rows:?}: {e}"));
        let found = Cpu::new().run(&graph, &Hcc, &RunOptions::default()).unwrap();
        let expected = Reference.run(&graph, &Hcc, &RunOptions::default()).unwrap();
        assert_eq!(found.states, expected.states);
    }
}

#[test]
fn both_directions_of_an_undirected_edge_have_the_same_value() {
    let both = |values: Vec<f32>| undirected(&[&[1, 2], &[0], &[0]], values).is_ok();
    assert!(both(vec![1.0, 2.0, 1.0, 2.0]));
    assert!(!both(vec![1.0, 2.0, 2.0, 1.0]));
    // Of parallel edges, as a multiset.
    let parallel = |values: Vec<f32>| undirected(&[&[1, 1], &[0, 0]], values).is_ok();
    assert!(parallel(vec![1.0, 2.0, 1.0, 2.0]));
    assert!(parallel(vec![1.0, 2.0, 2.0, 1.0]));
    assert!(!parallel(vec![1.0, 1.0, 1.0, 2.0]));
}

/// Runs the program on a device whose memory other sessions fill between preparing
/// and running, so that no row can be laid out to push along; then again with the
/// memory still full, and again with room. Returns whether the first run failed.
fn short_of_memory<P: VertexCompute<Input = ()>>(
    layout: GpuOptions,
    options: &RunOptions,
    graph: &Graph<P::Edge>,
    program: &P,
) -> bool
where
    P::State: PartialEq + std::fmt::Debug,
{
    let on = |device| Gpu::new(device, images()).with_options(layout);
    let expected = Reference.run(graph, program, &RunOptions::default()).unwrap().states;
    let roomy = on(Emulator::new());
    let outcome = roomy.run(graph, program, options).unwrap();
    assert_eq!(outcome.states, expected);
    let needs = &outcome.report.device.as_ref().unwrap().memory;
    let planned = needs.iter().map(|need| need.bytes).sum::<u64>();

    let engine = on(Emulator::with_memory(planned.max(roomy.device().peak())));
    let mut session = engine.prepare::<P>(graph, options).unwrap();
    let small = "grid:rows=1,cols=3".parse::<Spec>().unwrap().plain().unwrap();
    let mut others = Vec::new();
    while let Ok(other) = engine.prepare::<Hcc>(&small, &RunOptions::default()) {
        others.push(other);
    }
    let mut failed = Vec::new();
    for _ in 0..2 {
        let outcome = session.run(program);
        failed.push(outcome.is_err());
        match outcome {
            Err(RunError::Device(_) | RunError::TooLarge { .. }) => {}
            Err(e) => panic!("{e}"),
            Ok(outcome) => assert_eq!(outcome.states, expected),
        }
    }
    drop(others);
    assert_eq!(session.run(program).unwrap().states, expected);
    failed[0]
}

#[test]
fn a_run_that_found_no_memory_may_be_repeated() {
    let graph = weighted("rmat:scale=9");
    let plain = graph.without_values();
    let (usual, auto) = (GpuOptions::default(), RunOptions::default());
    // Pushed superstep by superstep; many supersteps in one launch; in rounds.
    let mut costs = Costs::default();
    costs.push_launches_ns = 0.0;
    let hosted = usual.with_resident(Choice::Never).with_costs(costs);
    assert!(short_of_memory(hosted, &auto, &plain, &Bfs { source: 0 }));
    let resident = usual.with_resident(Choice::Always);
    assert!(short_of_memory(resident, &auto, &plain, &Hcc));
    assert!(short_of_memory(rounds(), &auto, &graph, &Sssp { source: 0 }));
}

/// Counts the messages that arrive, which have no content and are not combined.
#[derive(Clone, Copy)]
struct Knocks;

impl Program for Knocks {
    type Input = ();
    type State = u64;
    type Signal = ();
    type Edge = ();
    type Combiner = List<()>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Knocks {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<()> {
        Some(())
    }
}

impl VertexCompute for Knocks {
    fn init(&self, context: &mut Context<'_, Self>) -> (u64, Vote) {
        let vote = if context.vertex().is_multiple_of(3) { Vote::Halt } else { Vote::Scatter };
        (0, vote)
    }

    fn vertex_compute(
        &self,
        heard: &mut u64,
        mut knocks: Mail<'_, ()>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        for i in 0..knocks.len() {
            knocks.set(i, ());
            let () = knocks.get(i);
            *heard += 1;
        }
        context.contribute(knocks.len() as u64);
        if context.superstep() < 3 { Vote::Scatter } else { Vote::Halt }
    }

    fn signal(&self, _: &u64, _: &Context<'_, Self>) {}
}

pregel_emulator::export!(knocks: Knocks);

/// Only counts, so that its vertices need no state.
#[derive(Clone, Copy)]
struct Roll;

impl Program for Roll {
    type Input = ();
    type State = ();
    type Signal = u32;
    type Edge = ();
    type Combiner = Sum<u32>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Roll {
    fn edge_compute(&self, one: &u32, _: Edge<()>) -> Option<u32> {
        Some(*one)
    }
}

impl VertexCompute for Roll {
    fn init(&self, _: &mut Context<'_, Self>) -> ((), Vote) {
        ((), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        (): &mut (),
        called: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        context.contribute(called.unwrap_or(0).into());
        if context.superstep() < 4 { Vote::Scatter } else { Vote::Halt }
    }

    fn signal(&self, (): &(), _: &Context<'_, Self>) -> u32 {
        1
    }
}

pregel_emulator::export!(roll: Roll);

#[test]
fn vertices_need_no_state() {
    use Strategy::{Auto, Mailbox, Pull, Push};
    for spec in ["rmat:scale=9", "rmat:scale=7,sym=0", "uniform:n=1,m=0"] {
        let graph = weighted(spec).without_values();
        let expected = Reference.run(&graph, &Roll, &RunOptions::default()).unwrap();
        for strategy in [Auto, Pull, Push, Mailbox] {
            let options = RunOptions::default().with_strategy(strategy);
            let images = images().program::<Roll>("roll", roll::KERNELS);
            let found = Gpu::new(Emulator::new(), images).run(&graph, &Roll, &options).unwrap();
            assert_eq!(found.states.len(), expected.states.len());
            assert_eq!(found.aggregate, expected.aggregate, "{spec}, {strategy:?}");
            assert_eq!(course(&found.report), course(&expected.report));
            let found = Cpu::new().run(&graph, &Roll, &options).unwrap();
            assert_eq!(found.aggregate, expected.aggregate, "{spec}, {strategy:?}");
        }
    }
}

#[test]
fn a_gpu_refuses_bad_inputs_and_lengths_as_a_cpu_does() {
    let graph = Graph::from_weighted_edges([(2, 0, 1.0), (0, 1, 1.0), (1, 2, -1.0)]).unwrap();
    let options = RunOptions::default();
    let gpu = Gpu::new(Emulator::new(), images());
    let program = Sssp { source: 0 };
    let on_gpu = gpu.run(&graph, &program, &options).err();
    assert!(matches!(on_gpu, Some(RunError::Edge { .. })), "{on_gpu:?}");
    assert_eq!(on_gpu, Cpu::new().run(&graph, &program, &options).err());

    let plain = graph.without_values();
    let mut session = gpu.prepare::<Ledger>(&plain, &options).unwrap();
    let on_gpu = session.run_with(&Ledger { target: 0 }, &[]).err();
    assert_eq!(on_gpu, Some(RunError::Inputs { expected: 3, found: 0 }));
}

#[test]
fn messages_without_content_can_be_listed() {
    use Strategy::{Auto, Mailbox};
    for spec in ["rmat:scale=7,sym=0", "grid:rows=1,cols=40", "uniform:n=1,m=0"] {
        let graph = weighted(spec).without_values();
        let expected = Reference.run(&graph, &Knocks, &RunOptions::default()).unwrap();
        for strategy in [Auto, Mailbox] {
            for deterministic in [false, true] {
                let options =
                    RunOptions::default().with_strategy(strategy).with_deterministic(deterministic);
                let images = images().program::<Knocks>("knocks", knocks::KERNELS);
                for layout in [GpuOptions::default(), GpuOptions::thesis(10), GpuOptions::medusa()]
                {
                    let engine = Gpu::new(Emulator::new(), images.clone()).with_options(layout);
                    let found = engine.run(&graph, &Knocks, &options).unwrap();
                    assert_eq!(found.states, expected.states, "{spec}, {options:?}");
                    assert_eq!(found.aggregate, expected.aggregate);
                    assert_eq!(course(&found.report), course(&expected.report));
                }
                let found = Cpu::new().run(&graph, &Knocks, &options).unwrap();
                assert_eq!(found.states, expected.states, "{spec}, {options:?}");
            }
        }
    }
}

/// Distances, which may be updated in place, of a program that has converged as soon
/// as it is asked.
#[derive(Clone, Copy)]
struct Early {
    /// Whether vertices have a priority, as 0 or 1.
    by_priority: u32,
}

impl Program for Early {
    type Input = ();
    type State = f32;
    type Signal = f32;
    type Edge = f32;
    type Combiner = Min<f32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Early {
    fn edge_compute(&self, distance: &f32, edge: Edge<f32>) -> Option<f32> {
        Some(distance + edge.value)
    }
}

impl VertexCompute for Early {
    fn init(&self, context: &mut Context<'_, Self>) -> (f32, Vote) {
        match context.vertex() {
            0 => (0.0, Vote::Scatter),
            _ => (f32::INFINITY, Vote::Halt),
        }
    }

    fn vertex_compute(
        &self,
        distance: &mut f32,
        offer: Option<f32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(shorter) = offer.filter(|offer| offer < distance) else { return Vote::Halt };
        *distance = shorter;
        Vote::Scatter
    }

    fn signal(&self, distance: &f32, _: &Context<'_, Self>) -> f32 {
        *distance
    }

    fn priority(&self, distance: &f32) -> Option<f32> {
        (self.by_priority != 0).then_some(*distance)
    }

    fn converged(&self, (): &()) -> bool {
        true
    }
}

pregel_emulator::export!(early: Early);

#[test]
fn a_monotone_program_may_converge_before_it_halts() {
    // On a path every superstep reaches one vertex more, so that none goes unnoticed.
    let edges: Vec<[u32; 2]> = (1..50).map(|v| [v - 1, v]).collect();
    let list = EdgeList { vertex_count: 50, values: vec![1.0; edges.len()], edges };
    let path = GraphBuilder::new().with_edge_list(list).build().unwrap();
    let layouts = [
        GpuOptions::default(),
        rounds(),
        GpuOptions::default().with_resident(Choice::Always),
        GpuOptions::default().with_resident(Choice::Never),
    ];
    for graph in [&path, &weighted("rmat:scale=8")] {
        for by_priority in [0, 1] {
            let program = Early { by_priority };
            for delta in [None, Some(0.5), Some(1e9)] {
                let options = RunOptions::default().with_delta(delta);
                let expected = Reference.run(graph, &program, &options).unwrap();
                let stop = (expected.report.stop, expected.report.supersteps);
                assert_eq!(stop, (StopReason::Converged, 1));
                for threads in [1, 2] {
                    let engine = Cpu::with_threads(threads).unwrap();
                    let found = engine.run(graph, &program, &options).unwrap();
                    assert_eq!(
                        (found.report.stop, found.report.supersteps),
                        stop,
                        "cpu, {delta:?}"
                    );
                    assert_eq!(found.states, expected.states, "cpu, {delta:?}");
                }
                for layout in layouts {
                    let images = images().program::<Early>("early", early::KERNELS);
                    let engine = Gpu::new(Emulator::new(), images).with_options(layout);
                    let found = engine.run(graph, &program, &options).unwrap();
                    assert_eq!((found.report.stop, found.report.supersteps), stop, "{layout:?}");
                    assert_eq!(found.states, expected.states, "{layout:?}, {delta:?}");
                }
            }
        }
    }
}

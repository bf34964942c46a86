//! Algorithms of several phases, between which the states stay in the engine.
#![allow(clippy::unwrap_used)]

use pregel_algos::betweenness::{Accumulate, CountPaths, Dependency};
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::gpu::{Device, Gpu, GpuOptions, Images};
use pregel_core::engine::{Fastest, Inputs, Kept, Run};
use pregel_core::graph::Graph;
use pregel_core::prelude::*;
use pregel_emulator::{Emulator, graph};
use pregel_roster::phases::check;
use pregel_roster::relay::relay;
use pregel_roster::suite::{Contender, cpu, emulated, reference};

#[test]
fn reference_agrees_with_brandes() {
    check(&reference(Auto), u64::MAX);
}

#[test]
fn cpu_agrees_with_brandes() {
    for strategy in [Auto, Push, Pull, Mailbox] {
        check(&cpu(2, strategy, false), u64::MAX);
    }
    check(&cpu(4, Auto, true), u64::MAX);
}

#[test]
fn gpu_agrees_with_brandes() {
    check(&emulated(Auto, false, GpuOptions::default()), 2000);
    check(&emulated(Auto, true, GpuOptions::default()), 400);
    for strategy in [Push, Pull, Mailbox] {
        check(&emulated(strategy, false, GpuOptions::default()), 400);
    }
}

#[test]
fn phases_can_be_saved_and_resumed() {
    check(&relay(cpu(1, Auto, false), cpu(3, Auto, false)), 400);
    let gpu = emulated(Auto, false, GpuOptions::default());
    check(&relay(gpu, reference(Auto)), 400);
}

#[test]
fn fastest_agrees_with_brandes() {
    let on_gpu = Fastest::new(Some(emulated(Auto, false, GpuOptions::default()).engine))
        .with_gpu_first(true);
    check(&Contender { engine: on_gpu, options: RunOptions::default(), picky: true }, 400);
    let on_cpu = Fastest::<Emulator>::new(None);
    check(&Contender { engine: on_cpu, options: RunOptions::default(), picky: true }, 400);
}

fn path() -> Graph {
    Graph::from_edges([(0, 1), (1, 2), (2, 3)]).unwrap()
}

/// The states of a run that has ended, kept by this engine.
fn kept<E: Engine>(engine: &E, graph: &Graph) -> E::Kept<Dependency> {
    let mut session = engine.prepare::<CountPaths>(graph, &RunOptions::default()).unwrap();
    let nothing = vec![Dependency::default(); graph.vertex_count() as usize];
    let mut run = session.start(&CountPaths { source: 0 }, &nothing).unwrap();
    run.advance_to_end().unwrap();
    let counted = run.keep().unwrap();
    assert_eq!(counted.states.len(), nothing.len());
    let levels: Vec<u32> = counted.states.to_vec().unwrap().iter().map(|s| s.level).collect();
    assert_eq!(levels, [0, 1, 2, 3]);
    let mut session = engine.prepare::<Accumulate>(graph, &RunOptions::default()).unwrap();
    let mut run = session.follow(&Accumulate, counted.states).unwrap();
    run.advance_to_end().unwrap();
    run.keep().unwrap().states
}

fn dependencies(kept: &impl Kept<Dependency>) -> Vec<f64> {
    kept.to_vec().unwrap().iter().map(|state| state.dependency).collect()
}

#[test]
fn kept_states_can_be_read() {
    let gpu = emulated(Auto, false, GpuOptions::default()).engine;
    assert_eq!(dependencies(&kept(&Reference, &path())), [3.0, 2.0, 1.0, 0.0]);
    assert_eq!(dependencies(&kept(&gpu, &path())), [3.0, 2.0, 1.0, 0.0]);
}

#[test]
fn others_are_told_where_kept_states_are() {
    let gpu = || emulated(Auto, false, GpuOptions::default()).engine;
    let (engine, graph) = (gpu(), path());
    let [first, second] = [kept(&engine, &graph), kept(&engine, &graph)];
    assert_eq!(first.address() % 256, 0, "allocations are aligned");
    assert!(first.address() != 0 && first.address() != second.address());
    assert_eq!(first.device().name(), engine.device().name());

    let on_gpu = Fastest::new(Some(gpu())).with_gpu_first(true);
    let kept_there = kept(&on_gpu, &graph).into_gpu().unwrap();
    assert_eq!(dependencies(&kept_there), [3.0, 2.0, 1.0, 0.0]);
    let here = kept(&Fastest::<Emulator>::new(None), &graph).into_gpu().unwrap_err();
    assert_eq!(dependencies(&here), [3.0, 2.0, 1.0, 0.0]);
}

#[test]
fn a_run_follows_one_on_another_device() {
    let gpu = || emulated(Auto, false, GpuOptions::default()).engine;
    let (here, graph) = (gpu(), path());
    let elsewhere = kept(&gpu(), &graph);
    let mut session = here.prepare::<CountPaths>(&graph, &RunOptions::default()).unwrap();
    let mut run = session.follow(&CountPaths { source: 1 }, elsewhere).unwrap();
    run.advance_to_end().unwrap();
    let centrality: Vec<f64> =
        run.finish().unwrap().states.iter().map(|state| state.centrality).collect();
    assert_eq!(centrality, [0.0, 2.0, 1.0, 0.0]);
}

#[test]
fn a_run_follows_only_on_a_graph_of_the_same_size() {
    fn refuses<E: Engine>(engine: &E) {
        let kept = kept(engine, &path());
        let larger = Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 4)]).unwrap();
        let mut session = engine.prepare::<CountPaths>(&larger, &RunOptions::default()).unwrap();
        let refused = session.follow(&CountPaths { source: 0 }, kept).err();
        assert_eq!(refused, Some(RunError::Inputs { expected: 5, found: 4 }));
    }
    refuses(&Reference);
    refuses(&cpu(2, Auto, false).engine);
    refuses::<Gpu<Emulator>>(&emulated(Auto, false, GpuOptions::default()).engine);
}

#[test]
fn later_runs_leave_kept_states_alone() {
    let engine = emulated(Auto, false, GpuOptions::default()).engine;
    let graph = path();
    let mut session = engine.prepare::<CountPaths>(&graph, &RunOptions::default()).unwrap();
    let nothing = vec![Dependency::default(); 4];
    let mut kept = Vec::new();
    for source in 0..3 {
        let mut run = session.start(&CountPaths { source }, &nothing).unwrap();
        run.advance_to_end().unwrap();
        kept.push(run.keep().unwrap().states);
    }
    let outcome = session.run_with(&CountPaths { source: 3 }, &nothing).unwrap();
    assert_eq!(outcome.states[3].level, 0);
    for (source, kept) in kept.iter().enumerate() {
        assert_eq!(kept.to_vec().unwrap()[source].level, 0, "a later run changed it");
    }
}

/// Every vertex adds up, three times, what its neighbours have and were given.
#[derive(Clone, Copy, Debug)]
struct Allowance;

impl Program for Allowance {
    type Input = u32;
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Sum<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Allowance {
    fn edge_compute(&self, amount: &u32, _: Edge<()>) -> Option<u32> {
        Some(*amount)
    }
}

impl VertexCompute for Allowance {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        (context.vertex(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        state: &mut u32,
        sum: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        *state = sum.unwrap_or(0);
        if context.superstep() < 3 { Vote::Scatter } else { Vote::Halt }
    }

    fn signal(&self, state: &u32, context: &Context<'_, Self>) -> u32 {
        state + context.input()
    }
}

pregel_emulator::export!(allowance: Allowance);

#[test]
fn a_run_with_kept_inputs_is_resumed() {
    /// What a run with the states of another as its inputs gives, and what it gives if it is
    /// saved after superstep 1 and resumed.
    fn whole_and_resumed<E: Engine>(engine: &E, options: &RunOptions) -> [Vec<u32>; 2] {
        let graph = path();
        let mut session = engine.prepare::<Allowance>(&graph, options).unwrap();
        let mut kept = || {
            let mut run = session.start(&Allowance, &[10, 20, 30, 40]).unwrap();
            run.advance_to_end().unwrap();
            run.keep().unwrap().states
        };
        let (first, second) = (kept(), kept());
        let mut session = engine.prepare::<Allowance>(&graph, options).unwrap();
        let mut run = session.follow(&Allowance, first).unwrap();
        run.advance(2).unwrap();
        let saved = run.save().unwrap();
        run.advance_to_end().unwrap();
        let whole = run.finish().unwrap().states;
        let mut run = session.begin(&Allowance, Inputs::Kept(second), Some(&saved)).unwrap();
        run.advance_to_end().unwrap();
        [whole, run.finish().unwrap().states]
    }
    let options = RunOptions::default();
    let [expected, resumed] = whole_and_resumed(&Reference, &options);
    assert_eq!(resumed, expected);
    assert_eq!(whole_and_resumed(&cpu(2, Auto, false).engine, &options), [&*expected; 2]);
    for strategy in [Auto, Push, Pull, Mailbox] {
        let images = Images::new().graph(graph::KERNELS);
        let images = images.program::<Allowance>("allowance", allowance::KERNELS);
        let gpu = Gpu::new(Emulator::new(), images);
        let options = RunOptions::default().with_strategy(strategy);
        assert_eq!(whole_and_resumed(&gpu, &options), [&*expected; 2], "{strategy:?}");
        assert_eq!(
            whole_and_resumed(&Fastest::new(Some(gpu)).with_gpu_first(true), &options),
            [&*expected; 2]
        );
    }
}

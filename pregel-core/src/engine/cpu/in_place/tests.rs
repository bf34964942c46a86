//! When states may be updated in place.
#![allow(clippy::unwrap_used)]

use crate::engine::{
    Cpu, Engine, Reference, Run, RunOptions, Session, StopReason, Strategy, SuperstepReport,
};
use crate::graph::generate::Spec;
use crate::graph::{Graph, GraphBuilder};
use crate::program::{
    Context, Direction, Edge, EdgeCompute, Min, Nothing, Or, Program, VertexCompute, VertexId, Vote,
};

/// The smallest label of the component, or that among the neighbours if the
/// program calls every superstep converged.
#[derive(Clone, Copy)]
struct Labels {
    one_superstep: bool,
}

impl Program for Labels {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::Both;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Labels {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for Labels {
    fn init(&self, context: &mut Context<'_, Self>) -> (VertexId, Vote) {
        (context.vertex(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        label: &mut VertexId,
        smallest: Option<VertexId>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(smaller) = smallest.filter(|smallest| smallest < label) else {
            return Vote::Halt;
        };
        *label = smaller;
        Vote::Scatter
    }

    fn signal(&self, label: &VertexId, _: &Context<'_, Self>) -> VertexId {
        *label
    }

    fn priority(&self, label: &VertexId) -> Option<f32> {
        Some(*label as f32)
    }

    fn converged(&self, (): &()) -> bool {
        self.one_superstep
    }
}

#[test]
fn a_program_that_converges_at_once_stops_after_one_superstep() {
    let graph = "grid:rows=9,cols=9".parse::<Spec>().unwrap().plain().unwrap();
    let options = RunOptions::default();
    for (one_superstep, stop) in [(true, StopReason::Converged), (false, StopReason::Halted)] {
        let program = Labels { one_superstep };
        let expected = Reference.run(&graph, &program, &options).unwrap();
        let found = Cpu::new().run(&graph, &program, &options).unwrap();
        assert_eq!(found.states, expected.states);
        assert_eq!((found.report.stop, expected.report.stop), (stop, stop));
        if one_superstep {
            assert_eq!((found.report.supersteps, expected.report.supersteps), (1, 1));
        }
    }
}

/// Steps from vertex 0, by priority, along directed edges. With `only_ends`, vertices with an
/// out-edge pass 1 on without a change of their own. With `once`, only vertex 0 sends.
#[derive(Clone, Copy, Default)]
pub(super) struct Steps {
    only_ends: bool,
    once: bool,
}

impl Program for Steps {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Steps {
    fn edge_compute(&self, steps: &u32, _: Edge<()>) -> Option<u32> {
        Some(if self.only_ends { 1 } else { steps + 1 })
    }
}

impl VertexCompute for Steps {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        if context.vertex() == 0 { (0, Vote::Scatter) } else { (1 << 30, Vote::Halt) }
    }

    fn vertex_compute(
        &self,
        steps: &mut u32,
        fewest: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        if self.only_ends && context.out_degree() > 0 {
            return Vote::Scatter;
        }
        let Some(fewer) = fewest.filter(|fewest| fewest < steps) else { return Vote::Halt };
        *steps = fewer;
        if self.once { Vote::Halt } else { Vote::Scatter }
    }

    fn signal(&self, steps: &u32, _: &Context<'_, Self>) -> u32 {
        *steps
    }

    fn priority(&self, steps: &u32) -> Option<f32> {
        Some(*steps as f32)
    }
}

fn path(vertices: u32) -> Graph<()> {
    Graph::from_edges((1..vertices).map(|v| (v - 1, v))).unwrap()
}

#[test]
fn rounds_of_a_deep_graph_give_way_to_buckets() {
    // A path along which ids jump, so that labels travel a step at a time in either direction.
    let place = |i: u32| (i * 1_021) % 4_001;
    let graph: Graph = Graph::from_edges((1..4_001).map(|i| (place(i - 1), place(i)))).unwrap();
    let program = Labels { one_superstep: false };
    let outcome = Cpu::new().run(&graph, &program, &RunOptions::default()).unwrap();
    assert!(outcome.states.iter().all(|label| *label == 0));
    let messages = outcome.report.messages;
    assert!(messages < 10 * 8_000, "{messages} messages");
    let mut session = Cpu::new().prepare::<Labels>(&graph, &RunOptions::default()).unwrap();
    let mut run = session.start(&program, &[]).unwrap();
    while run.advance(1).unwrap().stop.is_none() {}
    assert_eq!(run.finish().unwrap().states, outcome.states);
}

#[test]
fn a_vertex_may_scatter_without_a_change() {
    let (graph, program) = (path(100), Steps { only_ends: true, once: false });
    let expected = Reference.run(&graph, &program, &RunOptions::default()).unwrap().states;
    let found = Cpu::new().run(&graph, &program, &RunOptions::default()).unwrap().states;
    assert_eq!(found, expected);
    assert_eq!(found[99], 1);
}

#[test]
fn messages_to_a_vertex_without_a_change_are_answered_at_once() {
    // Diamonds in a row: 2^16 paths.
    let diamond = |i: u32| [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(u, v)| (3 * i + u, 3 * i + v));
    let graph = Graph::from_edges((0..16).flat_map(diamond)).unwrap();
    let program = Steps { only_ends: true, once: false };
    let report = Cpu::new().run(&graph, &program, &RunOptions::default()).unwrap().report;
    assert!(report.messages < 3 * 64, "{} messages", report.messages);
}

/// Sets of bits, of which only bit 0 is passed on. An edge that is passed adds its bits.
#[derive(Clone, Copy)]
struct Tags;

impl Program for Tags {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = u32;
    type Combiner = Or<u32>;
    type Aggregate = Nothing;
    const MONOTONE: bool = true;
}

impl EdgeCompute for Tags {
    fn edge_compute(&self, tags: &u32, edge: Edge<u32>) -> Option<u32> {
        (tags & 1 != 0).then_some(edge.value)
    }
}

impl VertexCompute for Tags {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        if context.vertex() == 0 { (1, Vote::Scatter) } else { (0, Vote::Halt) }
    }

    fn vertex_compute(&self, tags: &mut u32, more: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
        let before = *tags;
        *tags |= more.unwrap_or(0);
        if *tags & !before & 1 != 0 { Vote::Scatter } else { Vote::Halt }
    }

    fn signal(&self, tags: &u32, _: &Context<'_, Self>) -> u32 {
        *tags
    }

    fn priority(&self, tags: &u32) -> Option<f32> {
        Some(-(*tags as f32))
    }
}

#[test]
fn a_change_is_sent_although_a_silent_one_follows() {
    // Along the second of the parallel edges vertex 1 is altered once more, and gets a better
    // priority, before it sends.
    let edges = [(0, 1, 1), (0, 1, 2), (1, 2, 5)];
    let graph = GraphBuilder::new().with_weighted_edges(edges).build().unwrap();
    let expected = Reference.run(&graph, &Tags, &RunOptions::default()).unwrap().states;
    let found = Cpu::new().run(&graph, &Tags, &RunOptions::default()).unwrap().states;
    assert_eq!(expected, [1, 3, 5]);
    assert_eq!(found, expected);
}

#[test]
fn buckets_with_few_vertices_grow_unless_their_width_is_given() {
    let (graph, program) = (path(20_000), Steps::default());
    let run = |threads: usize, delta: Option<f32>| {
        let options = RunOptions::default().with_delta(delta);
        let engine = Cpu::with_threads(threads).unwrap();
        let outcome = engine.run(&graph, &program, &options).unwrap();
        assert!(outcome.states.iter().copied().eq(0..20_000));
        outcome.report.supersteps
    };
    let (fixed, grown, sooner) = (run(4, Some(3.0)), run(2, None), run(4, None));
    assert!(fixed > 6_000 && grown < 1_000, "{fixed} and {grown} rounds");
    // The more threads wait, the sooner.
    assert!(sooner < grown - 100, "{sooner} and {grown} rounds");
}

#[test]
fn a_change_without_a_vote_to_scatter_is_saved_as_such() {
    let (graph, program) = (path(3), Steps { only_ends: false, once: true });
    let mut session = Cpu::new().prepare::<Steps>(&graph, &RunOptions::default()).unwrap();
    let mut run = session.start(&program, &[]).unwrap();
    run.advance(2).unwrap();
    let saved = run.save().unwrap();
    assert_eq!(saved.states, [0, 1, 1 << 30]);
    assert!(saved.votes.iter().all(|vote| !vote.scatters()));
}

/// More edges than a long row has.
const MANY: u32 = super::LONG as u32 + 2000;

#[test]
fn long_rows_are_sent_along_once_by_priority() {
    // Hubs 0, 1 and 2, one after the other, and between them as many vertices.
    let between = |hub: u32| (0..MANY).map(move |i| 3 + hub * MANY + i);
    let to = |hub: u32| between(hub).map(move |v| (hub, v));
    let from = |hub: u32| between(hub).map(move |v| (v, hub + 1));
    let graph = Graph::from_edges(to(0).chain(from(0)).chain(to(1)).chain(from(1)).chain(to(2)));
    let (graph, options) = (graph.unwrap(), RunOptions::default().with_delta(Some(1.0)));
    let expected = Reference.run(&graph, &Steps::default(), &options).unwrap().states;
    for threads in [1, 2, 4] {
        let engine = Cpu::with_threads(threads).unwrap();
        let outcome = engine.run(&graph, &Steps::default(), &options).unwrap();
        assert_eq!(outcome.states, expected, "{threads} threads");
        assert_eq!(outcome.report.messages, graph.edge_count(), "{threads} threads");
    }
}

#[test]
fn long_rows_are_shared_in_rounds() {
    // A path leads to a hub, while many other edges have nothing to bring any more.
    let (path, hub) = ((0..20).map(|v| (v, v + 1)), 20);
    let star = (0..MANY).map(|i| (hub, hub + 1 + i));
    let (first, count) = (hub + 1 + MANY, 1000);
    let others =
        (0..count).flat_map(|v| (1..80).map(move |i| (first + v, first + (v + i) % count)));
    let edges = path.chain(star).chain(others);
    let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build().unwrap();
    let (program, options) = (Labels { one_superstep: false }, RunOptions::default());
    let expected = Reference.run(&graph, &program, &options).unwrap().states;
    for threads in [1, 3] {
        let outcome = Cpu::with_threads(threads).unwrap().run(&graph, &program, &options).unwrap();
        assert_eq!(outcome.states, expected, "{threads} threads");
        let pushed = |step: &SuperstepReport| {
            step.strategy == Strategy::Push && step.messages >= MANY.into()
        };
        assert!(outcome.report.steps.iter().any(pushed), "the hub sends while few others do");
    }
}

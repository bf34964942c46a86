//! What a GPU leaves out: vertices that no message reaches, all messages but the first where any
//! will do, and all of a vote but whether the vertex sends.
#![allow(clippy::unwrap_used)]

use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::sssp::Sssp;
use pregel_core::engine::Strategy::{Auto, Pull, Push};
use pregel_core::engine::gpu::{Choice, Costs, Gpu, GpuOptions};
use pregel_core::prelude::*;
use pregel_emulator::{Emulator, images};

/// Counts supersteps and messages. The vertices without in-edges stay awake, sleep or send as
/// their id and the superstep say, for some supersteps; the others send on what reaches them.
#[derive(Clone, Copy, Debug)]
struct Restless {
    supersteps: u32,
}

impl Program for Restless {
    type Input = ();
    type State = [u32; 2];
    type Signal = u32;
    type Edge = ();
    type Combiner = Sum<u32>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Restless {
    fn edge_compute(&self, number: &u32, _: Edge<()>) -> Option<u32> {
        Some(*number)
    }
}

impl Restless {
    fn vote(&self, context: &Context<'_, Self>) -> Vote {
        let (vertex, superstep) = (context.vertex(), context.superstep());
        if superstep >= self.supersteps {
            return Vote::Halt;
        }
        match (context.in_degree(), (vertex + superstep) % 4) {
            (0, 0) => Vote::Scatter,
            (0, 1) => Vote::Wait,
            (0, 2) => Vote::Continue,
            (0, _) if vertex % 2 == 0 => Vote::Wait,
            (0, _) => Vote::Halt,
            _ => Vote::of(superstep > 0, false),
        }
    }
}

impl VertexCompute for Restless {
    fn init(&self, context: &mut Context<'_, Self>) -> ([u32; 2], Vote) {
        ([0, 0], self.vote(context))
    }
    fn vertex_compute(
        &self,
        [computed, received]: &mut [u32; 2],
        sum: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        *computed += 1;
        *received = received.wrapping_add(sum.unwrap_or(0));
        context.contribute(1);
        self.vote(context)
    }
    fn signal(&self, [computed, received]: &[u32; 2], context: &Context<'_, Self>) -> u32 {
        (computed ^ received).wrapping_mul(31).wrapping_add(context.vertex())
    }
}

/// Among 300 vertices, 40 that have in-edges; more than a hundred have no edge at all.
fn mostly_unreached() -> Graph {
    let number = |i: u32, salt: u32| (i.wrapping_mul(2_654_435_761) ^ salt).rotate_left(13);
    let edges = (0..400).map(|i| (number(i, 7) % 150, number(i, 91) % 40));
    GraphBuilder::new().with_vertex_count(300).with_edges(edges).build().unwrap()
}

/// A device that leaves out all it can, as it does on large graphs.
fn gpu<P: VertexCompute>(resident: Choice) -> Gpu<Emulator> {
    let mut costs = Costs::default();
    (costs.left_out, costs.packed_votes, costs.multi_vertex_threshold) = (0, 0, 0);
    let options = GpuOptions::default().with_resident(resident).with_costs(costs);
    Gpu::new(Emulator::new(), images::<P>()).with_options(options)
}

#[test]
fn vertices_that_no_message_reaches_run_while_they_are_awake() {
    let graph = mostly_unreached();
    // The last supersteps are without an awake vertex, with every parity before them.
    for supersteps in [0, 1, 2, 3, 4, 5, 8] {
        let program = Restless { supersteps };
        let limit = RunOptions::default().with_max_supersteps(supersteps + 4);
        let expected = Reference.run(&graph, &program, &limit).unwrap();
        for strategy in [Auto, Push, Pull] {
            for resident in [Choice::Never, Choice::Always] {
                let options = limit.clone().with_strategy(strategy);
                let found = gpu::<Restless>(resident).run(&graph, &program, &options).unwrap();
                assert_eq!(found.states, expected.states, "{supersteps}, {strategy:?}");
                let active = |outcome: &Outcome<Restless>| -> Vec<u64> {
                    outcome.report.steps.iter().map(|step| step.active).collect()
                };
                assert_eq!(active(&found), active(&expected), "{supersteps}, {strategy:?}");
            }
        }
    }
}

#[test]
fn a_session_begins_every_run_anew() {
    let graph = mostly_unreached();
    let engine = gpu::<Restless>(Choice::Never);
    let options = RunOptions::default().with_max_supersteps(9);
    let mut session = engine.prepare::<Restless>(&graph, &options).unwrap();
    for supersteps in [5, 1, 8, 2, 0, 5] {
        let program = Restless { supersteps };
        let expected = Reference.run(&graph, &program, &options).unwrap();
        assert_eq!(session.run(&program).unwrap().states, expected.states, "{supersteps}");
    }
}

/// One edge along which each vertex was first reached, with its sender and its value.
#[derive(Clone, Copy, Debug)]
struct FirstEdge;

impl Program for FirstEdge {
    type Input = ();
    type State = [u32; 2];
    type Signal = u32;
    type Edge = u32;
    type Combiner = Any<[u32; 2]>;
    type Aggregate = Nothing;
}

const NONE: u32 = u32::MAX;

impl EdgeCompute for FirstEdge {
    fn edge_compute(&self, sender: &u32, edge: Edge<u32>) -> Option<[u32; 2]> {
        Some([*sender, edge.value])
    }
}

impl VertexCompute for FirstEdge {
    fn init(&self, context: &mut Context<'_, Self>) -> ([u32; 2], Vote) {
        ([NONE, NONE], if context.vertex().is_multiple_of(3) { Vote::Scatter } else { Vote::Halt })
    }
    fn vertex_compute(
        &self,
        first: &mut [u32; 2],
        edge: Option<[u32; 2]>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match edge.filter(|_| first[0] == NONE) {
            Some(edge) => {
                *first = edge;
                Vote::Scatter
            }
            None => Vote::Halt,
        }
    }
    fn signal(&self, _: &[u32; 2], context: &Context<'_, Self>) -> u32 {
        context.vertex()
    }
    fn wants_message(&self, first: &[u32; 2]) -> bool {
        first[0] == NONE
    }
}

/// The value of the edge between two vertices.
fn value(a: u32, b: u32) -> u32 {
    1000 * a.min(b) + a.max(b)
}

#[test]
fn values_stay_with_their_edges_when_the_best_sender_comes_first() {
    for spec in ["rmat:scale=7,ef=4", "uniform:n=200,m=900,sym=1", "rmat:scale=5,ef=64"] {
        let plain = spec.parse::<Spec>().unwrap().plain().unwrap();
        let graph = plain.map_values(|source, target, ()| value(source, target));
        let options = RunOptions::default().with_strategy(Pull);
        let found = gpu::<FirstEdge>(Choice::Never).run(&graph, &FirstEdge, &options).unwrap();
        let reached = (0..).zip(&found.states).filter(|(_, [sender, _])| *sender != NONE);
        let mut count = 0;
        for (vertex, [sender, of_edge]) in reached {
            assert!(graph.out().row(*sender).contains(&vertex), "{spec}: {sender} → {vertex}");
            assert_eq!(*of_edge, value(*sender, vertex), "{spec}: {sender} → {vertex}");
            count += 1;
        }
        assert!(count > 20, "{spec}: {count}");
    }
}

#[test]
fn of_several_senders_that_of_the_highest_degree_is_first() {
    // 1 and 2 both reach 3 in superstep 2, whatever comes first in its row; 2 has more edges.
    let mut edges = vec![(0, 1), (0, 2), (1, 3), (2, 3)];
    edges.extend((4..20).map(|leaf| (2, leaf)));
    let program = BfsTree { source: 0 };
    for turned in [false, true] {
        // The same with 1 and 2 exchanged.
        let name = |v: u32| if turned && (v == 1 || v == 2) { 3 - v } else { v };
        let named = edges.iter().map(|(a, b)| (name(*a), name(*b)));
        let graph = GraphBuilder::new().with_directed(false).with_edges(named).build().unwrap();
        let options = RunOptions::default().with_strategy(Pull);
        let engine = gpu::<BfsTree>(Choice::Never);
        let found = engine.run(&graph, &program, &options).unwrap();
        assert_eq!(found.states[3].parent, name(2));
    }
}

/// The kernels that pulls launch on a graph if votes are packed from that many vertices on, and the
/// supersteps. On a path at most one vertex scatters at a time.
fn launches<P>(program: P, graph: &Graph<P::Edge>, packed_votes: u64) -> (u64, u64)
where
    P: VertexCompute<Input = (), State: PartialEq + std::fmt::Debug>,
{
    let mut costs = Costs::default();
    costs.packed_votes = packed_votes;
    let layout = GpuOptions::default().with_resident(Choice::Never).with_costs(costs);
    let engine = Gpu::new(Emulator::new(), images::<P>()).with_options(layout);
    let options = RunOptions::default().with_strategy(Pull);
    let found = engine.run(graph, &program, &options).unwrap();
    let expected = Reference.run(graph, &program, &options).unwrap();
    assert_eq!(found.states, expected.states);
    (found.report.device.unwrap().launches, found.report.supersteps.into())
}

#[test]
fn votes_are_packed_for_pulls_where_the_graph_is_large_enough() {
    // Whole bytes of bits, and bytes that are not full.
    for vertices in [2, 7, 8, 9, 16, 100, 257] {
        let path = Graph::from_weighted_edges((1..vertices).map(|v| (v - 1, v, 1.0))).unwrap();
        let sssp = |from: u32| launches(Sssp { source: 0 }, &path, from.into());
        let ((packed, pulls), (unpacked, _)) = (sssp(vertices), sssp(vertices + 1));
        assert_eq!(packed, unpacked + pulls, "{vertices} vertices");
        let path = path.without_values();
        let bfs = |from: u32| launches(Bfs { source: 0 }, &path, from.into());
        let ((packed, pulls), (unpacked, _)) = (bfs(vertices), bfs(vertices + 1));
        assert_eq!(packed, unpacked + pulls, "{vertices} vertices");
    }
    // Where any message will do, and a hub is asked first, it would not pay.
    let star = GraphBuilder::new().with_directed(false).with_edges((1..=300).map(|v| (0, v)));
    let star: Graph = star.build().unwrap();
    let bfs = |from: u64| launches(Bfs { source: 0 }, &star, from);
    assert_eq!(bfs(301), bfs(302));
}

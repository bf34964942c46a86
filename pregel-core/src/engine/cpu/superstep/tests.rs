//! Pushes of programs that need only one message, compared with the reference engine.

#![allow(clippy::unwrap_used)]

use crate::engine::cpu::rows::tests::Levels;
use crate::engine::cpu::vertex::Env;
use crate::engine::{Cpu, Engine, Outcome, Reference, RunOptions, Session, Strategy};
use crate::graph::generate::Spec;
use crate::graph::{Graph, GraphBuilder};
use crate::parallel::Hand;
use crate::program::{
    Any, Context, Edge, EdgeCompute, Nothing, Program, Sum, VertexCompute, VertexId, Vote,
};

/// A rumour: who hears it tells it on, and listens until it was heard `times` times. Only even
/// edges carry it. Every message of a superstep says the same, so any of them will do.
#[derive(Clone, Copy)]
struct Rumour {
    source: VertexId,
    times: u32,
}

impl Program for Rumour {
    type Input = ();
    /// How often it was heard, and a digest of what was heard when.
    type State = [u32; 2];
    type Signal = u32;
    type Edge = f32;
    type Combiner = Any<u32>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Rumour {
    fn edge_compute(&self, said: &u32, edge: Edge<f32>) -> Option<u32> {
        (edge.value as u32).is_multiple_of(2).then_some(said + 1)
    }
}

impl VertexCompute for Rumour {
    fn init(&self, context: &mut Context<'_, Self>) -> ([u32; 2], Vote) {
        ([0, 0], Vote::of(context.vertex() == self.source, false))
    }

    fn vertex_compute(
        &self,
        [heard, digest]: &mut [u32; 2],
        said: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(said) = said else { return Vote::Halt };
        *heard += 1;
        *digest = digest.wrapping_mul(31).wrapping_add(said ^ context.superstep() << 8);
        context.contribute((*digest).into());
        // Some keep it to themselves.
        Vote::of(!context.vertex().is_multiple_of(7), false)
    }

    fn signal(&self, _: &[u32; 2], context: &Context<'_, Self>) -> u32 {
        context.superstep()
    }

    fn wants_message(&self, [heard, _]: &[u32; 2]) -> bool {
        *heard < self.times
    }
}

/// Every vertex always sends, along even edges only.
#[derive(Clone, Copy)]
struct Totals;

impl Program for Totals {
    type Input = ();
    type State = u64;
    type Signal = u64;
    type Edge = f32;
    type Combiner = Sum<u64>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Totals {
    fn edge_compute(&self, total: &u64, edge: Edge<f32>) -> Option<u64> {
        let value = edge.value as u64;
        value.is_multiple_of(2).then(|| total.wrapping_mul(value + 1))
    }
}

impl VertexCompute for Totals {
    fn init(&self, context: &mut Context<'_, Self>) -> (u64, Vote) {
        (u64::from(context.vertex()) + 1, Vote::Continue)
    }

    fn vertex_compute(&self, total: &mut u64, sum: Option<u64>, _: &mut Context<'_, Self>) -> Vote {
        *total = total.wrapping_mul(31).wrapping_add(sum.unwrap_or(7));
        // A vertex without a message must be told from one whose messages add up to nothing.
        Vote::Continue
    }

    fn signal(&self, total: &u64, _: &Context<'_, Self>) -> u64 {
        *total
    }
}

const UNIFORM: &str = "uniform:n=20000,m=120000,maxw=9";
const SPECS: [&str; 6] = [
    UNIFORM,
    "uniform:n=20000,m=120000,sym=0,maxw=9",
    "rmat:scale=12,maxw=9",
    "grid:rows=90,cols=110,maxw=9",
    "uniform:n=70,m=200,maxw=9",
    "uniform:n=1,m=0,maxw=9",
];

/// Runs on a graph by pushing, on as many threads, after the same run once before.
fn pushed<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: &P,
    threads: usize,
) -> Outcome<P> {
    let options = RunOptions::default().with_strategy(Strategy::Push);
    let engine = Cpu::with_threads(threads).unwrap();
    let mut session = engine.prepare::<P>(graph, &options).unwrap();
    session.run(program).unwrap();
    session.run(program).unwrap()
}

fn compare_rumours(graph: &Graph<f32>, times: u32, threads: &[usize]) {
    let program = Rumour { source: 0, times };
    let expected = Reference.run(graph, &program, &RunOptions::default()).unwrap();
    for &threads in threads {
        let found = pushed(graph, &program, threads);
        assert_eq!(found.states, expected.states, "{threads} threads");
        assert_eq!(found.aggregate, expected.aggregate);
        assert_eq!(found.report.steps.len(), expected.report.steps.len());
    }
}

#[test]
fn rumours_spread_as_in_the_reference() {
    for spec in SPECS {
        let graph = spec.parse::<Spec>().unwrap().weighted().unwrap();
        (1..=3).for_each(|times| compare_rumours(&graph, times, &[1, 2, 3]));
    }
}

#[test]
fn levels_are_those_of_the_reference() {
    let program = Levels { in_degrees: false };
    for spec in SPECS {
        let graph = spec.replace(",maxw=9", "").parse::<Spec>().unwrap().plain().unwrap();
        let expected = Reference.run(&graph, &program, &RunOptions::default()).unwrap();
        for threads in [1, 2, 3] {
            assert_eq!(pushed(&graph, &program, threads).states, expected.states, "{spec}");
        }
    }
}

#[test]
fn a_row_of_any_length_is_sent_along() {
    // Around the lengths at which rows are copied, laid side by side, cut and shared.
    for degree in [1, 3, 4, 5, 15, 16, 17, 63, 64, 65, 511, 512, 513, 20_000] {
        let edges = (0..degree).map(|leaf| (0, leaf + 1, (leaf % 3) as f32));
        let more = (1..=degree).map(|leaf| (leaf, degree + leaf % 5 + 1, 2.0));
        let graph = GraphBuilder::new().with_weighted_edges(edges.chain(more)).build().unwrap();
        compare_rumours(&graph, 2, &[1, 2, 3]);
    }
}

#[test]
fn long_rows_of_several_senders_are_cut() {
    // Two of the four hubs have rows that are cut. The edges behind them decide whether what the
    // hubs send is few enough to be sorted by five threads.
    const LEAVES: u32 = 40_000;
    let hubs = [(1, 30_000), (2, 300), (3, 40_000), (4, 900)];
    let begin = hubs.map(|(hub, _)| (0, hub, 2.0)).into_iter();
    let leaf = |i: u32| 5 + i % LEAVES;
    let rows = hubs
        .into_iter()
        .flat_map(|(hub, degree)| (0..degree).map(move |i| (hub, leaf(7 * i), (i % 3) as f32)));
    for behind in [1, 11, 34] {
        let more = (0..LEAVES).flat_map(|i| (1..=behind).map(move |k| (leaf(i), leaf(i + k), 2.0)));
        let edges = begin.clone().chain(rows.clone()).chain(more);
        let graph = GraphBuilder::new().with_weighted_edges(edges).build().unwrap();
        compare_rumours(&graph, 2, &[2, 5]);
    }
}

#[test]
fn a_sample_tells_how_much_a_pull_would_look_at() {
    let graph = "uniform:n=50000,m=300000".parse::<Spec>().unwrap().plain().unwrap();
    let program = Levels { in_degrees: false };
    // Later, fewer vertices are open than a sample can tell.
    for supersteps in 2..5 {
        let options = RunOptions::default().with_strategy(Strategy::Push);
        let options = options.with_max_supersteps(supersteps);
        let mut session = Cpu::new().prepare::<Levels>(&graph, &options).unwrap();
        let states = session.run(&program).unwrap().states;
        let is_open = |v: u32| program.wants_message(&states[v as usize]);
        let open = (0..graph.vertex_count()).filter(|v| graph.out().degree(*v) > 0 && is_open(*v));
        let looks = open.map(|v| {
            let row = graph.out().row(v);
            row.iter().position(|sender| !is_open(*sender)).unwrap_or(row.len()) as u64 + 2
        });
        let exact = looks.sum::<u64>() as f64;
        let shape = session.shape();
        let env = Env::new(&program, &shape, &[], supersteps, ());
        let found = session.memory.as_ref().unwrap().looks(&env) as f64;
        assert!((0.7 * exact..1.4 * exact).contains(&found), "{supersteps}: {found}, not {exact}");
    }
}

#[test]
fn messages_are_sorted_in_one_of_the_supersteps() {
    let graph = UNIFORM.parse::<Spec>().unwrap().weighted().unwrap();
    let report = pushed(&graph, &Rumour { source: 0, times: 1 }, 2).report;
    let most = graph.edge_count() / super::push::FEW_SORTED;
    let sorted = super::push::MANY..most.min(2 * u64::from(graph.vertex_count()));
    assert!(report.steps.iter().any(|step| sorted.contains(&step.messages)), "{report:?}");
}

/// A thousand paths of 60 vertices side by side, each vertex with an edge to its neighbour on the
/// next one. They all begin at vertex 0, so that every superstep has some thousand edges. One vertex
/// has a long row, to leaves, which threads leave for later.
fn strands() -> Graph<f32> {
    const SIDE: u32 = 1000;
    let at = |row: u32, strand: u32| 1 + row * SIDE + strand % SIDE;
    let begin = (0..SIDE).map(|strand| (0, at(0, strand), 2.0));
    let places = (0..59).flat_map(|row| (0..SIDE).map(move |strand| (row, strand)));
    let along = places.flat_map(|(row, strand)| {
        let from = at(row, strand);
        let across = (strand % 3 * 2) as f32;
        [(from, at(row + 1, strand), 2.0), (from, at(row + 1, strand + 1), across)]
    });
    let leaves = (0..3 * SIDE).map(|leaf| (at(20, 7), at(60, 0) + leaf, 2.0));
    let builder = GraphBuilder::new().with_directed(false);
    builder.with_weighted_edges(begin.chain(along).chain(leaves)).build().unwrap()
}

#[test]
fn a_team_finds_what_the_reference_finds() {
    let graph = strands();
    for (times, threads) in [(1, 2), (2, 2), (1, 3), (3, 5)] {
        let program = Rumour { source: 0, times };
        let expected = Reference.run(&graph, &program, &RunOptions::default()).unwrap();
        let engine = Cpu::with_threads(threads).unwrap();
        let options = RunOptions::default().with_strategy(Strategy::Push);
        let mut session = engine.prepare::<Rumour>(&graph, &options).unwrap();
        for _ in 0..5 {
            let found = session.run(&program).unwrap();
            assert_eq!(found.states, expected.states, "{threads} threads");
            assert_eq!(found.aggregate, expected.aggregate);
        }
        // Three threads or more share no superstep as small as these otherwise.
        let found = &session.memory.as_ref().unwrap().found[1..];
        assert!(found.iter().any(|Hand(found)| found.listed.scattering.capacity() > 0));
    }
}

#[test]
fn rows_of_every_length_are_gathered_from() {
    // Words of 64 rows: all of one length, none longer than four, the last of the graph, others.
    let circle = |n: u32, steps: u32| {
        (0..n).flat_map(move |v| (1..=steps).map(move |step| (v, (v + step) % n, (v % 3) as f32)))
    };
    let star = |leaves: u32| (1..=leaves).map(|leaf| (0, leaf, (leaf % 2) as f32));
    let path = |n: u32| (0..n).map(|v| (v, v + 1, (v % 5) as f32));
    let mut graphs: Vec<Graph<f32>> = Vec::new();
    for directed in [true, false] {
        let mut add = |edges: Vec<(u32, u32, f32)>| {
            let builder = GraphBuilder::new().with_weighted_edges(edges);
            graphs.push(builder.with_directed(directed).build().unwrap());
        };
        for n in [1, 63, 64, 65, 200] {
            add(star(n).collect());
            add(path(n).collect());
            add(path(n).chain(star(n).skip(70)).collect());
            (1..=5).for_each(|steps| add(circle(n, steps).collect()));
        }
    }
    for spec in SPECS {
        graphs.push(spec.parse::<Spec>().unwrap().weighted().unwrap());
    }
    let options = RunOptions::default().with_max_supersteps(5);
    for graph in &graphs {
        let expected = Reference.run(graph, &Totals, &options).unwrap().states;
        let options = options.clone().with_strategy(Strategy::Pull);
        assert_eq!(Cpu::new().run(graph, &Totals, &options).unwrap().states, expected);
    }
}

//! A graph that is held in the order of falling degree gives what it gave before, on every engine.
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{Cpu, Engine, RunOptions, Strategy, VertexOrder, held_by};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_roster::entry::plain;
use pregel_roster::suite::{Contender, cpu, emulated, reference};
use pregel_roster::zoo::{Case, sampled, zoo};

fn graph(spec: &str) -> Graph {
    spec.parse::<Spec>().unwrap().plain().unwrap()
}

/// Runs a program on graphs as they are and in the order of falling degree.
fn check_program<E: Engine, P: VertexCompute<Input = (), Edge = ()>>(
    contender: &Contender<E>,
    cases: &[Case],
    program: &P,
) where
    P::State: PartialEq + Debug,
{
    for case in cases {
        let given = plain(case);
        if given.vertex_count() == 0 {
            continue;
        }
        let held = given.clone().into_degree_order();
        let options = contender.options.clone().with_max_supersteps(20);
        let run = |graph: &Graph| contender.engine.run(graph, program, &options).unwrap();
        let (expected, found) = (run(&given), run(&held));
        assert_eq!(found.states, expected.states, "{} on {}", contender.engine.name(), case.name);
        assert_eq!(found.report.messages, expected.report.messages);
        assert_eq!(found.report.stop, expected.report.stop);
    }
}

fn check<E: Engine>(contender: &Contender<E>, cases: &[Case]) {
    check_program(contender, cases, &Bfs { source: 0 });
    check_program(contender, cases, &Hcc);
    check_program(contender, cases, &Cdlp);
    check_program(contender, cases, &PageRank::<f32>::new(0.85, 0.0));
}

#[test]
fn results_do_not_depend_on_how_a_graph_is_held() {
    let all = zoo();
    check(&reference(Strategy::Auto), &all);
    check(&cpu(2, Strategy::Auto, true), &all);
    check(&emulated(Strategy::Auto, true, GpuOptions::default()), &sampled());
}

/// Whether the rows are there in the given order, too.
fn has_given_rows(graph: &Graph) -> bool {
    held_by(graph).iter().any(|need| need.name == "rows in the given order")
}

#[test]
fn long_runs_on_a_power_law_take_no_second_copy() {
    // Of a directed graph, twice as much is renumbered.
    for (spec, runs) in [("rmat:scale=16", 1), ("rmat:scale=16,sym=0", 2)] {
        let options = RunOptions::default().with_deterministic(true);
        let options = options.with_max_supersteps(25).with_expected_runs(runs);
        let program = PageRank::<f32>::new(0.85, 0.0);
        let given = graph(spec);
        assert!(Cpu::new().renumbers::<PageRank<f32>>(&given, &options));
        let held = graph(spec).into_degree_order();
        let needs = Cpu::new().needs(&held, &program, &[], &options).unwrap();
        assert!(needs.host.iter().all(|need| !need.name.contains("graph")), "{needs:?}");
        let run = |graph: &Graph| Cpu::new().run(graph, &program, &options).unwrap().states;
        // To the last bit, since both run in the same order.
        assert_eq!(run(&held), run(&given));
        assert!(!has_given_rows(&held));
    }
}

#[test]
fn who_asks_for_the_given_order_gets_it() {
    let held = graph("rmat:scale=16").into_degree_order();
    let program = PageRank::<f32>::new(0.85, 0.0);
    let options = RunOptions::default().with_max_supersteps(25).with_deterministic(true);
    let options = options.with_order(VertexOrder::Given);
    assert!(!Cpu::new().renumbers::<PageRank<f32>>(&held, &options));
    let found = Cpu::new().run(&held, &program, &options).unwrap().states;
    assert!(has_given_rows(&held));
    let given = graph("rmat:scale=16");
    assert_eq!(found, Cpu::new().run(&given, &program, &options).unwrap().states);
}

#[test]
fn searches_are_not_renumbered_ahead() {
    let options = RunOptions::default().with_expected_runs(1_000);
    assert!(!Cpu::new().renumbers::<Bfs>(&graph("rmat:scale=16"), &options));
    assert!(!Cpu::new().renumbers::<Hcc>(&graph("grid:rows=200,cols=200"), &options));
}

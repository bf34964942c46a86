//! The example programs do what they say.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::thread;
use std::time::Duration;

use growing_graph::{go_on, new_roads, roads};
use polled::Polled;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::{
    Cpu, Engine, Outcome, Reference, RunError, RunOptions, StopReason, Strategy,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use two_parts::{in_two_parts, whole};

#[allow(dead_code)]
#[path = "../examples/growing_graph.rs"]
mod growing_graph;
#[allow(dead_code)]
#[path = "../examples/polled.rs"]
mod polled;
#[allow(dead_code)]
#[path = "../examples/two_parts.rs"]
mod two_parts;

#[test]
fn two_parts_give_the_ranks_of_the_whole_graph() {
    let (parts, whole) = (in_two_parts().unwrap(), whole().unwrap());
    assert_eq!(parts.len(), whole.len());
    assert!(parts.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-12));
}

fn messages<P: pregel_core::program::Program>(outcome: &Outcome<P>) -> u64 {
    outcome.report.messages
}

/// Distances travel along roads in one direction, so only their starts scatter.
fn distances<E: Engine>(engine: &E) {
    let (program, options) = (Sssp { source: 0 }, RunOptions::default());
    let mut all = roads(3_000);
    let old = Graph::from_weighted_edges(all.clone()).unwrap();
    let mut states = engine.run(&old, &program, &options).unwrap().states;
    let built = new_roads(3_000);
    all.extend(&built);
    let new = Graph::from_weighted_edges(all).unwrap();
    states.resize(new.vertex_count() as usize, f32::INFINITY);
    let before = states.clone();
    let senders = built.iter().map(|(from, ..)| *from);
    let senders = senders.filter(|from| before[*from as usize] < f32::INFINITY);
    let after = go_on(engine, &new, &program, states, senders).unwrap();
    let again = engine.run(&new, &program, &options).unwrap();
    assert_eq!(after.states, again.states);
    assert_ne!(after.states, before, "the new roads change nothing");
    assert!(messages(&after) < messages(&again));
}

/// Labels travel both ways, so both ends scatter.
fn labels<E: Engine>(engine: &E) {
    let options = RunOptions::default();
    // Forty paths of five vertices, some of which are joined later.
    let mut edges: Vec<_> = (0..200).filter(|v| v % 5 != 4).map(|v| (v, v + 1)).collect();
    let old = Graph::from_edges(edges.clone()).unwrap();
    let mut states = engine.run(&old, &Hcc, &options).unwrap().states;
    let joined = [(7, 150), (150, 22), (199, 200)];
    edges.extend(joined);
    let new = Graph::from_edges(edges).unwrap();
    states.push(200);
    let ends = joined.iter().flat_map(|(from, to)| [*from, *to]);
    let after = go_on(engine, &new, &Hcc, states, ends).unwrap();
    let again = engine.run(&new, &Hcc, &options).unwrap();
    assert_eq!(after.states, again.states);
    assert!(messages(&after) < messages(&again));
}

#[test]
fn a_run_on_a_grown_graph_continues_from_the_old_states() {
    distances(&Reference);
    distances(&Cpu::new());
    labels(&Reference);
    labels(&Cpu::new());
}

#[test]
fn a_polled_run_is_saved_cancelled_and_resumed() {
    let graph = "rmat:scale=8".parse::<Spec>().unwrap().plain().unwrap();
    let program = PageRank::<f64>::new(0.85, 0.0);
    let options = RunOptions::default().with_strategy(Strategy::Pull).with_deterministic(true);
    let polled = Polled::start(Cpu::new(), graph.clone(), program, Vec::new(), None, &options);
    while polled.progress().superstep < Some(9) {
        assert!(!polled.is_finished());
        thread::sleep(Duration::from_millis(1));
    }
    let saved = polled.save().unwrap();
    let seen = polled.progress().superstep.unwrap();
    assert!(saved.superstep >= 9 && saved.superstep <= seen);
    polled.cancel();
    assert!(matches!(polled.join().err().unwrap(), RunError::Cancelled { .. }));

    let options = options.with_max_supersteps(saved.superstep + 5);
    let expected = Cpu::new().run(&graph, &program, &options).unwrap();
    let polled = Polled::start(Cpu::new(), graph, program, Vec::new(), Some(saved), &options);
    let outcome = polled.join().unwrap();
    assert_eq!(outcome.report.stop, StopReason::Limit);
    assert_eq!(outcome.states, expected.states);
}

#[test]
fn a_polled_run_reports_errors() {
    let graph = Graph::from_weighted_edges([(0, 1, 1.0)]).unwrap();
    let (program, options) = (Sssp { source: 7 }, RunOptions::default());
    let polled = Polled::start(Reference, graph, program, Vec::new(), None, &options);
    assert!(polled.save().is_none());
    assert!(matches!(polled.join().err().unwrap(), RunError::Program { .. }));
}

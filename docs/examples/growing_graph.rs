//! A graph that grows between runs: the next run continues from the states of the last one,
//! and works only where something changes.
//!
//! `cargo run -p pregel-book --example growing_graph`
//!
//! # When this is correct
//!
//! * The program is `MONOTONE`: it does not matter when a message arrives, so a new edge is
//!   no different from one whose messages took longer.
//! * It reads nothing else that new edges change, such as degrees or the number of vertices.
//! * Edges are only added, and lengths do not grow. If a shortest path loses an edge, the
//!   distances beyond it are too small, and nothing makes them larger again.
//!
//! The result then equals that of a run from the beginning. In all other cases, start from
//! the beginning. PageRank would converge faster from the old ranks, but not to the same bits.

use std::error::Error;

use pregel_algos::sssp::Sssp;
use pregel_core::engine::{Cpu, Engine, Outcome, Run, RunError, RunOptions, Saved, Session};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId, Vote};

/// Continues from `states` on a graph that has gained edges. Only `senders` scatter: those ends
/// of the new edges that have something to send along them.
///
/// Old vertices must keep their ids. New ones come after them, each with the state that `init`
/// would give it.
pub fn go_on<E: Engine, P: VertexCompute<Input = ()>>(
    engine: &E,
    graph: &Graph<P::Edge>,
    program: &P,
    states: Vec<P::State>,
    senders: impl IntoIterator<Item = VertexId>,
) -> Result<Outcome<P>, RunError> {
    const { assert!(P::MONOTONE, "a program that is not monotone must start from the beginning") };
    let mut votes = vec![Vote::Halt; states.len()];
    for sender in senders {
        votes[sender as usize] = Vote::Scatter;
    }
    // The number does not matter: monotone programs do not read it.
    let saved = Saved::new(0, states, votes);
    let mut session = engine.prepare::<P>(graph, &RunOptions::default())?;
    let mut run = session.resume(program, &[], &saved)?;
    while !run.advance(u32::MAX)?.has_ended() {}
    run.finish()
}

/// A road: from, to, length.
pub type Road = (VertexId, VertexId, f32);

/// A ring of villages, each with a road to the next, and some shortcuts.
pub fn roads(villages: u32) -> Vec<Road> {
    let around = (0..villages).map(|v| (v, (v + 1) % villages, 1.0 + (v % 7) as f32));
    let across = (0..villages).step_by(5).map(|v| (v, v * v % villages, 40.0));
    around.chain(across).collect()
}

/// Roads that are built later, some of them to new villages.
pub fn new_roads(villages: u32) -> Vec<Road> {
    let last = villages;
    vec![
        (3, villages / 2, 2.5),
        (villages / 3, last, 1.0),
        (last, last + 1, 4.5),
        (last + 1, 9, 0.5),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let (engine, program, options) = (Cpu::new(), Sssp { source: 0 }, RunOptions::default());
    let mut roads = roads(10_000);
    let before = engine.run(&Graph::from_weighted_edges(roads.clone())?, &program, &options)?;

    let built = new_roads(10_000);
    roads.extend(&built);
    let graph = Graph::from_weighted_edges(roads)?;
    let mut states = before.states;
    states.resize(graph.vertex_count() as usize, f32::INFINITY);
    // An unreached village has nothing to send. Once it is reached, it scatters along all its
    // roads anyway.
    let reached = |village: &VertexId| states[*village as usize] < f32::INFINITY;
    let senders: Vec<_> = built.iter().map(|(from, ..)| *from).filter(reached).collect();
    let after = go_on(&engine, &graph, &program, states, senders)?;

    let again = engine.run(&graph, &program, &options)?;
    assert_eq!(after.states, again.states);
    println!("from the beginning: {} messages", again.report.messages);
    println!("from the old distances: {} messages", after.report.messages);
    Ok(())
}

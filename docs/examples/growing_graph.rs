//! A graph that grows between runs: the next run goes on from the states of the last one,
//! and does work only where something changes.
//!
//! `cargo run -p pregel-book --example growing_graph`
//!
//! # For which programs this is right
//!
//! * The program is `MONOTONE`: it does not matter when a message
//!   arrives, so an edge that comes later is an edge whose messages took longer.
//! * It reads no fact that the new edges change. Degrees and the number of vertices are
//!   such facts.
//! * Edges are only added, and lengths do not grow. If a shortest path loses an edge, the
//!   distances behind it are too small, and nothing makes them larger again.
//!
//! Then the result equals that of a run from the beginning. For all other programs, start
//! from the beginning. PageRank comes closer to the new ranks from the old ones than from
//! the start, but that is another argument, and the bits differ.

use std::error::Error;

use pregel_algos::sssp::Sssp;
use pregel_core::engine::{Cpu, Engine, Outcome, Run, RunError, RunOptions, Saved, Session};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId, Vote};

/// Goes on from `states` on a graph that has gained edges. Only `senders` scatter: the ends
/// of new edges along which messages travel, as far as they have anything to say.
///
/// A vertex must still have its old id. New ones come after them; `states` holds for each
/// what `init` would give it.
pub fn go_on<E: Engine, P: VertexCompute<Input = ()>>(
    engine: &E,
    graph: &Graph<P::Edge>,
    program: &P,
    states: Vec<P::State>,
    senders: impl IntoIterator<Item = VertexId>,
) -> Result<Outcome<P>, RunError> {
    const { assert!(P::MONOTONE, "such a program has to start from the beginning") };
    let mut votes = vec![Vote::Halt; states.len()];
    for sender in senders {
        votes[sender as usize] = Vote::Scatter;
    }
    // As if a run had been saved after superstep 0. Monotone programs do not read the number.
    let saved = Saved::new(0, states, votes);
    let mut session = engine.prepare::<P>(graph, &RunOptions::default())?;
    let mut run = session.resume(program, &[], &saved)?;
    while !run.advance(u32::MAX)?.has_ended() {}
    run.finish()
}

/// A road: from, to, length.
pub type Road = (VertexId, VertexId, f32);

/// A ring of villages, each with a road to the next, and some roads across.
pub fn roads(villages: u32) -> Vec<Road> {
    let around = (0..villages).map(|v| (v, (v + 1) % villages, 1.0 + (v % 7) as f32));
    let across = (0..villages).step_by(5).map(|v| (v, v * v % villages, 40.0));
    around.chain(across).collect()
}

/// Roads that are built later. They reach villages that were not there before.
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
    // A village that no road reaches has nothing to say. If one becomes reachable, it
    // scatters then, along all its roads.
    let reached = |village: &VertexId| states[*village as usize] < f32::INFINITY;
    let senders: Vec<_> = built.iter().map(|(from, ..)| *from).filter(reached).collect();
    let after = go_on(&engine, &graph, &program, states, senders)?;

    let again = engine.run(&graph, &program, &options)?;
    assert_eq!(after.states, again.states);
    println!("from the beginning: {} messages", again.report.messages);
    println!("from the old distances: {} messages", after.report.messages);
    Ok(())
}

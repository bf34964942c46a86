//! Random walks, dealt one by one.

use pregel_algos::gallery::walks::{Place, Walks, numbered};
use pregel_core::engine::{Engine, Reference, RunOptions, Session};
use pregel_core::graph::{Graph, GraphBuilder};
use pregel_testing::{AllEngines, small_graphs};

use super::vertices;

/// Every walker takes its steps alone.
fn dealt(graph: &Graph, program: &Walks, inputs: &[u32]) -> Vec<Place> {
    let place = |walkers: &u32| Place { walkers: u64::from(*walkers), visits: u64::from(*walkers) };
    let mut places: Vec<Place> = inputs.iter().map(place).collect();
    for step in 0..program.length {
        let mut next = vec![0; places.len()];
        for v in vertices(graph) {
            let row = graph.out().row(v);
            let first = program.start(step, v, row.len() as u32) as usize;
            for walker in 0..places[v as usize].walkers as usize {
                let to = if row.is_empty() { v } else { row[(first + walker) % row.len()] };
                next[to as usize] += 1;
            }
        }
        for (place, walkers) in places.iter_mut().zip(next) {
            *place = Place { walkers, visits: place.visits + walkers };
        }
    }
    places
}

#[test]
fn walks() {
    for (graph, seed) in small_graphs().into_iter().zip(0..) {
        let graph = graph.without_values();
        let addressed = numbered(&graph);
        for v in vertices(&graph) {
            let positions = &addressed.out_values()[addressed.out().range(v)];
            assert!(positions.iter().copied().eq(0..graph.out().degree(v) as u32));
        }
        let inputs: Vec<u32> = vertices(&graph).map(|v| v * 7 % 12).collect();
        let program = Walks { seed, length: seed % 7 };
        let outcome = AllEngines::new().with_inputs(&inputs).run(&addressed, &program).unwrap();
        assert_eq!(outcome.states, dealt(&graph, &program, &inputs));
        let walkers: u64 = inputs.iter().copied().map(u64::from).sum();
        let sum = |of: fn(&Place) -> u64| outcome.states.iter().map(of).sum::<u64>();
        assert_eq!(sum(|place| place.walkers), walkers);
        assert_eq!(sum(|place| place.visits), walkers * u64::from(program.length + 1));
    }
}

#[test]
fn walks_visit_vertices_by_their_degree() {
    // A ring with chords from vertex 0: connected, and with odd cycles.
    let ring = (0..20u32).map(|v| (v, (v + 1) % 20));
    let edges = ring.chain((2..19).step_by(3).map(|v| (0, v)));
    let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build().unwrap();
    let addressed = numbered(&graph);
    let mut session = Reference.prepare::<Walks>(&addressed, &RunOptions::default()).unwrap();
    for seed in 0..3 {
        let outcome = session.run_with(&Walks { seed, length: 1000 }, &[1000; 20]).unwrap();
        for v in vertices(&graph) {
            let share = outcome.states[v as usize].visits as f64 / (20_000.0 * 1001.0);
            let expected = graph.out().degree(v) as f64 / graph.edge_count() as f64;
            assert!((share / expected - 1.0).abs() < 0.01, "{v}: {share}, expected {expected}");
        }
    }
}

#[test]
fn walks_take_each_edge_with_the_same_probability() {
    let star = Graph::from_edges((1..9).map(|v| (0, v))).unwrap();
    let addressed = numbered(&star);
    let mut session = Reference.prepare::<Walks>(&addressed, &RunOptions::default()).unwrap();
    for walkers in 1..8 {
        let mut counts = [0; 9];
        for seed in 0..2000 {
            let inputs = [walkers, 0, 0, 0, 0, 0, 0, 0, 0];
            let outcome = session.run_with(&Walks { seed, length: 1 }, &inputs).unwrap();
            for (count, place) in counts.iter_mut().zip(&outcome.states) {
                *count += place.walkers;
            }
        }
        // Five standard deviations of 2000 runs.
        let p = f64::from(walkers) / 8.0;
        let (mean, allowed) = (2000.0 * p, 5.0 * (2000.0 * p * (1.0 - p)).sqrt());
        assert_eq!(counts[0], 0);
        for count in &counts[1..] {
            assert!((*count as f64 - mean).abs() < allowed, "{walkers}: {counts:?}");
        }
    }
}

#[test]
fn as_many_walks_as_inputs_can_hold() {
    let graph = numbered(&Graph::from_edges([(0, 1), (1, 2), (2, 0), (0, 2)]).unwrap());
    let test = AllEngines::new().with_inputs(&[u32::MAX; 3]);
    let outcome = test.run(&graph, &Walks { seed: 3, length: 50 }).unwrap();
    let walkers: u64 = outcome.states.iter().map(|place| place.walkers).sum();
    assert_eq!(walkers, 3 * u64::from(u32::MAX));
}

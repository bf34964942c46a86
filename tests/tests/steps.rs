//! Runs that are resumed near the last superstep number. `handover.rs` resumes every program
//! after every superstep.
#![allow(clippy::unwrap_used)]

use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::Strategy::Auto;
use pregel_core::engine::gpu::{Costs, GpuOptions};
use pregel_core::engine::{Engine, Reference, Run, RunOptions, Saved, Session, StopReason};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, Vote};
use pregel_tests::suite::{cpu, emulated};

/// Rounds by priority on graphs of any size.
fn rounds() -> GpuOptions {
    let mut costs = Costs::default();
    costs.rounds_edges = 0;
    GpuOptions::default().with_costs(costs)
}

/// The number of the last superstep that any run may have.
const LAST: u32 = u32::MAX - (1 << 20);

/// Resumes runs around the last superstep, and returns why they stop.
fn last_stops<E: Engine, P: VertexCompute<Input = ()>>(
    engine: &E,
    options: &RunOptions,
    (program, state, graph): (&P, P::State, &Graph<P::Edge>),
) -> Vec<StopReason> {
    let n = graph.vertex_count() as usize;
    let mut stops = Vec::new();
    for superstep in [u32::MAX, LAST + 1, LAST, LAST - 1, LAST - 2, LAST - 1030] {
        let saved = Saved::new(superstep, vec![state; n], vec![Vote::Scatter; n]);
        let mut session = engine.prepare::<P>(graph, options).unwrap();
        let mut run = session.resume(program, &[], &saved).unwrap();
        let progress = run.advance_to_end().unwrap();
        assert!(progress.superstep >= Some(superstep.min(LAST)), "{progress:?}");
        assert_eq!(run.finish().unwrap().report.stop, progress.stop.unwrap());
        stops.extend(progress.stop);
    }
    stops
}

#[test]
fn a_run_ends_when_supersteps_have_no_numbers_left() {
    fn check<E: Engine>(engine: &E) {
        let graph = Graph::from_weighted_edges((0..20).map(|v| (v, v + 1, 1.0))).unwrap();
        let plain = graph.without_values();
        let endless = PageRank::<f32>::new(0.85, 0.0);
        let unlimited = RunOptions::default();
        for options in [unlimited.clone(), unlimited.clone().with_max_supersteps(u32::MAX)] {
            let stops = last_stops(engine, &options, (&endless, 1.0 / 21.0, &plain));
            assert_eq!(stops, [StopReason::Limit; 6]);
        }
        // Some of these halt by the last superstep, so their reasons differ.
        last_stops(engine, &unlimited, (&Hcc, 7, &plain));
        last_stops(engine, &unlimited, (&Sssp { source: 0 }, 7.0, &graph));
    }
    check(&Reference);
    check(&cpu(2, Auto, false).engine);
    check(&emulated(Auto, false, rounds()).engine);
}

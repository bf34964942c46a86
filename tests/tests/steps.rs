//! Runs that are resumed near the last superstep number. `handover.rs` resumes every program
//! after every superstep.
#![allow(clippy::unwrap_used)]

use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::Strategy::Auto;
use pregel_core::engine::{
    Engine, Outcome, Reference, Run, RunOptions, Saved, Session, StopReason,
};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, Vote};
use pregel_roster::suite::{cpu, emulated, rounds};

/// The number of the last superstep that any run may have.
const LAST: u32 = u32::MAX - (1 << 20);

/// Resumes runs around the last superstep, with this state in every vertex.
fn last_runs<E: Engine, P: VertexCompute<Input = ()>>(
    engine: &E,
    options: &RunOptions,
    (program, state, graph): (&P, P::State, &Graph<P::Edge>),
) -> Vec<Outcome<P>> {
    let n = graph.vertex_count() as usize;
    let mut outcomes = Vec::new();
    for superstep in [u32::MAX, LAST + 1, LAST, LAST - 1, LAST - 2, LAST - 1030] {
        let saved = Saved::new(superstep, vec![state; n], vec![Vote::Scatter; n]);
        let mut session = engine.prepare::<P>(graph, options).unwrap();
        let mut run = session.resume(program, &[], &saved).unwrap();
        let progress = run.advance_to_end().unwrap();
        assert!(progress.superstep >= Some(superstep.min(LAST)), "{progress:?}");
        let outcome = run.finish().unwrap();
        assert_eq!(Some(outcome.report.stop), progress.stop);
        outcomes.push(outcome);
    }
    outcomes
}

#[test]
fn a_run_ends_when_supersteps_have_no_numbers_left() {
    fn check<E: Engine>(engine: &E) {
        let graph = Graph::from_weighted_edges((0..20).map(|v| (v, v + 1, 1.0))).unwrap();
        let plain = graph.without_values();
        let endless = PageRank::<f32>::new(0.85, 0.0);
        let unlimited = RunOptions::default();
        for options in [unlimited.clone(), unlimited.clone().with_max_supersteps(u32::MAX)] {
            for outcome in last_runs(engine, &options, (&endless, 1.0 / 21.0, &plain)) {
                assert_eq!(outcome.report.stop, StopReason::Limit);
            }
        }
        // Every vertex has the best state already. Whether the run ends by that or by the
        // limit depends on the engine.
        for outcome in last_runs(engine, &unlimited, (&Hcc, 7, &plain)) {
            assert!(outcome.states.iter().all(|label| *label == 7));
        }
        for outcome in last_runs(engine, &unlimited, (&Sssp { source: 0 }, 7.0, &graph)) {
            assert!(outcome.states.iter().all(|distance| *distance == 7.0));
        }
    }
    check(&Reference);
    check(&cpu(2, Auto, false).engine);
    check(&emulated(Auto, false, rounds()).engine);
}

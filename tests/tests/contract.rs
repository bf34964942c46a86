//! The parts of the contract that are not about results: limits, cancelling,
//! refusals, sessions and determinism. They hold for every engine; here they are
//! tested on those for the CPU.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::{
    Cpu, Engine, Reference, RunError, RunOptions, Session, StopReason, Strategy,
};
use pregel_core::graph::{EdgeList, Graph, GraphBuilder, Ids};
use pregel_roster::entry::{plain, weighted};
use pregel_roster::suite::may_refuse;
use pregel_roster::test_programs::{Ledger, Pulse, Spread, Votes};
use pregel_roster::zoo::{case, generated};

const STRATEGIES: [Strategy; 4] =
    [Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox];

/// Runs the block with every engine for the CPU and every strategy; a macro, since engines are types.
macro_rules! everywhere {
    (|$engine:ident, $options:ident| $body:block) => {
        for strategy in STRATEGIES {
            let $options = RunOptions::default().with_strategy(strategy);
            {
                let $engine = Reference;
                $body
            }
            for threads in [1, 2, 4] {
                let $engine = Cpu::with_threads(threads).unwrap();
                $body
            }
        }
    };
}

fn path(n: usize) -> Graph<f32> {
    let edges: Vec<_> = (1..n).map(|v| (v - 1, v)).collect();
    case("path", true, n, &edges, |_| 1.0).graph
}

#[test]
fn superstep_n_is_the_last_under_limit_n() {
    let graph = path(10).without_values();
    everywhere!(|engine, options| {
        for limit in 0..12 {
            let options = options.clone().with_max_supersteps(limit);
            let outcome = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap();
            // Superstep 9 reaches the end of the path, where the vertex votes to
            // scatter, so there is a superstep 10, without messages.
            let (last, stop) = match limit {
                0..=9 => (limit, StopReason::Limit),
                _ => (10, StopReason::Halted),
            };
            assert_eq!((outcome.report.supersteps, outcome.report.stop), (last, stop));
            assert_eq!(outcome.report.steps.len() as u32, last + 1);
            let reached = outcome.states.iter().filter(|level| **level <= limit).count();
            assert_eq!(reached as u32, limit.min(9) + 1);
        }
    });
}

#[test]
fn an_observer_sees_every_superstep_and_may_cancel() {
    let graph = path(10).without_values();
    everywhere!(|engine, options| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let options = options.clone().with_observer(move |step| {
            log.lock().unwrap().push(*step);
            if step.superstep == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let outcome = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap();
        assert_eq!(outcome.report.stop, StopReason::Cancelled);
        assert_eq!(outcome.report.supersteps, 4);
        assert_eq!(*seen.lock().unwrap(), outcome.report.steps);
        let reached = outcome.states.iter().filter(|level| **level <= 4).count();
        assert_eq!(reached, 5, "the states are those of the superstep that was cancelled");
        assert!(outcome.states[5..].iter().all(|level| *level == u32::MAX));
    });
}

#[test]
fn an_observer_may_cancel_a_monotone_run_before_it_ends() {
    let graph = path(3000);
    everywhere!(|engine, options| {
        let options = options.clone().with_observer(|_| ControlFlow::Break(()));
        let outcome = engine.run(&graph, &Sssp { source: 0 }, &options).unwrap();
        assert_eq!(outcome.report.stop, StopReason::Cancelled);
        assert_eq!(outcome.report.supersteps, 0);
    });
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let graph = path(10);
    let plain = graph.without_values();
    let outside = "the source vertex is not in the graph";
    let damping = "damping must lie in 0..=1, the tolerance must not be negative";
    everywhere!(|engine, options| {
        let refusal = engine.run(&plain, &Bfs { source: 10 }, &options).err();
        assert_eq!(refusal, Some(RunError::Program { reason: outside }));
        let refusal = engine.run(&graph, &Sssp { source: u32::MAX }, &options).err();
        assert_eq!(refusal, Some(RunError::Program { reason: outside }));
        for program in [PageRank::<f32>::new(1.5, 0.0), PageRank::new(0.85, f32::NAN)] {
            let refusal = engine.run(&plain, &program, &options).err();
            assert_eq!(refusal, Some(RunError::Program { reason: damping }));
        }
    });
}

#[test]
fn negative_and_missing_lengths_are_refused_with_the_users_ids() {
    for bad in [-1.0, f32::NAN, f32::NEG_INFINITY] {
        let edges = vec![[0, 1], [1, 2], [2, 0]];
        let list = EdgeList { vertex_count: 3, edges, values: vec![1.0, bad, bad] };
        let ids = Ids::integers(vec![7, 70, 700].into()).unwrap();
        let graph = GraphBuilder::new().with_edge_list(list).with_ids(ids).build().unwrap();
        everywhere!(|engine, options| {
            let refusal = engine.run(&graph, &Sssp { source: 0 }, &options).err().unwrap();
            let RunError::Edge { source_id, target_id, reason } = &refusal else {
                panic!("{refusal}");
            };
            assert_eq!((source_id.as_str(), target_id.as_str()), ("70", "700"));
            assert!(reason.contains("negative or not a number"), "{refusal}");
        });
    }
}

#[test]
fn as_many_inputs_as_vertices() {
    let graph = path(10).without_values();
    everywhere!(|engine, options| {
        for found in [0, 9, 11] {
            let mut session = engine.prepare::<Ledger>(&graph, &options).unwrap();
            let refusal = session.run_with(&Ledger { target: 0 }, &vec![1; found]).err();
            assert_eq!(refusal, Some(RunError::Inputs { expected: 10, found }));
        }
    });
}

#[test]
fn a_session_forgets_the_run_before() {
    let case = generated("rmat:scale=10");
    let graph = plain(&case);
    everywhere!(|engine, options| {
        let mut session = engine.prepare::<Bfs>(&graph, &options).unwrap();
        let first = session.run(&Bfs { source: 1 }).unwrap();
        session.run(&Bfs { source: 500 }).unwrap();
        let again = session.run(&Bfs { source: 1 }).unwrap();
        assert_eq!(first.states, again.states);
        let messages = |report: &pregel_core::engine::Report| {
            report.steps.iter().map(|step| (step.active, step.messages)).collect::<Vec<_>>()
        };
        assert_eq!(messages(&first.report), messages(&again.report));
    });
}

#[test]
fn a_run_cut_short_leaves_nothing_behind() {
    let case = generated("rmat:scale=10");
    let graph = weighted(&case);
    everywhere!(|engine, options| {
        type Program = Spread<Pulse, 1>;
        let program = Program::new(30, 1);
        let fresh = |limit| {
            let options = options.clone().with_max_supersteps(limit);
            engine.prepare::<Program>(&graph, &options).unwrap()
        };
        let expected = fresh(3).run(&program).unwrap().states;
        let mut session = fresh(3);
        session.run(&program).unwrap();
        assert!(session.run(&program).unwrap().states == expected);
    });
}

#[test]
fn combinations_that_cannot_work_are_refused_before_the_run() {
    let graph = path(4).without_values();
    let cpu = Cpu::with_threads(2).unwrap();
    let mut refused = 0;
    for strategy in STRATEGIES {
        for deterministic in [false, true] {
            let options =
                RunOptions::default().with_strategy(strategy).with_deterministic(deterministic);
            let listed = cpu.prepare::<Cdlp>(&graph, &options).err();
            assert_eq!(listed.is_some(), may_refuse::<Cdlp>(&options), "{options:?}");
            let summed = cpu.prepare::<PageRank<f32>>(&graph, &options).err();
            assert_eq!(summed.is_some(), may_refuse::<PageRank<f32>>(&options), "{options:?}");
            for refusal in [listed, summed].into_iter().flatten() {
                assert!(matches!(refusal, RunError::Unsupported(_)), "{refusal}");
                refused += 1;
            }
            // Exact combiners and messages without content work with every strategy.
            assert!(cpu.prepare::<Hcc>(&graph, &options).is_ok());
            assert!(cpu.prepare::<Bfs>(&graph, &options).is_ok());
            assert!(Reference.prepare::<Cdlp>(&graph, &options).is_ok());
        }
    }
    assert_eq!(refused, 5);
}

#[test]
fn deterministic_float_sums_do_not_depend_on_threads_or_runs() {
    let case = generated("rmat:scale=12,sym=0");
    let graph = plain(&case);
    let program = PageRank::<f32>::new(0.85, 0.0);
    for strategy in [Strategy::Auto, Strategy::Pull, Strategy::Mailbox] {
        let options = RunOptions::default()
            .with_strategy(strategy)
            .with_deterministic(true)
            .with_max_supersteps(15);
        let mut expected = None;
        for threads in [1, 2, 3, 4] {
            let engine = Cpu::with_threads(threads).unwrap();
            let mut session = engine.prepare::<PageRank<f32>>(&graph, &options).unwrap();
            for _ in 0..2 {
                let outcome = session.run(&program).unwrap();
                let bits: Vec<u32> = outcome.states.iter().map(|rank| rank.to_bits()).collect();
                let aggregate = outcome.aggregate.map(f64::to_bits);
                let expected = expected.get_or_insert((bits.clone(), aggregate));
                assert!(*expected == (bits, aggregate), "{strategy:?} on {threads} threads");
            }
        }
    }
}

#[test]
fn votes_on_a_graph_without_edges_follow_the_contract_by_hand() {
    // No message can arrive, so a vertex computes in superstep s exactly if it stayed
    // awake in all supersteps before.
    let graph = case("", true, 500, &[], |_| 0.0).graph.without_values();
    everywhere!(|engine, options| {
        let outcome = engine.run(&graph, &Votes { until: 9, silent: 0 }, &options).unwrap();
        let active: Vec<u64> = outcome.report.steps.iter().map(|step| step.active).collect();
        assert_eq!(active[0], 500);
        assert!(active.windows(2).all(|pair| pair[1] <= pair[0]), "{active:?}");
        let computed: u64 = outcome.states.iter().map(|record| u64::from(record.computed)).sum();
        assert_eq!(computed, active[1..].iter().sum::<u64>());
        assert!(computed > 100 && outcome.states.iter().all(|record| record.woken == 0));
    });
}

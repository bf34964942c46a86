//! Runs that are cancelled from another thread or dropped, and the runs after them.
#![allow(clippy::unwrap_used)]

use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{
    Cancel, Engine, Outcome, Reference, Run, RunError, RunOptions, Session, StopReason,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_roster::suite::{Contender, cpu, emulated, reference, rounds};

/// How long an engine may take to end a run. On a quiet machine it takes a tenth of this or
/// less.
const PATIENCE: Duration = Duration::from_secs(10);

fn graph(spec: &str) -> Graph {
    spec.parse::<Spec>().unwrap().plain().unwrap()
}

/// Cancels a run that would otherwise never end.
fn cancels<E: Engine, P: VertexCompute<Input = ()>>(
    contender: &Contender<E>,
    graph: &Graph<P::Edge>,
    program: &P,
) {
    let cancel = Cancel::new();
    let options = contender.options.clone().with_cancel(cancel.clone());
    let mut session = contender.engine.prepare::<P>(graph, &options).unwrap();
    scope(|scope| {
        let canceller = scope.spawn(|| {
            sleep(Duration::from_millis(100));
            cancel.cancel();
            Instant::now()
        });
        let Err(error) = session.run(program) else { panic!("the run ended by itself") };
        let took = canceller.join().unwrap().elapsed();
        let RunError::Cancelled { superstep } = error else { panic!("{error}") };
        assert!(took < PATIENCE, "it took {took:?} to end superstep {superstep}");
    });
    // The request cannot be taken back.
    let error = session.run(program).err();
    assert_eq!(error, Some(RunError::Cancelled { superstep: 0 }));
}

/// PageRank that no tolerance ends.
fn endless() -> PageRank<f32> {
    PageRank::new(0.85, 0.0)
}

#[test]
fn any_strategy_of_the_cpu_is_cancelled() {
    let graph = graph("rmat:scale=13");
    for strategy in [Auto, Push, Pull, Mailbox] {
        cancels(&cpu(2, strategy, false), &graph, &endless());
    }
    cancels(&cpu(2, Auto, true), &graph, &endless());
}

#[test]
fn the_reference_is_cancelled() {
    cancels(&reference(Auto), &graph("rmat:scale=9"), &endless());
}

#[test]
fn any_strategy_of_the_gpu_is_cancelled() {
    let graph = graph("rmat:scale=7");
    for strategy in [Auto, Push, Pull, Mailbox] {
        cancels(&emulated(strategy, false, GpuOptions::default()), &graph, &endless());
    }
}

#[test]
fn rounds_in_place_are_cancelled() {
    // Too long a path for three rounds.
    let graph = graph("grid:rows=1,cols=3000000");
    let cancel = Cancel::new();
    let options = RunOptions::default().with_cancel(cancel.clone());
    let engine = cpu(2, Auto, false).engine;
    let mut session = engine.prepare::<Hcc>(&graph, &options).unwrap();
    let mut run = session.start(&Hcc, &[]).unwrap();
    assert!(!run.advance(3).unwrap().has_ended());
    cancel.cancel();
    let cancelled = Some(RunError::Cancelled { superstep: 3 });
    assert_eq!(run.advance(1).err(), cancelled);
    assert_eq!(run.advance(1).err(), cancelled);
    assert_eq!(run.save().err(), cancelled);
    assert_eq!(run.finish().err(), cancelled);
}

#[test]
fn rounds_in_place_are_cut_short() {
    let spec: Spec = "grid:rows=1000,cols=1000".parse().unwrap();
    let (graph, sssp) = (spec.weighted().unwrap(), Sssp { source: 0 });
    let engine = cpu(2, Auto, false).engine;
    let start = Instant::now();
    engine.run(&graph, &sssp, &RunOptions::default()).unwrap();
    let whole = start.elapsed();
    let cancel = Cancel::new();
    let options = RunOptions::default().with_cancel(cancel.clone());
    let mut session = engine.prepare::<Sssp>(&graph, &options).unwrap();
    scope(|scope| {
        scope.spawn(|| {
            sleep(whole / 10);
            cancel.cancel();
        });
        let error = session.run(&sssp).err();
        assert!(matches!(error, Some(RunError::Cancelled { superstep: 1.. })), "{error:?}");
    });
}

/// Cancels a run after 0 to 3 supersteps, and then runs to the end in another session of the
/// same engine.
fn recovers<E: Engine>(contender: &Contender<E>, graph: &Graph) {
    let expected = Reference.run(graph, &Hcc, &RunOptions::default()).unwrap().states;
    for advanced in 0..4 {
        let cancel = Cancel::new();
        let options = contender.options.clone().with_cancel(cancel.clone());
        let mut session = contender.engine.prepare::<Hcc>(graph, &options).unwrap();
        let mut run = session.start(&Hcc, &[]).unwrap();
        let progress = run.advance(advanced).unwrap();
        cancel.cancel();
        match run.advance(1) {
            Err(RunError::Cancelled { superstep }) => assert_eq!(superstep, advanced),
            other => assert!(progress.has_ended() && other == Ok(progress), "{other:?}"),
        }
        drop(run);
        let mut session = contender.engine.prepare::<Hcc>(graph, &contender.options).unwrap();
        let Outcome { states, report, .. } = session.run(&Hcc).unwrap();
        assert_eq!(states, expected);
        assert_eq!(report.stop, StopReason::Halted);
    }
}

#[test]
fn a_run_after_a_cancelled_one_is_right() {
    let graph = graph("uniform:n=300,m=700");
    recovers(&reference(Auto), &graph);
    for strategy in [Auto, Push, Pull] {
        recovers(&cpu(2, strategy, false), &graph);
        recovers(&emulated(strategy, false, GpuOptions::default()), &graph);
    }
    recovers(&emulated(Auto, false, rounds()), &graph);
}

/// Drops runs after 0 to 3 supersteps, and checks that their session can still be used.
fn a_run_may_be_dropped<E: Engine>(contender: &Contender<E>, graph: &Graph) {
    let expected = Reference.run(graph, &Hcc, &RunOptions::default()).unwrap().states;
    let mut session = contender.engine.prepare::<Hcc>(graph, &contender.options).unwrap();
    for advanced in 0..4 {
        let mut run = session.start(&Hcc, &[]).unwrap();
        run.advance(advanced).unwrap();
        drop(run);
        assert_eq!(session.run(&Hcc).unwrap().states, expected, "after {advanced}");
    }
}

#[test]
fn runs_may_be_dropped() {
    let graph = graph("uniform:n=300,m=700");
    a_run_may_be_dropped(&reference(Auto), &graph);
    for strategy in [Auto, Push, Pull] {
        a_run_may_be_dropped(&cpu(2, strategy, false), &graph);
        a_run_may_be_dropped(&emulated(strategy, false, GpuOptions::default()), &graph);
    }
    a_run_may_be_dropped(&emulated(Mailbox, true, GpuOptions::default()), &graph);
}

#[test]
fn a_run_that_has_not_started_has_no_result() {
    fn check<E: Engine>(contender: &Contender<E>) {
        let graph = Graph::from_edges([(0, 1), (1, 2)]).unwrap();
        let mut session = contender.engine.prepare::<Hcc>(&graph, &contender.options).unwrap();
        let run = session.start(&Hcc, &[]).unwrap();
        assert_eq!(run.save().err(), Some(RunError::NotStarted));
        assert_eq!(run.finish().err(), Some(RunError::NotStarted));
    }
    check(&reference(Auto));
    check(&cpu(2, Auto, false));
    check(&emulated(Auto, false, GpuOptions::default()));
}

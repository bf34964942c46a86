//! Rounds by priority and resident launches, each forced with and without the other.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Choice, Explanation, Gpu, GpuOptions, Rounds, Taken, Way, WhyNot};
use pregel_core::engine::{Engine, Outcome, Reference, Run, RunOptions, Session, StopReason};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_roster::emulated::images;

/// An engine with these choices.
fn engine(priority: Choice, resident: Choice) -> Gpu<Emulator> {
    let options = GpuOptions::default().with_priority(priority).with_resident(resident);
    Gpu::new(Emulator::new(), images()).with_options(options)
}

/// Runs a program, compares the states, and returns how each superstep after the first ran.
fn ran<P: VertexCompute<Input = ()>>(
    (priority, resident): (Choice, Choice),
    graph: &Graph<P::Edge>,
    program: &P,
) -> (Vec<Taken>, Outcome<P>)
where
    P::State: PartialEq + std::fmt::Debug,
{
    let found = engine(priority, resident).run(graph, program, &RunOptions::default()).unwrap();
    let expected = Reference.run(graph, program, &RunOptions::default()).unwrap();
    assert_eq!(found.states, expected.states, "{priority:?}, {resident:?}");
    assert_eq!(found.report.stop, StopReason::Halted);
    (found.report.steps[1..].iter().map(|step| step.taken.unwrap()).collect(), found)
}

fn explanation<P: VertexCompute>(found: &Outcome<P>) -> Explanation {
    found.report.device.as_ref().unwrap().explanation.clone().unwrap()
}

fn launches<P: VertexCompute>(found: &Outcome<P>) -> u64 {
    found.report.device.as_ref().unwrap().launches
}

/// All four ways to run a program with priorities: which kernels run, and how many supersteps
/// or rounds there are in a launch.
fn four_ways<P: VertexCompute<Input = ()>>(graph: &Graph<P::Edge>, program: &P)
where
    P::State: PartialEq + std::fmt::Debug,
{
    let (plain, found) = ran((Choice::Never, Choice::Never), graph, program);
    assert!(plain.iter().all(|taken| !matches!(taken.way, Way::Round | Way::Resident)));
    assert_eq!(explanation(&found).rounds, Rounds::None(WhyNot::Off));
    let steps = plain.len();

    let (priority, found) = ran((Choice::Always, Choice::Never), graph, program);
    assert!(priority.iter().all(|taken| (taken.way, taken.together) == (Way::Round, 1)));
    assert!(launches(&found) >= priority.len() as u64);
    let taken = explanation(&found).rounds;
    assert!(matches!(taken, Rounds::Taken { delta: Some(_), .. }), "{taken:?}");

    let (fused, found) = ran((Choice::Never, Choice::Always), graph, program);
    let together = fused.len() as u32;
    assert!(fused.iter().all(|taken| (taken.way, taken.together) == (Way::Resident, together)));
    assert_eq!(fused.len(), steps);
    assert!(launches(&found) <= 4, "{}", launches(&found));

    let (both, found) = ran((Choice::Always, Choice::Always), graph, program);
    let together = both.len() as u32;
    assert!(both.iter().all(|taken| (taken.way, taken.together) == (Way::Round, together)));
    assert!(launches(&found) <= 4, "{}", launches(&found));
}

#[test]
fn priority_and_resident_launches_are_forced_apart() {
    let road = "grid:rows=12,cols=40,maxw=255".parse::<Spec>().unwrap();
    let power = "rmat:scale=8,maxw=255".parse::<Spec>().unwrap();
    for graph in [&road, &power].map(|spec| spec.weighted().unwrap()) {
        four_ways(&graph, &Sssp { source: 1 });
        // Begins everywhere.
        four_ways(&graph.without_values(), &Hcc);
    }
}

#[test]
fn priority_saves_messages_whatever_the_launches() {
    let graph: Graph<f32> =
        "grid:rows=40,cols=40,maxw=255".parse::<Spec>().unwrap().weighted().unwrap();
    let messages = |priority, resident| {
        ran((priority, resident), &graph, &Sssp { source: 0 }).1.report.messages
    };
    let [plain, fused] = [Choice::Never, Choice::Always].map(|of| messages(Choice::Never, of));
    assert_eq!(plain, fused);
    for resident in [Choice::Never, Choice::Always] {
        let near = messages(Choice::Always, resident);
        assert!(near < plain, "{near} messages by priority, {plain} without");
    }
}

#[test]
fn rounds_with_a_launch_each_can_be_stopped_and_saved() {
    let graph: Graph<f32> =
        "grid:rows=9,cols=30,maxw=255".parse::<Spec>().unwrap().weighted().unwrap();
    let (program, options) = (Sssp { source: 3 }, RunOptions::default());
    let expected = Reference.run(&graph, &program, &options).unwrap().states;
    let engine = engine(Choice::Always, Choice::Never);
    let mut session = engine.prepare(&graph, &options).unwrap();
    let mut run = session.start(&program, &[]).unwrap();
    assert!(!run.advance(6).unwrap().has_ended());
    let saved = run.save().unwrap();
    drop(run);
    let mut resumed = session.resume(&program, &[], &saved).unwrap();
    assert!(resumed.advance_to_end().unwrap().has_ended());
    assert_eq!(resumed.finish().unwrap().states, expected);
}

#[test]
fn what_programs_and_options_do_not_permit_is_not_forced() {
    let graph: Graph<f32> = "rmat:scale=6".parse::<Spec>().unwrap().weighted().unwrap();
    let rounds = |options: &RunOptions| {
        let engine = engine(Choice::Always, Choice::Never);
        explanation(&engine.run(&graph, &Sssp { source: 0 }, options).unwrap()).rounds
    };
    let options = RunOptions::default();
    assert!(matches!(rounds(&options), Rounds::Taken { .. }));
    let limited = options.clone().with_max_supersteps(3);
    assert_eq!(rounds(&limited), Rounds::None(WhyNot::Limit));
    let fixed = options.with_deterministic(true);
    assert_eq!(rounds(&fixed), Rounds::None(WhyNot::Deterministic));
}

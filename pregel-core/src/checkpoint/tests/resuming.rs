//! Resumed runs give the results of uninterrupted ones, or are refused with a reason.

use std::time::Duration;

use super::programs::{Awake, Smallest};
use super::*;
use crate::engine::Strategy;
use crate::graph::generate::Spec;
use crate::graph::{Graph, GraphBuilder};

#[test]
fn a_run_can_be_resumed_after_every_superstep_on_either_engine() {
    let right = right();
    let strategies = [Strategy::Push, Strategy::Pull, Strategy::Mailbox];
    for superstep in 1..25 {
        let place = Place::new();
        let stop = RunOptions::default().with_max_supersteps(superstep + 1);
        // The run ends one superstep later, so this is the only checkpoint.
        let folder = place.path("one");
        let saved = match superstep % 2 {
            0 => run(&Reference, &every(superstep, &folder), &stop),
            _ => run(&Cpu::new(), &every(superstep, &folder), &stop),
        };
        assert!(saved.unwrap().written >= 1);
        for strategy in strategies {
            let options = limited().with_strategy(strategy);
            let done = run(&Cpu::new(), &resume(&folder), &options).unwrap();
            assert_eq!(done.outcome.states, right, "after {superstep}, {strategy:?}");
            assert_eq!((done.resumed_after, done.written), (Some(superstep), 0));
            assert_eq!(done.outcome.report.supersteps, 25);
        }
        let done = run(&Reference, &resume(&folder), &limited()).unwrap();
        assert_eq!(done.outcome.states, right, "after {superstep}");
    }
}

#[test]
fn a_resumed_run_goes_on_saving() {
    let place = Place::with_checkpoints("one");
    let folder = place.path("one");
    // With a higher limit, in another folder and in the same one.
    let further = limited().with_max_supersteps(48);
    let other = every(10, &place.path("two")).with_resume(&folder);
    let done = run(&Cpu::new(), &other, &further).unwrap();
    assert_eq!((done.resumed_after, done.written), (Some(20), 2));
    let same = every(10, &folder).with_resume(&folder);
    let again = run(&Cpu::new(), &same, &further).unwrap();
    assert_eq!((again.resumed_after, again.written), (Some(20), 2));
    assert_eq!(again.outcome.states, done.outcome.states);
    for name in ["one", "two"] {
        let kept = ["superstep-0000000030.checkpoint", "superstep-0000000040.checkpoint"];
        assert_eq!(place.files(name), ["lock", "manifest", kept[0], kept[1]]);
    }
}

#[test]
fn time_can_decide_when_to_save() {
    let place = Place::new();
    let often = CheckpointOptions::default()
        .with_directory(place.path("often"))
        .with_interval(Interval::Time(Duration::ZERO));
    // After every superstep except the last, which ends the run.
    assert_eq!(run(&Cpu::new(), &often, &limited()).unwrap().written, 25);
    let seldom = CheckpointOptions::default().with_directory(place.path("seldom"));
    let done = run(&Cpu::new(), &seldom, &limited()).unwrap();
    assert_eq!((done.written, done.outcome.states), (0, right()));
    assert_eq!(place.files("seldom"), ["lock"]);
}

#[test]
fn states_and_aggregates_may_have_no_size() {
    let place = Place::new();
    let graph = Graph::from_edges([(0, 1)]).unwrap();
    let save = Checkpoints::open(&every(2, &place.path("one"))).unwrap();
    save.run(&Reference, &graph, &Awake, &[], &limited()).unwrap();
    drop(save);
    let resumed = Checkpoints::open(&resume(&place.path("one"))).unwrap();
    let done = resumed.run(&Cpu::new(), &graph, &Awake, &[], &limited()).unwrap();
    assert_eq!((done.resumed_after, done.outcome.report.supersteps), (Some(24), 25));
}

#[test]
fn runs_in_place_are_saved_between_rounds() {
    let place = Place::new();
    let graph = "grid:rows=1,cols=500".parse::<Spec>().unwrap().plain().unwrap();
    let cpu = Cpu::new();
    let unlimited = RunOptions::default();
    let save = Checkpoints::open(&every(1, &place.path("one"))).unwrap();
    let done = save.run(&cpu, &graph, &Smallest, &[], &unlimited).unwrap();
    assert_eq!(done.outcome.states, [0; 500]);
    drop(save);
    let resumed = Checkpoints::open(&resume(&place.path("one"))).unwrap();
    let plain = unlimited.clone().with_strategy(Strategy::Pull);
    for options in [&unlimited, &plain] {
        let done = resumed.run(&cpu, &graph, &Smallest, &[], options).unwrap();
        assert_eq!(done.outcome.states, [0; 500]);
    }
    let done = resumed.run(&Reference, &graph, &Smallest, &[], &unlimited).unwrap();
    assert_eq!(done.outcome.states, [0; 500]);
    // The states of a round are not those of a superstep.
    let refused = resumed.run(&cpu, &graph, &Smallest, &[], &limited()).unwrap_err();
    assert!(matches!(refused, CheckpointError::Limited { .. }), "{refused}");
}

#[test]
fn a_limit_below_the_checkpoint_is_refused() {
    let place = Place::with_checkpoints("one");
    let limit = |n| limited().with_max_supersteps(n);
    let refused = run(&Reference, &resume(&place.path("one")), &limit(19));
    says(refused, "it was taken after superstep 20, beyond the limit of 19");
    let done = run(&Reference, &resume(&place.path("one")), &limit(20)).unwrap();
    assert_eq!(done.outcome.report.supersteps, 20);
}

#[test]
fn only_the_same_run_is_resumed() {
    let place = Place::with_checkpoints("one");
    let folder = place.path("one");
    let (graph, inputs) = (rumour_graph(), inputs());
    let with = |graph: &Graph, doubt, inputs: &[u32], options: &RunOptions, facts: &[&str]| {
        let given =
            facts.iter().fold(resume(&folder), |given, name| given.with_fact(*name, "value"));
        let program = Rumour { doubt };
        Checkpoints::open(&given).unwrap().run(&Reference, graph, &program, inputs, options)
    };
    with(&graph, 3, &inputs, &limited(), &[]).unwrap();
    let refused = with(&graph, 4, &inputs, &limited(), &[]);
    says(refused, &format!("{NEWER}: it was taken with doubt 3, but this run has 4"));
    let mut others = inputs.clone();
    others[17] += 1;
    says(with(&graph, 3, &others, &limited(), &[]), "with hash of the inputs");
    let exact = limited().with_deterministic(true);
    let refused = with(&graph, 3, &inputs, &exact, &[]);
    says(refused, "it was taken with deterministic no, but this run has yes");
    let refused = with(&graph, 3, &inputs, &limited(), &["data"]);
    says(refused, "without data, but this run has data value");

    let rows = graph.out();
    let mut edges: Vec<(u32, u32)> = (0..40)
        .flat_map(|v| rows.row(v).iter().map(move |target| (v, *target)).collect::<Vec<_>>())
        .collect();
    let build = |edges: &[(u32, u32)]| {
        GraphBuilder::new().with_vertex_count(40).with_edges(edges.iter().copied())
    };
    with(&build(&edges).build().unwrap(), 3, &inputs, &limited(), &[]).unwrap();
    let named = build(&edges).with_ids(crate::graph::Ids::range(1, 40)).build().unwrap();
    says(with(&named, 3, &inputs, &limited(), &[]), "taken with hash of the ids");
    let undirected = build(&edges).with_directed(false).build().unwrap();
    let refused = with(&undirected, 3, &inputs, &limited(), &[]);
    says(refused, "direction directed, but this run has undirected; with edges 185");
    edges[100].1 = (edges[100].1 + 1) % 40;
    let refused = with(&build(&edges).build().unwrap(), 3, &inputs, &limited(), &[]);
    says(refused, "taken with hash of the edges");
}

#[test]
fn another_program_is_refused() {
    let place = Place::with_checkpoints("one");
    let resumed = Checkpoints::open(&resume(&place.path("one"))).unwrap();
    let refused = resumed.run(&Reference, &rumour_graph(), &Smallest, &[], &limited());
    let said = refused.unwrap_err().to_string();
    for part in ["with program Rumour, but this run has Smallest", "with state type u64 of 8 bytes"]
    {
        assert!(said.contains(part), "«{part}» is not in «{said}»");
    }
}

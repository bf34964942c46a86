//! What runs of parts refuse. `handover.rs` compares their results with whole graphs.
#![allow(clippy::unwrap_used)]

use pregel_core::engine::part::{Parcel, PartEngine, PartRun, PartSession, Partition, Tally};
use pregel_core::engine::{Reference, Run, RunError, RunOptions, Saved};
use pregel_core::graph::Graph;
use pregel_core::program::Vote;
use pregel_roster::test_programs::Ledger;

const LEDGER: Ledger = Ledger { target: 0 };
const INPUTS: [u32; 4] = [1, 2, 3, 4];

fn cycle() -> Graph {
    Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap()
}

/// Runs a test on the first half of a cycle of four.
fn on_a_half(test: impl FnOnce(&mut dyn PartRun<Ledger, Engine = Reference>)) {
    let (graph, part) = (cycle(), Partition::ranges(2, 4).part(0));
    let mut session =
        Reference.prepare_part::<Ledger>(&graph, &part, &RunOptions::default()).unwrap();
    test(&mut session.start(&LEDGER, &INPUTS).unwrap());
}

/// What both halves together have done in superstep 0.
fn all() -> Tally<Ledger> {
    Tally::new(0, [10, 3]).combine(Tally::new(0, [0, 1]))
}

/// Messages from the other half after superstep 0.
fn messages(vertices: &[u32], messages: &[u64]) -> Parcel<u64> {
    Parcel::new(1, 0, vertices.to_vec(), messages.to_vec())
}

/// Signals from the other half after superstep 0.
fn signals(vertices: &[u32]) -> Parcel<[u64; 2]> {
    Parcel::new(1, 0, vertices.to_vec(), vec![[7, 7]; vertices.len()])
}

fn refused<T: std::fmt::Debug>(result: Result<T, RunError>) {
    assert!(matches!(result, Err(RunError::Parts(_))), "{result:?}");
}

#[test]
fn nothing_is_exchanged_before_superstep_0() {
    on_a_half(|run| {
        assert_eq!(run.tally().err(), Some(RunError::NotStarted));
        assert_eq!(run.agree(&all()).err(), Some(RunError::NotStarted));
        assert_eq!(run.take_messages().err(), Some(RunError::NotStarted));
        assert_eq!(run.take_signals().err(), Some(RunError::NotStarted));
        assert_eq!(run.put_messages(&messages(&[], &[])).err(), Some(RunError::NotStarted));
        assert_eq!(run.put_signals(&signals(&[])).err(), Some(RunError::NotStarted));
    });
}

#[test]
fn a_part_does_not_advance_without_the_others() {
    on_a_half(|run| {
        assert_eq!(run.advance(9).unwrap().superstep, Some(0));
        refused(run.advance(1));
        refused(run.save());
        run.agree(&all()).unwrap();
        run.take_messages().unwrap();
        refused(run.advance(1));
        assert_eq!(run.save().unwrap().aggregate, [10, 4]);
        run.put_messages(&messages(&[], &[])).unwrap();
        assert_eq!(run.advance(9).unwrap().superstep, Some(1));
    });
}

#[test]
fn tallies_that_do_not_fit_are_refused() {
    on_a_half(|run| {
        run.advance(1).unwrap();
        let mine = run.tally().unwrap();
        refused(run.agree(&mine));
        refused(run.agree(&mine.combine(Tally::new(1, [0, 1]))));
        refused(run.agree(&all().combine(mine)));
        assert_eq!(run.agree(&mine.combine(Tally::new(0, [0, 1]))).unwrap().stop, None);
    });
}

#[test]
fn parcels_that_do_not_fit_are_refused() {
    on_a_half(|run| {
        run.advance(1).unwrap();
        refused(run.put_messages(&messages(&[2], &[7])));
        refused(run.put_messages(&messages(&[4], &[7])));
        refused(run.put_messages(&messages(&[1, 0], &[7, 7])));
        refused(run.put_messages(&messages(&[0, 1], &[7])));
        refused(run.put_messages(&Parcel::new(1, 1, vec![1], vec![7])));
        refused(run.put_messages(&Parcel::new(0, 0, vec![1], vec![7])));
        refused(run.put_messages(&Parcel::new(2, 0, vec![1], vec![7])));
        refused(run.put_signals(&signals(&[1])));
        refused(run.put_signals(&signals(&[4])));
        refused(run.put_signals(&signals(&[2, 2])));
        // The part's own parcel has no effect.
        let own = run.take_messages().unwrap().swap_remove(0);
        assert_eq!(run.put_messages(&own), Ok(()));
        assert_eq!(run.put_messages(&messages(&[1], &[7])), Ok(()));
        refused(run.put_messages(&messages(&[1], &[7])));
        refused(run.put_signals(&signals(&[2, 3])));
    });
    on_a_half(|run| {
        run.advance(1).unwrap();
        assert_eq!(run.put_signals(&signals(&[2, 3])), Ok(()));
        refused(run.put_signals(&signals(&[2, 3])));
    });
}

#[test]
fn partitions_that_do_not_fit_are_refused() {
    let (graph, options) = (cycle(), RunOptions::default());
    let error = |partition: &Partition, index| {
        Reference.prepare_part::<Ledger>(&graph, &partition.part(index), &options).err().unwrap()
    };
    assert!(matches!(error(&Partition::ranges(2, 4), 2), RunError::Parts(_)));
    let owner = RunError::Owner { vertex: 2, part: 2, parts: 2 };
    assert_eq!(error(&Partition::by(2, |vertex| vertex), 0), owner);
}

#[test]
fn saved_parts_are_merged_only_if_they_fit() {
    let partition = Partition::dealt(2, 1);
    let votes = vec![Vote::Scatter; 5];
    let states: Vec<u32> = (0..5).collect();
    let whole = Saved::<pregel_algos::hcc::Hcc>::new(3, states, votes);
    let mut parts = [0, 1].map(|index| whole.share(&partition.part(index)));
    assert_eq!(parts[1].states, [1, 3]);
    assert_eq!(Saved::merge(&partition, &parts).unwrap().states, whole.states);
    assert!(Saved::merge(&partition, &parts[..1]).is_err());
    parts.swap(0, 1);
    assert!(Saved::merge(&partition, &parts).is_err());
    parts.swap(0, 1);
    parts[1].superstep = 4;
    assert!(Saved::merge(&partition, &parts).is_err());
}

#[test]
fn an_observer_of_one_part_cancels_all() {
    let (graph, partition) = (cycle(), Partition::ranges(2, 4));
    let stopping = RunOptions::default().with_observer(|_| std::ops::ControlFlow::Break(()));
    let prepare = |index, options| {
        Reference.prepare_part::<Ledger>(&graph, &partition.part(index), options).unwrap()
    };
    let (mut first, mut second) = (prepare(0, &RunOptions::default()), prepare(1, &stopping));
    let mut first = first.start(&LEDGER, &INPUTS).unwrap();
    let mut second = second.start(&LEDGER, &INPUTS).unwrap();
    first.advance(1).unwrap();
    second.advance(1).unwrap();
    let all = first.tally().unwrap().combine(second.tally().unwrap());
    assert_eq!(first.agree(&all), second.agree(&all));
    assert_eq!(first.finish().unwrap().report.stop.name(), "cancelled");
}

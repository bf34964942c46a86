//! What each technique gains, on each kind of graph.

use super::super::Found;
use super::super::graphs::Kind;
use super::super::ways::{
    ALONE, FLEXBFS, PLAIN, PUSH, PUSH_ALL, SEQUENTIAL, TECHNIQUES, WARPS, WITHOUT,
};
use super::{mean, of_kind, range, times};
use crate::report::{Cell, Claim, Item, Table, Verdict, not_comparable};

pub fn item(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let factor = |other: usize, way: usize| {
            let factors: Vec<_> =
                of_kind(found, kind).filter_map(|of| of.over(other, way)).collect();
            mean(&factors).map_or(Cell::Empty, |mean| Cell::Real(mean, 3))
        };
        for (i, technique) in TECHNIQUES.into_iter().enumerate() {
            let (alone, last) = (factor(PLAIN, ALONE[i]), factor(WITHOUT[i], FLEXBFS));
            rows.push(vec![kind.name().into(), technique.into(), alone, last]);
        }
        rows.push(vec![
            kind.name().into(),
            "all three".into(),
            factor(PLAIN, FLEXBFS),
            Cell::Empty,
        ]);
        rows.push(vec![
            kind.name().into(),
            "warps instead of block queues".into(),
            Cell::Empty,
            factor(FLEXBFS, WARPS),
        ]);
        rows.push(vec![
            kind.name().into(),
            "the engine's push, launched for the frontier".into(),
            factor(PUSH_ALL, PUSH),
            Cell::Empty,
        ]);
    }
    Item {
        name: "techniques",
        title: "Each technique".to_owned(),
        method: "How many times as fast a search is with a technique: added to the plain one, and \
                 as the last of all. Geometric means over the graphs of a kind."
            .to_owned(),
        table: Table {
            columns: vec!["graphs", "technique", "alone, times", "added last, times"],
            rows,
        },
        figure: None,
        claims: vec![overall(found)],
        verbatim: None,
    }
}

fn overall(found: &[Found]) -> Claim {
    let one: Vec<f64> = found.iter().filter_map(|of| of.over_sequential(FLEXBFS)).collect();
    let plain: Vec<f64> = found.iter().filter_map(|of| of.over(PLAIN, FLEXBFS)).collect();
    let all: Vec<f64> = one.iter().chain(&plain).copied().collect();
    let slower: Vec<String> = found
        .iter()
        .filter(|of| of.on_cpu[SEQUENTIAL].is_some())
        .filter(|of| of.over_sequential(FLEXBFS).is_some_and(|factor| factor < 1.0))
        .map(Found::per_level)
        .collect();
    let verdict = match range(&all) {
        Some([least, most]) => Verdict::of(
            least >= 1.0 && most >= 20.0,
            &match slower.as_slice() {
                [] => "the plain search of today's hardware leaves less to gain".to_owned(),
                some => format!("levels are too small for a GPU: {}", some.join("; ")),
            },
        ),
        None => not_comparable("there was no time for it"),
    };
    Claim {
        paper: "2 to 40 times as fast as one core and as a GPU without these techniques."
            .to_owned(),
        ours: format!("{} as fast as one core, {} as the plain queue", times(&one), times(&plain)),
        verdict,
    }
}

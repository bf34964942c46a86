#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::*;
use crate::UseGpu;
use crate::report::Verdict;

#[test]
fn a_quick_run_makes_all_tables() {
    let options = Options { quick: true, gpu: UseGpu::Never, ..Options::default() };
    let report = replicate(&options, &|_| ()).unwrap();
    let names: Vec<_> = report.items.iter().map(|item| item.name).collect();
    assert_eq!(names, ["table-1", "table-2", "table-3"]);
    let rows = &report.items[1].table.rows;
    assert!(rows.len() >= QUICK_SIZES.len() * 5, "{}", rows.len());
    let claims = report.items.iter().flat_map(|item| &item.claims);
    assert!(claims.clone().count() >= 5);
    assert!(claims.into_iter().all(|claim| matches!(claim.verdict, Verdict::NotComparable(_))));
}

#[test]
fn wrong_distances_are_noticed() {
    let lengths = random(50).unwrap();
    let contender = &contenders(UseGpu::Never).unwrap().0[0];
    let (right, _) = contender.run(lengths.clone()).unwrap();
    check("right", &lengths, &right, None).unwrap();
    check("right", &lengths, &right, Some(&right)).unwrap();
    let mut wrong = right.clone();
    wrong.shorten(7, 9, 0.5);
    let found = check("wrong", &lengths, &wrong, Some(&right)).unwrap_err();
    assert!(matches!(found, ReplicationError::Distance { from: 7, to: 9, .. }), "{found}");
    assert!(check("lengths", &lengths, &lengths, None).is_err());
}

#[test]
fn slow_contenders_are_left_out() {
    let contender = &contenders(UseGpu::Never).unwrap().0[0];
    let left = Duration::from_secs(100);
    assert_eq!(contender.too_slow(2_000, Some((1_000, 3.0)), left), None);
    assert!(contender.too_slow(4_000, Some((1_000, 3.0)), left).is_some());
    assert!(contender.too_slow(32_768, None, left).is_some());
}

#[test]
fn graphs_are_dense_and_the_same_every_time() {
    let (one, two) = (random(60).unwrap(), random(60).unwrap());
    let longest = LONGEST as f32;
    for v in 0..60 {
        assert_eq!(one.row(v), two.row(v));
        for (u, length) in (0..).zip(one.row(v)) {
            assert!(if u == v { *length == 0.0 } else { (1.0..=longest).contains(length) });
        }
    }
    assert_ne!(one.row(1)[2..], one.row(2)[1..59]);
}

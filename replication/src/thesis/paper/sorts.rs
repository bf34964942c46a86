//! Figure 5.5: sorts of keys with values.

use super::super::gpu::{MERGE_ON_CPU, PROPOSED, RADIX, SORTS, Sorted};
use super::not_comparable;
use crate::report::{Cell, Claim, Item, Table, Verdict};

/// Times of all sorts, for each set of keys.
pub fn figure_5_5(sorts: &[Sorted]) -> Item {
    let mut rows = Vec::new();
    for of in sorts {
        for (name, seconds) in SORTS.iter().zip(of.seconds) {
            rows.push(vec![
                of.keys.into(),
                of.count.into(),
                (*name).into(),
                Cell::Real(1e6 * seconds, 1),
                Cell::Real(seconds / of.seconds[PROPOSED], 2),
            ]);
        }
    }
    let normal: Vec<&Sorted> = sorts.iter().filter(|of| of.keys == sorts[0].keys).collect();
    let over = |which: usize| {
        let factors = normal.iter().map(|of| of.seconds[which] / of.seconds[PROPOSED]);
        let least = factors.clone().fold(f64::INFINITY, f64::min);
        format!("{least:.1} to {:.1} times", factors.fold(0.0, f64::max))
    };
    let beside = if normal.is_empty() {
        "not measured".to_owned()
    } else {
        format!(
            "{} over the radix sort, {} over a merge sort on one CPU thread",
            over(RADIX),
            over(MERGE_ON_CPU)
        )
    };
    let growth = |which: usize| {
        let (first, last) = (normal.first()?, normal.last()?);
        (last.count > first.count).then(|| last.seconds[which] / first.seconds[which])
    };
    let (grows, verdict) = match (growth(PROPOSED), growth(RADIX), growth(MERGE_ON_CPU)) {
        (Some(proposed), Some(radix), Some(merge)) => (
            format!(
                "from 1 to 4 million keys {proposed:.2} times; radix {radix:.2}, merge on the CPU \
                 {merge:.2}"
            ),
            Verdict::of(
                proposed < radix && proposed < merge,
                "the exact radix sort grows no faster",
            ),
        ),
        _ => ("not measured".to_owned(), not_comparable("there was no time for it")),
    };
    Item {
        name: "fig-5.5",
        title: "Figure 5.5: the approximate sort beside others".to_owned(),
        method: "32-bit keys with 32-bit values: normally distributed, and of a power law as \
                 in-degrees have it; 1,000 linear regions. Keys are on the GPU before the sort, and \
                 its result stays there; times are of one sort, until it has ended. Merge and \
                 quick sort on a GPU are not available here; `radix` is ours, an exact sort, and \
                 the standard library's sorts on one thread of the CPU stand as a reference."
            .to_owned(),
        table: Table {
            columns: vec!["keys", "number", "sort", "µs", "it / approximate"],
            rows,
        },
        figure: None,
        claims: vec![
            Claim {
                paper: "The approximate sort is 6.1 to 21.7 times as fast as merge sort.".to_owned(),
                ours: beside,
                verdict: not_comparable("there is no merge sort for a GPU here"),
            },
            Claim {
                paper: "It grows slowly with the number of keys, the others fast.".to_owned(),
                ours: grows,
                verdict,
            },
        ],
        verbatim: None,
    }
}

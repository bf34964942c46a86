//! Figure 1: how many vertices can be expanded at the same time.

use super::super::Found;
use super::super::graphs::Kind;
use super::of_kind;
use crate::report::{Axis, Cell, Claim, Figure, Item, Series, Table, Verdict, not_comparable};

/// Parts of a search, each shown by its largest level.
const PARTS: usize = 50;

/// The paper shows some of each kind.
const SHOWN: [&str; 6] = ["regular 1", "regular 4", "irregular 1", "NY", "NE", "USA"];

/// How often a level grows after it has shrunk, or the other way round, for each level.
pub fn turns(frontiers: &[u32]) -> f64 {
    let mut rises = frontiers.windows(2).filter(|pair| pair[0] != pair[1]);
    let Some(first) = rises.next() else { return 0.0 };
    let mut before = first[1] > first[0];
    let mut turned = 0_u32;
    for pair in rises {
        let rises = pair[1] > pair[0];
        turned += u32::from(rises != before);
        before = rises;
    }
    f64::from(turned) / frontiers.len() as f64
}

/// The largest level of each part of a search; fewer parts if there are fewer levels.
fn parts(frontiers: &[u32]) -> impl Iterator<Item = (f64, u32)> {
    let parts = PARTS.min(frontiers.len());
    (0..parts).filter_map(move |part| {
        let bound = |part: usize| part * frontiers.len() / parts;
        let most = frontiers[bound(part)..bound(part + 1)].iter().max()?;
        Some((100.0 * (part + 1) as f64 / parts as f64, *most))
    })
}

pub fn figure_1(found: &[Found]) -> Item {
    let shown = || found.iter().filter(|of| SHOWN.contains(&of.described.name.as_str()));
    let rows = shown().flat_map(|of| {
        parts(&of.frontiers).map(|(part, most)| {
            vec![of.described.name.as_str().into(), Cell::Real(part, 0), u64::from(most).into()]
        })
    });
    let series = |of: &Found| {
        Series::joined(
            of.described.name.clone(),
            parts(&of.frontiers).map(|(part, most)| (part, most.into())).collect(),
        )
    };
    Item {
        name: "fig-1",
        title: "Figure 1: vertices that can be expanded at the same time".to_owned(),
        method: format!(
            "How many vertices a level has, in the course of a search: the most of each of \
             {PARTS} parts of its levels."
        ),
        table: Table { columns: vec!["graph", "levels, %", "vertices"], rows: rows.collect() },
        figure: Some(Figure {
            x: Axis::new("levels, %"),
            y: Axis::new("vertices of a level").logarithmic(),
            series: shown().map(series).collect(),
        }),
        claims: vec![irregular_roads(found), by_degree(found)],
        verbatim: None,
    }
}

fn irregular_roads(found: &[Found]) -> Claim {
    let most = |kind| of_kind(found, kind).map(|of| turns(&of.frontiers)).max_by(f64::total_cmp);
    let least = of_kind(found, Kind::Road).map(|of| turns(&of.frontiers)).min_by(f64::total_cmp);
    let (lattices, roads) = (most(Kind::Regular), least);
    let (ours, verdict) = match (lattices, roads) {
        (Some(lattices), Some(roads)) => (
            format!(
                "turns for each level: at least {roads:.2} on roads, at most {lattices:.2} on lattices"
            ),
            Verdict::of(roads > 2.0 * lattices, "levels of lattices change their course as often"),
        ),
        _ => ("not measured".to_owned(), not_comparable("there was no time for it")),
    };
    Claim { paper: "On roads the number varies irregularly.".to_owned(), ours, verdict }
}

fn by_degree(found: &[Found]) -> Claim {
    let growth = |name: &str| {
        let of = found.iter().find(|of| of.described.name == name)?;
        let largest = of.frontiers.iter().max()?;
        Some(format!(
            "degree {:.0}: {} levels, at most {largest}",
            of.mean_degree,
            of.frontiers.len()
        ))
    };
    let all: Vec<_> = ["regular 1", "regular 2", "regular 3", "regular 4"]
        .into_iter()
        .filter_map(growth)
        .collect();
    let levels = |name| {
        let of = found.iter().find(|of| of.described.name == name)?;
        Some(of.frontiers.len())
    };
    let verdict = match (levels("regular 1"), levels("regular 4")) {
        (Some(few), Some(many)) => Verdict::of(few != many, "the searches have as many levels"),
        _ => not_comparable("there was no time for it"),
    };
    let ours = if all.is_empty() { "not measured".to_owned() } else { all.join("; ") };
    Claim { paper: "On lattices its course depends on the degree.".to_owned(), ours, verdict }
}

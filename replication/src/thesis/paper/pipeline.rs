//! Figures 5.4, 5.6 and 5.7: the pipeline with and without its parts.

use super::super::gpu::{PATENTS, Time, VARIANTS};
use super::super::{Found, GROUP, REGION_COUNTS};
use super::not_comparable;
use crate::report::{Axis, Cell, Claim, Figure, Item, Series, Table, Verdict};

/// The places of [`VARIANTS`].
const NEITHER: usize = 0;
const SORT: usize = 1;
const REMAP: usize = 2;
const BOTH: usize = 3;

fn variant(of: &Found, which: usize) -> Option<Time> {
    of.on_gpu.as_ref()?.variants[which]
}

/// By how much less time one variant takes for the supersteps than another, as a gain of speed
/// in per cent.
fn gain(of: &Found, without: usize, with: usize) -> Option<f64> {
    let (without, with) = (variant(of, without)?, variant(of, with)?);
    Some(100.0 * (without.supersteps / with.supersteps - 1.0))
}

/// The gains of all graphs.
fn gains(found: &[Found], without: usize, with: usize) -> Vec<(&'static str, f64)> {
    found.iter().filter_map(|of| Some((of.used.name, gain(of, without, with)?))).collect()
}

fn listed(gains: &[(&str, f64)]) -> String {
    let each: Vec<String> =
        gains.iter().map(|(graph, gain)| format!("{graph} {gain:+.1} %")).collect();
    each.join(", ")
}

fn table(found: &[Found], pairs: [[usize; 2]; 2], columns: [&'static str; 2]) -> Table {
    let milliseconds =
        |time: Option<Time>| time.map_or(Cell::Empty, |time| Cell::Real(1e3 * time.supersteps, 3));
    let row = |of: &Found| {
        let mut row = vec![of.used.name.into(), Cell::Real(of.above_one, 1)];
        row.extend((0..VARIANTS.len()).map(|which| milliseconds(variant(of, which))));
        row.extend(pairs.map(|[without, with]| {
            gain(of, without, with).map_or(Cell::Empty, |gain| Cell::Real(gain, 1))
        }));
        row
    };
    let mut headings = vec!["graph", "η, %"];
    headings.extend(["neither, ms", "sort, ms", "remap, ms", "sort and remap, ms"]);
    headings.extend(columns);
    Table { columns: headings, rows: found.iter().map(row).collect() }
}

/// A claim about gains: from `least` to `most` per cent.
fn claim(paper: &str, gains: &[(&'static str, f64)], least: f64, reason: &str) -> Claim {
    let (ours, verdict) = if gains.is_empty() {
        ("not measured".to_owned(), not_comparable("there was no time for it"))
    } else {
        let holds = gains.iter().all(|(_, gain)| *gain >= least / 2.0);
        (listed(gains), Verdict::of(holds, reason))
    };
    Claim { paper: paper.to_owned(), ours, verdict }
}

const METHOD: &str = "PageRank for 50 iterations with the thesis' pipeline, supersteps only: with \
    and without the approximate sort (1,000 regions), with groups of 32 (remapped) and of 1 \
    (row-major); hubs whole.";

/// Sorted and not, remapped and not.
pub fn figure_5_4(found: &[Found]) -> Item {
    let gained = gains(found, REMAP, BOTH);
    let mean = |power_law: bool| {
        let of: Vec<f64> = gained
            .iter()
            .filter(|(graph, _)| (*graph != "Random") == power_law)
            .map(|(_, gain)| *gain)
            .collect();
        (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
    };
    let (ours, verdict) = match (mean(true), mean(false)) {
        (Some(power), Some(random)) => (
            format!("{power:+.1} % in the mean of the power laws, {random:+.1} % on Random"),
            Verdict::of(power > random, "the sort gains more where all in-degrees are alike"),
        ),
        _ => ("not measured".to_owned(), not_comparable("there was no time for it")),
    };
    Item {
        name: "fig-5.4",
        title: "Figure 5.4: with and without the sort".to_owned(),
        method: METHOD.to_owned(),
        table: table(
            found,
            [[REMAP, BOTH], [NEITHER, SORT]],
            ["gain of the sort, remapped, %", "gain of the sort, not remapped, %"],
        ),
        figure: None,
        claims: vec![
            claim(
                "The sort makes PageRank 8 to 20 % faster.",
                &gained,
                8.0,
                "a sort brings equal columns together and takes the receivers apart that lay \
                 together by id; here the sum of both is less on some graphs",
            ),
            Claim { paper: "More so on power laws.".to_owned(), ours, verdict },
        ],
        verbatim: None,
    }
}

/// Remapped and not.
pub fn figure_5_7(found: &[Found]) -> Item {
    let gained = gains(found, SORT, BOTH);
    let largest = gained.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    // By η: the order of the real graphs is ego, com, soc, cit.
    let (ours, verdict) = match largest {
        Some((graph, gain)) if gained.len() == found.len() => (
            format!("the largest is that of {graph}, {gain:+.1} %"),
            Verdict::of(
                *graph == "ego-Gplus",
                "what a graph gains depends on more than on the share of vertices with several \
                 messages: on its longest column, and on what the caches hold",
            ),
        ),
        _ => ("not measured".to_owned(), not_comparable("there was no time for all graphs")),
    };
    Item {
        name: "fig-5.7",
        title: "Figure 5.7: with and without the remapping".to_owned(),
        method: METHOD.to_owned(),
        table: table(
            found,
            [[SORT, BOTH], [NEITHER, REMAP]],
            ["gain of the remap, sorted, %", "gain of the remap, not sorted, %"],
        ),
        figure: None,
        claims: vec![
            claim(
                "The remapping makes PageRank 10 to 25 % faster.",
                &gained,
                10.0,
                "sending, which the remapping scatters, takes most of a superstep here, and a \
                 column of one vertex is read through the cache line that it shares",
            ),
            Claim {
                paper: "The gain rises with η; it is largest on ego-Gplus, 25 %.".to_owned(),
                ours,
                verdict,
            },
        ],
        verbatim: None,
    }
}

/// Times by the number of regions.
pub fn figure_5_6(found: &[Found]) -> Item {
    let patents = found.iter().find(|of| of.used.name == PATENTS);
    let times = patents.and_then(|of| of.on_gpu.as_ref()).map(|on_gpu| on_gpu.regions);
    let measured: Vec<(u32, Time)> = REGION_COUNTS
        .into_iter()
        .zip(times.into_iter().flatten())
        .filter_map(|(regions, time)| Some((regions, time?)))
        .collect();
    let row = |(regions, time): &(u32, Time)| {
        vec![
            u64::from(*regions).into(),
            Cell::Real(1e3 * time.supersteps, 3),
            Cell::Real(1e3 * time.preparation, 3),
        ]
    };
    let (ours, verdict) = match (measured.first(), measured.last()) {
        (Some((_, first)), Some((most, last))) if measured.len() == REGION_COUNTS.len() => {
            let (from, to) = (1e3 * first.supersteps, 1e3 * last.supersteps);
            // Medians scatter by a few per cent.
            let falls =
                measured.windows(2).all(|pair| pair[1].1.supersteps <= 1.03 * pair[0].1.supersteps);
            (
                format!("{from:.1} ms without a sort, {to:.1} ms with {most} regions"),
                Verdict::of(
                    falls && to < from,
                    "the time does not always fall with the regions, though the padding does",
                ),
            )
        }
        _ => ("not measured".to_owned(), not_comparable("there was no time for all of it")),
    };
    Item {
        name: "fig-5.6",
        title: "Figure 5.6: the number of regions".to_owned(),
        method: "PageRank for 50 iterations on cit-Patents with the thesis' pipeline, supersteps \
                 only; 0 regions: not sorted."
            .to_owned(),
        table: Table {
            columns: vec!["regions", "supersteps, ms", "preparation, ms"],
            rows: measured.iter().map(row).collect(),
        },
        figure: Some(Figure {
            x: Axis::new("regions").logarithmic().whole(),
            y: Axis::new("supersteps, ms"),
            series: vec![Series::joined(
                PATENTS.to_owned(),
                measured
                    .iter()
                    .filter(|(regions, _)| *regions > 0)
                    .map(|(regions, time)| (f64::from(*regions), 1e3 * time.supersteps))
                    .collect(),
            )],
        }),
        claims: vec![Claim {
            paper: "cit-Patents: the more regions, the less time.".to_owned(),
            ours,
            verdict,
        }],
        verbatim: None,
    }
}

/// Padding by the number of regions, which takes no GPU.
pub fn figure_5_6_padding(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    for of in found {
        for (regions, extra) in REGION_COUNTS.iter().zip(&of.by_regions) {
            rows.push(vec![
                of.used.name.into(),
                Cell::Count((*regions).into()),
                Cell::Real(*extra, 2),
            ]);
        }
    }
    // cit-Patents, which the thesis measures.
    let patents = &found[3];
    let falls = patents.by_regions.windows(2).all(|pair| pair[1] <= pair[0] + 0.01);
    let last = patents.by_regions.len() - 1;
    Item {
        name: "fig-5.6-padding",
        title: "Figure 5.6: the number of regions and the padding".to_owned(),
        method: format!(
            "Slots beyond the messages, in per cent, for groups of {GROUP}; 0 regions: not sorted. \
             The thesis has times of PageRank on a GPU instead; padding is what makes a warp wait."
        ),
        table: Table { columns: vec!["graph", "regions", "slots/E − 1, %"], rows },
        figure: None,
        claims: vec![Claim {
            paper: "cit-Patents: the more regions, the less time.".to_owned(),
            ours: format!(
                "padding {} with the regions: {:.1} % without a sort, {:.1} % with {} regions",
                if falls { "falls" } else { "does not always fall" },
                patents.by_regions[0],
                patents.by_regions[last],
                REGION_COUNTS[last]
            ),
            verdict: not_comparable("the claim is about times on a GPU"),
        }],
        verbatim: None,
    }
}

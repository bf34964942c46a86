//! The thesis' tables and figures, and its claims.

use super::{Found, GROUP, GROUPS, REGION_COUNTS, REGIONS, RUNS};
use crate::machine::Machine;
use crate::report::{
    Axis, Cell, Claim, Figure, Item, Report, Series, Table, Verdict, withdraw_verdicts,
};

const SOURCE: &str = "The thesis PregelGPU, on a Pregel for one GPU: chapter 5. Measured there on \
    a GeForce GTX 780 and a Xeon E5-2648L with 8 cores at 1.8 GHz.";

/// All items that have been measured, and a list of the others.
pub fn report(found: &[Found], quick: bool, machine: Machine) -> Report {
    let mut items =
        vec![table_5_1(found), table_5_3(found), figure_5_6(found), figure_5_8(found), others()];
    if quick {
        withdraw_verdicts(&mut items);
    }
    Report {
        name: "thesis",
        title: "The thesis PregelGPU, chapter 5".to_owned(),
        source: SOURCE,
        machine,
        notes: vec![
            "All graphs are directed, and messages go along every edge. A stand-in has the number \
             of vertices and edges, the largest in-degree and η of the real graph; its edges are \
             random otherwise. `--data DIR` uses the files of SNAP instead, where they are there."
                .to_owned(),
            format!("Times are medians of {RUNS} runs, after one whose result was checked."),
            "No GPU was used: the command measures the CPU's part only so far.".to_owned(),
        ],
        items,
    }
}

fn not_comparable(reason: &str) -> Verdict {
    Verdict::NotComparable(reason.to_owned())
}

fn table_5_1(found: &[Found]) -> Item {
    let row = |of: &Found| {
        vec![
            of.used.name.into(),
            of.origin.as_str().into(),
            of.vertices.into(),
            of.edges.into(),
            of.largest.into(),
            Cell::Real(of.above_one, 1),
        ]
    };
    let claim = |of: &Found| {
        let used = of.used;
        let near = of.vertices == used.vertices
            && of.edges.abs_diff(used.edges) * 1000 < used.edges
            && of.largest.abs_diff(used.largest) * 10 < used.largest
            && (of.above_one - used.above_one).abs() < 0.15;
        Claim {
            paper: format!(
                "{}: V {}, E {}, Max(d) {}, η {} %",
                used.name, used.vertices, used.edges, used.largest, used.above_one
            ),
            ours: format!(
                "V {}, E {}, Max(d) {}, η {:.1} %",
                of.vertices, of.edges, of.largest, of.above_one
            ),
            verdict: Verdict::of(near, "the graph is another one"),
        }
    };
    Item {
        name: "table-5.1",
        title: "Table 5.1: graphs".to_owned(),
        method: "Max(d) is the largest in-degree, η the share of vertices with an in-degree above \
                 1."
        .to_owned(),
        table: Table {
            columns: vec!["graph", "origin", "V", "E", "Max(d)", "η, %"],
            rows: found.iter().map(row).collect(),
        },
        figure: None,
        claims: found.iter().map(claim).collect(),
        verbatim: None,
    }
}

fn table_5_3(found: &[Found]) -> Item {
    let row = |of: &Found| {
        let [one, all] = of.numbering;
        vec![
            of.used.name.into(),
            Cell::Real(of.used.medusa, 3),
            Cell::Real(one, 4),
            Cell::Real(all, 4),
            Cell::Real(1e9 * one / of.edges as f64, 2),
        ]
    };
    // The graph with 16 times the vertices and 2.2 times the edges of the first.
    let [one, _] = found[1].numbering;
    let growth = one / found[0].numbering[0];
    Item {
        name: "table-5.3",
        title: "Table 5.3: Medusa's preparation".to_owned(),
        method: "Numbers the slots of the message buffer for all edges on the CPU, by a counting \
                 sort: on one thread, and on all threads without a shared counter. Both results \
                 are equal."
            .to_owned(),
        table: Table {
            columns: vec![
                "graph",
                "thesis, s",
                "one thread, s",
                "all threads, s",
                "one thread, ns per edge",
            ],
            rows: found.iter().map(row).collect(),
        },
        figure: None,
        claims: vec![
            Claim {
                paper: "Medusa's preparation grows with the graph: 0.21 s for ego-Gplus, 0.449 s \
                        for soc-Pokec, which has 16 times the vertices and 2.2 times the edges."
                    .to_owned(),
                ours: format!("{growth:.1} times, on one thread"),
                verdict: Verdict::of(growth > 1.5, "the counters of both graphs fit in the cache"),
            },
            Claim {
                paper: "PregelGPU prepares on the GPU in 11 to 30 ms, 13 to 55 times as fast."
                    .to_owned(),
                ours: "not measured".to_owned(),
                verdict: not_comparable("this command does not use a GPU yet"),
            },
        ],
        verbatim: None,
    }
}

fn figure_5_6(found: &[Found]) -> Item {
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
        name: "fig-5.6",
        title: "Figure 5.6: the number of regions".to_owned(),
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

fn figure_5_8(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    for of in found {
        for (group, [unsorted, sorted]) in GROUPS.iter().zip(&of.by_group) {
            rows.push(vec![
                of.used.name.into(),
                Cell::Count(*group as u64),
                Cell::Real(*unsorted, 2),
                Cell::Real(*sorted, 2),
            ]);
        }
    }
    let series = |of: &Found| Series {
        label: of.used.name.to_owned(),
        points: GROUPS
            .iter()
            .zip(&of.by_group)
            .map(|(group, [_, sorted])| (*group as f64, *sorted))
            .collect(),
    };
    let place = GROUPS.iter().position(|group| *group == GROUP).unwrap_or_default();
    let finest = REGION_COUNTS.len() - 1;
    let claim = |of: &Found, paper: &str, within: std::ops::RangeInclusive<f64>| {
        let (ours, fine) = (of.by_group[place][1], of.by_regions[finest]);
        Claim {
            paper: format!("{}: {paper}", of.used.name),
            ours: format!(
                "{ours:.2} % with {REGIONS} regions, {fine:.2} % with {}",
                REGION_COUNTS[finest]
            ),
            // The thesis does not say how many regions it has here.
            verdict: Verdict::of(
                within.contains(&ours) || within.contains(&fine),
                "regions of equal width leave the in-degrees of a group further apart here",
            ),
        }
    };
    Item {
        name: "fig-5.8",
        title: "Figure 5.8: memory for padding".to_owned(),
        method: format!(
            "Slots of the message buffer beyond one for each edge, in per cent, by the size of \
             groups; sorted into {REGIONS} regions of equal width (Figure 5.6 has other numbers \
             of them). It follows from the in-degrees, up to the order within regions."
        ),
        table: Table { columns: vec!["graph", "group", "not sorted, %", "sorted, %"], rows },
        figure: Some(Figure {
            x: Axis { label: "vertices in a group", logarithmic: true, whole: true },
            y: Axis { label: "slots/E − 1, %, sorted", logarithmic: false, whole: false },
            series: found.iter().map(series).collect(),
        }),
        claims: vec![
            claim(&found[0], "2.3 % more memory", 1.1..=4.6),
            claim(&found[1], "0.89 %", 0.44..=1.8),
            claim(&found[5], "next to nothing", 0.0..=0.5),
        ],
        verbatim: None,
    }
}

/// What takes a GPU.
fn others() -> Item {
    let claim = |paper: &str| Claim {
        paper: paper.to_owned(),
        ours: "not measured".to_owned(),
        verdict: not_comparable("this command does not use a GPU yet"),
    };
    Item {
        name: "gpu",
        title: "Figures 5.1 to 5.5 and 5.7: on a GPU".to_owned(),
        method: "Quoted, so that it is plain what is missing.".to_owned(),
        table: Table {
            columns: vec!["figure", "what"],
            rows: vec![
                vec!["5.1 to 5.3".into(), "PageRank, SSSP and HCC beside Medusa".into()],
                vec!["5.4".into(), "PageRank with and without the sort".into()],
                vec!["5.5".into(), "the approximate sort beside others".into()],
                vec!["5.7".into(), "PageRank with and without the remapping".into()],
            ],
        },
        figure: None,
        claims: vec![
            claim("Figure 5.1: PageRank 1.7 to 2.3 times as fast as Medusa."),
            claim("Figure 5.2: SSSP 1.6 to 4.5 times."),
            claim("Figure 5.3: HCC 1.7 to 3.7 times."),
            claim("Figure 5.4: the sort makes PageRank 8 to 20 % faster."),
            claim("Figure 5.5: the approximate sort is 6.1 to 21.7 times as fast as merge sort."),
            claim("Figure 5.7: the remapping makes PageRank 10 to 25 % faster."),
        ],
        verbatim: None,
    }
}

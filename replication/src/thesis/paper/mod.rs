//! The thesis' tables and figures, and its claims.

mod medusa;
mod pipeline;
mod preparation;
mod sorts;

use super::{Findings, Found, GROUP, GROUPS, Measured, REGION_COUNTS, REGIONS, RUNS};
use crate::machine::Machine;
use crate::report::{
    self, Axis, Cell, Claim, Figure, Item, Report, Series, Table, Verdict, not_comparable,
    withdraw_verdicts, without_gpu,
};

const SOURCE: &str = "The thesis PregelGPU, on a Pregel for one GPU: chapter 5. Measured there on \
    a GeForce GTX 780 and a Xeon E5-2648L with 8 cores at 1.8 GHz.";

/// All items: those that were measured, and a list of the others.
pub fn report(findings: &Findings, machine: Machine) -> Report {
    let Findings { graphs, device, quick } = findings;
    let mut items = vec![table_5_1(graphs)];
    let mut notes = vec![
        "All graphs are directed, and messages go along every edge. A stand-in has the number \
         of vertices and edges, the largest in-degree and η of the real graph; its edges are \
         random otherwise. `--data DIR` uses the files of SNAP instead, where they are there."
            .to_owned(),
        format!("Times are medians of {RUNS} runs, after one whose result was checked."),
    ];
    let mut machine = machine;
    match device {
        Measured::Device { name, growth, sorts, left_out } => {
            machine.device = Some(name.clone());
            notes.push(gpu_runs(left_out));
            items.extend(medusa::figures(graphs));
            items.extend([preparation::table_5_3(graphs, true), preparation::growth(growth)]);
            items.extend([pipeline::figure_5_4(graphs), sorts::figure_5_5(sorts)]);
            items.extend([pipeline::figure_5_6(graphs), pipeline::figure_5_6_padding(graphs)]);
            items.extend([pipeline::figure_5_7(graphs), figure_5_8(graphs)]);
        }
        Measured::Nothing(why) => {
            notes.push(format!("No GPU was used: {why}."));
            items.push(preparation::table_5_3(graphs, false));
            items.extend([pipeline::figure_5_6_padding(graphs), figure_5_8(graphs)]);
            items.push(others(why));
        }
    }
    if *quick {
        withdraw_verdicts(&mut items);
    }
    Report {
        name: "thesis",
        title: "The thesis PregelGPU, chapter 5".to_owned(),
        source: SOURCE,
        machine,
        notes,
        failures: Vec::new(),
        items,
    }
}

/// How runs on the GPU were made, and what was left out.
fn gpu_runs(left_out: &[String]) -> String {
    let how = "On the GPU each run has a session of its own, and every result is compared with the \
               CPU engine's: ranks up to the rounding of their sums, all others in every bit. \
               Preparation is sorting and laying out; copying the graph to the GPU is listed \
               apart, and loading kernels is left out. Where time was short there are fewer runs, at \
               least three.";
    format!("{how} {}", report::left_out(left_out))
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
    let series = |of: &Found| {
        Series::joined(
            of.used.name.to_owned(),
            GROUPS
                .iter()
                .zip(&of.by_group)
                .map(|(group, [_, sorted])| (*group as f64, *sorted))
                .collect(),
        )
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
            x: Axis::new("vertices in a group").logarithmic().whole(),
            y: Axis::new("slots/E − 1, %, sorted"),
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
fn others(why: &str) -> Item {
    let what = [
        ["5.1 to 5.3", "PageRank, SSSP and HCC beside Medusa"],
        ["5.4", "PageRank with and without the sort"],
        ["5.5", "the approximate sort beside others"],
        ["5.6", "PageRank on cit-Patents by the number of regions"],
        ["5.7", "PageRank with and without the remapping"],
    ];
    let claims = [
        "Figure 5.1: PageRank 1.7 to 2.3 times as fast as Medusa.",
        "Figure 5.2: SSSP 1.6 to 4.5 times.",
        "Figure 5.3: HCC 1.7 to 3.7 times.",
        "Figure 5.4: the sort makes PageRank 8 to 20 % faster.",
        "Figure 5.5: the approximate sort is 6.1 to 21.7 times as fast as merge sort.",
        "Figure 5.6: on cit-Patents, the more regions, the less time.",
        "Figure 5.7: the remapping makes PageRank 10 to 25 % faster.",
    ];
    without_gpu("Figures 5.1 to 5.7: on a GPU", &what, &claims, why)
}

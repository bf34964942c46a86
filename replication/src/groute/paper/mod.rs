//! The paper's tables and figures, as far as they are about one GPU, and its claims.

mod components;
mod ranks;
mod searches;
mod work;

use super::graphs::{GRAPHS, USA};
use super::ran::{Entry, On, Ran};
use super::ranks::ROUNDING;
use super::{Findings, Found, Measured};
use crate::machine::Machine;
use crate::report::{
    self, Axis, Cell, Claim, Figure, Item, Report, Series, Table, Verdict, thousands,
    withdraw_verdicts,
};
use crate::timing::Repeats;

const SOURCE: &str = "Tal Ben-Nun, Michael Sutton, Sreepathi Pai and Keshav Pingali: Groute: an \
    asynchronous multi-GPU programming model for irregular computations, PPoPP 2017. Measured \
    there on Tesla M60 cards with two GPUs each, Maxwell, 16 multiprocessors.";

/// The axis of graphs, in the order of [`GRAPHS`].
fn graph_axis() -> Axis {
    Axis::new("graph: 1 NE, 2 USA, 3 soc-LiveJournal1, 4 kron21.sym").whole()
}

/// All items.
pub fn report(findings: &Findings, machine: Machine) -> Report {
    let Findings { graphs, device, left_out, quick } = findings;
    let why_no_gpu = device.as_ref().err().map(String::as_str);
    let mut items = vec![graphs_used(graphs)];
    items.extend(searches::items(graphs, why_no_gpu));
    items.push(work::item(graphs, why_no_gpu));
    items.extend([ranks::item(graphs), ranks::curves(graphs)]);
    items.push(components::item(graphs));
    if *quick {
        withdraw_verdicts(&mut items);
    }
    Report {
        name: "groute",
        title: "Groute on one GPU".to_owned(),
        source: SOURCE,
        machine: Machine { device: device.as_ref().ok().cloned(), ..machine },
        notes: notes(left_out, why_no_gpu),
        failures: Vec::new(),
        items,
    }
}

fn notes(left_out: &[String], why_no_gpu: Option<&str>) -> Vec<String> {
    let mut notes = vec![
        "Only what the paper says of one GPU is compared. Its scaling to several GPUs, its links, \
         routers and predicate filters are not replicated: runs on several GPUs come later."
            .to_owned(),
        format!(
            "Times are those of the supersteps, without the preparation: medians of up to {} \
             runs in one session. On a GPU the first run is not counted. Every result is \
             compared with the CPU engine's: distances, levels and components in every bit, \
             ranks by the sum of all differences, which must be at most what the tolerance \
             promises, and {ROUNDING} for rounding.",
            Repeats::FULL.runs
        ),
        "A stand-in has about as many vertices and edges as the paper's graph, and the same kind \
         of degrees. `--data DIR` uses the real files instead, where they are there. Weights are \
         random from 1 to 255 where the file has none. Each search begins at one random vertex \
         with an out-edge."
            .to_owned(),
    ];
    if let Some(why) = why_no_gpu {
        notes.push(format!("No GPU was used: {why}. The rows of the CPU are all there is."));
    }
    notes.push(report::left_out(left_out));
    notes
}

fn not_measured(paper: &str, why_no_gpu: Option<&str>) -> Claim {
    let reason = match why_no_gpu {
        Some(why) => format!("no GPU was used: {why}"),
        None => "there was no time for it".to_owned(),
    };
    Claim {
        paper: paper.to_owned(),
        ours: "not measured".to_owned(),
        verdict: Verdict::NotComparable(reason),
    }
}

/// What a contender took.
fn ran(entries: &[Entry], on: On, name: &str) -> Option<Ran> {
    entries.iter().find(|entry| entry.on == on && entry.name == name)?.ran
}

/// What a contender on a GPU took.
fn on_gpu(entries: &[Entry], name: &str) -> Option<Ran> {
    ran(entries, On::Gpu, name)
}

/// A graph of the paper, unless it was left out.
fn graph(found: &[Found], number: usize) -> Option<&Found> {
    found.iter().find(|of| of.used.name == GRAPHS[number].name)
}

/// What stands for the roads of the United States.
fn usa(found: &[Found]) -> Option<&Found> {
    graph(found, USA)
}

fn milliseconds(seconds: f64) -> Cell {
    Cell::Real(1e3 * seconds, 3)
}

fn count(number: f64) -> Cell {
    Cell::Count(number as u64)
}

/// Where a graph is on [`graph_axis()`].
fn place(of: &Found) -> f64 {
    let number = GRAPHS.iter().position(|described| described.name == of.used.name);
    1.0 + number.unwrap_or_default() as f64
}

/// One line for each contender, over all graphs.
fn lines(
    found: &[Found],
    entries: fn(&Measured) -> &[Entry],
    value: impl Fn(&Found, Ran) -> f64,
) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for of in found {
        for entry in entries(&of.measured) {
            let label = format!("{}: {}", entry.on.name(), entry.name);
            let Some(ran) = entry.ran else { continue };
            let point = (place(of), value(of, ran));
            match series.iter_mut().find(|line| line.label == label) {
                Some(line) => line.points.push(point),
                None => series.push(Series::joined(label, vec![point])),
            }
        }
    }
    series
}

fn milliseconds_by_graph(found: &[Found], entries: fn(&Measured) -> &[Entry]) -> Figure {
    Figure {
        x: graph_axis(),
        y: Axis::new("milliseconds").logarithmic(),
        series: lines(found, entries, |_, ran| 1e3 * ran.seconds),
    }
}

/// Table 4.
fn graphs_used(found: &[Found]) -> Item {
    let row = |of: &Found| {
        let [most_in, most_out] = of.largest;
        vec![
            of.used.name.into(),
            of.origin.as_str().into(),
            of.vertices.into(),
            of.edges.into(),
            Cell::Real(of.edges as f64 / of.vertices.max(1) as f64, 2),
            most_in.into(),
            most_out.into(),
        ]
    };
    let claim = |of: &Found| {
        let (vertices, edges, largest) = of.used.paper?;
        let rounded = |count: u64| (count + 500_000) / 1_000_000;
        let same = (rounded(of.vertices), rounded(of.edges)) == (vertices, edges);
        let verdict = if of.real {
            Verdict::of(same, "the file has another graph")
        } else {
            let reason = "the graph stands in for the paper's: only its size and degrees are alike";
            Verdict::NotComparable(reason.to_owned())
        };
        Some(Claim {
            paper: format!(
                "{}: {vertices} M vertices, {edges} M edges, largest degree {}",
                of.used.name,
                thousands(largest)
            ),
            ours: format!(
                "{} vertices, {} edges, largest degree {}",
                thousands(of.vertices),
                thousands(of.edges),
                thousands(of.largest[0].max(of.largest[1]))
            ),
            verdict,
        })
    };
    Item {
        name: "table-4",
        title: "Table 4: graphs".to_owned(),
        method: "An edge of an undirected graph counts in both directions.".to_owned(),
        table: Table {
            columns: vec![
                "graph",
                "origin",
                "vertices",
                "edges",
                "average degree",
                "most in-edges",
                "most out-edges",
            ],
            rows: found.iter().map(row).collect(),
        },
        figure: None,
        claims: found.iter().filter_map(claim).collect(),
        verbatim: None,
    }
}

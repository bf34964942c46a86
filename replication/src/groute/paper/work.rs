//! What soft priority saves: work items, §5.2.

use super::super::ran::{Entry, On};
use super::super::ways::{AUTO, PLAIN, PRIORITY};
use super::{Axis, Cell, Claim, Figure, Found, Item, Measured, Table, Verdict};
use super::{count, graph_axis, lines, not_measured, ran, usa};

/// Vertices of the paper's roads, in millions; its work items are vertices.
const USA_VERTICES: f64 = 23.947;
/// Millions of work items of SSSP without soft priority, on one GPU.
const WITHOUT: f64 = 13_998.0;
/// The same with soft priority, on four GPUs; there is no figure for one.
const WITH: f64 = 59.0;

/// How often each edge is relaxed.
pub fn item(found: &[Found], why_no_gpu: Option<&str>) -> Item {
    let mut rows = Vec::new();
    for of in found {
        let of_programs: [(&str, &[Entry]); 2] =
            [("SSSP", &of.measured.paths), ("BFS", &of.measured.levels)];
        for (program, entries) in of_programs {
            for entry in entries {
                let Some(ran) = entry.ran else { continue };
                rows.push(vec![
                    of.used.name.into(),
                    program.into(),
                    entry.on.name().into(),
                    entry.name.into(),
                    count(ran.work),
                    Cell::Real(ran.work / of.edges.max(1) as f64, 3),
                ]);
            }
        }
    }
    Item {
        name: "work",
        title: "§5.2: work items".to_owned(),
        method: "An item here is an edge along which a vertex sends, so that the number divided by \
                 the edges of the graph says how often an average edge is relaxed. The paper counts \
                 vertices taken from its work list; divided by the vertices of the graph, that is \
                 the same up to the degrees of those that are taken often."
            .to_owned(),
        table: Table {
            columns: vec!["graph", "program", "on", "contender", "edges relaxed", "for each edge"],
            rows,
        },
        figure: Some(Figure {
            x: graph_axis(),
            y: Axis::new("SSSP: relaxed for each edge").logarithmic(),
            series: lines(
                found,
                |of: &Measured| &of.paths,
                |of, ran| ran.work / of.edges.max(1) as f64,
            ),
        }),
        claims: vec![paths(found, why_no_gpu), levels(found, why_no_gpu)],
        verbatim: None,
    }
}

/// How often an average edge is relaxed without and with priorities: on the GPU, or if nothing
/// was measured there on the CPU, which goes by priority itself and sends the same in plain
/// supersteps.
fn ratios(of: &Found, entries: &[Entry]) -> Option<[f64; 2]> {
    let edges = of.edges.max(1) as f64;
    let ratios = |on, priority| {
        let [plain, priority] = [PLAIN, priority].map(|way| ran(entries, on, way));
        Some([plain?.work / edges, priority?.work / edges])
    };
    ratios(On::Gpu, PRIORITY).or_else(|| ratios(On::Cpu, AUTO))
}

fn paths(found: &[Found], why_no_gpu: Option<&str>) -> Claim {
    let text = format!(
        "USA, SSSP: 13,998 M work items on one GPU, {:.0} for each vertex; with soft \
         priority {WITH} M on four GPUs, {:.1} for each.",
        WITHOUT / USA_VERTICES,
        WITH / USA_VERTICES
    );
    let measured = usa(found).and_then(|of| Some((of, ratios(of, &of.measured.paths)?)));
    let Some((of, [plain, priority])) = measured else { return not_measured(&text, why_no_gpu) };
    Claim {
        paper: text,
        ours: format!(
            "{}: each edge is relaxed {plain:.1} times without priority, {priority:.2} times with \
             it, {:.1} times less",
            of.origin,
            plain / priority
        ),
        verdict: Verdict::of(
            plain / priority >= WITHOUT / WITH / 2.0,
            "a superstep combines all messages that reach a vertex before it sends, once, so that \
             plain supersteps waste less than a work list of single items",
        ),
    }
}

fn levels(found: &[Found], why_no_gpu: Option<&str>) -> Claim {
    let text = "USA, BFS: 23.9 M work items on one GPU, one for each vertex: priorities have \
                nothing to save.";
    let measured = usa(found).and_then(|of| Some((of, ratios(of, &of.measured.levels)?)));
    let Some((of, [plain, priority])) = measured else { return not_measured(text, why_no_gpu) };
    Claim {
        paper: text.to_owned(),
        ours: format!(
            "{}: each edge is relaxed {plain:.3} times without priority, {priority:.3} times with \
             it",
            of.origin
        ),
        verdict: Verdict::of(
            plain <= 1.0 + 1e-9 && (priority - plain).abs() <= 0.01,
            "a round updates states in place, so that a level can be seen before it is the least",
        ),
    }
}

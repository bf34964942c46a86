//! Figure 11 on one GPU: PageRank by residuals.

use super::super::graphs::KRON;
use super::super::ranks::{CHANGES, DAMPING, EXACT, TIMED, TOLERANCES};
use super::{Axis, Cell, Claim, Figure, Found, Item, Series, Table, Verdict};
use super::{count, graph, milliseconds, milliseconds_by_graph, on_gpu, ran};

/// PageRank in both forms.
pub fn item(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    for of in found {
        let bundled = |on| ran(&of.measured.ranks, on, "pagerank");
        for entry in &of.measured.ranks {
            let mut row: Vec<Cell> =
                vec![of.used.name.into(), entry.on.name().into(), entry.name.into()];
            match entry.ran {
                None => row.extend(std::iter::repeat_n(Cell::Empty, 6)),
                Some(ran) => row.extend([
                    milliseconds(ran.seconds),
                    count(ran.steps),
                    count(ran.work),
                    bundled(entry.on)
                        .map_or(Cell::Empty, |other| Cell::Real(other.work / ran.work, 2)),
                    scientific(ran.error),
                    Cell::Count(ran.runs as u64),
                ]),
            }
            rows.push(row);
        }
    }
    Item {
        name: "fig-11",
        title: "Figure 11, on one GPU: PageRank by residuals".to_owned(),
        method: format!(
            "`pagerank` is the bundled program: every vertex sends in every superstep. `residual` \
             sends only while a residual is above a bound, and its ranks are divided by their sum \
             in the end. Damping {DAMPING}; `pagerank` ends when ranks change by less than {} in \
             total, `residual` has the tolerance {}, with which their errors are about alike. The \
             error is the distance (L1) from ranks in `f64` whose \
             change fell below {EXACT:e}.",
            CHANGES[TIMED], TOLERANCES[TIMED]
        ),
        table: Table {
            columns: vec![
                "graph",
                "on",
                "contender",
                "ms",
                "supersteps",
                "messages",
                "messages of pagerank / its",
                "error",
                "runs",
            ],
            rows,
        },
        figure: Some(milliseconds_by_graph(found, |of| &of.ranks)),
        claims: vec![kron(found)],
        verbatim: None,
    }
}

/// The messages for an accuracy.
pub fn curves(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    let mut series = Vec::new();
    for of in found {
        let each = |messages: u64| messages as f64 / of.edges.max(1) as f64;
        for curve in &of.measured.curves {
            rows.extend(curve.points.iter().map(|point| {
                vec![
                    of.used.name.into(),
                    curve.name.into(),
                    scientific(point.tolerance),
                    point.steps.into(),
                    point.messages.into(),
                    Cell::Real(each(point.messages), 3),
                    scientific(point.error),
                ]
            }));
            let points = curve.points.iter().map(|point| (point.error, each(point.messages)));
            let label = format!("{}, {}", of.used.name, curve.name);
            series.push(Series::joined(label, points.collect()));
        }
    }
    Item {
        name: "residuals",
        title: "PageRank: messages by accuracy".to_owned(),
        method: "The tolerance of `pagerank` is the change of all ranks below which it ends, that \
                 of `residual` a bound for each vertex, so that they do not compare; the errors \
                 do. By the CPU engine: on a GPU messages differ only by what rounding makes of \
                 residuals next to the bound."
            .to_owned(),
        table: Table {
            columns: vec![
                "graph",
                "program",
                "tolerance",
                "supersteps",
                "messages",
                "for each edge",
                "error",
            ],
            rows,
        },
        figure: Some(Figure {
            x: Axis::new("error (L1)").logarithmic(),
            y: Axis::new("messages for each edge").logarithmic(),
            series,
        }),
        claims: vec![messages(found)],
        verbatim: None,
    }
}

fn scientific(number: f64) -> Cell {
    Cell::Text(format!("{number:.1e}"))
}

/// How many times as many messages the bundled program takes for the same error.
fn saved(of: &Found) -> Option<f64> {
    let curve = |name| of.measured.curves.iter().find(|curve| curve.name == name);
    let point = *curve("residual")?.points.get(TIMED)?;
    Some(curve("pagerank")?.messages_at(point.error)? / point.messages as f64)
}

/// The program that Groute implements sends less.
fn messages(found: &[Found]) -> Claim {
    let factors: Vec<_> = found.iter().filter_map(|of| Some((of.used.name, saved(of)?))).collect();
    let listed: Vec<String> =
        factors.iter().map(|(name, factor)| format!("{name} {factor:.2}")).collect();
    Claim {
        paper: "PageRank is driven by a work list: only vertices whose residual is large enough \
                send (§5)."
            .to_owned(),
        ours: format!(
            "messages of the bundled program over those by residuals, for the same error: {}",
            listed.join(", ")
        ),
        verdict: Verdict::of(
            !factors.is_empty() && factors.iter().all(|(_, factor)| *factor > 1.0),
            "ranks settle at nearly the same pace everywhere where a few supersteps mix them, so \
             that nearly all vertices send until the end",
        ),
    }
}

/// The paper's only time of PageRank on one GPU.
fn kron(found: &[Found]) -> Claim {
    let ours = graph(found, KRON).map(|of| {
        let time = |name: &str| on_gpu(&of.measured.ranks, name).map(|ran| 1e3 * ran.seconds);
        let text = |name: &str| {
            time(name).map_or_else(
                || format!("{name} not measured"),
                |time| format!("{name} {time:.1} ms"),
            )
        };
        [text("pagerank"), text("residual"), text("residual, push")].join(", ")
    });
    Claim {
        paper: "kron21.sym: PageRank takes 5,342.73 ms, with one GPU at its best.".to_owned(),
        ours: ours.unwrap_or_else(|| "not measured".to_owned()),
        verdict: Verdict::NotComparable(
            "the paper names neither its damping nor its bound, and its GPU is of 2015".to_owned(),
        ),
    }
}

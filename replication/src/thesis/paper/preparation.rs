//! Table 5.3: the preparation, on the device and Medusa's on the CPU.

use super::super::Found;
use super::super::gpu::{Grown, MEDUSA, MEDUSA_THREAD, PIPELINE, Time};
use super::not_comparable;
use crate::report::{Cell, Claim, Item, Table, Verdict};

/// PageRank's time on this graph in one of the ways.
fn pagerank(of: &Found, way: usize) -> Option<Time> {
    of.on_gpu.as_ref()?.programs[0][way]
}

fn seconds(time: Option<f64>) -> Cell {
    time.map_or(Cell::Empty, |time| Cell::Real(time, 4))
}

/// The numbering on the CPU, and with a device the pipeline's and both Medusas' preparation.
pub fn table_5_3(found: &[Found], on_gpu: bool) -> Item {
    let mut columns = vec![
        "graph",
        "thesis: Medusa, s",
        "numbering, one thread, s",
        "numbering, all threads, s",
        "one thread, ns per edge",
    ];
    if on_gpu {
        columns.extend([
            "thesis: PregelGPU, s",
            "pipeline, s",
            "medusa-thread, s",
            "medusa, s",
            "numbering (best) / pipeline",
        ]);
    }
    let factor = |of: &Found| {
        let pipeline = pagerank(of, PIPELINE)?.preparation;
        Some(of.numbering[0].min(of.numbering[1]) / pipeline)
    };
    let row = |of: &Found| {
        let [one, all] = of.numbering;
        let mut row = vec![
            of.used.name.into(),
            Cell::Real(of.used.medusa, 3),
            Cell::Real(one, 4),
            Cell::Real(all, 4),
            Cell::Real(1e9 * one / of.edges as f64, 2),
        ];
        if on_gpu {
            let of_way = |way| seconds(pagerank(of, way).map(|time| time.preparation));
            row.extend([
                Cell::Real(of.used.pipeline, 3),
                of_way(PIPELINE),
                of_way(MEDUSA_THREAD),
                of_way(MEDUSA),
                factor(of).map_or(Cell::Empty, |factor| Cell::Real(factor, 1)),
            ]);
        }
        row
    };
    // The graph with 16 times the vertices and 2.2 times the edges of the first.
    let growth = found[1].numbering[0] / found[0].numbering[0];
    let mut claims = vec![Claim {
        paper: "Medusa's preparation grows with the graph: 0.21 s for ego-Gplus, 0.449 s for \
                soc-Pokec, which has 16 times the vertices and 2.2 times the edges."
            .to_owned(),
        ours: format!("{growth:.1} times, on one thread"),
        verdict: Verdict::of(growth > 1.5, "the counters of both graphs fit in the cache"),
    }];
    if on_gpu {
        let factors: Vec<(&str, f64)> =
            found.iter().filter_map(|of| Some((of.used.name, factor(of)?))).collect();
        claims.push(faster(&factors));
        claims.push(steady(found));
    } else {
        claims.push(Claim {
            paper: FASTER.to_owned(),
            ours: "not measured".to_owned(),
            verdict: not_comparable("no GPU was used"),
        });
    }
    let mut method = "Numbers the slots of the message buffer for all edges on the CPU, by a \
                      counting sort: on one thread, and on all threads without a shared counter. \
                      Both results are equal."
        .to_owned();
    if on_gpu {
        method.push_str(
            " The pipeline counts degrees, sorts and remaps on the GPU. `medusa-thread` and \
             `medusa` are the engine's own numbering on all threads of the CPU, which also lists \
             the sender of every edge and, for `medusa`, the receiver of every slot; all three \
             for PageRank, without copies to the GPU.",
        );
    }
    Item {
        name: "table-5.3",
        title: if on_gpu { "Table 5.3: preparation" } else { "Table 5.3: Medusa's preparation" }
            .to_owned(),
        method,
        table: Table { columns, rows: found.iter().map(row).collect() },
        figure: None,
        claims,
        verbatim: None,
    }
}

const FASTER: &str = "PregelGPU prepares on the GPU in 11 to 30 ms, 13 to 55 times as fast.";

/// The claim about how much faster the device prepares.
fn faster(factors: &[(&str, f64)]) -> Claim {
    let numbers = factors.iter().map(|(_, factor)| *factor);
    let (least, most) =
        (numbers.clone().fold(f64::INFINITY, f64::min), numbers.fold(0.0, f64::max));
    let (ours, verdict) = if factors.is_empty() {
        ("not measured".to_owned(), not_comparable("there was no time for it"))
    } else {
        (
            format!("{least:.1} to {most:.1} times, beside the faster numbering"),
            Verdict::of(
                least > 1.0 && most >= 55.0 / 2.0,
                "this processor numbers edges much faster, beside a GPU whose preparation is \
                 bounded by launches and by random writes",
            ),
        )
    };
    Claim { paper: FASTER.to_owned(), ours, verdict }
}

/// The claim that the device's preparation hardly depends on the graph.
fn steady(found: &[Found]) -> Claim {
    let [ego, soc] =
        [&found[0], &found[1]].map(|of| pagerank(of, PIPELINE).map(|time| time.preparation));
    let (ours, verdict) = match (ego, soc) {
        (Some(ego), Some(soc)) => (
            format!("{:.2} times", soc / ego),
            Verdict::of(
                soc / ego < 1.6,
                "a preparation without fixed costs takes time in proportion to vertices and edges",
            ),
        ),
        _ => ("not measured".to_owned(), not_comparable("there was no time for it")),
    };
    Claim {
        paper: "PregelGPU's preparation stays about the same: 0.016 s for ego-Gplus, 0.020 s for \
                soc-Pokec, which is 1.25 times."
            .to_owned(),
        ours,
        verdict,
    }
}

/// How both grow with the vertices and with the edges.
pub fn growth(grown: &[Grown]) -> Item {
    let row = |of: &Grown| {
        vec![
            of.vertices.into(),
            of.edges.into(),
            Cell::Real(of.pipeline, 4),
            Cell::Real(of.medusa, 4),
            Cell::Real(of.medusa / of.pipeline, 1),
        ]
    };
    // From the smallest to the largest: 8 times the vertices, or 8 times the edges.
    let between = |from: Option<&Grown>, to: Option<&Grown>, time: fn(&Grown) -> f64| {
        Some(time(to?) / time(from?))
    };
    let claim = |what: &str, from: Option<&Grown>, to: Option<&Grown>, factor: u64| {
        let pipeline = between(from, to, |of| of.pipeline);
        let medusa = between(from, to, |of| of.medusa);
        let (ours, verdict) = match (pipeline, medusa) {
            (Some(pipeline), Some(medusa)) => (
                format!(
                    "with {factor} times the {what}, {pipeline:.1} times; Medusa's {medusa:.1}"
                ),
                Verdict::of(
                    pipeline < medusa,
                    "the GPU's preparation grows as fast as the numbering",
                ),
            ),
            _ => ("not measured".to_owned(), not_comparable("there was no time for it")),
        };
        Claim {
            paper: format!("With more {what}, Medusa's preparation grows and PregelGPU's hardly."),
            ours,
            verdict,
        }
    };
    let at = |vertices: fn(&[Grown]) -> Option<&Grown>| vertices(grown);
    let fewest_vertices = grown.iter().map(|of| of.vertices).min();
    let of_few = |of: &&Grown| Some(of.vertices) == fewest_vertices;
    let few_edges = grown.iter().filter(of_few).min_by_key(|of| of.edges);
    let many_edges = grown.iter().filter(of_few).max_by_key(|of| of.edges);
    let many_vertices = at(|grown| grown.iter().max_by_key(|of| of.vertices));
    let few_vertices = grown
        .iter()
        .filter(of_few)
        .find(|of| many_vertices.is_some_and(|many| many.edges == of.edges));
    let ratio = |a: Option<&Grown>, b: Option<&Grown>, of: fn(&Grown) -> u64| match (a, b) {
        (Some(a), Some(b)) => of(b) / of(a).max(1),
        _ => 0,
    };
    Item {
        name: "table-5.3-growth",
        title: "Table 5.3: growth with vertices and edges".to_owned(),
        method: "The same preparation of uniformly random graphs: first more edges, then more \
                 vertices."
            .to_owned(),
        table: Table {
            columns: vec!["V", "E", "pipeline, s", "medusa-thread, s", "ratio"],
            rows: grown.iter().map(row).collect(),
        },
        figure: None,
        claims: vec![
            claim("edges", few_edges, many_edges, ratio(few_edges, many_edges, |of| of.edges)),
            claim(
                "vertices",
                few_vertices,
                many_vertices,
                ratio(few_vertices, many_vertices, |of| of.vertices),
            ),
        ],
        verbatim: None,
    }
}

//! Figure 12 on one GPU: components by pointer jumping.

use super::{Cell, Claim, Found, Item, Table, Verdict};
use super::{count, milliseconds, milliseconds_by_graph, on_gpu, usa};

/// Union-find beside labels.
pub fn item(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    for of in found {
        for entry in &of.measured.components {
            let mut row: Vec<Cell> =
                vec![of.used.name.into(), entry.on.name().into(), entry.name.into()];
            match entry.ran {
                None => row.extend(std::iter::repeat_n(Cell::Empty, 6)),
                Some(ran) => row.extend([
                    milliseconds(ran.seconds),
                    count(ran.steps),
                    count(ran.launches),
                    count(ran.work),
                    Cell::Real(ran.work / of.edges.max(1) as f64, 3),
                    Cell::Count(ran.runs as u64),
                ]),
            }
            rows.push(row);
        }
    }
    Item {
        name: "fig-12",
        title: "Figure 12, on one GPU: components".to_owned(),
        method: "`union-find` is the engines' solver. Every vertex has a parent; an edge joins two \
                 trees (the paper's Hook), and all vertices climb to their roots (Compress): \
                 pointer jumping over the topology, without a work list, as in Groute. It joins two \
                 edges of every vertex first, and then skips the largest tree of an undirected \
                 graph. `hcc` is the vertex program that sends the smallest label along edges. \
                 Steps are passes, or supersteps and rounds; edges are those that were looked at, or \
                 sent along."
            .to_owned(),
        table: Table {
            columns: vec![
                "graph", "on", "contender", "ms", "steps", "launches", "edges", "for each edge",
                "runs",
            ],
            rows,
        },
        figure: Some(milliseconds_by_graph(found, |of| &of.components)),
        claims: vec![beside_labels(found)],
        verbatim: None,
    }
}

fn beside_labels(found: &[Found]) -> Claim {
    let ours = usa(found).and_then(|of| {
        let [solver, labels] =
            ["union-find", "hcc"].map(|name| on_gpu(&of.measured.components, name));
        let (solver, labels) = (solver?.seconds, labels?.seconds);
        Some(format!(
            "{}: union-find {:.2} ms, {:.1} times as fast as hcc",
            of.origin,
            1e3 * solver,
            labels / solver
        ))
    });
    Claim {
        paper: "USA: on one GPU, components are found 10.99 times as fast as by Gunrock (335.65 \
                ms)."
            .to_owned(),
        ours: ours.unwrap_or_else(|| "not measured".to_owned()),
        verdict: Verdict::NotComparable(
            "Gunrock is not measured here; the program of labels is another algorithm".to_owned(),
        ),
    }
}

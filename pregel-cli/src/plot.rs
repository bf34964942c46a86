//! A picture of the degree distribution of a graph.

use std::collections::BTreeMap;

use anyhow::Result;
use pregel_core::graph::{Csr, Graph};
use pregel_figures::{Axis, Figure, Series};

/// Draws the number of vertices of every degree on logarithmic axes, as SVG.
/// Those of degree 0 have no place there; an axis title gives their number.
pub fn degrees(name: &str, graph: &Graph<()>) -> Result<String> {
    let mut kinds = Vec::new();
    if graph.directed() {
        kinds.push(("out-degree", by_degree(graph.out())));
        kinds.push(("in-degree", by_degree(graph.incoming())));
    } else {
        kinds.push(("degree", by_degree(graph.out())));
    }
    let isolated: Vec<_> = kinds
        .iter()
        .map(|(label, vertices)| format!("{} of {label} 0", vertices.get(&0).unwrap_or(&0)))
        .collect();
    let series = kinds.iter().map(|(label, vertices)| {
        let points = vertices.range(1..).map(|(degree, count)| (*degree as f64, *count as f64));
        Series::dots(*label, points.collect())
    });
    let figure = Figure {
        x: Axis {
            label: format!("degree ({} not shown)", isolated.join(", ")).into(),
            ..Axis::new("").logarithmic().whole()
        },
        y: Axis::new("vertices").logarithmic().whole(),
        series: series.collect(),
    };
    Ok(figure.svg(name)?)
}

/// The number of vertices of each degree. O(V log V).
fn by_degree(rows: &Csr) -> BTreeMap<u64, u64> {
    let mut vertices = BTreeMap::new();
    for v in 0..rows.vertex_count() {
        *vertices.entry(rows.degree(v)).or_default() += 1;
    }
    vertices
}

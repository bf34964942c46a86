//! Local clustering coefficients as LDBC Graphalytics defines them, pair by pair.

use std::collections::BTreeSet;

use crate::lists::Lists;

/// Targets of every vertex, without the vertex itself.
fn targets(lists: &[Vec<(usize, f64)>]) -> Vec<BTreeSet<usize>> {
    let others = |(v, row): (usize, &Vec<(usize, f64)>)| {
        row.iter().map(|(u, _)| *u).filter(|u| *u != v).collect()
    };
    lists.iter().enumerate().map(others).collect()
}

/// The coefficient of every vertex, and the number of triangles.
pub fn coefficients(lists: &Lists) -> (Vec<f64>, u64) {
    let (out, incoming) = (targets(&lists.out), targets(&lists.incoming));
    let neighbours: Vec<BTreeSet<usize>> = out.iter().zip(&incoming).map(|(a, b)| a | b).collect();
    let mut triangles = 0;
    let coefficient = |row: &BTreeSet<usize>| {
        let edges: usize = row.iter().map(|u| out[*u].intersection(row).count()).sum();
        let pairs = row.len() * row.len().saturating_sub(1);
        if pairs == 0 { 0.0 } else { edges as f64 / pairs as f64 }
    };
    for (v, row) in neighbours.iter().enumerate() {
        for u in row.range(v + 1..) {
            triangles += neighbours[*u].intersection(row).filter(|w| *w > u).count() as u64;
        }
    }
    (neighbours.iter().map(coefficient).collect(), triangles)
}

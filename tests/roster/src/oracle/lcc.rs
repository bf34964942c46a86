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

/// Neighbours of every vertex in either direction, without the vertex itself.
fn neighbours(lists: &Lists) -> Vec<BTreeSet<usize>> {
    targets(&lists.out).iter().zip(&targets(&lists.incoming)).map(|(a, b)| a | b).collect()
}

/// The triangles at every vertex and the number of its neighbours, directions ignored.
pub fn triangles(lists: &Lists) -> Vec<(u64, u32)> {
    let neighbours = neighbours(lists);
    let at = |row: &BTreeSet<usize>| {
        let joined: usize = row.iter().map(|u| neighbours[*u].intersection(row).count()).sum();
        (joined as u64 / 2, row.len() as u32)
    };
    neighbours.iter().map(at).collect()
}

/// The coefficient of every vertex, and the number of triangles.
pub fn coefficients(lists: &Lists) -> (Vec<f64>, u64) {
    let (out, neighbours) = (targets(&lists.out), neighbours(lists));
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

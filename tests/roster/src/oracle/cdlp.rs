//! Label propagation as specified by LDBC Graphalytics (§2.4.4).

use std::collections::BTreeMap;

use crate::lists::Lists;

/// Labels after `supersteps` rounds, starting with each vertex's own number. In a
/// directed graph a neighbour along edges in both directions counts twice.
pub fn labels(lists: &Lists, supersteps: u32) -> Vec<usize> {
    let mut labels: Vec<usize> = (0..lists.len()).collect();
    for _ in 0..supersteps {
        labels = (0..lists.len()).map(|v| next(lists, &labels, v)).collect();
    }
    labels
}

fn next(lists: &Lists, labels: &[usize], v: usize) -> usize {
    let mut counts = BTreeMap::new();
    for &(u, _) in &lists.out[v] {
        *counts.entry(labels[u]).or_insert(0u32) += 1;
    }
    if lists.directed {
        for &(u, _) in &lists.incoming[v] {
            *counts.entry(labels[u]).or_insert(0) += 1;
        }
    }
    let mut best = (labels[v], 0);
    // Labels ascend, so a later one must be strictly more frequent.
    for (label, count) in counts {
        if count > best.1 {
            best = (label, count);
        }
    }
    best.0
}

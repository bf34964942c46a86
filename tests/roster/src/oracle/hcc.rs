//! Weakly connected components by union-find.

use crate::lists::Lists;

/// For each vertex, the smallest vertex of its component.
pub fn labels(lists: &Lists) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..lists.len()).collect();
    for (u, targets) in lists.out.iter().enumerate() {
        for &(v, _) in targets {
            let (a, b) = (root(&mut parents, u), root(&mut parents, v));
            // The smaller root remains a root.
            parents[a.max(b)] = a.min(b);
        }
    }
    (0..lists.len()).map(|v| root(&mut parents, v)).collect()
}

fn root(parents: &mut [usize], mut v: usize) -> usize {
    while parents[v] != v {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    v
}

/// The sizes of all components, largest first.
pub fn sizes(labels: &[usize]) -> Vec<usize> {
    let mut counts = vec![0; labels.len()];
    for &label in labels {
        counts[label] += 1;
    }
    counts.retain(|count| *count > 0);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

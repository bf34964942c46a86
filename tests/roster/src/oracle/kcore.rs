//! Core numbers by peeling with buckets.

use crate::lists::Lists;

/// The core number of each vertex; every edge counts at both of its ends.
pub fn numbers(lists: &Lists) -> Vec<u32> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); lists.len()];
    for (u, targets) in lists.out.iter().enumerate() {
        for &(v, _) in targets {
            neighbours[u].push(v);
            if lists.directed {
                neighbours[v].push(u);
            }
        }
    }
    let mut degrees: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let mut buckets = vec![Vec::new(); degrees.iter().max().map_or(0, |most| most + 1)];
    for (v, &degree) in degrees.iter().enumerate() {
        buckets[degree].push(v);
    }
    let mut numbers = vec![None; lists.len()];
    for k in 0..buckets.len() {
        while let Some(v) = buckets[k].pop() {
            if numbers[v].is_some() {
                continue;
            }
            numbers[v] = Some(k as u32);
            for &u in &neighbours[v] {
                if numbers[u].is_none() && degrees[u] > k {
                    degrees[u] -= 1;
                    buckets[degrees[u]].push(u);
                }
            }
        }
    }
    numbers.into_iter().map(Option::unwrap_or_default).collect()
}

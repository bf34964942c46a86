//! Strongly connected components by Tarjan's algorithm, with a stack of its own.

use crate::lists::Lists;

/// The smallest vertex in the component of each vertex.
pub fn labels(lists: &Lists) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = lists.len();
    let (mut order, mut low, mut on_path) = (vec![NEW; n], vec![NEW; n], vec![false; n]);
    let (mut path, mut visited) = (Vec::new(), 0);
    let mut labels = vec![NEW; n];
    for start in 0..n {
        if order[start] != NEW {
            continue;
        }
        // Each vertex that is being visited, and how many of its edges were followed.
        let mut calls = vec![(start, 0)];
        while let Some((v, edge)) = calls.pop() {
            if edge == 0 {
                (order[v], low[v], on_path[v]) = (visited, visited, true);
                visited += 1;
                path.push(v);
            } else {
                let done = lists.out[v][edge - 1].0;
                if on_path[done] {
                    low[v] = low[v].min(low[done]);
                }
            }
            if let Some(&(next, _)) = lists.out[v].get(edge) {
                calls.push((v, edge + 1));
                if order[next] == NEW {
                    calls.push((next, 0));
                }
                continue;
            }
            if low[v] == order[v] {
                let begin = path.iter().rposition(|u| *u == v).unwrap_or(0);
                let component = path.split_off(begin);
                let smallest = component.iter().copied().min().unwrap_or(v);
                for u in component {
                    (labels[u], on_path[u]) = (smallest, false);
                }
            }
        }
    }
    labels
}

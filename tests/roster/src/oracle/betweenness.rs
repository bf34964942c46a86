//! Betweenness by Brandes' algorithm, with a queue and a stack.

use std::collections::VecDeque;

use crate::lists::Lists;

/// The sum of the dependencies of these sources on each vertex.
pub fn dependencies(lists: &Lists, sources: &[usize]) -> Vec<f64> {
    let n = lists.len();
    let mut sums = vec![0.0; n];
    for &source in sources {
        let (mut levels, mut paths) = (vec![usize::MAX; n], vec![0.0; n]);
        (levels[source], paths[source]) = (0, 1.0);
        let (mut queue, mut stack) = (VecDeque::from([source]), Vec::new());
        while let Some(u) = queue.pop_front() {
            stack.push(u);
            for &(v, _) in &lists.out[u] {
                if levels[v] == usize::MAX {
                    levels[v] = levels[u] + 1;
                    queue.push_back(v);
                }
                if levels[v] == levels[u] + 1 {
                    paths[v] += paths[u];
                }
            }
        }
        let mut dependencies = vec![0.0; n];
        while let Some(u) = stack.pop() {
            for &(v, _) in &lists.out[u] {
                if levels[v] == levels[u] + 1 {
                    dependencies[u] += paths[u] / paths[v] * (1.0 + dependencies[v]);
                }
            }
            if u != source {
                sums[u] += dependencies[u];
            }
        }
    }
    sums
}

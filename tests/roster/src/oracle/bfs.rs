//! Breadth-first search with a queue.

use std::collections::VecDeque;

use crate::lists::Lists;

/// Number of edges from `source` to each vertex; `None` without a path.
pub fn levels(lists: &Lists, source: usize) -> Vec<Option<u32>> {
    let mut levels = vec![None; lists.len()];
    levels[source] = Some(0);
    let mut queue = VecDeque::from([(source, 0)]);
    while let Some((u, level)) = queue.pop_front() {
        for &(v, _) in &lists.out[u] {
            if levels[v].is_none() {
                levels[v] = Some(level + 1);
                queue.push_back((v, level + 1));
            }
        }
    }
    levels
}

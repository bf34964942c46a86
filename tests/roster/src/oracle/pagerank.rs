//! PageRank by power iteration in `f64`.

use crate::lists::Lists;

/// How the surfer moves.
#[derive(Clone, Debug)]
pub struct Surfer {
    /// Probability to follow an edge rather than to teleport.
    pub damping: f64,
    /// Whether the surfer chooses among the edges of a vertex in proportion to their
    /// values, rather than evenly.
    pub weighted: bool,
    /// The teleport distribution, which sums to 1; even if `None`.
    pub teleport: Option<Vec<f64>>,
}

/// Ranks after `iterations` rounds, starting with the teleport distribution.
pub fn ranks(lists: &Lists, surfer: &Surfer, iterations: u32) -> Vec<f64> {
    let n = lists.len();
    let teleport = surfer.teleport.clone().unwrap_or(vec![1.0 / n as f64; n]);
    let mut ranks = teleport.clone();
    for _ in 0..iterations {
        let mut dangling = 0.0;
        let mut arrived = vec![0.0; n];
        for (targets, rank) in lists.out.iter().zip(&ranks) {
            if targets.is_empty() {
                dangling += rank;
            }
            let weight = |value: f64| if surfer.weighted { value } else { 1.0 };
            let total: f64 = targets.iter().map(|(_, value)| weight(*value)).sum();
            for &(v, value) in targets {
                arrived[v] += rank * weight(value) / total;
            }
        }
        let d = surfer.damping;
        for v in 0..n {
            ranks[v] = teleport[v] * (1.0 - d + d * dangling) + d * arrived[v];
        }
    }
    ranks
}

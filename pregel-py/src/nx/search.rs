//! Searches in the order of NetworkX.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use pregel_core::graph::Csr;

/// No vertex.
pub const NONE: u32 = u32::MAX;

/// What a breadth-first search found.
pub struct Levels {
    /// The vertices, in the order in which they were reached.
    pub order: Vec<u32>,
    /// For each vertex the one from which it was reached first.
    pub parents: Vec<u32>,
    /// For each vertex the number of edges, or [`NONE`].
    pub levels: Vec<u32>,
}

/// Breadth-first search up to `cutoff` edges, until all of `targets` are reached if there are any.
/// Of several vertices one level up, the one that was reached first is the parent. O(V + E).
pub fn breadth_first(rows: &Csr, sources: &[u32], cutoff: u32, target: Option<u32>) -> Levels {
    let n = rows.vertex_count() as usize;
    let (mut parents, mut levels) = (vec![NONE; n], vec![NONE; n]);
    let mut order = Vec::new();
    for &source in sources {
        if levels[source as usize] == NONE {
            levels[source as usize] = 0;
            order.push(source);
        }
    }
    let mut next = 0;
    let reached = |levels: &[u32]| target.is_some_and(|target| levels[target as usize] != NONE);
    while let Some(&u) = order.get(next) {
        next += 1;
        let level = levels[u as usize];
        if level >= cutoff || reached(&levels) {
            break;
        }
        for &v in rows.row(u) {
            if levels[v as usize] == NONE {
                levels[v as usize] = level + 1;
                parents[v as usize] = u;
                order.push(v);
            }
        }
    }
    Levels { order, parents, levels }
}

/// A length of an edge or of a path.
pub trait Cost: Copy + PartialOrd {
    /// The length of no edge.
    const ZERO: Self;
    /// The sum; `None` if it does not fit.
    fn plus(self, other: Self) -> Option<Self>;
    /// Whether this is less than infinitely long.
    fn is_below_infinity(self) -> bool;
}

impl Cost for f64 {
    const ZERO: Self = 0.0;

    fn plus(self, other: Self) -> Option<Self> {
        Some(self + other)
    }

    fn is_below_infinity(self) -> bool {
        self < f64::INFINITY
    }
}

impl Cost for i64 {
    const ZERO: Self = 0;

    fn plus(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }

    fn is_below_infinity(self) -> bool {
        true
    }
}

/// What a search for shortest paths found.
pub struct Shortest<C> {
    /// The vertices whose distance is final, nearest first.
    pub order: Vec<u32>,
    /// The distance of each vertex that was seen.
    pub distances: Vec<C>,
    /// The first vertex before each on a shortest path.
    pub parents: Vec<u32>,
    /// All vertices before each on shortest paths, if they are wanted.
    pub before: Vec<Vec<u32>>,
    /// The vertices in the order in which they were seen first.
    pub seen: Vec<u32>,
}

/// Why a search for shortest paths ended early.
pub enum Stuck {
    /// A shorter path was found to a vertex whose distance was final, or a negative cycle.
    Negative,
    /// A length does not fit 64 bits.
    Overflow,
}

/// What to search for.
#[derive(Clone, Copy)]
pub struct Wanted<C> {
    pub cutoff: Option<C>,
    pub target: Option<u32>,
    /// Whether all vertices before each are wanted.
    pub all_before: bool,
}

/// A vertex that was seen at a distance. The nearest is the greatest; of several, the one that
/// was seen first.
pub struct Seen<C> {
    pub distance: C,
    pub count: u64,
    pub vertex: u32,
}

impl<C: Cost> Ord for Seen<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        let nearer = other.distance.partial_cmp(&self.distance).unwrap_or(Ordering::Equal);
        nearer.then(other.count.cmp(&self.count))
    }
}

impl<C: Cost> PartialOrd for Seen<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C: Cost> PartialEq for Seen<C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

/// The neighbours of a vertex in the order of its row, each with the length of the edge to it. Of
/// parallel edges, which lie side by side, the shortest counts.
pub(super) fn shortest<C: Cost>(
    rows: &Csr,
    v: u32,
    length: impl Fn(usize) -> C,
) -> impl Iterator<Item = (u32, C)> {
    let mut edges = rows.range(v).peekable();
    std::iter::from_fn(move || {
        let edge = edges.next()?;
        let u = rows.targets()[edge];
        let mut cost = length(edge);
        while let Some(parallel) = edges.next_if(|edge| rows.targets()[*edge] == u) {
            let other = length(parallel);
            cost = if other < cost { other } else { cost };
        }
        Some((u, cost))
    })
}

impl<C: Cost> Eq for Seen<C> {}

/// Dijkstra's algorithm with a binary heap. Of parallel edges, which lie side by side in a row,
/// the shortest counts. O((V + E) log V).
pub fn dijkstra<C: Cost>(
    rows: &Csr,
    length: impl Fn(usize) -> C,
    sources: &[u32],
    wanted: Wanted<C>,
) -> Result<Shortest<C>, Stuck> {
    let n = rows.vertex_count() as usize;
    let (mut distances, mut parents) = (vec![C::ZERO; n], vec![NONE; n]);
    let (mut known, mut done) = (vec![false; n], vec![false; n]);
    let mut before = vec![Vec::new(); if wanted.all_before { n } else { 0 }];
    let (mut order, mut seen) = (Vec::new(), Vec::new());
    let (mut heap, mut count) = (BinaryHeap::new(), 0);
    for &vertex in sources {
        known[vertex as usize] = true;
        seen.push(vertex);
        heap.push(Seen { distance: C::ZERO, count, vertex });
        count += 1;
    }
    while let Some(Seen { distance, vertex: v, .. }) = heap.pop() {
        if std::mem::replace(&mut done[v as usize], true) {
            continue;
        }
        order.push(v);
        if wanted.target == Some(v) {
            break;
        }
        for (u, cost) in shortest(rows, v, &length) {
            let offer = distance.plus(cost).ok_or(Stuck::Overflow)?;
            if wanted.cutoff.is_some_and(|cutoff| offer > cutoff) {
                continue;
            }
            let at = u as usize;
            if done[at] {
                if offer < distances[at] {
                    return Err(Stuck::Negative);
                }
                if wanted.all_before && offer == distances[at] {
                    before[at].push(v);
                }
            } else if !known[at] || offer < distances[at] {
                if !std::mem::replace(&mut known[at], true) {
                    seen.push(u);
                }
                distances[at] = offer;
                parents[at] = v;
                heap.push(Seen { distance: offer, count, vertex: u });
                count += 1;
                if wanted.all_before {
                    before[at] = vec![v];
                }
            } else if wanted.all_before && offer == distances[at] {
                before[at].push(v);
            }
        }
    }
    Ok(Shortest { order, distances, parents, before, seen })
}

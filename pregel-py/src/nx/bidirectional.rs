//! Searches from both ends, as NetworkX does them, to find the same path among several.

use std::collections::BinaryHeap;
use std::collections::hash_map::{Entry, HashMap};

use pregel_core::graph::Csr;

use super::search::{Cost, NONE, Seen, Stuck};

/// The path between two vertices with the fewest edges, from `source` to `target`. `back` has the
/// rows of predecessors.
pub fn shortest_path(rows: &Csr, back: &Csr, source: u32, target: u32) -> Option<Vec<u32>> {
    let mut parents = [HashMap::from([(source, NONE)]), HashMap::from([(target, NONE)])];
    if source == target {
        return Some(vec![source]);
    }
    let mut fringes = [vec![source], vec![target]];
    while !fringes[0].is_empty() && !fringes[1].is_empty() {
        let side = usize::from(fringes[0].len() > fringes[1].len());
        let rows = if side == 0 { rows } else { back };
        for v in std::mem::take(&mut fringes[side]) {
            for &w in rows.row(v) {
                if let Entry::Vacant(parent) = parents[side].entry(w) {
                    parent.insert(v);
                    fringes[side].push(w);
                }
                if parents[1 - side].contains_key(&w) {
                    return Some(joined(&parents, w));
                }
            }
        }
    }
    None
}

/// The path through the vertex where both searches met.
fn joined(parents: &[HashMap<u32, u32>; 2], meeting: u32) -> Vec<u32> {
    let follow = |side: usize| {
        let next = move |v: &u32| parents[side].get(v).copied().filter(|next| *next != NONE);
        std::iter::successors(Some(meeting), next)
    };
    let mut path: Vec<u32> = follow(0).collect();
    path.reverse();
    path.extend(follow(1).skip(1));
    path
}

/// One side of Dijkstra's algorithm.
struct Side<C> {
    done: HashMap<u32, C>,
    seen: HashMap<u32, C>,
    parents: HashMap<u32, u32>,
    heap: BinaryHeap<Seen<C>>,
}

impl<C: Cost> Side<C> {
    fn from(vertex: u32, count: u64) -> Self {
        Self {
            done: HashMap::new(),
            seen: HashMap::from([(vertex, C::ZERO)]),
            parents: HashMap::from([(vertex, NONE)]),
            heap: BinaryHeap::from([Seen { distance: C::ZERO, count, vertex }]),
        }
    }
}

/// The distance between two vertices, and a shortest path. `lengths` are those of edges in `rows`
/// and in `back`.
pub fn dijkstra<C: Cost>(
    rows: [&Csr; 2],
    lengths: [&dyn Fn(usize) -> C; 2],
    source: u32,
    target: u32,
) -> Result<Option<(C, Vec<u32>)>, Stuck> {
    let mut sides = [Side::<C>::from(source, 0), Side::from(target, 1)];
    let mut count = 2;
    let mut best: Option<(C, u32)> = None;
    let mut side = 1;
    while !sides[0].heap.is_empty() && !sides[1].heap.is_empty() {
        side = 1 - side;
        let Some(Seen { distance, vertex: v, .. }) = sides[side].heap.pop() else { break };
        if sides[side].done.contains_key(&v) {
            continue;
        }
        sides[side].done.insert(v, distance);
        if sides[1 - side].done.contains_key(&v) {
            return Ok(best.map(|(distance, meeting)| {
                let [forwards, backwards] = sides;
                (distance, joined(&[forwards.parents, backwards.parents], meeting))
            }));
        }
        let mut edges = rows[side].range(v).peekable();
        while let Some(edge) = edges.next() {
            let w = rows[side].targets()[edge];
            let mut cost = lengths[side](edge);
            while let Some(parallel) = edges.next_if(|edge| rows[side].targets()[*edge] == w) {
                let other = lengths[side](parallel);
                cost = if other < cost { other } else { cost };
            }
            let offer = distance.plus(cost).ok_or(Stuck::Overflow)?;
            if let Some(known) = sides[side].done.get(&w) {
                if offer < *known {
                    return Err(Stuck::Negative);
                }
            } else if sides[side].seen.get(&w).is_none_or(|known| offer < *known) {
                let this = &mut sides[side];
                this.seen.insert(w, offer);
                this.heap.push(Seen { distance: offer, count, vertex: w });
                count += 1;
                this.parents.insert(w, v);
                if let Some(rest) = sides[1 - side].seen.get(&w) {
                    let total = offer.plus(*rest).ok_or(Stuck::Overflow)?;
                    if best.is_none_or(|(shortest, _)| shortest > total) {
                        best = Some((total, w));
                    }
                }
            }
        }
    }
    Ok(None)
}

//! Samples how a graph branches, to estimate how deep it is.

use std::collections::HashSet;

use crate::engine::gpu::policy::Depth;
use crate::graph::Graph;
use crate::program::{Value, VertexId};

/// Searches.
const SEARCHES: u64 = 8;

/// The most edges that a search looks at.
const EDGES: u64 = 256;

/// Vertices that are looked at to find one with edges, to begin a search with.
const TRIES: u64 = 64;

/// Estimates the depth of a graph from the first few hundred edges of some searches along
/// out-edges. O(1) if rows can be read in constant time.
pub(super) fn depth<E: Value>(graph: &Graph<E>) -> Depth {
    let n = u64::from(graph.vertex_count());
    let mut known = Some(1);
    let (mut logarithms, mut levels) = (0.0, 0);
    for search in 0..SEARCHES {
        let first = (2 * search + 1) * n / (2 * SEARCHES);
        let tried = (first..n.min(first + TRIES)).map(|vertex| vertex as VertexId);
        let Some(start) = tried.into_iter().find(|vertex| graph.out().degree(*vertex) > 0) else {
            continue;
        };
        let found = search_from(graph, start);
        logarithms += (found.reached as f64).ln();
        levels += found.levels;
        let ends = found.is_whole || 2 * found.reached >= n;
        known = known.filter(|_| ends).map(|known: u32| known.max(found.levels));
    }
    match known {
        Some(depth) => Depth::Known(depth),
        None => Depth::Sampled { growth: logarithms / f64::from(levels.max(1)) },
    }
}

/// What a search found.
struct Found {
    /// Vertices reached. Those behind the last, long row are not told apart.
    reached: u64,
    /// Levels, the last of which may be incomplete.
    levels: u32,
    /// Whether nothing else can be reached.
    is_whole: bool,
}

/// Searches along out-edges until [`EDGES`] have been looked at.
fn search_from<E: Value>(graph: &Graph<E>, start: VertexId) -> Found {
    let (mut seen, mut level) = (HashSet::from([start]), vec![start]);
    let (mut edges, mut levels) = (0, 0);
    loop {
        let mut next = Vec::new();
        for vertex in level {
            let row = graph.out().row(vertex);
            edges += row.len() as u64;
            if edges > EDGES {
                let reached = (seen.len() + row.len()) as u64;
                return Found { reached, levels: levels + 1, is_whole: false };
            }
            next.extend(row.iter().copied().filter(|target| seen.insert(*target)));
        }
        if next.is_empty() {
            return Found { reached: seen.len() as u64, levels: levels.max(1), is_whole: true };
        }
        levels += 1;
        level = next;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::graph::generate::Spec;

    fn of(spec: &str) -> f64 {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        depth(&graph).supersteps(graph.vertex_count(), 1.0)
    }

    fn star(leaves: u32, outward: bool) -> Depth {
        let edge = |leaf| if outward { (0, leaf) } else { (leaf, 0) };
        depth(&Graph::from_edges((1..=leaves).map(edge)).unwrap())
    }

    #[test]
    fn grids_and_paths_are_deep() {
        assert!(of("grid:rows=1,cols=20000") > 100.0);
        assert!(of("grid:rows=300,cols=300") > 10.0);
        assert!(of("grid:rows=300,cols=300,sym=0") > 10.0);
        assert!(of("uniform:n=100000,m=100000") > 10.0);
    }

    #[test]
    fn lattices_are_slow_and_random_graphs_are_not() {
        let is_slow = |spec: &str| {
            let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
            let edges = graph.out().targets().len() as f64;
            depth(&graph).is_slow(edges / f64::from(graph.vertex_count()))
        };
        let slow = ["rows=300,cols=300", "rows=300,cols=300,sym=0", "rows=200,cols=200,drop=100"];
        for spec in slow {
            assert!(is_slow(&format!("grid:{spec}")), "{spec}");
        }
        for spec in ["n=100000,m=150000", "n=100000,m=500000,sym=0", "n=100000,m=1600000"] {
            assert!(!is_slow(&format!("uniform:{spec}")), "{spec}");
        }
        assert!(!is_slow("rmat:scale=14,ef=8"));
    }

    #[test]
    fn power_laws_and_dense_graphs_are_shallow() {
        assert!(of("rmat:scale=14,ef=8") < 5.0);
        assert!(of("rmat:scale=15,ef=8,sym=0") < 5.0);
        assert!(of("uniform:n=20000,m=1000000") < 5.0);
    }

    #[test]
    fn small_depths_are_known() {
        assert_eq!((star(10_000, true), star(10_000, false)), (Depth::Known(1), Depth::Known(1)));
        let both = (1..=10_000).flat_map(|leaf| [(0, leaf), (leaf, 0)]);
        assert_eq!(depth(&Graph::from_edges(both).unwrap()), Depth::Known(2));
        let path = Graph::from_edges((0..20).map(|v| (v, v + 1))).unwrap();
        assert!(matches!(depth(&path), Depth::Known(10..=20)));
        let empty = Graph::from_edges(Vec::<(u32, u32)>::new()).unwrap();
        assert_eq!(depth(&empty), Depth::Known(1));
    }
}

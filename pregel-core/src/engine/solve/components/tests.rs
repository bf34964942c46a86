//! Components of small graphs, and which passes they take.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::graph::{EdgeList, GraphBuilder, Ids};

fn graph(n: u32, directed: bool, edges: Vec<[u32; 2]>) -> Graph {
    let list = EdgeList { vertex_count: n, edges, values: vec![] };
    let ids = Ids::range(0, n);
    GraphBuilder::new().with_directed(directed).with_edge_list(list).with_ids(ids).build().unwrap()
}

fn labels(graph: &Graph) -> Vec<VertexId> {
    let cpu = Cpu::with_threads(2).unwrap();
    cpu.solve(ConnectedComponents, graph, &SolveOptions::default()).unwrap().answer
}

#[test]
fn smallest_vertex_names_the_component() {
    for directed in [true, false] {
        let edges = vec![[5, 2], [3, 5], [4, 4], [6, 1], [1, 6]];
        assert_eq!(labels(&graph(7, directed, edges)), [0, 1, 2, 2, 4, 2, 1]);
        assert!(labels(&graph(0, directed, vec![])).is_empty());
        assert_eq!(labels(&graph(2, directed, vec![])), [0, 1]);
    }
}

#[test]
fn edges_of_long_rows_count_wherever_a_part_ends() {
    // The last vertex is the hub: no other row of a directed graph names
    // its neighbours.
    let n = 2 * PART as u32 + 10;
    for directed in [true, false] {
        let edges = (1..n - 1).map(|v| [n - 1, v]).collect();
        let found = labels(&graph(n, directed, edges));
        assert_eq!(found[0], 0);
        assert!(found[1..].iter().all(|label| *label == 1), "directed: {directed}");
    }
}

#[test]
fn long_paths_are_followed() {
    let n = 3 * BATCH as u32;
    // Vertices that lie far apart follow each other: n and 7 have no
    // common divisor.
    let at = |i: u64| (i * 7 % u64::from(n)) as u32;
    let edges = (1..u64::from(n)).map(|i| [at(i - 1), at(i)]).collect();
    assert!(labels(&graph(n, false, edges)).iter().all(|label| *label == 0));
}

/// The labels by union-find, edge by edge.
fn expected(n: u32, edges: &[[u32; 2]]) -> Vec<VertexId> {
    let mut parents: Vec<u32> = (0..n).collect();
    let root = |parents: &mut Vec<u32>, mut v: u32| {
        while parents[v as usize] != v {
            parents[v as usize] = parents[parents[v as usize] as usize];
            v = parents[v as usize];
        }
        v
    };
    for &[u, v] in edges {
        let (a, b) = (root(&mut parents, u), root(&mut parents, v));
        parents[a.max(b) as usize] = a.min(b);
    }
    (0..n).map(|v| root(&mut parents, v)).collect()
}

#[test]
fn neighbours_with_close_numbers_are_joined() {
    let n = 3 * BATCH as u32 + 77;
    let random = |i: u32| u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    // Sparse, so that there are many components, of which some span two batches.
    for (reach, degree) in [(3, 1), (200, 1), (9000, 1), (200, 3)] {
        let edge = |i: u32| {
            let v = i / degree;
            [v, (u64::from(v) + 1 + random(i) % reach).min(u64::from(n) - 1) as u32]
        };
        let edges: Vec<_> = (0..n * degree).filter(|i| i % 5 != 0).map(edge).collect();
        let labels_of = |directed| {
            let graph = graph(n, directed, edges.clone());
            assert!(is_local(graph.out()) || directed, "reach {reach}");
            labels(&graph)
        };
        let expected = expected(n, &edges);
        assert!(labels_of(false) == expected, "reach {reach}, degree {degree}");
        assert!(labels_of(true) == expected, "reach {reach}, degree {degree}, directed");
    }
}

/// The passes over a graph.
fn passes(graph: &Graph) -> Vec<&'static str> {
    let options = SolveOptions::default();
    let report = Cpu::new().solve(ConnectedComponents, graph, &options).unwrap().report;
    report.passes.iter().map(|pass| pass.name).collect()
}

fn generated(spec: &str) -> Graph {
    spec.parse::<crate::graph::generate::Spec>().unwrap().plain().unwrap()
}

#[test]
fn roads_and_sparse_directed_graphs_take_one_pass() {
    for graph in ["grid:rows=150,cols=300,drop=50", "uniform:n=50000,m=60000,sym=0"] {
        assert_eq!(passes(&generated(graph)), [ONLY_PASS], "{graph}");
    }
}

#[test]
fn the_first_edges_of_stars_and_lattices_make_one_tree() {
    let star = graph(50_000, false, (1..50_000).map(|v| [0, v]).collect());
    let lattice = generated("lattice:rows=150,cols=300,degree=8");
    for graph in [star, lattice] {
        assert_eq!(passes(&graph), [PASSES[0], PASSES[2]]);
    }
}

#[test]
fn most_edges_inside_the_largest_component_are_left_out() {
    let graph = generated("rmat:scale=16");
    let options = SolveOptions::default();
    let report = Cpu::new().solve(ConnectedComponents, &graph, &options).unwrap().report;
    assert_eq!((report.stop, report.passes.len()), (StopReason::Halted, 3));
    assert!(report.edges() < graph.edge_count() / 4, "{}", report.edges());
}

#[test]
fn an_observer_may_stop_it() {
    let path = graph(3, false, vec![[0, 1], [1, 2]]);
    for (graph, pass) in [(path, ONLY_PASS), (generated("rmat:scale=8"), PASSES[0])] {
        let options = SolveOptions::default().with_observer(|_| ControlFlow::Break(()));
        let report = Cpu::new().solve(ConnectedComponents, &graph, &options).unwrap().report;
        let passes: Vec<_> = report.passes.iter().map(|pass| pass.name).collect();
        assert_eq!((report.stop, passes), (StopReason::Cancelled, vec![pass]));
    }
}

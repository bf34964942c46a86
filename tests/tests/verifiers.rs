//! The verifiers reject wrong results and say what is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::{UNREACHED, Visit};
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::{NO_PARENT, Step};
use pregel_algos::verify::{Violation, bfs, cdlp, hcc, kcore, lcc, pagerank, scc, sssp, triangles};
use pregel_core::graph::{EdgeList, Graph, GraphBuilder, Ids};

/// A directed graph in which vertex v has the id `10 * (v + 1)`.
fn graph(n: u32, edges: &[(u32, u32, f32)]) -> Graph<f32> {
    let list = EdgeList {
        vertex_count: n,
        edges: edges.iter().map(|(u, v, _)| [*u, *v]).collect(),
        values: edges.iter().map(|(_, _, w)| *w).collect(),
    };
    let ids: Vec<u64> = (1..=u64::from(n)).map(|v| 10 * v).collect();
    GraphBuilder::new()
        .with_edge_list(list)
        .with_ids(Ids::integers(ids.into()).unwrap())
        .build()
        .unwrap()
}

fn refused(verdict: Result<(), Violation>, words: &str) {
    assert_eq!(verdict.expect_err(words).to_string(), words);
}

/// 0 → 1 → 2 and 0 → 3; vertex 4 is isolated.
fn fork() -> Graph<f32> {
    graph(5, &[(0, 1, 1.0), (1, 2, 2.0), (0, 3, 0.0)])
}

#[test]
fn wrong_levels() {
    const NO: u32 = UNREACHED;
    let levels = |levels: &[u32]| bfs::levels(&fork(), 0, levels);
    levels(&[0, 1, 2, 1, NO]).unwrap();
    refused(levels(&[0, 1, 2, 1]), "the graph has 5 vertices, but the result has 4 values");
    refused(levels(&[1, 1, 2, 1, NO]), "vertex 10: the source has level 1");
    refused(levels(&[0, 1, 3, 1, NO]), "edge 20 → 30: it leads from level 1 to level 3");
    refused(
        levels(&[0, 1, NO, 1, NO]),
        "edge 20 → 30: it leads from level 1 to a vertex called unreached",
    );
    refused(levels(&[0, 1, 1, 1, NO]), "vertex 30: no edge leads from level 0 to it, at level 1");
    refused(levels(&[0, 1, 2, 1, 3]), "vertex 50: no edge leads from level 2 to it, at level 3");
    refused(levels(&[0, 1, 2, 0, NO]), "vertex 40: it has level 0, but is not the source");
    refused(bfs::levels(&fork(), 5, &[0; 5]), "the source vertex is not in the graph");
}

#[test]
fn wrong_breadth_first_trees() {
    let right = [(0, UNREACHED), (1, 0), (2, 1), (1, 0), (UNREACHED, UNREACHED)];
    let tree = |vertex: usize, parent: u32| {
        let mut tree = right.map(|(level, parent)| Visit { level, parent });
        tree[vertex].parent = parent;
        bfs::tree(&fork(), 0, &tree)
    };
    tree(0, UNREACHED).unwrap();
    refused(tree(2, 3), "vertex 30: no edge leads from its parent to it");
    refused(tree(2, UNREACHED), "vertex 30: no edge leads from its parent to it");
    refused(tree(0, 1), "vertex 10: it has a parent, but is the source or unreached");
    refused(tree(4, 0), "vertex 50: it has a parent, but is the source or unreached");
    // A neighbour at the same level cannot be the parent.
    let triangle = graph(3, &[(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)]);
    let visits = [(0, UNREACHED), (1, 0), (1, 1)].map(|(level, parent)| Visit { level, parent });
    refused(bfs::tree(&triangle, 0, &visits), "vertex 30: it has level 1, its parent 1");
}

#[test]
fn wrong_distances() {
    const FAR: f32 = f32::INFINITY;
    let distances = |distances: &[f32]| sssp::distances(&fork(), 0, distances);
    distances(&[0.0, 1.0, 3.0, 0.0, FAR]).unwrap();
    refused(distances(&[0.5, 1.0, 3.0, 0.0, FAR]), "vertex 10: the source has distance 0.5");
    refused(
        distances(&[0.0, 1.0, 3.5, 0.0, FAR]),
        "edge 20 → 30: it still relaxes the distance 3.5 to 3",
    );
    refused(
        distances(&[0.0, 1.0, f32::NAN, 0.0, FAR]),
        "edge 20 → 30: it still relaxes the distance NaN to 3",
    );
    refused(
        distances(&[0.0, 1.0, 2.0, 0.0, FAR]),
        "vertex 30: no path from the source is as short as 2",
    );
    // Two vertices joined by free edges explain each other's distance, but no path
    // leads to them.
    let island = graph(3, &[(1, 2, 0.0), (2, 1, 0.0)]);
    sssp::distances(&island, 0, &[0.0, FAR, FAR]).unwrap();
    refused(
        sssp::distances(&island, 0, &[0.0, 7.0, 7.0]),
        "vertex 20: no path from the source is as short as 7",
    );
}

#[test]
fn wrong_shortest_path_trees() {
    let far = (f32::INFINITY, NO_PARENT);
    let right = [(0.0, NO_PARENT), (1.0, 0), (3.0, 1), (0.0, 0), far];
    let tree = |vertex: usize, parent: u32| {
        let mut tree = right.map(|(distance, parent)| Step { distance, parent });
        tree[vertex].parent = parent;
        sssp::tree(&fork(), 0, &tree)
    };
    tree(0, NO_PARENT).unwrap();
    refused(tree(2, 0), "vertex 30: no edge from its parent is as long as their distances differ");
    refused(tree(4, 0), "vertex 50: it has a parent, but is the source or unreached");
    // 0 → 1 ⇄ 2 with free edges between 1 and 2: all edges are tight.
    let cycle = graph(3, &[(0, 1, 1.0), (1, 2, 0.0), (2, 1, 0.0)]);
    let steps = [(0.0, NO_PARENT), (1.0, 2), (1.0, 1)];
    let steps = steps.map(|(distance, parent)| Step { distance, parent });
    refused(sssp::tree(&cycle, 0, &steps), "vertex 20: its parents do not lead back to the source");
}

#[test]
fn wrong_components() {
    let labels = |labels: &[u32]| hcc::labels(&fork(), labels);
    labels(&[0, 0, 0, 0, 4]).unwrap();
    refused(labels(&[0, 0, 2, 0, 4]), "edge 20 → 30: it joins the labels 10 and 30");
    refused(labels(&[1, 1, 1, 1, 4]), "vertex 10: its label 20 is not the smallest id");
    refused(labels(&[0, 0, 0, 0, 9]), "vertex 50: its label 9 (no vertex) is not the smallest id");
    refused(labels(&[0, 0, 0, 0, 0]), "vertex 50: no path joins it to its label 10");
}

#[test]
fn wrong_communities() {
    // The neighbours of 0 are 1 and 3, those of 1 are 0 and 2, of 2 and 3 one each.
    let (graph, before) = (fork(), [0, 1, 2, 3, 4]);
    cdlp::step(&graph, &before, &[1, 0, 1, 0, 4]).unwrap();
    cdlp::labels(&graph, 1, &[1, 0, 1, 0, 4]).unwrap();
    cdlp::labels(&graph, 2, &[0, 1, 0, 1, 4]).unwrap();
    cdlp::labels(&graph, 0, &before).unwrap();
    refused(
        cdlp::labels(&graph, 0, &[1, 0, 1, 0, 4]),
        "the labels are not the vertices themselves",
    );
    refused(
        cdlp::step(&graph, &before, &[3, 0, 1, 0, 4]),
        "vertex 10: its label is number 3, its neighbours say 1",
    );
    refused(
        cdlp::labels(&graph, 2, &[1, 0, 1, 0, 4]),
        "vertex 10: its label is number 1, its neighbours say 0",
    );
}

#[test]
fn wrong_kcore_numbers() {
    // A triangle with a tail, and an isolated vertex.
    let graph = graph(5, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0)]);
    let numbers = |numbers: &[u32]| kcore::numbers(&graph, numbers);
    numbers(&[2, 2, 2, 1, 0]).unwrap();
    refused(numbers(&[2, 2, 2, 1]), "the graph has 5 vertices, but the result has 4 values");
    refused(
        numbers(&[2, 2, 3, 1, 0]),
        "vertex 30: its core number is 3, but it has degree 0 there",
    );
    refused(
        numbers(&[2, 2, 2, 2, 0]),
        "vertex 40: its core number is 2, but it has degree 1 there",
    );
    refused(
        numbers(&[1, 1, 1, 1, 0]),
        "vertex 10: its core number is 1, but it is in a deeper core",
    );
    refused(
        numbers(&[0, 0, 0, 0, 0]),
        "vertex 10: its core number is 0, but it is in a deeper core",
    );
}

#[test]
fn wrong_strong_components() {
    // Two cycles, and an edge from the first to the second.
    let edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)];
    let graph = graph(4, &edges.map(|(u, v)| (u, v, 1.0)));
    let labels = |labels: &[u32]| scc::labels(&graph, labels);
    labels(&[0, 0, 2, 2]).unwrap();
    refused(labels(&[0, 0, 2]), "the graph has 4 vertices, but the result has 3 values");
    refused(labels(&[0, 0, 2, 9]), "vertex 40: its label 9 is no vertex");
    refused(labels(&[0, 0, 3, 3]), "vertex 30: its label 40 is not the smallest id");
    // Too large: nothing leads back from the second cycle.
    refused(
        labels(&[0, 0, 0, 0]),
        "vertex 30: its label 10 cannot be reached from it within the component",
    );
    // The label names a vertex of another one.
    refused(
        labels(&[0, 0, 1, 1]),
        "vertex 30: its label 20 does not reach it within the component",
    );
    // Too small: a cycle leads through two labels.
    refused(
        labels(&[0, 0, 2, 3]),
        "edge 30 → 40: it joins the labels 30 and 40, which lie on or behind a cycle",
    );
    refused(
        labels(&[0, 1, 2, 2]),
        "edge 10 → 20: it joins the labels 10 and 20, which lie on or behind a cycle",
    );
}

#[test]
fn wrong_triangles() {
    // A triangle with a tail; one of its edges is there in both directions.
    let edges = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 3), (3, 3)];
    let graph = graph(4, &edges.map(|(u, v)| (u, v, 1.0)));
    let counts = |counts: &[u64], total| triangles::counts(&graph, counts, total, u64::MAX);
    assert_eq!(counts(&[1, 1, 1, 0], 1), Ok(4));
    assert_eq!(triangles::counts(&graph, &[1, 1, 1, 0], 1, 1), Ok(1));
    let refused = |found: Result<u32, Violation>, message| refused(found.map(drop), message);
    refused(counts(&[1, 1, 1], 1), "the graph has 4 vertices, but the result has 3 values");
    refused(counts(&[1, 1, 1, 0], 2), "2 triangles have three corners each, but there are 3");
    refused(counts(&[1, 1, 0, 1], 1), "vertex 30: it has 0 triangles, but 1 were counted");
    refused(counts(&[2, 0, 1, 0], 1), "vertex 10: it has 2 triangles, but 1 were counted");
}

#[test]
fn wrong_ranks() {
    // All ranks on a cycle are equal.
    let cycle = graph(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0)]).without_values();
    let program = PageRank::<f64>::new(0.85, 0.0);
    let ranks = |ranks: &[f64]| pagerank::ranks(&cycle, &program, &[], ranks, 1e-9);
    ranks(&[0.25; 4]).unwrap();
    refused(ranks(&[0.5, 0.5, 0.5, -0.5]), "vertex 40: its rank is -0.5");
    refused(ranks(&[0.25, 0.25, 0.25, f64::NAN]), "vertex 40: its rank is NaN");
    refused(ranks(&[0.25; 3]), "the graph has 4 vertices, but the result has 3 values");
    refused(ranks(&[0.5; 4]), "the ranks sum to 2, which is farther from 1 than 1e-9");
    refused(
        ranks(&[0.5, 0.0, 0.5, 0.0]),
        "one more superstep changes the ranks by 1.85e0, more than 1e-9",
    );
}

#[test]
fn wrong_clustering() {
    // A triangle 0 ⇄ 1 → 2 → 0, twice 1 → 2, and the neighbour 3 of 2.
    let edges = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 3), (2, 2), (1, 2)];
    let graph = graph(5, &edges.map(|(u, v)| (u, v, 1.0)));
    let coefficients = |values: &[f64]| lcc::coefficients(&graph, values, u64::MAX).map(|_| ());
    let right = [0.5, 0.5, 2.0 / 6.0, 0.0, 0.0];
    coefficients(&right).unwrap();
    refused(coefficients(&right[1..]), "the graph has 5 vertices, but the result has 4 values");
    for (vertex, wrong, words) in [
        (0, 1.0, "vertex 10: its coefficient is 1, but 1 edges between its 2 neighbours make 0.5"),
        (3, 0.5, "vertex 40: its coefficient is 0.5, but 0 edges between its 1 neighbours make 0"),
        (4, f64::NAN, "vertex 50: its coefficient is NaN, which is not between 0 and 1"),
        (4, -1.0, "vertex 50: its coefficient is -1, which is not between 0 and 1"),
        (1, 1.5, "vertex 20: its coefficient is 1.5, which is not between 0 and 1"),
    ] {
        let mut values = right;
        values[vertex] = wrong;
        refused(coefficients(&values), words);
    }
    // With fewer steps some vertices are counted again, and never none.
    assert_eq!(lcc::coefficients(&graph, &right, u64::MAX), Ok(5));
    assert_eq!(lcc::coefficients(&graph, &right, 0), Ok(1));
}

//! Semi-clusters, scored from the whole graph.

use std::collections::BTreeSet;

use pregel_algos::gallery::semi_clusters::{
    Cluster, Clusters, MOST_CLUSTERS, MOST_MEMBERS, SemiClusters,
};
use pregel_core::engine::{Cpu, Engine, RunOptions};
use pregel_core::graph::Graph;
use pregel_core::program::VertexId;
use pregel_testing::{all_engines, small_graphs};

use super::vertices;

/// Weights between any two vertices, in both directions; 0 from a vertex to itself.
fn matrix(graph: &Graph<u32>) -> Vec<Vec<u64>> {
    let n = graph.vertex_count() as usize;
    let mut weights = vec![vec![0; n]; n];
    for u in vertices(graph) {
        for edge in graph.out().range(u) {
            let (u, v) = (u as usize, graph.out().targets()[edge] as usize);
            let weight = u64::from(graph.out_values()[edge]);
            if u != v {
                weights[u][v] += weight;
                if graph.directed() {
                    weights[v][u] += weight;
                }
            }
        }
    }
    weights
}

/// Weight inside a cluster and weight to outside.
fn measure(weights: &[Vec<u64>], members: &[VertexId]) -> (u64, u64) {
    let (mut twice_inside, mut boundary) = (0, 0);
    for u in members {
        for (v, weight) in (0..).zip(&weights[*u as usize]) {
            *(if members.contains(&v) { &mut twice_inside } else { &mut boundary }) += weight;
        }
    }
    (twice_inside / 2, boundary)
}

fn score(weights: &[Vec<u64>], members: &[VertexId], boundary_factor: f32) -> f64 {
    let (inside, boundary) = measure(weights, members);
    match members.len() {
        1 => 1.0,
        n => {
            (inside as f64 - f64::from(boundary_factor) * boundary as f64)
                / (n * (n - 1) / 2) as f64
        }
    }
}

/// The best of some clusters, the best first; if scores are equal, the smaller list of members,
/// where a list that ends is greater.
fn best(weights: &[Vec<u64>], factor: f32, all: BTreeSet<Vec<VertexId>>) -> Vec<Vec<VertexId>> {
    let score_of = |members: Vec<VertexId>| (score(weights, &members, factor), members);
    let mut scored: Vec<_> = all.into_iter().map(score_of).collect();
    let padded = |members: &[VertexId]| [members, &[VertexId::MAX]].concat();
    scored.sort_by(|(s, a), (t, b)| t.total_cmp(s).then_with(|| padded(a).cmp(&padded(b))));
    scored.truncate(MOST_CLUSTERS);
    scored.into_iter().map(|(_, members)| members).collect()
}

/// The algorithm of the paper.
fn expected(weights: &[Vec<u64>], program: &SemiClusters) -> Vec<Vec<Vec<VertexId>>> {
    let n = weights.len();
    let mut kept: Vec<Vec<Vec<VertexId>>> = (0..n as u32).map(|v| vec![vec![v]]).collect();
    let mut sent = kept.clone();
    let factor = program.boundary_factor;
    for _ in 0..program.rounds {
        let mut next = Vec::new();
        for v in 0..n {
            let me = v as VertexId;
            let near = (0..n).filter(|u| weights[v][*u] > 0);
            let mut all: BTreeSet<Vec<VertexId>> = near.flat_map(|u| sent[u].clone()).collect();
            for cluster in all.clone() {
                if !cluster.contains(&me) && cluster.len() < MOST_MEMBERS {
                    let mut larger = [cluster, vec![me]].concat();
                    larger.sort();
                    all.insert(larger);
                }
            }
            next.push(best(weights, factor, all.clone()));
            all.extend(kept[v].clone());
            all.retain(|cluster| cluster.contains(&me));
            kept[v] = best(weights, factor, all);
        }
        sent = next;
    }
    kept
}

fn found(clusters: &Clusters) -> Vec<Vec<VertexId>> {
    let found = clusters.best.iter().take_while(|cluster| **cluster != Cluster::NONE);
    found.map(|cluster| cluster.members().to_vec()).collect()
}

#[test]
fn semi_clusters() {
    for (i, graph) in small_graphs().into_iter().enumerate() {
        let graph = graph.map_values(|_, _, weight| weight as u32);
        let boundary_factor = [0.0, 0.1, 0.3, 1.0][i / 2 % 4];
        let program = SemiClusters { boundary_factor, rounds: i as u32 % 6 };
        let outcome = all_engines(&graph, &program).unwrap();
        let weights = matrix(&graph);
        for (v, expected) in (0..).zip(expected(&weights, &program)) {
            let state = &outcome.states[v as usize];
            assert_eq!(found(state), expected, "vertex {v} of graph {i}");
            for cluster in state.best.iter().take(expected.len()) {
                let members = cluster.members();
                assert!(members.contains(&v) && members.is_sorted_by(|a, b| a < b));
                assert_eq!((cluster.inside, cluster.boundary), measure(&weights, members));
                let score = score(&weights, members, boundary_factor);
                assert_eq!(cluster.score(boundary_factor), score);
            }
        }
    }
}

#[test]
fn semi_clusters_are_cliques_where_there_are_some() {
    // Five cliques of six vertices in a ring, joined by one light edge each.
    let clique = |k: u32| {
        let inside = (0..6).flat_map(move |u| (0..u).map(move |v| (6 * k + u, 6 * k + v)));
        inside.chain([(6 * k + 5, (6 * k + 6) % 30)])
    };
    let graph = Graph::from_edges((0..5).flat_map(clique)).unwrap();
    let graph = graph.map_values(|u, v, ()| if u / 6 == v / 6 { 4 } else { 1 });
    let program = SemiClusters { boundary_factor: 0.05, rounds: 12 };
    let outcome = Cpu::new().run(&graph, &program, &RunOptions::default()).unwrap();
    for v in vertices(&graph) {
        let clique: Vec<VertexId> = (v / 6 * 6..v / 6 * 6 + 6).collect();
        assert_eq!(outcome.states[v as usize].best[0].members(), clique);
    }
}

#[test]
fn semi_clusters_refuse_factors_that_are_no_numbers() {
    let graph = Graph::from_edges([(0, 1)]).unwrap().map_values(|_, _, ()| 1);
    for boundary_factor in [f32::NAN, f32::INFINITY, -0.5] {
        let program = SemiClusters { boundary_factor, rounds: 1 };
        assert!(Cpu::new().run(&graph, &program, &RunOptions::default()).is_err());
    }
}

//! Shortest paths in wide numbers, and PageRank with all three distributions.
#![allow(clippy::unwrap_used, missing_docs)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pregel_algos::pagerank::{Odds, PageRank};
use pregel_algos::sssp::wide::{SsspWide, starts};
use pregel_core::engine::Session;
use pregel_core::prelude::*;

const SPECS: [&str; 3] =
    ["rmat:scale=9,sym=0", "grid:rows=30,cols=30", "uniform:n=500,m=1500,sym=0,dedup=0"];

fn lengths(spec: &str) -> Graph<i64> {
    let graph = spec.parse::<Spec>().unwrap().weighted().unwrap();
    // Beyond what an `f64` holds exactly.
    graph.map_values(|_, _, value| (1 << 53) + value as i64)
}

fn dijkstra(graph: &Graph<i64>, sources: &[u32], cutoff: i64) -> Vec<i64> {
    let mut found = vec![i64::MAX; graph.vertex_count() as usize];
    let mut heap = BinaryHeap::new();
    for &source in sources {
        found[source as usize] = 0;
        heap.push(Reverse((0i64, source)));
    }
    while let Some(Reverse((distance, u))) = heap.pop() {
        for edge in graph.out().range(u) {
            let v = graph.out().targets()[edge];
            let offer = distance.saturating_add(graph.out_values()[edge]);
            if offer < found[v as usize] && offer <= cutoff {
                found[v as usize] = offer;
                heap.push(Reverse((offer, v)));
            }
        }
    }
    found
}

#[test]
fn integer_distances_are_exact_under_every_strategy() {
    for spec in SPECS {
        let graph = lengths(spec);
        for (sources, cutoff) in
            [(&[0][..], i64::MAX), (&[3, 77, 200], i64::MAX), (&[1, 2], 3 << 53)]
        {
            let expected = dijkstra(&graph, sources, cutoff);
            let inputs = starts(graph.vertex_count(), sources).unwrap();
            let program = SsspWide::new().with_cutoff(cutoff);
            for strategy in [Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox] {
                let options = RunOptions::default().with_strategy(strategy);
                let mut session = Cpu::new().prepare::<SsspWide<i64>>(&graph, &options).unwrap();
                let found = session.run_with(&program, &inputs).unwrap().states;
                assert_eq!(found, expected, "{spec} {strategy:?} {sources:?} {cutoff}");
            }
            let options = RunOptions::default();
            let mut session = Reference.prepare::<SsspWide<i64>>(&graph, &options).unwrap();
            assert_eq!(session.run_with(&program, &inputs).unwrap().states, expected);
        }
    }
}

#[test]
fn sums_that_exceed_64_bits_count_as_unreached() {
    let edges = [(0, 1, i64::MAX - 1), (1, 2, 5), (0, 3, i64::MAX)];
    let graph = Graph::from_weighted_edges(edges).unwrap();
    let inputs = starts(4, &[0]).unwrap();
    let mut session = Cpu::new().prepare::<SsspWide<i64>>(&graph, &RunOptions::default()).unwrap();
    let found = session.run_with(&SsspWide::new(), &inputs).unwrap().states;
    assert_eq!(found, [0, i64::MAX - 1, i64::MAX, i64::MAX]);
}

#[test]
fn a_source_beyond_the_graph_and_a_negative_length_are_refused() {
    assert!(starts::<f64>(3, &[3]).is_err());
    let graph = Graph::from_weighted_edges([(0, 1, -1.0)]).unwrap();
    let refused = Cpu::new().prepare::<SsspWide<f64>>(&graph, &RunOptions::default());
    assert!(refused.err().unwrap().to_string().contains("negative"));
}

/// The power iteration of NetworkX, number by number; `None` if it does not converge.
fn power(graph: &Graph, odds: [&[f64]; 3], damping: f64, tol: f64) -> Option<(Vec<f64>, u32)> {
    let n = graph.vertex_count() as usize;
    let [start, teleport, dangling] = odds;
    let mut ranks = start.to_vec();
    for iteration in 1..=100 {
        let mut next = vec![0.0; n];
        let mut lost = 0.0;
        for (v, rank) in (0..).zip(&ranks) {
            let row = graph.out().row(v);
            for u in row {
                next[*u as usize] += rank / row.len() as f64;
            }
            lost += if row.is_empty() { *rank } else { 0.0 };
        }
        for v in 0..n {
            next[v] = damping * (next[v] + lost * dangling[v]) + (1.0 - damping) * teleport[v];
        }
        let change: f64 = next.iter().zip(&ranks).map(|(new, old)| (new - old).abs()).sum();
        ranks = next;
        if change < n as f64 * tol {
            return Some((ranks, iteration));
        }
    }
    None
}

#[test]
fn ranks_with_three_distributions_stop_where_networkx_does() {
    let graph = "rmat:scale=8,sym=0".parse::<Spec>().unwrap().plain().unwrap();
    let n = graph.vertex_count() as usize;
    let distribution = |weight: fn(usize) -> f64| {
        let sum: f64 = (0..n).map(weight).sum();
        (0..n).map(|v| weight(v) / sum).collect::<Vec<_>>()
    };
    let start = distribution(|v| (v % 7) as f64);
    let teleport = distribution(|v| (v % 3) as f64 + 0.5);
    let dangling = distribution(|v| if v == 5 { 1.0 } else { 0.0 });
    let inputs: Vec<_> = (0..n).map(|v| Odds::new(start[v], teleport[v], dangling[v])).collect();
    // The last tolerance is met at once, but not before the first superstep.
    for tol in [1e-6, 1e-10, 1.0] {
        let odds = [&start[..], &teleport, &dangling];
        let (expected, iterations) = power(&graph, odds, 0.85, tol).unwrap();
        let program = PageRank::<f64, (), Odds<f64>>::new(0.85, tol * n as f64);
        let mut session = Cpu::new().prepare(&graph, &RunOptions::default()).unwrap();
        let outcome = session.run_with(&program, &inputs).unwrap();
        assert_eq!(outcome.report.supersteps, iterations);
        for (found, expected) in outcome.states.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}

//! How wide the CPU engine makes the buckets of a program with priorities, seen by the messages
//! and the rounds of a run on one thread.
#![allow(clippy::unwrap_used)]

use pregel_algos::sssp::Sssp;
use pregel_core::engine::{Cpu, Engine, RunOptions};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;

/// Messages and rounds of SSSP, with the width of the engine and with three times the mean weight
/// divided by the average degree, which is what it takes where all degrees are alike.
fn estimated_and_wide(spec: &str) -> [(f64, f64); 2] {
    let graph: Graph<f32> = spec.parse::<Spec>().unwrap().weighted().unwrap();
    let edges = graph.edge_count() as f32;
    let mean = graph.out_values().iter().sum::<f32>() / edges;
    let wide = 3.0 * mean / (edges / graph.vertex_count() as f32);
    let options = RunOptions::default();
    let engine = Cpu::with_threads(1).unwrap();
    [options.clone(), options.with_delta(wide)].map(|options| {
        let report = engine.run(&graph, &Sssp { source: 1 }, &options).unwrap().report;
        (report.messages as f64, f64::from(report.supersteps))
    })
}

#[test]
fn buckets_are_narrow_where_edges_end_at_hubs() {
    for spec in ["rmat:scale=14", "rmat:scale=14,ef=4"] {
        let [(messages, rounds), (wide_messages, wide_rounds)] = estimated_and_wide(spec);
        assert!(messages < 0.85 * wide_messages, "{spec}: {messages} and {wide_messages}");
        // Eight times as narrow at most.
        assert!(rounds < 8.0 * wide_rounds, "{spec}: {rounds} and {wide_rounds} rounds");
    }
}

#[test]
fn buckets_are_wide_where_all_degrees_are_alike() {
    for spec in ["uniform:n=4096,m=65536", "grid:rows=100,cols=100,maxw=255"] {
        let [(_, rounds), (_, wide)] = estimated_and_wide(spec);
        assert!(rounds < 1.25 * wide, "{spec}: {rounds} and {wide} rounds");
    }
}

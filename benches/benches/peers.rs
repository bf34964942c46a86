//! Comparison with the crate `graph` (neo4j-labs): the same graph, the same source and
//! the same number of iterations. Results are compared before anything is timed, and
//! building the graphs is not timed.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use graph::prelude::{
    CsrLayout, DeltaSteppingConfig, DirectedCsrGraph, GraphBuilder, PageRankConfig, WccConfig,
    delta_stepping, page_rank, wcc_afforest, wcc_afforest_dss, wcc_baseline,
};
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_benches::rmat;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunOptions, Session, Solve, SolveOptions,
};
use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexCompute};

const ITERATIONS: u32 = 20;

fn edges<E: Value>(graph: &Graph<E>) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
    let rows = graph.out();
    (0..graph.vertex_count())
        .flat_map(move |u| rows.range(u).map(move |edge| (u, rows.targets()[edge], edge)))
}

fn session<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    max_supersteps: Option<u32>,
) -> impl Session<P> {
    let options = RunOptions::default().with_max_supersteps(max_supersteps);
    Cpu::new().prepare::<P>(graph, &options).unwrap()
}

fn pagerank(criterion: &mut Criterion, ours: &Graph<()>, theirs: &DirectedCsrGraph<u32>) {
    let config = PageRankConfig::new(ITERATIONS as usize, 0.0, 0.85);
    // They do not spread the rank of vertices without edges, so only the vertex with
    // the highest rank can be compared.
    let program = PageRank::<f32>::new(0.85, 0.0);
    let mut session = session::<PageRank<f32>>(ours, Some(ITERATIONS));
    let (ranks, iterations, _) = page_rank(theirs, config);
    assert_eq!(iterations, ITERATIONS as usize);
    let mine = session.run(&program).unwrap().states;
    let top = |ranks: &[f32]| (0..ranks.len()).max_by(|a, b| ranks[*a].total_cmp(&ranks[*b]));
    assert_eq!(top(&mine), top(&ranks));
    let mut group = criterion.benchmark_group(format!("pagerank, {ITERATIONS} iterations"));
    group.sample_size(10);
    group.bench_function("pregel", |b| b.iter(|| black_box(session.run(&program).unwrap())));
    group.bench_function("graph", |b| b.iter(|| black_box(page_rank(theirs, config))));
    group.finish();
}

fn components(criterion: &mut Criterion, ours: &Graph<()>, theirs: &DirectedCsrGraph<u32>) {
    let config = WccConfig::default();
    let mut session = session::<Hcc>(ours, None);
    let mine = session.run(&Hcc).unwrap().states;
    let short_cut =
        || Cpu::new().solve(ConnectedComponents, ours, &SolveOptions::default()).unwrap().answer;
    assert_eq!(short_cut(), mine);
    let components = wcc_afforest(theirs, config);
    let mut renamed = HashMap::new();
    for (v, label) in (0..).zip(&mine) {
        use graph::prelude::Components;
        let theirs = components.component(v);
        assert_eq!(*renamed.entry(*label).or_insert(theirs), theirs, "vertex {v}");
    }
    let mut group = criterion.benchmark_group("components");
    group.sample_size(10);
    group.bench_function("pregel hcc", |b| b.iter(|| black_box(session.run(&Hcc).unwrap())));
    group.bench_function("pregel components", |b| b.iter(|| black_box(short_cut())));
    group.bench_function("graph afforest", |b| b.iter(|| black_box(wcc_afforest(theirs, config))));
    group.bench_function("graph afforest dss", |b| {
        b.iter(|| black_box(wcc_afforest_dss(theirs, config)));
    });
    group.bench_function("graph baseline", |b| b.iter(|| black_box(wcc_baseline(theirs, config))));
    group.finish();
}

fn sssp(
    criterion: &mut Criterion,
    ours: &Graph<f32>,
    theirs: &DirectedCsrGraph<u32, (), f32>,
    source: u32,
) {
    let program = Sssp { source };
    let mut session = session::<Sssp>(ours, None);
    let mine = session.run(&program).unwrap().states;
    let mut group = criterion.benchmark_group("sssp");
    group.sample_size(10);
    group.bench_function("pregel", |b| b.iter(|| black_box(session.run(&program).unwrap())));
    for delta in [8.0, 16.0, 32.0, 64.0] {
        let config = DeltaSteppingConfig::new(source as usize, delta);
        let distances = delta_stepping(theirs, config);
        for (mine, theirs) in mine.iter().zip(&distances) {
            let theirs = theirs.load(std::sync::atomic::Ordering::Relaxed);
            assert!(*mine == theirs || *mine == f32::INFINITY && theirs == f32::MAX);
        }
        group.bench_function(format!("graph, delta {delta}"), |b| {
            b.iter(|| black_box(delta_stepping(theirs, config)));
        });
    }
    group.finish();
}

fn peers(criterion: &mut Criterion) {
    let spec = rmat();
    let ours = spec.plain().unwrap();
    let source = spec.sources(&ours, 1)[0];
    let builder = || GraphBuilder::new().csr_layout(CsrLayout::Sorted);
    let list: Vec<(u32, u32)> = edges(&ours).map(|(u, v, _)| (u, v)).collect();
    let theirs: DirectedCsrGraph<u32> = builder().edges(list).build();
    pagerank(criterion, &ours, &theirs);
    components(criterion, &ours, &theirs);
    drop((ours, theirs));
    let ours = spec.weighted().unwrap();
    let weights = ours.out_values();
    let list: Vec<(u32, u32, f32)> = edges(&ours).map(|(u, v, e)| (u, v, weights[e])).collect();
    let theirs: DirectedCsrGraph<u32, (), f32> = builder().edges_with_values(list).build();
    sssp(criterion, &ours, &theirs, source);
}

criterion_group!(benches, peers);
criterion_main!(benches);

//! The bundled algorithms on the CPU engine, on a power-law graph and a road network.
//! One measurement is one whole run of a prepared session.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_benches::{rmat, road};
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunOptions, Session, Solve, SolveOptions,
};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId};

/// Supersteps of the algorithms that need a limit.
const SUPERSTEPS: u32 = 10;

fn run<P: VertexCompute<Input = ()>>(
    criterion: &mut Criterion,
    name: &str,
    graph: &Graph<P::Edge>,
    program: P,
    max_supersteps: Option<u32>,
) {
    let options = RunOptions::default().with_max_supersteps(max_supersteps);
    let mut session = Cpu::new().prepare::<P>(graph, &options).unwrap();
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| black_box(session.run(&program).unwrap().states));
    });
}

fn all(
    criterion: &mut Criterion,
    name: &str,
    plain: &Graph<()>,
    weighted: &Graph<f32>,
    source: VertexId,
) {
    let limit = Some(SUPERSTEPS);
    run(criterion, &format!("{name}/bfs"), plain, Bfs { source }, None);
    run(criterion, &format!("{name}/sssp"), weighted, Sssp { source }, None);
    run(criterion, &format!("{name}/hcc"), plain, Hcc, None);
    criterion.bench_function(&format!("{name}/wcc"), |bencher| {
        bencher.iter(|| {
            Cpu::new().solve(ConnectedComponents, plain, &SolveOptions::default()).unwrap()
        });
    });
    let pagerank = PageRank::<f32>::new(0.85, 0.0);
    run(criterion, &format!("{name}/pagerank, {SUPERSTEPS} supersteps"), plain, pagerank, limit);
    run(criterion, &format!("{name}/cdlp, {SUPERSTEPS} supersteps"), plain, Cdlp, limit);
}

fn algorithms(criterion: &mut Criterion) {
    let spec = rmat();
    let (plain, weighted) = (spec.plain().unwrap(), spec.weighted().unwrap());
    all(criterion, &spec.to_string(), &plain, &weighted, spec.sources(&plain, 1)[0]);
    if let Some(plain) = road() {
        // The file has no lengths: all roads have length 1.
        let weighted = plain.map_values(|_, _, ()| 1.0);
        all(criterion, "road NE", &plain, &weighted, 0);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = algorithms
}
criterion_main!(benches);

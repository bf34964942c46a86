//! Building a graph from a list of edges, and transposing it.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use pregel_benches::rmat;
use pregel_core::graph::{Duplicates, EdgeList, GraphBuilder, SelfLoops};

fn build(criterion: &mut Criterion) {
    let spec = rmat();
    let graph = spec.plain().unwrap();
    let n = graph.vertex_count();
    // Each edge once, as in a file.
    let once = |u: u32| graph.out().row(u).iter().filter(move |v| u < **v).map(move |v| [u, *v]);
    let edges: Vec<[u32; 2]> = (0..n).flat_map(once).collect();
    let list = || EdgeList::<()> { vertex_count: n, edges: edges.clone(), values: Vec::new() };
    let builder = || {
        GraphBuilder::new()
            .with_directed(false)
            .with_duplicates(Duplicates::First)
            .with_self_loops(SelfLoops::Drop)
    };

    criterion.bench_function(&format!("build/{spec}, undirected"), |bencher| {
        bencher.iter_batched(
            list,
            |list| black_box(builder().with_edge_list(list).build().unwrap()),
            BatchSize::PerIteration,
        );
    });
    criterion.bench_function(&format!("build/{spec}, transpose"), |bencher| {
        bencher.iter(|| black_box(graph.out().transpose()));
    });
    criterion.bench_function(&format!("build/{spec}, generate"), |bencher| {
        bencher.iter(|| black_box(spec.plain().unwrap()));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = build
}
criterion_main!(benches);

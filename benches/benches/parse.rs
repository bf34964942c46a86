//! How fast files are read: text in the page cache, and snapshots.
//!
//! `parse` measures bytes of text per second, without building a graph; `open` measures
//! bytes of snapshots per second, with all checks.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pregel_core::graph::generate::Spec;
use pregel_core::io::{AnyGraph, LoadOptions, load, load_edges, save};

/// 1.9 million edges, which are 3.9 million in the rows.
const GRAPH: &str = "rmat:scale=17";

fn parse(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let spec: Spec = GRAPH.parse().unwrap();
    let plain = AnyGraph::Plain(spec.plain().unwrap());
    let weighted = AnyGraph::Weighted(spec.weighted().unwrap());
    let mut group = criterion.benchmark_group("parse");
    let files = [
        ("edge-list", "plain.txt", &plain),
        ("edge-list-weighted", "weighted.txt", &weighted),
        ("csv", "plain.csv", &plain),
        ("matrix-market", "plain.mtx", &plain),
    ];
    for (name, file, graph) in files {
        let path = folder.path().join(file);
        save(&path, graph, None).unwrap();
        group.throughput(Throughput::Bytes(bytes(&path)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| load_edges(&path, &LoadOptions::default()).unwrap());
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("open");
    let path = folder.path().join("weighted.pregel");
    save(&path, &weighted, None).unwrap();
    group.throughput(Throughput::Bytes(bytes(&path)));
    for (name, skip_checksums) in [("snapshot", false), ("snapshot-without-checksums", true)] {
        let options = LoadOptions::default().with_skip_checksums(skip_checksums);
        group.bench_function(name, |bencher| bencher.iter(|| load(&path, &options).unwrap()));
    }
    group.finish();
}

fn bytes(path: &Path) -> u64 {
    path.metadata().unwrap().len()
}

criterion_group!(benches, parse);
criterion_main!(benches);

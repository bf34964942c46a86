//! All cases of LDBC Graphalytics with a published result, on the reference and the CPU engine;
//! LCC, which is not a vertex program, on the CPU engine.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_algos::verify;
use pregel_algos::verify::expected::{Found, compare};
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, LocalClustering, Reference, RunOptions, Solve, SolveOptions,
};
use pregel_core::io::graphalytics::Properties;
use pregel_core::io::{AnyGraph, LoadOptions, Loaded, Values, load};
use pregel_roster::data;

/// Number of cases: two examples and two tests for each of six algorithms.
const CASES: usize = 24;

/// Compares with the published values.
fn agrees(graph: &AnyGraph, published: &Values, found: Found<'_>) {
    compare(published, found, graph.ids()).unwrap_or_else(|difference| {
        panic!("{}: {difference}", published.path().display());
    });
}

/// Runs one algorithm on one graph, on both engines, and compares.
fn case(algorithm: &str, loaded: &Loaded, properties: &Properties, published: &Values) {
    if algorithm == "LCC" {
        return lcc(loaded, published);
    }
    one(&Reference, algorithm, loaded, properties, published);
    one(&Cpu::with_threads(2).unwrap(), algorithm, loaded, properties, published);
}

fn lcc(loaded: &Loaded, published: &Values) {
    let plain = loaded.graph.plain();
    let engine = Cpu::with_threads(2).unwrap();
    let found = engine.solve(LocalClustering, &plain, &SolveOptions::default()).unwrap().answer;
    let checked = verify::lcc::coefficients(&plain, &found.coefficients, u64::MAX);
    assert_eq!(checked, Ok(plain.vertex_count()));
    agrees(&loaded.graph, published, Found::F64(&found.coefficients));
}

fn one<E: Engine>(
    engine: &E,
    algorithm: &str,
    loaded: &Loaded,
    properties: &Properties,
    published: &Values,
) {
    let graph = &loaded.graph;
    let plain = graph.plain();
    let vertex = |id: Option<u64>| graph.ids().find_integer(id.unwrap()).unwrap();
    let limit = |supersteps: Option<u64>| {
        RunOptions::default().with_max_supersteps(supersteps.unwrap() as u32)
    };
    match algorithm {
        "BFS" => {
            let source = vertex(properties.bfs_source);
            let states = engine.run(&plain, &Bfs { source }, &Default::default()).unwrap().states;
            verify::bfs::levels(&plain, source, &states).unwrap();
            agrees(graph, published, Found::Levels(&states));
        }
        "PR" => {
            let program = PageRank::<f64>::new(properties.pagerank_damping.unwrap(), 0.0);
            let options = limit(properties.pagerank_iterations);
            let states = engine.run(&plain, &program, &options).unwrap().states;
            agrees(graph, published, Found::F64(&states));
        }
        "WCC" => {
            let states = engine.run(&plain, &Hcc, &Default::default()).unwrap().states;
            verify::hcc::labels(&plain, &states).unwrap();
            let short_cut =
                Cpu::new().solve(ConnectedComponents, &plain, &SolveOptions::default()).unwrap();
            assert_eq!(short_cut.answer, states);
            agrees(graph, published, Found::Partition(&states));
        }
        "SSSP" => {
            let weighted = graph.weighted();
            let source = vertex(properties.sssp_source);
            let states =
                engine.run(&weighted, &Sssp { source }, &Default::default()).unwrap().states;
            verify::sssp::distances(&weighted, source, &states).unwrap();
            agrees(graph, published, Found::F32(&states));
        }
        "CDLP" => {
            let options = limit(properties.cdlp_iterations);
            let outcome = engine.run(&plain, &Cdlp, &options).unwrap();
            verify::cdlp::labels(&plain, outcome.report.supersteps, &outcome.states).unwrap();
            agrees(graph, published, Found::Vertices(&outcome.states));
        }
        _ => panic!("unknown algorithm {algorithm}"),
    }
}

#[test]
fn every_published_case() {
    let Some(folder) = data::path("graphalytics/test-graphs") else { return };
    let mut ran = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "properties") {
            continue;
        }
        let properties = Properties::read(&path).unwrap();
        let loaded = load(&path, &LoadOptions::default()).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let graph = &loaded.graph;
        assert_eq!(u64::from(graph.vertex_count()), properties.vertices.unwrap(), "{name}");
        let both = if graph.directed() { 1 } else { 2 };
        assert_eq!(graph.edge_count(), both * properties.edges.unwrap(), "{name}");
        for algorithm in ["BFS", "PR", "WCC", "SSSP", "CDLP", "LCC"] {
            let results = folder.join(format!("{name}-{algorithm}"));
            if results.exists() {
                let published = Values::read(&results, graph.ids()).unwrap();
                case(algorithm, &loaded, &properties, &published);
                ran.push(format!("{name} {algorithm}"));
            }
        }
    }
    assert_eq!(ran.len(), CASES, "{ran:?}");
}

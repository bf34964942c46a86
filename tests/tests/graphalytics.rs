//! All cases of LDBC Graphalytics with a published result, on the reference and the CPU engine;
//! LCC, which is not a vertex program, on the CPU engine.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use pregel_algos::bfs::{Bfs, UNREACHED};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_algos::verify;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, LocalClustering, Reference, RunOptions, Solve, SolveOptions,
};
use pregel_core::graph::Id;
use pregel_core::io::graphalytics::Properties;
use pregel_core::io::{AnyGraph, LoadOptions, Loaded, load};
use pregel_tests::data;

/// Number of cases: two examples and two tests for each of six algorithms.
const CASES: usize = 24;

/// Published values by user id.
type Published = BTreeMap<u64, String>;

fn published(path: &Path) -> Published {
    let text = fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let (id, value) = line.split_once(' ').unwrap();
        (id.parse().unwrap(), value.trim().to_owned())
    };
    text.lines().map(line).collect()
}

/// Computed values by user id.
fn by_id<T: Copy>(graph: &AnyGraph, values: &[T]) -> BTreeMap<u64, T> {
    assert_eq!(values.len(), graph.ids().len() as usize);
    (0..).zip(values).map(|(v, value)| (number(graph, v), *value)).collect()
}

fn number(graph: &AnyGraph, v: u32) -> u64 {
    let Id::Integer(id) = graph.ids().get(v) else { panic!("vertex {v} has a name") };
    id
}

/// Compares each published value with the computed one.
fn compare<T: Copy>(
    published: &Published,
    found: BTreeMap<u64, T>,
    same: impl Fn(&str, T) -> bool,
) {
    assert!(published.keys().eq(found.keys()), "not the same vertices");
    for (id, expected) in published {
        assert!(same(expected, found[id]), "vertex {id}: {expected} is expected");
    }
}

/// Whether a value is within 1e-4 of the published one, the tolerance of the benchmark.
fn close(expected: &str, found: f64) -> bool {
    match expected {
        "infinity" => found == f64::INFINITY,
        _ => {
            let expected: f64 = expected.parse().unwrap();
            (found - expected).abs() <= 1e-4 * expected.abs()
        }
    }
}

/// Runs one algorithm on one graph, on both engines, and compares.
fn case(algorithm: &str, loaded: &Loaded, properties: &Properties, published: &Published) {
    if algorithm == "LCC" {
        return lcc(loaded, published);
    }
    one(&Reference, algorithm, loaded, properties, published);
    one(&Cpu::with_threads(2).unwrap(), algorithm, loaded, properties, published);
}

fn lcc(loaded: &Loaded, published: &Published) {
    let plain = loaded.graph.plain();
    let engine = Cpu::with_threads(2).unwrap();
    let found = engine.solve(LocalClustering, &plain, &SolveOptions::default()).unwrap().answer;
    let checked = verify::lcc::coefficients(&plain, &found.coefficients, u64::MAX);
    assert_eq!(checked, Ok(plain.vertex_count()));
    compare(published, by_id(&loaded.graph, &found.coefficients), close);
}

fn one<E: Engine>(
    engine: &E,
    algorithm: &str,
    loaded: &Loaded,
    properties: &Properties,
    published: &Published,
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
            compare(published, by_id(graph, &states), |expected, level| match expected {
                "9223372036854775807" => level == UNREACHED,
                _ => expected == level.to_string(),
            });
        }
        "PR" => {
            let program = PageRank::<f64>::new(properties.pagerank_damping.unwrap(), 0.0);
            let options = limit(properties.pagerank_iterations);
            let states = engine.run(&plain, &program, &options).unwrap().states;
            compare(published, by_id(graph, &states), close);
        }
        "WCC" => {
            let states = engine.run(&plain, &Hcc, &Default::default()).unwrap().states;
            verify::hcc::labels(&plain, &states).unwrap();
            let short_cut =
                Cpu::new().solve(ConnectedComponents, &plain, &SolveOptions::default()).unwrap();
            assert_eq!(short_cut.answer, states);
            // Equal up to the names of the components, both ways.
            let (mut to, mut back) = (HashMap::new(), HashMap::new());
            assert_eq!(states.len(), published.len());
            for (id, label) in by_id(graph, &states) {
                let name = &published[&id];
                assert_eq!(*to.entry(name).or_insert(label), label, "vertex {id}");
                assert_eq!(*back.entry(label).or_insert(name), name, "vertex {id}");
            }
        }
        "SSSP" => {
            let weighted = graph.weighted();
            let source = vertex(properties.sssp_source);
            let states =
                engine.run(&weighted, &Sssp { source }, &Default::default()).unwrap().states;
            verify::sssp::distances(&weighted, source, &states).unwrap();
            compare(published, by_id(graph, &states), |expected, distance| {
                close(expected, f64::from(distance))
            });
        }
        "CDLP" => {
            let options = limit(properties.cdlp_iterations);
            let outcome = engine.run(&plain, &Cdlp, &options).unwrap();
            verify::cdlp::labels(&plain, outcome.report.supersteps, &outcome.states).unwrap();
            let ids: Vec<u64> = outcome.states.iter().map(|label| number(graph, *label)).collect();
            compare(published, by_id(graph, &ids), |expected, label| expected == label.to_string());
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
                case(algorithm, &loaded, &properties, &published(&results));
                ran.push(format!("{name} {algorithm}"));
            }
        }
    }
    assert_eq!(ran.len(), CASES, "{ran:?}");
}

//! Published facts about real graphs, and known results on generated ones.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::{Bfs, UNREACHED};
use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_algos::verify;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunOptions, Session, Solve, SolveOptions,
};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{DegreeStats, Duplicates, Graph, SelfLoops};
use pregel_core::io::{LoadOptions, load};
use pregel_core::program::VertexId;
use pregel_roster::data;
use pregel_roster::oracle;

/// Facts about a graph; `None` if none was published.
struct Facts {
    file: &'static str,
    directed: bool,
    vertices: u32,
    /// Number of lines with an edge.
    edges: u64,
    self_loops: Option<u64>,
    components: Option<usize>,
    /// Vertices of the largest component.
    largest: Option<usize>,
    largest_degree: Option<u64>,
}

const UNKNOWN: Facts = Facts {
    file: "",
    directed: true,
    vertices: 0,
    edges: 0,
    self_loops: None,
    components: None,
    largest: None,
    largest_degree: None,
};

#[rustfmt::skip]
const FACTS: [Facts; 16] = [
    Facts { file: "wiki-Vote/wiki-Vote.txt.gz", vertices: 7115, edges: 103_689, largest: Some(7066), ..UNKNOWN },
    Facts { file: "ego-Facebook/facebook_combined.txt.xz", directed: false, vertices: 4039, edges: 88_234, components: Some(1), ..UNKNOWN },
    Facts { file: "email-Enron/email-Enron.txt.xz", directed: false, vertices: 36_692, edges: 183_831, largest: Some(33_696), ..UNKNOWN },
    Facts { file: "cit-HepPh/cit-HepPh.txt.xz", vertices: 34_546, edges: 421_578, components: Some(61), largest: Some(34_401), ..UNKNOWN },
    Facts { file: "soc-Slashdot0902/soc-Slashdot0902.txt.xz", vertices: 82_168, edges: 948_464, self_loops: Some(78_303), components: Some(1), ..UNKNOWN },
    Facts { file: "soc-Slashdot0902/soc-Slashdot0902-undirected.txt.xz", directed: false, vertices: 82_168, edges: 582_533, components: Some(1), ..UNKNOWN },
    Facts { file: "musae-github/musae-github_edges.csv.xz", directed: false, vertices: 37_700, edges: 289_003, components: Some(1), largest_degree: Some(9458), ..UNKNOWN },
    Facts { file: "uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz", vertices: 100_000, edges: 3_050_615, components: Some(1), ..UNKNOWN },
    Facts { file: "luxembourg_osm/luxembourg_osm.mtx.xz", directed: false, vertices: 114_599, edges: 119_666, components: Some(1), ..UNKNOWN },
    Facts { file: "road/NY.gr.xz", directed: false, vertices: 264_346, edges: 365_050, components: Some(1), largest_degree: Some(8), ..UNKNOWN },
    Facts { file: "rome99/rome99.gr", vertices: 3353, edges: 8870, ..UNKNOWN },
    Facts { file: "road/bremen_dist.gr.xz", vertices: 40_461, edges: 86_475, components: Some(343), largest: Some(33_419), ..UNKNOWN },
    Facts { file: "road/bremen_time.gr.xz", vertices: 40_461, edges: 86_475, components: Some(343), largest: Some(33_419), ..UNKNOWN },
    Facts { file: "road/graph_ballard.gr.xz", vertices: 7026, edges: 16_510, components: Some(1), ..UNKNOWN },
    Facts { file: "road/south_seattle_car.gr.xz", vertices: 26_261, edges: 49_604, components: Some(3), ..UNKNOWN },
    Facts { file: "road/graph_23rd.gr", vertices: 2212, edges: 5170, components: Some(1), ..UNKNOWN },
];

/// The large road graphs; a second each in a release build.
#[rustfmt::skip]
const LARGE: [Facts; 2] = [
    Facts { file: "road/FLA.gr.xz", directed: false, vertices: 1_070_376, edges: 1_343_951, components: Some(1), largest_degree: Some(8), ..UNKNOWN },
    Facts { file: "road/NE.gr.xz", directed: false, vertices: 1_524_453, edges: 1_934_010, components: Some(1), ..UNKNOWN },
];

fn read(file: &str, directed: bool) -> Option<Graph<()>> {
    let path = data::path(file)?;
    let options = LoadOptions::default()
        .with_directed(directed)
        .with_duplicates(Duplicates::Keep)
        .with_self_loops(SelfLoops::Keep);
    Some(load(&path, &options).unwrap_or_else(|e| panic!("{file}: {e}")).graph.plain())
}

fn self_loops(graph: &Graph<()>) -> u64 {
    let loops = |v: u32| graph.out().row(v).iter().filter(|target| **target == v).count();
    (0..graph.vertex_count()).map(|v| loops(v) as u64).sum()
}

fn component_sizes(graph: &Graph<()>) -> Vec<usize> {
    let labels = Cpu::new().run(graph, &Hcc, &RunOptions::default()).unwrap().states;
    verify::hcc::labels(graph, &labels).unwrap();
    let short_cut = Cpu::new().solve(ConnectedComponents, graph, &SolveOptions::default()).unwrap();
    assert!(short_cut.answer == labels, "the short cut disagrees");
    oracle::hcc::sizes(&labels.into_iter().map(|label| label as usize).collect::<Vec<_>>())
}

fn check(facts: &Facts) -> bool {
    let Some(graph) = read(facts.file, facts.directed) else { return false };
    let file = facts.file;
    assert_eq!(graph.directed(), facts.directed, "{file}");
    assert_eq!(graph.vertex_count(), facts.vertices, "{file}");
    let loops = self_loops(&graph);
    let edges =
        if facts.directed { graph.edge_count() } else { (graph.edge_count() - loops) / 2 + loops };
    assert_eq!(edges, facts.edges, "{file}");
    assert!(facts.self_loops.is_none_or(|expected| loops == expected), "{file}: {loops} loops");
    let degree = DegreeStats::of(graph.out()).max;
    assert!(facts.largest_degree.is_none_or(|expected| degree == expected), "{file}: {degree}");
    let sizes = component_sizes(&graph);
    assert!(facts.components.is_none_or(|expected| sizes.len() == expected), "{file}: {sizes:?}");
    assert!(facts.largest.is_none_or(|expected| sizes[0] == expected), "{file}: {}", sizes[0]);
    true
}

#[test]
fn counts_and_components_of_real_graphs() {
    if data::path("wiki-Vote").is_none() {
        return;
    }
    let checked = FACTS.iter().filter(|facts| check(facts)).count();
    assert_eq!(checked, FACTS.len());
    if data::thorough() {
        assert_eq!(LARGE.iter().filter(|facts| check(facts)).count(), LARGE.len());
    }
}

/// The largest level of a breadth-first search, and a vertex at that level.
fn eccentricity(session: &mut impl Session<Bfs>, source: VertexId) -> (u32, VertexId) {
    let levels = session.run(&Bfs { source }).unwrap().states;
    let reached = (0..).zip(levels).filter(|(_, level)| *level != UNREACHED);
    let (farthest, level) = reached.max_by_key(|(_, level)| *level).unwrap();
    (level, farthest)
}

#[test]
fn ego_facebook_has_diameter_8() {
    let Some(graph) = read("ego-Facebook/facebook_combined.txt.xz", false) else { return };
    let engine = Cpu::new();
    let mut session = engine.prepare::<Bfs>(&graph, &RunOptions::default()).unwrap();
    // From every vertex if that is fast, otherwise from every 16th and from two that
    // are far apart.
    let step = if data::thorough() { 1 } else { 16 };
    let mut diameter = 0;
    for source in (0..graph.vertex_count()).step_by(step) {
        diameter = diameter.max(eccentricity(&mut session, source).0);
    }
    let (_, far) = eccentricity(&mut session, 0);
    let (_, farther) = eccentricity(&mut session, far);
    diameter = diameter.max(eccentricity(&mut session, farther).0);
    assert_eq!(diameter, 8);
}

fn generated(spec: &str) -> Spec {
    spec.parse().unwrap()
}

#[test]
fn searches_on_rmat_16_agree_with_two_other_programs() {
    let spec = generated("rmat:scale=16,seed=7");
    let weighted = spec.weighted().unwrap();
    let graph = weighted.without_values();
    assert_eq!(spec.sources(&graph, 3), [24_425, 4399, 1562]);
    let source = 24_425;
    for threads in [1, 2] {
        let engine = Cpu::with_threads(threads).unwrap();
        let options = RunOptions::default();

        let levels = engine.run(&graph, &Bfs { source }, &options).unwrap().states;
        verify::bfs::levels(&graph, source, &levels).unwrap();
        let reached: Vec<u32> = levels.into_iter().filter(|level| *level != UNREACHED).collect();
        assert_eq!(reached.len(), 46_659);
        assert_eq!(reached.iter().map(|level| u64::from(*level)).sum::<u64>(), 151_558);
        assert_eq!(reached.iter().max(), Some(&5));

        let distances = engine.run(&weighted, &Sssp { source }, &options).unwrap().states;
        verify::sssp::distances(&weighted, source, &distances).unwrap();
        let finite: Vec<u64> =
            distances.iter().filter(|d| d.is_finite()).map(|d| *d as u64).collect();
        assert_eq!(finite.len(), 46_659);
        assert_eq!(finite.iter().sum::<u64>(), 9_340_587);
        assert_eq!(finite.iter().max(), Some(&606));
    }
    assert_eq!(component_sizes(&graph).len(), 18_870);
}

#[test]
fn searches_on_rmat_20_agree_with_two_other_programs() {
    if !data::thorough() {
        eprintln!("SKIPPED: rmat:scale=20 is slow without --release (or set PREGEL_THOROUGH)");
        return;
    }
    let graph = generated("rmat:scale=20").plain().unwrap();
    let levels = Cpu::new().run(&graph, &Bfs { source: 828_206 }, &RunOptions::default()).unwrap();
    verify::bfs::levels(&graph, 828_206, &levels.states).unwrap();
    let reached = levels.states.iter().filter(|level| **level != UNREACHED).count();
    assert_eq!(reached, 645_880);
    assert_eq!(component_sizes(&graph).len(), 402_487);
}

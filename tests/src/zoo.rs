//! Small graphs of every kind.

use std::sync::OnceLock;

use pregel_core::graph::generate::Spec;
use pregel_core::graph::{Duplicates, EdgeList, Graph, GraphBuilder};

use pregel_core::io::{LoadOptions, load};

use crate::data;
use crate::lists::Lists;

/// A graph, twice: as engines see it and as oracles see it.
#[derive(Clone, Debug)]
pub struct Case {
    /// For messages of failing tests.
    pub name: String,
    /// With edge values; programs without any take [`Graph::without_values`].
    pub graph: Graph<f32>,
    /// The same edges, not read back from `graph`.
    pub lists: Lists,
}

/// Number of cases in the [`zoo`]: a test that ran fewer skipped some.
pub const ZOO: usize = 2 * SHAPES + 1 + GENERATED.len();

const SHAPES: usize = 22;

/// Leaves of the large star: so many that an engine cuts the hub's row in
/// pieces (the CPU engine does above 65,536 edges).
const LEAVES: usize = 70_000;

/// Generated graphs, as specs: power law, uniform, road-like; both ways
/// (`sym=1`, the default) and one way; the last so large that an engine
/// shares its vertices among threads.
const GENERATED: [&str; 7] = [
    "rmat:scale=10",
    "rmat:scale=10,sym=0,seed=3",
    "rmat:scale=8,ef=4,sym=0,dedup=0,seed=5",
    "uniform:n=1000,m=16000",
    "uniform:n=300,m=700,sym=0",
    "grid:rows=30,cols=40,drop=50,maxw=1000",
    "rmat:scale=13,ef=12,sym=0,seed=2",
];

/// How edges get their values.
#[derive(Clone, Copy, Debug)]
enum Weighing {
    /// 1 to 9.
    Integers,
    /// 0 to 2, so that a third of the edges is free.
    Zeroes,
    /// Sevenths, which floats cannot hold exactly.
    Fractions,
}

impl Weighing {
    fn value(self, edge: usize) -> f32 {
        let hash = (edge as u32).wrapping_mul(0x9E37_79B1) >> 16;
        match self {
            Self::Integers => (1 + hash % 9) as f32,
            Self::Zeroes => (hash % 3) as f32,
            Self::Fractions => (1 + hash % 97) as f32 / 7.0,
        }
    }
}

/// A graph of `n` vertices and `edges`.
pub fn case(
    name: &str,
    directed: bool,
    n: usize,
    edges: &[(usize, usize)],
    weigh: impl Fn(usize) -> f32,
) -> Case {
    let weights: Vec<f32> = (0..edges.len()).map(weigh).collect();
    let triples: Vec<_> =
        edges.iter().zip(&weights).map(|(&(u, v), &w)| (u, v, f64::from(w))).collect();
    let list = EdgeList {
        vertex_count: n as u32,
        edges: edges.iter().map(|&(u, v)| [u as u32, v as u32]).collect(),
        values: weights,
    };
    let builder = GraphBuilder::new().with_directed(directed).with_duplicates(Duplicates::Keep);
    let built = builder.with_edge_list(list).build();
    let graph = built.unwrap_or_else(|e| panic!("{name}: {e}"));
    Case { name: name.to_owned(), graph, lists: Lists::new(n, directed, &triples) }
}

/// A generated graph.
///
/// # Panics
/// If the spec is wrong.
pub fn generated(spec: &str) -> Case {
    let graph = spec.parse::<Spec>().and_then(|parsed| parsed.weighted());
    let graph = graph.unwrap_or_else(|e| panic!("{e}"));
    let lists = Lists::of(&graph, f64::from);
    Case { name: spec.to_owned(), graph, lists }
}

/// Every shape, directed and undirected, a large star, and the generated
/// graphs.
///
/// # Panics
/// If cases are missing.
pub fn zoo() -> Vec<Case> {
    let mut cases = Vec::with_capacity(ZOO);
    for directed in [true, false] {
        for (name, n, edges, weighing) in shapes() {
            let name = format!("{name}, {}", if directed { "directed" } else { "undirected" });
            cases.push(case(&name, directed, n, &edges, |edge| weighing.value(edge)));
        }
    }
    let star: Vec<_> = (0..LEAVES).map(|v| (v, LEAVES)).collect();
    let weigh = |edge| Weighing::Integers.value(edge);
    cases.push(case("large star in, directed", true, LEAVES + 1, &star, weigh));
    cases.extend(GENERATED.iter().map(|spec| generated(spec)));
    assert_eq!(cases.len(), ZOO);
    cases
}

/// Real graphs: hubs, roads, directed and undirected, several components.
const REAL: [&str; 10] = [
    "wiki-Vote/wiki-Vote.txt.gz",
    "ego-Facebook/facebook_combined.txt.xz",
    "email-Enron/email-Enron.txt.xz",
    "cit-HepPh/cit-HepPh.txt.xz",
    "soc-Slashdot0902/soc-Slashdot0902.txt.xz",
    "musae-github/musae-github_edges.csv.xz",
    "uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz",
    "luxembourg_osm/luxembourg_osm.mtx.xz",
    "rome99/rome99.gr",
    "road/bremen_dist.gr.xz",
];

/// Leaves and vertices of the largest shapes.
const MILLION: usize = 1_000_000;

/// A star with a million leaves, both ways round, a long path, and the real
/// graphs that are there. Read once.
pub fn large_graphs() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let weigh = |edge| Weighing::Integers.value(edge);
        let n = MILLION + 1;
        let out: Vec<_> = (0..MILLION).map(|v| (MILLION, v)).collect();
        let into: Vec<_> = (0..MILLION).map(|v| (v, MILLION)).collect();
        let path: Vec<_> = (1..5000).map(|v| (v - 1, v)).collect();
        let mut cases = vec![
            case("million leaves out, directed", true, n, &out, weigh),
            case("million leaves in, directed", true, n, &into, weigh),
            case("million leaves, undirected", false, n, &into, weigh),
            case("path of 5000, undirected", false, 5000, &path, weigh),
        ];
        cases.extend(REAL.iter().filter_map(|name| real(name)));
        cases
    })
}

/// A graph of the folder of real ones; edges without a weight weigh 1.
fn real(name: &str) -> Option<Case> {
    let loaded = load(&data::path(name)?, &LoadOptions::default());
    let graph = loaded.unwrap_or_else(|e| panic!("{name}: {e}")).graph.weighted();
    let lists = Lists::of(&graph, f64::from);
    Some(Case { name: name.to_owned(), graph, lists })
}

type Shape = (&'static str, usize, Vec<(usize, usize)>, Weighing);

fn shapes() -> [Shape; SHAPES] {
    use Weighing::{Fractions, Integers, Zeroes};
    let none = Vec::new;
    let path = |n: usize| (1..n).map(|v| (v - 1, v)).collect();
    let cycle = |n: usize| (0..n).map(|v| (v, (v + 1) % n)).collect();
    let two_components = (0..50).flat_map(|v| [(v, (v + 1) % 50), (50 + v, 50 + (v * 7 + 1) % 50)]);
    let hub_of_hubs = (0..40).flat_map(|hub| (0..60).map(move |i| (hub, (hub * 60 + i) % 2500)));
    [
        ("no vertex", 0, none(), Integers),
        ("one vertex", 1, none(), Integers),
        ("one vertex, self-loop", 1, vec![(0, 0)], Integers),
        ("two vertices, no edge", 2, none(), Integers),
        ("two vertices, one edge", 2, vec![(0, 1)], Fractions),
        ("two vertices, edge back", 2, vec![(1, 0)], Integers),
        ("65 vertices, no edge", 65, none(), Integers),
        ("path of 200", 200, path(200), Fractions),
        ("path of 64, ids falling", 64, (1..64).map(|v| (64 - v, 63 - v)).collect(), Integers),
        ("cycle of 129", 129, cycle(129), Integers),
        ("cycle of 33, free edges", 33, cycle(33), Zeroes),
        ("star out", 3001, (1..=3000).map(|v| (0, v)).collect(), Integers),
        ("star in", 3001, (0..3000).map(|v| (v, 3000)).collect(), Fractions),
        ("complete, 40", 40, pairs(40), Integers),
        ("four vertices, 180 edges", 4, pairs(4).repeat(15), Integers),
        ("binary tree of 1023", 1023, (1..1023).map(|v| ((v - 1) / 2, v)).collect(), Fractions),
        ("tree towards the root", 255, (1..255).map(|v| (v, (v - 1) / 2)).collect(), Integers),
        ("self-loops and multi-edges", 30, tangle(), Zeroes),
        ("two components", 100, two_components.collect(), Integers),
        ("isolated ends", 300, (100..200).map(|v| (v, 100 + v * 31 % 100)).collect(), Fractions),
        ("forty hubs", 2500, hub_of_hubs.collect(), Zeroes),
        (
            "bipartite",
            70,
            (0..35).flat_map(|u| [(u, 35 + u), (u, 35 + u * 3 % 35)]).collect(),
            Integers,
        ),
    ]
}

/// Every ordered pair of different vertices.
fn pairs(n: usize) -> Vec<(usize, usize)> {
    let all = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
    all.filter(|(u, v)| u != v).collect()
}

/// Self-loops, some of them double, and edges up to four times.
fn tangle() -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for v in 0..30 {
        let next = v * 11 % 30;
        edges.extend(std::iter::repeat_n((v, next), 1 + v % 4));
        edges.extend(std::iter::repeat_n((v, v), v % 3));
    }
    edges
}

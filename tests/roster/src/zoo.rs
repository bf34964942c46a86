//! Small graphs of every kind.

use std::env::VarError;
use std::io::Write;
use std::iter;
use std::sync::OnceLock;

use pregel_core::graph::generate::Spec;
use pregel_core::graph::{Duplicates, EdgeList, Graph, GraphBuilder};

use pregel_core::io::{LoadOptions, load};

use crate::data;
use crate::lists::Lists;

/// A graph in two forms: one for engines and one for oracles.
#[derive(Clone, Debug)]
pub struct Case {
    /// Names the graph in messages.
    pub name: String,
    /// The graph with edge values; programs that have none take
    /// [`Graph::without_values`].
    pub graph: Graph<f32>,
    /// The same edges, made independently of `graph` where possible.
    pub lists: Lists,
}

/// Number of cases in the [`zoo`].
pub const ZOO: usize = 2 * SHAPES + 1 + GENERATED.len();

const SHAPES: usize = 22;

/// Leaves of the large star: enough for the CPU engine to cut the hub's row into
/// segments, which it does above 65,536 edges.
const LEAVES: usize = 70_000;

/// Specs of generated graphs: power law, uniform and road-like, undirected
/// (`sym=1`, the default) and directed. The last is large enough for the CPU engine to
/// share its vertices among threads.
const GENERATED: [&str; 7] = [
    "rmat:scale=10",
    "rmat:scale=10,sym=0,seed=3",
    "rmat:scale=8,ef=4,sym=0,dedup=0,seed=5",
    "uniform:n=1000,m=16000",
    "uniform:n=300,m=700,sym=0",
    "grid:rows=30,cols=40,drop=50,maxw=1000",
    "rmat:scale=13,ef=12,sym=0,seed=2",
];

/// The cases of [`zoo`] that are in a sample: the smallest of each kind.
const SAMPLE: [&str; 14] = [
    "no vertex, directed",
    "one vertex, self-loop, undirected",
    "two vertices, edge back, directed",
    "65 vertices, no edge, directed",
    "path of 64, ids falling, undirected",
    "cycle of 33, free edges, directed",
    "complete, 40, directed",
    "four vertices, 180 edges, undirected",
    "self-loops and multi-edges, directed",
    "two components, undirected",
    "isolated ends, directed",
    "forty hubs, directed",
    "rmat:scale=8,ef=4,sym=0,dedup=0,seed=5",
    "uniform:n=300,m=700,sym=0",
];

/// The real graphs that are in a sample.
const LARGE_SAMPLE: [&str; 2] = ["wiki-Vote/wiki-Vote.txt.gz", "rome99/rome99.gr"];

/// The environment variable that says on which graphs the roster runs.
const ROSTER: &str = "PREGEL_ROSTER";

/// How edges get their values.
#[derive(Clone, Copy, Debug)]
enum Weighing {
    /// 1 to 9.
    Integers,
    /// 0 to 2, so a third of the edges is free.
    Zeroes,
    /// Sevenths, which floats cannot represent exactly.
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

/// A graph of `n` vertices and these edges, all of which are kept.
///
/// # Panics
/// If an edge names a vertex that does not exist.
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

/// All shapes, directed and undirected, a large star, and the generated graphs.
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

/// Whether the roster runs on all graphs: the environment variable `PREGEL_ROSTER` is
/// `whole`. The first call says so on stderr, even where the test harness captures what
/// tests print.
///
/// # Panics
/// If the variable is neither `whole` nor `sample`.
fn whole_roster() -> bool {
    static WHOLE: OnceLock<bool> = OnceLock::new();
    *WHOLE.get_or_init(|| {
        let whole = match std::env::var(ROSTER).as_deref() {
            Ok("whole") => true,
            Ok("sample") | Err(VarError::NotPresent) => false,
            other => panic!("{ROSTER} must be whole or sample, and is {other:?}"),
        };
        let line = if whole {
            format!("roster: emulated programs run on {ZOO} of {ZOO} graphs")
        } else {
            let sample = SAMPLE.len();
            format!(
                "roster: emulated programs run on {sample} of {ZOO} graphs ({ROSTER}=whole: all)"
            )
        };
        // Written directly, since the harness captures what the print macros write.
        let _ = writeln!(std::io::stderr(), "{line}");
        whole
    })
}

/// A sample of the [`zoo`], or all of it if `PREGEL_ROSTER=whole` is set.
///
/// # Panics
/// If the variable has an unknown value, or cases are missing.
pub fn sampled() -> Vec<Case> {
    let mut cases = zoo();
    if !whole_roster() {
        cases.retain(|case| SAMPLE.contains(&case.name.as_str()));
        assert_eq!(cases.len(), SAMPLE.len());
    }
    cases
}

/// A sample of the [`large_graphs`], or all of them if `PREGEL_ROSTER=whole` is set.
///
/// # Panics
/// If the variable has an unknown value.
pub fn large_sampled() -> &'static [Case] {
    static SAMPLED: OnceLock<Vec<Case>> = OnceLock::new();
    if whole_roster() {
        return large_graphs();
    }
    SAMPLED.get_or_init(|| {
        let real = REAL.iter().filter(|name| LARGE_SAMPLE.contains(*name));
        iter::once(long_path()).chain(real.filter_map(|name| real_graph(name))).collect()
    })
}

/// Real graphs: with hubs, of roads, directed and undirected, of several components.
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

/// Leaves of the largest stars.
const MILLION: usize = 1_000_000;

/// Stars with a million leaves, one for each direction of the edges, a long path,
/// and the real graphs that exist on this machine. Made once.
pub fn large_graphs() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let weigh = |edge| Weighing::Integers.value(edge);
        let n = MILLION + 1;
        let out: Vec<_> = (0..MILLION).map(|v| (MILLION, v)).collect();
        let into: Vec<_> = (0..MILLION).map(|v| (v, MILLION)).collect();
        let mut cases = vec![
            case("million leaves out, directed", true, n, &out, weigh),
            case("million leaves in, directed", true, n, &into, weigh),
            case("million leaves, undirected", false, n, &into, weigh),
            long_path(),
        ];
        cases.extend(REAL.iter().filter_map(|name| real_graph(name)));
        cases
    })
}

/// A path with thousands of supersteps.
fn long_path() -> Case {
    let path: Vec<_> = (1..5000).map(|v| (v - 1, v)).collect();
    case("path of 5000, undirected", false, 5000, &path, |edge| Weighing::Integers.value(edge))
}

/// A real graph, if it exists here; edges without a weight get weight 1.
fn real_graph(name: &str) -> Option<Case> {
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

/// All ordered pairs of different vertices.
fn pairs(n: usize) -> Vec<(usize, usize)> {
    let all = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
    all.filter(|(u, v)| u != v).collect()
}

/// Self-loops, some of them twice, and edges up to four times.
fn tangle() -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for v in 0..30 {
        let next = v * 11 % 30;
        edges.extend(std::iter::repeat_n((v, next), 1 + v % 4));
        edges.extend(std::iter::repeat_n((v, v), v % 3));
    }
    edges
}

//! The graphs of the paper: real ones where their files are at hand, stand-ins otherwise.

use std::path::Path;

use pregel_core::graph::Graph;
use pregel_core::graph::generate::{Spec, draw_weights};
use pregel_core::io::{self, LoadOptions};

use crate::ReplicationError;
use crate::data::{find, origin};

/// The largest weight that is drawn for an edge.
const LARGEST_WEIGHT: u32 = 255;
/// The seed of weights and sources.
pub const SEED: u64 = 1;

/// A row of Table 4, and what stands in for it.
pub struct Described {
    pub name: &'static str,
    /// Millions of vertices and of edges in Table 4, and its largest degree.
    pub paper: Option<(u64, u64, u64)>,
    /// What the file may be called, without the suffix of a compression.
    files: &'static [&'static str],
    /// Whether edges have a direction, if the file does not say.
    directed: Option<bool>,
    spec: &'static str,
    /// A small graph of the same kind.
    quick: &'static str,
    /// Edges, in both directions where they have none, to guess how long the graph takes.
    pub edges: u64,
    /// How much of the time it takes, in proportion to the others.
    pub weight: u64,
}

/// The graphs of Table 4 that fit one GPU here, after smaller roads. Where time is short, what it
/// suffices for comes first: roads, on which the techniques matter.
pub const GRAPHS: [Described; 4] = [
    Described {
        name: "NE",
        // Of the same collection of roads, with 1.5 million vertices.
        paper: None,
        files: &["NE.gr", "USA-road-d.NE.gr"],
        directed: None,
        spec: "grid:rows=1235,cols=1235",
        quick: "grid:rows=12,cols=15",
        edges: 3_900_000,
        weight: 1,
    },
    Described {
        name: "USA",
        paper: Some((24, 58, 9)),
        files: &["USA-road-d.USA.gr"],
        directed: None,
        spec: "grid:rows=4096,cols=4096",
        quick: "grid:rows=24,cols=30",
        edges: 67_000_000,
        weight: 6,
    },
    Described {
        name: "soc-LiveJournal1",
        paper: Some((5, 69, 20_293)),
        files: &["soc-LiveJournal1.txt"],
        directed: Some(true),
        spec: "indegree:n=4847571,m=68993773,max=20293,receivers=3700000,s=1.001,q=367.3",
        quick: "indegree:n=1000,m=11000,max=200,receivers=800,s=1,q=12",
        edges: 69_000_000,
        weight: 3,
    },
    Described {
        name: "kron21.sym",
        paper: Some((2, 182, 213_904)),
        files: &["kron_g500-logn21.mtx", "kron_g500-logn21.graph"],
        directed: None,
        spec: "rmat:scale=21,ef=48",
        quick: "rmat:scale=8,ef=16",
        edges: 182_000_000,
        weight: 4,
    },
];

/// The places of the paper's own graphs in [`GRAPHS`].
pub const USA: usize = 1;
pub const LIVE_JOURNAL: usize = 2;
pub const KRON: usize = 3;

/// A graph to measure on.
pub struct Used {
    /// Where it comes from.
    pub origin: String,
    /// With weights from the file, or random ones.
    pub graph: Graph<f32>,
}

impl Used {
    /// Reads or generates graph number `number` of [`GRAPHS`].
    pub fn open(number: usize, data: Option<&Path>, quick: bool) -> Result<Self, ReplicationError> {
        let described = &GRAPHS[number];
        let file = data.filter(|_| !quick).and_then(|folder| find(folder, "road", described.files));
        if let Some(path) = file {
            let options = match described.directed {
                Some(directed) => LoadOptions::default().with_directed(directed),
                None => LoadOptions::default(),
            };
            let loaded = io::load(&path, &options)?.graph;
            let (graph, weights) = if loaded.has_weights() {
                (loaded.weighted(), "its weights")
            } else {
                (draw_weights(&loaded.plain(), LARGEST_WEIGHT, SEED), "random weights")
            };
            return Ok(Self { origin: format!("{}, {weights}", origin(&path)), graph });
        }
        let spec = if quick { described.quick } else { described.spec };
        let graph = draw_weights(&spec.parse::<Spec>()?.plain()?, LARGEST_WEIGHT, SEED);
        Ok(Self { origin: format!("stand-in {spec}"), graph })
    }

    /// Whether the paper's own graph was read.
    pub fn is_real(&self) -> bool {
        self.origin.starts_with("file ")
    }
}

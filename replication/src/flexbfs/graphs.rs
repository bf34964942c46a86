//! The graphs of the paper: lattices, which are generated, and roads, for which grids stand in
//! where their files are missing.

use std::path::Path;

use pregel_core::graph::generate::{Spec, sources};
use pregel_core::graph::{Duplicates, Graph, SelfLoops};
use pregel_core::io::{self, LoadOptions};
use pregel_core::program::VertexId;

use super::sequential::Search;
use crate::ReplicationError;
use crate::data::find;

/// The three kinds of graph in the paper, and one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A lattice.
    Regular,
    /// A lattice with hubs, and the paper's number of edges.
    Irregular,
    /// A lattice with hubs of 100 times the degree.
    Hundredfold,
    /// A road network.
    Road,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Regular, Self::Irregular, Self::Hundredfold, Self::Road];

    /// As in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Irregular => "irregular",
            Self::Hundredfold => "hubs of 100 times the degree",
            Self::Road => "roads",
        }
    }
}

/// A graph of Table 1, or one beside them.
#[derive(Debug)]
pub struct Described {
    pub name: &'static str,
    pub kind: Kind,
    /// Vertices and undirected edges in millions, as the paper writes them.
    pub paper: Option<[&'static str; 2]>,
    /// What it gets of the time, relative to others: a level takes a GPU as long as thousands of
    /// edges, and roads have thousands of levels.
    pub weight: u64,
    /// What files of the real graph are called, without the suffix of a compression.
    files: &'static [&'static str],
    /// What generates it, or stands in for it.
    spec: &'static str,
    /// A small graph of its kind.
    quick: Option<&'static str>,
}

const fn lattice(
    name: &'static str,
    kind: Kind,
    paper: [&'static str; 2],
    weight: u64,
    spec: &'static str,
    quick: Option<&'static str>,
) -> Described {
    Described { name, kind, paper: Some(paper), weight, files: &[], spec, quick }
}

const fn hundredfold(
    name: &'static str,
    weight: u64,
    spec: &'static str,
    quick: &'static str,
) -> Described {
    let (paper, files, kind): (_, &[_], _) = (None, &[], Kind::Hundredfold);
    Described { name, kind, paper, weight, files, spec, quick: Some(quick) }
}

const fn road(
    name: &'static str,
    paper: [&'static str; 2],
    weight: u64,
    files: &'static [&'static str],
    spec: &'static str,
    quick: Option<&'static str>,
) -> Described {
    Described { name, kind: Kind::Road, paper: Some(paper), weight, files, spec, quick }
}

use Kind::{Irregular, Regular};

/// Small graphs first, so that there is something of each kind if time is short.
pub const GRAPHS: [Described; 28] = [
    lattice(
        "regular 1",
        Regular,
        ["1", "3"],
        8,
        "lattice:rows=1000,cols=1000,degree=6",
        Some("lattice:rows=24,cols=25,degree=6"),
    ),
    lattice(
        "irregular 1",
        Irregular,
        ["1", "3.46"],
        5,
        "lattice:rows=1000,cols=1000,degree=6,hubs=1,hubdegree=460",
        Some("lattice:rows=24,cols=25,degree=6,hubs=5,hubdegree=90"),
    ),
    hundredfold(
        "hundredfold 1",
        5,
        "lattice:rows=1000,cols=1000,degree=6,hubs=1",
        "lattice:rows=24,cols=25,degree=6,hubs=5,hubdegree=200",
    ),
    road(
        "NY",
        ["0.264", "0.366"],
        6,
        &["NY.gr", "USA-road-d.NY.gr"],
        "grid:rows=514,cols=514,drop=308",
        Some("grid:rows=20,cols=20,drop=300"),
    ),
    road(
        "FLA",
        ["1", "1.3"],
        10,
        &["FLA.gr", "USA-road-d.FLA.gr"],
        "grid:rows=1034,cols=1034,drop=371",
        None,
    ),
    road(
        "NE",
        ["1.5", "1.9"],
        12,
        &["NE.gr", "USA-road-d.NE.gr"],
        "grid:rows=1234,cols=1235,drop=365",
        Some("grid:rows=25,cols=26,drop=300"),
    ),
    lattice(
        "regular 2",
        Regular,
        ["1", "4"],
        8,
        "lattice:rows=1000,cols=1000,degree=8",
        Some("lattice:rows=20,cols=20,degree=8"),
    ),
    lattice(
        "irregular 2",
        Irregular,
        ["1", "4.48"],
        5,
        "lattice:rows=1000,cols=1000,degree=8,hubs=1,hubdegree=485",
        None,
    ),
    hundredfold(
        "hundredfold 2",
        5,
        "lattice:rows=1000,cols=1000,degree=8,hubs=1",
        "lattice:rows=20,cols=20,degree=8,hubs=5,hubdegree=200",
    ),
    lattice(
        "regular 3",
        Regular,
        ["1", "6"],
        8,
        "lattice:rows=1000,cols=1000,degree=12",
        Some("lattice:rows=20,cols=20,degree=12"),
    ),
    lattice(
        "irregular 3",
        Irregular,
        ["1", "6.34"],
        5,
        "lattice:rows=1000,cols=1000,degree=12,hubs=1,hubdegree=350",
        None,
    ),
    hundredfold(
        "hundredfold 3",
        5,
        "lattice:rows=1000,cols=1000,degree=12,hubs=1",
        "lattice:rows=20,cols=20,degree=12,hubs=5,hubdegree=200",
    ),
    lattice(
        "regular 4",
        Regular,
        ["1", "8"],
        8,
        "lattice:rows=1000,cols=1000,degree=16",
        Some("lattice:rows=20,cols=20,degree=16"),
    ),
    lattice(
        "irregular 4",
        Irregular,
        ["1", "8.44"],
        5,
        "lattice:rows=1000,cols=1000,degree=16,hubs=1,hubdegree=458",
        Some("lattice:rows=20,cols=20,degree=16,hubs=5,hubdegree=90"),
    ),
    hundredfold(
        "hundredfold 4",
        5,
        "lattice:rows=1000,cols=1000,degree=16,hubs=1",
        "lattice:rows=20,cols=20,degree=16,hubs=5,hubdegree=200",
    ),
    road(
        "USA",
        ["23", "29.16"],
        70,
        &["USA.gr", "USA-road-d.USA.gr"],
        "grid:rows=4893,cols=4894,drop=391",
        None,
    ),
    lattice("regular 5", Regular, ["5", "15"], 25, "lattice:rows=2000,cols=2500,degree=6", None),
    lattice(
        "irregular 5",
        Irregular,
        ["5", "17.49"],
        15,
        "lattice:rows=2000,cols=2500,degree=6,hubs=1,hubdegree=500",
        None,
    ),
    lattice("regular 6", Regular, ["5", "20"], 25, "lattice:rows=2000,cols=2500,degree=8", None),
    lattice(
        "irregular 6",
        Irregular,
        ["5", "22.38"],
        15,
        "lattice:rows=2000,cols=2500,degree=8,hubs=1,hubdegree=479",
        None,
    ),
    lattice("regular 7", Regular, ["5", "30"], 25, "lattice:rows=2000,cols=2500,degree=12", None),
    lattice(
        "irregular 7",
        Irregular,
        ["5", "32.44"],
        15,
        "lattice:rows=2000,cols=2500,degree=12,hubs=1,hubdegree=493",
        None,
    ),
    lattice("regular 8", Regular, ["5", "40"], 25, "lattice:rows=2000,cols=2500,degree=16", None),
    lattice(
        "irregular 8",
        Irregular,
        ["5", "42.32"],
        15,
        "lattice:rows=2000,cols=2500,degree=16,hubs=1,hubdegree=472",
        None,
    ),
    lattice("regular 9", Regular, ["10", "30"], 40, "lattice:rows=2500,cols=4000,degree=6", None),
    lattice(
        "irregular 9",
        Irregular,
        ["10", "34.98"],
        25,
        "lattice:rows=2500,cols=4000,degree=6,hubs=1,hubdegree=499",
        None,
    ),
    lattice("regular 10", Regular, ["10", "40"], 40, "lattice:rows=2500,cols=4000,degree=8", None),
    lattice(
        "irregular 10",
        Irregular,
        ["10", "45.92"],
        25,
        "lattice:rows=2500,cols=4000,degree=8,hubs=1,hubdegree=594",
        None,
    ),
];

/// The seed of sources.
const SEED: u64 = 1;
/// Sources that are tried until one reaches half of the graph.
const TRIED: usize = 64;

/// A graph to search, with what is found.
pub struct Used {
    pub described: &'static Described,
    /// Where it comes from.
    pub origin: String,
    pub graph: Graph<()>,
    pub source: VertexId,
    /// The level of each vertex, by the sequential search.
    pub levels: Vec<u32>,
    /// How many vertices each level has.
    pub frontiers: Vec<u32>,
}

impl Used {
    /// Reads or generates a graph, and searches it; none if a quick run leaves it out.
    pub fn open(
        described: &'static Described,
        data: Option<&Path>,
        quick: bool,
    ) -> Result<Option<Self>, ReplicationError> {
        let (origin, graph) = match described.load(data, quick)? {
            Some(loaded) => loaded,
            None => return Ok(None),
        };
        let mut search = Search::new(graph.out());
        let mut source = 0;
        // The largest component has most vertices in all of these graphs; a grid with holes has
        // small ones beside it.
        for tried in sources(&graph, SEED, TRIED) {
            source = tried;
            search.reset();
            search.run(tried);
            if 2 * search.reached() >= u64::from(graph.vertex_count()) {
                break;
            }
        }
        let (levels, frontiers) = (search.levels().to_vec(), search.frontiers());
        Ok(Some(Self { described, origin, graph, source, levels, frontiers }))
    }

    /// Undirected edges. No graph has self-loops.
    pub fn edges(&self) -> u64 {
        self.graph.edge_count() / 2
    }

    /// Neighbours of an average vertex.
    pub fn mean_degree(&self) -> f64 {
        self.graph.edge_count() as f64 / f64::from(self.graph.vertex_count().max(1))
    }

    /// Neighbours of the vertex that has most.
    pub fn largest_degree(&self) -> u64 {
        let rows = self.graph.out();
        (0..rows.vertex_count()).map(|v| rows.degree(v)).max().unwrap_or(0)
    }
}

impl Described {
    /// Where the graph comes from, and the graph.
    fn load(
        &self,
        data: Option<&Path>,
        quick: bool,
    ) -> Result<Option<(String, Graph<()>)>, ReplicationError> {
        let file = data.filter(|_| !quick).and_then(|folder| find(folder, "road", self.files));
        if let Some(path) = file {
            // The challenge's files list every edge in both directions.
            let options = LoadOptions::default()
                .with_directed(false)
                .with_duplicates(Duplicates::First)
                .with_self_loops(SelfLoops::Drop);
            let graph = io::load(&path, &options)?.graph.plain();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Some((format!("file {name}"), graph)));
        }
        let Some(spec) = (if quick { self.quick } else { Some(self.spec) }) else {
            return Ok(None);
        };
        let origin = match self.kind {
            Kind::Road => format!("stand-in {spec}"),
            _ => spec.to_owned(),
        };
        Ok(Some((origin, spec.parse::<Spec>()?.plain()?)))
    }
}

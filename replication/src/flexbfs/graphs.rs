//! The graphs of the paper: lattices, which are generated, and roads, for which grids stand in
//! where their files are missing.

use std::path::Path;
use std::sync::LazyLock;

use pregel_core::graph::generate::{Spec, sources};
use pregel_core::graph::{Duplicates, Graph, SelfLoops};
use pregel_core::io::{self, LoadOptions};
use pregel_core::program::VertexId;

use super::sequential::Search;
use crate::ReplicationError;
use crate::check::largest_out_degree;
use crate::data::{find, origin};

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
    pub name: String,
    pub kind: Kind,
    /// Vertices and undirected edges in millions, as the paper writes them.
    pub paper: Option<[&'static str; 2]>,
    /// What it gets of the time, relative to others: a level takes a GPU as long as thousands of
    /// edges, and roads have thousands of levels.
    pub weight: u64,
    /// What files of the real graph are called, without the suffix of a compression.
    files: Vec<String>,
    /// What generates it, or stands in for it.
    spec: String,
    /// A small graph of its kind, for quick runs.
    quick: Option<String>,
}

/// The lattices of one size and degree.
struct Lattices {
    rows: u32,
    cols: u32,
    degree: u32,
    /// Edges from each of the hubs, one vertex in a thousand, that give the paper's number.
    hub_degree: u32,
    /// As the paper writes them: vertices, edges of the regular lattice, and of that with hubs.
    paper: [&'static str; 3],
}

const fn lattices(
    [rows, cols]: [u32; 2],
    degree: u32,
    hub_degree: u32,
    paper: [&'static str; 3],
) -> Lattices {
    Lattices { rows, cols, degree, hub_degree, paper }
}

/// One million vertices.
const SMALL: [u32; 2] = [1000, 1000];
/// Five.
const MIDDLE: [u32; 2] = [2000, 2500];
/// Ten.
const LARGE: [u32; 2] = [2500, 4000];

/// The lattices of Table 1, in its order.
const LATTICES: [Lattices; 10] = [
    lattices(SMALL, 6, 460, ["1", "3", "3.46"]),
    lattices(SMALL, 8, 485, ["1", "4", "4.48"]),
    lattices(SMALL, 12, 350, ["1", "6", "6.34"]),
    lattices(SMALL, 16, 458, ["1", "8", "8.44"]),
    lattices(MIDDLE, 6, 500, ["5", "15", "17.49"]),
    lattices(MIDDLE, 8, 479, ["5", "20", "22.38"]),
    lattices(MIDDLE, 12, 493, ["5", "30", "32.44"]),
    lattices(MIDDLE, 16, 472, ["5", "40", "42.32"]),
    lattices(LARGE, 6, 499, ["10", "30", "34.98"]),
    lattices(LARGE, 8, 594, ["10", "40", "45.92"]),
];

/// The lattices that also have hubs of 100 times the degree, and small lattices for quick runs:
/// those of one million vertices.
const MORE: usize = 4;

impl Lattices {
    /// Those of number `number` of the table, from 0.
    fn described(&self, number: usize) -> Vec<Described> {
        let Self { rows, cols, degree, hub_degree, paper } = self;
        let spec = format!("lattice:rows={rows},cols={cols},degree={degree}");
        let quick = format!("lattice:rows=20,cols=25,degree={degree}");
        let millions = u64::from(rows * cols / 1_000_000);
        let more = number < MORE;
        let of = |kind: Kind, name: &str, edges: Option<&'static str>, weight, hubs: String| {
            let quick_hubs = match kind {
                Kind::Irregular => format!(",hubs=5,hubdegree={}", 12 * degree),
                Kind::Hundredfold => ",hubs=5,hubdegree=250".to_owned(),
                _ => String::new(),
            };
            Described {
                name: format!("{name} {}", number + 1),
                kind,
                paper: edges.map(|edges| [paper[0], edges]),
                weight,
                files: Vec::new(),
                spec: format!("{spec}{hubs}"),
                quick: more.then(|| format!("{quick}{quick_hubs}")),
            }
        };
        // Lattices with hubs have few levels.
        let hubs = format!(",hubs=1,hubdegree={hub_degree}");
        let mut all = vec![
            of(Kind::Regular, "regular", Some(paper[1]), 4 + 4 * millions, String::new()),
            of(Kind::Irregular, "irregular", Some(paper[2]), 3 + 2 * millions, hubs),
        ];
        if more {
            let hubs = ",hubs=1".to_owned();
            all.push(of(Kind::Hundredfold, "hundredfold", None, 5, hubs));
        }
        all
    }
}

/// A road network.
fn road(
    name: &str,
    paper: [&'static str; 2],
    weight: u64,
    spec: &str,
    quick: Option<&str>,
) -> Described {
    Described {
        name: name.to_owned(),
        kind: Kind::Road,
        paper: Some(paper),
        weight,
        files: vec![format!("{name}.gr"), format!("USA-road-d.{name}.gr")],
        spec: spec.to_owned(),
        quick: quick.map(str::to_owned),
    }
}

/// All graphs, small ones first, so that there is something of each kind if time is short.
pub static GRAPHS: LazyLock<Vec<Described>> = LazyLock::new(|| {
    let [ny, ne] = ["grid:rows=20,cols=20,drop=300", "grid:rows=25,cols=26,drop=300"];
    let [first, rest @ ..] = &LATTICES;
    let mut all = first.described(0);
    all.extend([
        road("NY", ["0.264", "0.366"], 6, "grid:rows=514,cols=514,drop=308", Some(ny)),
        road("FLA", ["1", "1.3"], 10, "grid:rows=1034,cols=1034,drop=371", None),
        road("NE", ["1.5", "1.9"], 12, "grid:rows=1234,cols=1235,drop=365", Some(ne)),
    ]);
    let rest = (1..).zip(rest).flat_map(|(number, lattices)| lattices.described(number));
    all.extend(rest);
    // After the lattices of one million vertices.
    let place = all.len() - 2 * (LATTICES.len() - MORE);
    let usa = road("USA", ["23", "29.16"], 70, "grid:rows=4893,cols=4894,drop=391", None);
    all.insert(place, usa);
    all
});

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
        largest_out_degree(&self.graph)
    }
}

impl Described {
    /// Where the graph comes from, and the graph.
    fn load(
        &self,
        data: Option<&Path>,
        quick: bool,
    ) -> Result<Option<(String, Graph<()>)>, ReplicationError> {
        let file = data.filter(|_| !quick).and_then(|folder| find(folder, "road", &self.files));
        if let Some(path) = file {
            // The challenge's files list every edge in both directions.
            let options = LoadOptions::default()
                .with_directed(false)
                .with_duplicates(Duplicates::First)
                .with_self_loops(SelfLoops::Drop);
            let graph = io::load(&path, &options)?.graph.plain();
            return Ok(Some((origin(&path), graph)));
        }
        let spec = if quick { self.quick.as_ref() } else { Some(&self.spec) };
        let Some(spec) = spec else {
            return Ok(None);
        };
        let origin = match self.kind {
            Kind::Road => format!("stand-in {spec}"),
            _ => spec.clone(),
        };
        Ok(Some((origin, spec.parse::<Spec>()?.plain()?)))
    }
}

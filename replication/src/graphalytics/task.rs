//! The six algorithms, and what a data set's properties say of their runs.

use pregel_core::graph::Ids;
use pregel_core::io::LoadError;
use pregel_core::io::graphalytics::Properties;
use pregel_core::program::VertexId;

/// An algorithm of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Bfs,
    Cdlp,
    Lcc,
    PageRank,
    Sssp,
    Wcc,
}

/// An algorithm with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// From this vertex, by the user's id.
    Bfs {
        source: u64,
    },
    Cdlp {
        iterations: u32,
    },
    Lcc,
    PageRank {
        damping: f64,
        iterations: u32,
    },
    /// From this vertex, by the user's id.
    Sssp {
        source: u64,
    },
    Wcc,
}

/// The key of the list of algorithms.
const ALGORITHMS: &str = "algorithms";
/// What the errors about sources expect.
const SOURCE: &str = "the id of a vertex";
const ITERATIONS: &str = "a whole number below 2^32";

impl Algorithm {
    /// In the order of the report.
    pub const ALL: [Self; 6] =
        [Self::Bfs, Self::Cdlp, Self::Lcc, Self::PageRank, Self::Sssp, Self::Wcc];

    /// As in the names of reference outputs.
    pub fn acronym(self) -> &'static str {
        match self {
            Self::Bfs => "BFS",
            Self::Cdlp => "CDLP",
            Self::Lcc => "LCC",
            Self::PageRank => "PR",
            Self::Sssp => "SSSP",
            Self::Wcc => "WCC",
        }
    }

    /// How the benchmark compares its results.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Bfs | Self::Cdlp => "exact",
            Self::Lcc | Self::PageRank | Self::Sssp => "epsilon",
            Self::Wcc => "equivalence",
        }
    }
}

impl Task {
    /// All that the properties ask for, in the order of [`Algorithm::ALL`].
    ///
    /// # Errors
    /// [`LoadError::Property`] for an unknown algorithm, and for a parameter that is missing or
    /// out of range.
    pub fn all(properties: &Properties) -> Result<Vec<Self>, LoadError> {
        let wrong = || properties.refuse(ALGORITHMS, "a list of bfs, cdlp, lcc, pr, sssp and wcc");
        let names = properties.algorithms.as_ref().filter(|names| !names.is_empty());
        let names = names.ok_or_else(wrong)?;
        let is = |name: &str, algorithm: &Algorithm| name.eq_ignore_ascii_case(algorithm.acronym());
        if !names.iter().all(|name| Algorithm::ALL.iter().any(|known| is(name, known))) {
            return Err(wrong());
        }
        let asked = |algorithm: &Algorithm| names.iter().any(|name| is(name, algorithm));
        let all = Algorithm::ALL.into_iter().filter(asked);
        all.map(|algorithm| Self::new(algorithm, properties)).collect()
    }

    fn new(algorithm: Algorithm, properties: &Properties) -> Result<Self, LoadError> {
        let source = |key, id: Option<u64>| id.ok_or_else(|| properties.refuse(key, SOURCE));
        let iterations = |key, count: Option<u64>| {
            let count = count.and_then(|count| u32::try_from(count).ok());
            count.ok_or_else(|| properties.refuse(key, ITERATIONS))
        };
        Ok(match algorithm {
            Algorithm::Bfs => Self::Bfs { source: source(BFS_SOURCE, properties.bfs_source)? },
            Algorithm::Cdlp => Self::Cdlp {
                iterations: iterations("cdlp.max-iterations", properties.cdlp_iterations)?,
            },
            Algorithm::Lcc => Self::Lcc,
            Algorithm::PageRank => {
                let damping = properties.pagerank_damping;
                let refuse = || properties.refuse("pr.damping-factor", "a number from 0 to 1");
                Self::PageRank {
                    damping: damping.ok_or_else(refuse)?,
                    iterations: iterations("pr.num-iterations", properties.pagerank_iterations)?,
                }
            }
            Algorithm::Sssp => {
                let Some(first) = properties.edge_properties.first() else {
                    return Err(properties.refuse("edge-properties.names", "the name of lengths"));
                };
                if properties.sssp_weight.as_ref().is_some_and(|name| name != first) {
                    let expected = "the first edge property, which alone is read";
                    return Err(properties.refuse("sssp.weight-property", expected));
                }
                Self::Sssp { source: source(SSSP_SOURCE, properties.sssp_source)? }
            }
            Algorithm::Wcc => Self::Wcc,
        })
    }

    /// Which it is.
    pub fn algorithm(self) -> Algorithm {
        match self {
            Self::Bfs { .. } => Algorithm::Bfs,
            Self::Cdlp { .. } => Algorithm::Cdlp,
            Self::Lcc => Algorithm::Lcc,
            Self::PageRank { .. } => Algorithm::PageRank,
            Self::Sssp { .. } => Algorithm::Sssp,
            Self::Wcc => Algorithm::Wcc,
        }
    }

    /// Where a search starts; 0 if the task is not a search.
    ///
    /// # Errors
    /// [`LoadError::Property`] if the graph has no such vertex.
    pub fn source(self, properties: &Properties, ids: &Ids) -> Result<VertexId, LoadError> {
        let (key, id) = match self {
            Self::Bfs { source } => (BFS_SOURCE, source),
            Self::Sssp { source } => (SSSP_SOURCE, source),
            _ => return Ok(0),
        };
        let expected = "the id of a vertex of the graph";
        ids.find_integer(id).ok_or_else(|| properties.refuse(key, expected))
    }
}

const BFS_SOURCE: &str = "bfs.source-vertex";
const SSSP_SOURCE: &str = "sssp.source-vertex";

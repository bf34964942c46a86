//! Options that are words, and what the library calls them.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use pregel_core::engine::gpu::{Choice, Mapping, Sort};
use pregel_core::engine::paths::Method;
use pregel_core::engine::{Strategy, VertexOrder};
use pregel_core::graph::{Duplicates, SelfLoops};
use pregel_core::io::{Format, Header, IdKind, Weights};
#[cfg(feature = "command")]
use pregel_replication::Paper;

/// Declares an enum of words, each with its help text and its value in the library.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident -> $to:ty { $($(#[$help:meta])* $word:ident = $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($(#[$help])* $word,)+ }

        impl From<$name> for $to {
            fn from(word: $name) -> $to {
                match word { $($name::$word => $value,)+ }
            }
        }
    };
}

words! {
    /// How messages travel.
    StrategyArg -> Strategy {
        /// The engine chooses for each superstep
        #[default] Auto = Strategy::Auto,
        /// Active vertices send along their edges
        Push = Strategy::Push,
        /// Vertices gather from their in-neighbours
        Pull = Strategy::Pull,
        /// Every message is kept until its vertex computes; none are combined on the way
        Mailbox = Strategy::Mailbox,
        /// As the system Medusa does it, as a baseline (cuda only)
        Medusa = Strategy::Mailbox,
    }
}

words! {
    /// The order in which the engine keeps the vertices.
    OrderArg -> VertexOrder {
        /// By degree where that pays: large graphs in which few vertices have most edges
        #[default] Auto = VertexOrder::Auto,
        /// As given: costs no time and no memory
        Given = VertexOrder::Given,
        /// By descending degree; costs a copy of the graph
        Degree = VertexOrder::Degree,
    }
}

words! {
    /// How the distances between all pairs are found.
    MethodArg -> Option<Method> {
        /// Floyd-Warshall, or on the CPU searches where they are expected to be cheaper
        #[default] Auto = None,
        /// Floyd-Warshall in blocks
        Floyd = Some(Method::FloydWarshall),
        /// Repeated squaring, slower by a logarithm
        Squaring = Some(Method::RepeatedSquaring),
        /// A search from every vertex (cpu only)
        Search = Some(Method::Search),
    }
}

#[cfg(feature = "command")]
words! {
    /// A paper whose tables and figures can be made again, or a benchmark.
    PaperArg -> Paper {
        /// The thesis PregelGPU, chapter 5; most of it takes a GPU
        #[default] Thesis = Paper::Thesis,
        /// Breadth-first search by queues on a GPU (FlexBFS, 2014); most of it takes a GPU
        Flexbfs = Paper::Flexbfs,
        /// Breadth-first search by the Graph500's rules (BSBB, 2020)
        Graph500 = Paper::Graph500,
        /// Paths between all pairs of vertices, on all cores and a GPU (OCL_SP)
        Apsp = Paper::Apsp,
        /// Soft priority, fused kernels, PageRank and components on one GPU (Groute, 2017)
        Groute = Paper::Groute,
        /// The six algorithms of LDBC Graphalytics on the data sets of a folder
        Graphalytics = Paper::Graphalytics,
    }
}

words! {
    /// Whether a GPU uses a technique that changes no result.
    SwitchArg -> Choice {
        /// Where it is expected to pay
        #[default] Auto = Choice::Auto,
        /// Wherever it is possible
        On = Choice::Always,
        /// Nowhere
        Off = Choice::Never,
    }
}

words! {
    /// A file format.
    FormatArg -> Format {
        /// Lines of two ids and an optional weight (SNAP, CSV, TSV)
        #[default] EdgeList = Format::EdgeList,
        /// Matrix Market
        #[value(alias = "mtx")] MatrixMarket = Format::MatrixMarket,
        /// DIMACS .gr
        #[value(alias = "gr")] Dimacs = Format::Dimacs,
        /// METIS
        Metis = Format::Metis,
        /// LDBC Graphalytics .v, .e, .properties
        Graphalytics = Format::Graphalytics,
        /// WebGraph's compressed .graph with its .properties
        #[value(name = "bvgraph")] BvGraph = Format::BvGraph,
        /// Parquet
        Parquet = Format::Parquet,
        /// The binary format of pregel, .pregel
        Snapshot = Format::Snapshot,
    }
}

words! {
    /// A file format that graphs are written in.
    SaveFormatArg -> Format {
        /// Lines of two ids and an optional weight (TSV, or CSV if OUT ends in .csv)
        #[default] EdgeList = Format::EdgeList,
        /// Matrix Market
        #[value(alias = "mtx")] MatrixMarket = Format::MatrixMarket,
        /// A table of edges, Parquet
        Parquet = Format::Parquet,
        /// The binary format of pregel, .pregel
        Snapshot = Format::Snapshot,
    }
}

words! {
    /// How ids in a text file are read.
    IdsArg -> IdKind {
        /// Integers, unless the first edge says otherwise
        #[default] Auto = IdKind::Auto,
        /// Non-negative 64-bit integers
        Integer = IdKind::Integer,
        /// Text, whatever it looks like
        Name = IdKind::Name,
    }
}

words! {
    /// Whether the first line of an edge list names its columns.
    HeaderArg -> Header {
        /// Found out from the first lines; a note says so
        #[default] Auto = Header::Auto,
        /// The first line names the columns
        Yes = Header::Yes,
        /// The first line is an edge
        No = Header::No,
    }
}

words! {
    /// Which edge weights to use.
    WeightsArg -> Weights {
        /// sssp: those of the file or the generator, otherwise 1 each. pagerank: those of the file
        /// if it has any. bfs, hcc, wcc, scc, cdlp, lcc, triangles, kcore: none
        #[default] Auto = Weights::Auto,
        /// Ignore weights
        None = Weights::None,
        /// Every edge weighs 1
        Unit = Weights::Unit,
    }
}

words! {
    /// What to do with several edges between the same two vertices.
    DuplicatesArg -> Duplicates {
        /// Keep all
        #[default] Keep = Duplicates::Keep,
        /// Keep the first
        First = Duplicates::First,
        /// Keep one, with the smallest weight
        Smallest = Duplicates::Smallest,
        /// Keep one, with the sum of the weights
        Sum = Duplicates::Sum,
    }
}

words! {
    /// What to do with edges from a vertex to itself.
    SelfLoopsArg -> SelfLoops {
        /// Keep them
        #[default] Keep = SelfLoops::Keep,
        /// Drop them
        Drop = SelfLoops::Drop,
    }
}

/// Which engine runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineArg {
    /// A GPU if there is one and the graph fits, otherwise all cores.
    #[default]
    Auto,
    /// All cores.
    Cpu,
    /// One thread and plain loops: slow, and easy to check by reading.
    Reference,
    /// The GPU with this number, counted from 0.
    Cuda(u32),
}

impl FromStr for EngineArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected auto, cpu, cuda, cuda:N or reference".to_owned();
        match text.split_once(':') {
            None => match text {
                "auto" => Ok(Self::Auto),
                "cpu" => Ok(Self::Cpu),
                "reference" => Ok(Self::Reference),
                "cuda" => Ok(Self::Cuda(0)),
                _ => Err(expected()),
            },
            Some(("cuda", number)) => number.parse().map(Self::Cuda).map_err(|_| expected()),
            Some(_) => Err(expected()),
        }
    }
}

impl fmt::Display for EngineArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Reference => f.write_str("reference"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

/// The sources of many searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcesArg {
    /// This many.
    Count(NonZeroUsize),
    /// Those in this file.
    File(PathBuf),
}

impl FromStr for SourcesArg {
    type Err = &'static str;

    /// A whole number is never a file; `./64` is.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with(|first: char| !matches!(first, '-' | '+'))
            && !text.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Ok(Self::File(text.into()));
        }
        let expected = "expected a whole number from 1, or a file of vertex ids";
        text.parse().map(Self::Count).map_err(|_| expected)
    }
}

/// How a GPU sorts vertices by degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortArg(pub Sort);

impl FromStr for SortArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = "expected none, log, linear:N, stable or exact";
        let approximate = |mapping, regions| Sort::Approximate { mapping, regions };
        match (text, text.strip_prefix("linear:")) {
            ("none", _) => Ok(Self(Sort::None)),
            ("log", _) => Ok(Self(approximate(Mapping::Logarithmic, 1))),
            ("stable", _) => Ok(Self(approximate(Mapping::Logarithmic, 1).stable())),
            ("exact", _) => Ok(Self(Sort::Exact)),
            (_, Some(regions)) => {
                let regions: u32 = regions.parse().map_err(|_| expected)?;
                Ok(Self(approximate(Mapping::Linear, regions)))
            }
            _ => Err(expected),
        }
    }
}

/// Number type of distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LengthsArg {
    /// Rounded; `inf` where there is no path
    #[default]
    F32,
    /// Whole numbers; 2147483647 where there is no path
    I32,
}

/// Number type of ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// 4 bytes per vertex, about 7 digits
    F32,
    /// 8 bytes per vertex, about 15 digits
    #[default]
    F64,
}

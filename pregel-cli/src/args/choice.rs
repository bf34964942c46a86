//! Words that stand for the options of the library.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use pregel_core::device::prepare::Mapping;
use pregel_core::engine::gpu::{Choice, Sort};
use pregel_core::engine::{Strategy, VertexOrder};
use pregel_core::graph::{Duplicates, SelfLoops};
use pregel_core::io::{Format, IdKind, Weights};

/// Declares an enum of words, each with its help and what it stands for.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident -> $to:ty { $($(#[$help:meta])* $word:ident = $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($(#[$help])* $word,)+ }

        impl From<$name> for $to {
            fn from(choice: $name) -> $to {
                match choice { $($name::$word => $value,)+ }
            }
        }
    };
}

choice! {
    /// How messages travel.
    StrategyChoice -> Strategy {
        /// The engine chooses, superstep by superstep
        #[default] Auto = Strategy::Auto,
        /// Active vertices send along their edges
        Push = Strategy::Push,
        /// Vertices gather from their neighbours
        Pull = Strategy::Pull,
        /// Every message is kept until its vertex computes
        Mailbox = Strategy::Mailbox,
        /// As the system Medusa does it, for comparison (cuda only)
        Medusa = Strategy::Medusa,
    }
}

choice! {
    /// The order in which the engine keeps the vertices.
    OrderChoice -> VertexOrder {
        /// By degree where that pays: large graphs with few highly connected vertices
        #[default] Auto = VertexOrder::Auto,
        /// As given: no time and no memory for another order
        Given = VertexOrder::Given,
        /// By falling degree; costs a copy of the graph
        Degree = VertexOrder::Degree,
    }
}

choice! {
    /// Whether a GPU does what changes no result.
    SwitchChoice -> Choice {
        /// Where it is expected to pay
        #[default] Auto = Choice::Auto,
        /// Wherever it is possible
        On = Choice::Always,
        /// Nowhere
        Off = Choice::Never,
    }
}

choice! {
    /// A file format.
    FormatChoice -> Format {
        /// Lines of two ids and perhaps a weight (SNAP, CSV, TSV)
        #[default] EdgeList = Format::EdgeList,
        /// Matrix Market
        #[value(alias = "mtx")] MatrixMarket = Format::MatrixMarket,
        /// DIMACS .gr
        #[value(alias = "gr")] Dimacs = Format::Dimacs,
        /// METIS
        Metis = Format::Metis,
        /// LDBC Graphalytics .v, .e, .properties
        Graphalytics = Format::Graphalytics,
        /// Parquet
        Parquet = Format::Parquet,
        /// This program's own binary format
        Snapshot = Format::Snapshot,
    }
}

choice! {
    /// How ids in a text file are read.
    IdChoice -> IdKind {
        /// Integers, unless the first edge says otherwise
        #[default] Auto = IdKind::Auto,
        /// Non-negative 64-bit integers
        Integer = IdKind::Integer,
        /// Names
        Name = IdKind::Name,
    }
}

choice! {
    /// Which edge weights to use.
    WeightsChoice -> Weights {
        /// sssp: the weights of a file if it has any, else 1; generated ones. pagerank: the
        /// weights of a file if it has any. bfs, hcc, wcc, cdlp: none
        #[default] Auto = Weights::Auto,
        /// Ignore weights
        None = Weights::None,
        /// Every edge weighs 1
        Unit = Weights::Unit,
    }
}

choice! {
    /// What becomes of several edges between the same vertices.
    DuplicatesChoice -> Duplicates {
        /// All stay
        #[default] Keep = Duplicates::Keep,
        /// The first stays
        First = Duplicates::First,
        /// One stays, with the smallest weight
        Smallest = Duplicates::Smallest,
        /// One stays, with the sum of the weights
        Sum = Duplicates::Sum,
    }
}

choice! {
    /// What becomes of edges from a vertex to itself.
    SelfLoopsChoice -> SelfLoops {
        /// They stay
        #[default] Keep = SelfLoops::Keep,
        /// They go
        Drop = SelfLoops::Drop,
    }
}

/// Which engine runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The fastest that this machine has.
    #[default]
    Auto,
    /// All cores.
    Cpu,
    /// One thread, plain loops: slow and easy to believe.
    Reference,
    /// The GPU of this number, from 0.
    Cuda(u32),
}

impl FromStr for EngineChoice {
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

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Reference => f.write_str("reference"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

/// How a GPU sorts vertices by degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortChoice(pub Sort);

impl FromStr for SortChoice {
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

/// Number type of ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// 4 bytes a vertex, about 7 digits
    F32,
    /// 8 bytes a vertex, about 15 digits
    #[default]
    F64,
}

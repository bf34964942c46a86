//! The tables and figures of the papers behind this project, made again.
//!
//! [`replicate`] validates, measures, and gives a [`Report`], in which every claim of the
//! paper stands beside our figure, with a verdict. [`Report::write`] makes files of it: one CSV
//! and one SVG for each item, and the whole as Markdown and as one HTML page.
//!
//! | [`Paper`] | source |
//! |---|---|
//! | `thesis` | *PregelGPU*, the thesis that this project began with; part of it takes a GPU |
//! | `flexbfs` | Liu Gu and others, *Study on Optimizing Techniques of Breadth-first Search Algorithm on Graphic Processing Unit*, 2014; most of it takes a GPU |
//! | `apsp` | Xiao Han and others, on paths between all pairs of vertices with OpenCL (OCL_SP) |
//! | `graphalytics` | LDBC Graphalytics, a benchmark: the data sets of a folder, which has no figures to compare with |
//! | `groute` | Tal Ben-Nun and others, *Groute: an asynchronous multi-GPU programming model for irregular computations*, PPoPP 2017, as far as it is about one GPU |
//! | `graph500` | Zhang Chenglong and others, *Optimization of graph algorithms for high-throughput computers* (BSBB), Journal of Computer Research and Development 57(6), 2020 |
#![forbid(unsafe_code)]
#![cfg_attr(
    not(any(feature = "cuda-12", feature = "cuda-13")),
    allow(dead_code, reason = "what measures on a GPU is then used by tests alone")
)]

mod apsp;
mod check;
mod data;
mod device;
mod flexbfs;
mod graph500;
mod graphalytics;
mod groute;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
mod kernels;
mod machine;
mod report;
mod statistics;
mod thesis;
mod timing;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use pregel_core::engine::RunError;
use pregel_core::engine::paths::PathsError;
use pregel_core::graph::BuildError;
use pregel_core::graph::generate::SpecError;
use pregel_core::io::{LoadError, SaveError};
use pregel_figures::DrawError;
use thiserror::Error;

pub use graph500::Broken;
pub use machine::Machine;
pub use report::{Axis, Cell, Claim, Figure, Item, Marks, Report, Series, Table, Verdict};

/// What can be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paper {
    /// The thesis *PregelGPU*, chapter 5.
    Thesis,
    /// Breadth-first search on a GPU (FlexBFS).
    Flexbfs,
    /// Breadth-first search by the rules of the Graph500 (BSBB).
    Graph500,
    /// Paths between all pairs of vertices (OCL_SP).
    Apsp,
    /// Soft priority and fused kernels on one GPU (Groute).
    Groute,
    /// The data sets of a folder, by the rules of LDBC Graphalytics.
    Graphalytics,
}

impl Paper {
    /// Every paper.
    pub const ALL: [Self; 6] =
        [Self::Thesis, Self::Flexbfs, Self::Graph500, Self::Apsp, Self::Groute, Self::Graphalytics];

    /// The name on the command line, and of the report's files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thesis => "thesis",
            Self::Flexbfs => "flexbfs",
            Self::Graph500 => "graph500",
            Self::Apsp => "apsp",
            Self::Groute => "groute",
            Self::Graphalytics => "graphalytics",
        }
    }
}

/// How much is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// A folder of real graphs. For the thesis, FlexBFS and Groute, generated ones stand in for
    /// those that are missing; Graphalytics needs the folder of its data sets.
    pub data: Option<PathBuf>,
    /// Small graphs and few runs: shows that everything works, and no more.
    pub quick: bool,
    /// Larger graphs are left out once they would take longer than this in all.
    pub budget: Duration,
    /// Whether what takes a GPU is measured.
    pub gpu: UseGpu,
}

/// Whether to use a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UseGpu {
    /// The first, if there is one. Otherwise the report says what was not measured.
    #[default]
    IfAny,
    /// None.
    Never,
    /// The one with this number, from 0; its absence is an error.
    Number(u32),
}

impl Default for Options {
    /// Everything, within nine minutes, on generated graphs and a GPU if there is one.
    fn default() -> Self {
        Self {
            data: None,
            quick: false,
            budget: Duration::from_secs(9 * 60),
            gpu: UseGpu::default(),
        }
    }
}

/// Why there is no report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplicationError {
    /// A graph could not be generated.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A graph could not be built.
    #[error("cannot build the graph")]
    Build(#[from] BuildError),
    /// An engine refused or failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A graph could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A graph has more edges than Medusa's slots can number.
    #[error("{edges} edges are more than 32-bit slots can number")]
    TooManyEdges {
        /// How many.
        edges: u64,
    },
    /// The edges of a graph were numbered wrongly.
    #[error("{graph}: two ways to number the edges differ")]
    Numbering {
        /// The graph.
        graph: &'static str,
    },
    /// A run on a GPU gave a wrong result.
    #[error("{graph}, {program}, {contender}: {vertices} vertices have a wrong result")]
    Differs {
        /// The graph.
        graph: String,
        /// What ran.
        program: String,
        /// How it ran.
        contender: String,
        /// How many differ.
        vertices: u64,
    },
    /// A GPU sorted wrongly.
    #[error("{keys}, sort {sort}: the order is wrong")]
    Unsorted {
        /// What was sorted.
        keys: String,
        /// How.
        sort: &'static str,
    },
    /// A GPU was asked for that this build cannot use.
    #[error("GPU {number}: built without GPU support; build with the feature cuda-12 or cuda-13")]
    WithoutGpus {
        /// Its number.
        number: u32,
    },
    /// Distances could not be found.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// A distance is wrong.
    #[error("{vertices} vertices, {contender}: the distance from {from} to {to} is wrong")]
    Distance {
        /// Number of vertices.
        vertices: u32,
        /// What found it.
        contender: String,
        /// Where it begins.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// A search gave a wrong tree.
    #[error("{graph}, {contender}: the search from vertex {source_vertex} is wrong: {broken}")]
    Wrong {
        /// The graph.
        graph: String,
        /// What searched it.
        contender: String,
        /// Where the search began.
        source_vertex: u32,
        /// The rule that does not hold.
        broken: Broken,
    },
    /// The graph has more vertices than can be numbered, with those that fill up the parts of
    /// the threads.
    #[error("{vertices} vertices are too many to deal them to threads")]
    TooLarge {
        /// How many places there would be.
        vertices: usize,
    },
    /// There is not even memory for the smallest graph.
    #[error("there is not enough memory for the smallest graph")]
    Memory,
    /// Threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// Graphalytics without the folder of its data sets.
    #[error("expected the folder of the data sets")]
    NoFolder,
    /// A folder of data sets could not be read.
    #[error("cannot read the folder {}", path.display())]
    Read {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder without a data set.
    #[error("{}: expected NAME.properties of a data set, found none, nor in its folders",
            path.display())]
    NoDataSet {
        /// The folder.
        path: PathBuf,
    },
    /// The folder for the report could not be made.
    #[error("cannot make the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the report could not be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A picture could not be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

/// Makes the tables and figures of `paper` again. `progress` hears what is being done.
///
/// # Errors
/// If a graph cannot be made, an engine fails, or a result is wrong. Nothing is reported then:
/// a figure of a wrong result means nothing. The benchmark Graphalytics reports wrong results as
/// such, without times: see [`Report::failures`].
pub fn replicate(
    paper: Paper,
    options: &Options,
    progress: &dyn Fn(&str),
) -> Result<Report, ReplicationError> {
    match paper {
        Paper::Thesis => thesis::replicate(options, progress),
        Paper::Flexbfs => flexbfs::replicate(options, progress),
        Paper::Graph500 => graph500::replicate(options, progress),
        Paper::Apsp => apsp::replicate(options, progress),
        Paper::Groute => groute::replicate(options, progress),
        Paper::Graphalytics => graphalytics::replicate(options, progress),
    }
}

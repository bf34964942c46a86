//! What the user may write; [`plan`](crate::plan) makes sense of it.

mod choice;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand};

pub use choice::{
    DuplicatesChoice, EngineChoice, FormatChoice, IdChoice, OrderChoice, Precision,
    SelfLoopsChoice, SortChoice, StrategyChoice, SwitchChoice, WeightsChoice,
};

use crate::algorithm::ALGORITHMS;

/// Runs vertex programs on graphs.
#[derive(Debug, Parser)]
#[command(name = "pregel", version, max_term_width = 100, after_help = OVERVIEW)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const OVERVIEW: &str = "\
Examples:
  pregel run pagerank web.txt                  the ten highest ranks
  pregel run bfs rmat:scale=20 --trials 5      time a search on a generated graph
  pregel run sssp roads.gr --source 1 --output distances.tsv
  pregel info web.txt --plot degrees.svg       what kind of graph is this?
  pregel convert web.txt web.pregel               a snapshot opens at once";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(Box<RunArgs>),
    Generate(GenerateArgs),
    Convert(ConvertArgs),
    Info(InfoArgs),
}

/// Run an algorithm on a graph
///
/// Without --output a short summary goes to stdout. With it, every vertex gets a line
/// `id<TAB>value`, in the order of the graph's ids.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// What to compute
    #[arg(value_name = "ALGO", value_parser = algorithm_names())]
    pub algorithm: String,

    /// Vertex to start from; the vertex to teleport to in pagerank. If absent, bfs and sssp take
    /// the vertex with the most out-edges (the first source of a generated graph) and say so
    #[arg(long, value_name = "ID", help_heading = "Algorithm")]
    pub source: Option<String>,
    /// Print the path to this vertex (bfs, sssp); implies --parents
    #[arg(long, value_name = "ID", help_heading = "Algorithm")]
    pub target: Option<String>,
    /// Add a column with the vertex before each on its path (bfs, sssp)
    #[arg(long, help_heading = "Algorithm")]
    pub parents: bool,
    /// Probability to follow an edge, 0 to 1 (pagerank) [default: 0.85]
    #[arg(long, value_name = "X", value_parser = fraction, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub damping: Option<f64>,
    /// Stop when the ranks move by less than this in sum (pagerank) [default: 1e-6]
    #[arg(long, value_name = "X", value_parser = not_negative, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Teleport by the weights in FILE, lines `id<TAB>weight` (pagerank)
    #[arg(long, value_name = "FILE", help_heading = "Algorithm")]
    pub personalize: Option<PathBuf>,
    /// Number type of the ranks (pagerank) [default: f64]
    #[arg(long, value_name = "TYPE", help_heading = "Algorithm")]
    pub precision: Option<Precision>,
    /// Width of a priority bucket (sssp) [default: from the edge weights]
    #[arg(long, value_name = "X", value_parser = positive, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub delta: Option<f32>,
    /// Stop after this many supersteps (not wcc) [default: 100 for pagerank, 10 for cdlp, else none]
    #[arg(long, value_name = "N", help_heading = "Algorithm")]
    pub supersteps: Option<u32>,

    /// Engine: cpu, cuda, cuda:N (GPU number N), reference (one thread, plain loops); auto is a
    /// GPU if there is one and the graph fits, else cpu
    #[arg(long, default_value_t, value_name = "ENGINE", help_heading = "Execution")]
    pub engine: EngineChoice,
    /// How messages travel; the results agree (not wcc)
    #[arg(long, value_enum, default_value_t, value_name = "STRATEGY", help_heading = "Execution")]
    pub strategy: StrategyChoice,
    /// Order in which the engine keeps the vertices; the results agree
    #[arg(long, value_enum, default_value_t, value_name = "ORDER", help_heading = "Execution")]
    pub order: OrderChoice,
    /// How a GPU sorts vertices by degree: none, log, linear:N into N regions, stable, exact
    /// [default: stable]
    #[arg(long, value_name = "HOW", help_heading = "GPU layout, to reproduce experiments")]
    pub gpu_sort: Option<SortChoice>,
    /// Vertices in a group of a GPU's message buffer, a power of two [default: 32]
    #[arg(long, value_name = "N", help_heading = "GPU layout, to reproduce experiments")]
    pub gpu_group: Option<u32>,
    /// Leave the messages of a hub to one thread of a GPU
    #[arg(long, help_heading = "GPU layout, to reproduce experiments")]
    pub gpu_whole_hubs: bool,
    /// Whether a GPU keeps the signals of the busiest senders in shared memory [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_hot: Option<SwitchChoice>,
    /// Whether messages go by way of bins on a GPU where every vertex scatters [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_bins: Option<SwitchChoice>,
    /// Whether launches stay on a GPU for many supersteps or rounds [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_resident: Option<SwitchChoice>,
    /// Same bits in every run, on any number of threads
    #[arg(long, help_heading = "Execution")]
    pub deterministic: bool,
    /// Run this many times on the same prepared graph
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Execution")]
    pub trials: NonZeroUsize,
    /// Check the result of every trial against what must hold of it
    #[arg(long, help_heading = "Execution")]
    pub verify: bool,

    /// Write one line a vertex: .tsv, .csv or .parquet, perhaps with .gz .xz .zst; - is stdout
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Write times, supersteps and messages as JSON
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Say on stderr what the engine chose, and why, superstep by superstep
    #[arg(long, help_heading = "Output")]
    pub explain: bool,

    #[command(flatten)]
    pub graph: GraphArgs,
}

const RUN_EXAMPLES: &str = "\
Examples:
  pregel run pagerank web.txt --output ranks.tsv
  pregel run pagerank web.txt --source 42           personalised: teleport to 42 only
  pregel run bfs rmat:scale=20 --trials 5 --report bfs.json
  pregel run sssp roads.gr --source 1 --target 900  the path from 1 to 900
  pregel run wcc web.txt --output - | cut -f2 | sort | uniq -c | sort -nr | head
  pregel run cdlp social.txt --undirected --supersteps 20

Exit codes: 0 done, 1 the run failed, 2 the command line makes no sense.";

/// Write a generated graph to a file
///
/// The same spec gives the same graph, bit for bit, on every machine.
#[derive(Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    /// What to generate
    #[arg(value_name = "SPEC")]
    pub spec: String,
    /// Where to: the format is found by the suffix
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Write the edge weights too
    #[arg(long)]
    pub weights: bool,
    /// Format of OUT, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub output_format: Option<FormatChoice>,
    #[command(flatten)]
    pub common: CommonArgs,
}

const GENERATE_EXAMPLES: &str = "\
Specs:
  rmat:scale=S[,ef=16][,seed=1][,perm=1]           2^S vertices, a power law
  uniform:n=N,m=M[,seed=1]                         M random edges
  grid:rows=R,cols=C[,drop=0][,seed=1]             road-like; drop is in thousandths
  and for each: [,sym=1][,dedup=1][,maxw=255][,wseed=SEED]

Examples:
  pregel generate rmat:scale=20 rmat20.pregel
  pregel generate grid:rows=100,cols=100,drop=50,maxw=1000 roads.mtx --weights";

/// Convert a graph from one format to another
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Where to: the format is found by the suffix
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Format of OUT, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub output_format: Option<FormatChoice>,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  pregel convert web.txt.gz web.pregel
  pregel convert friends.csv friends.mtx --undirected --duplicates first --self-loops drop
  pregel convert roads.gr roads.tsv --weights none";

/// Describe a graph: counts, degrees, components, weights
#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub struct InfoArgs {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Draw how the degrees are spread
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

const INFO_EXAMPLES: &str = "\
Examples:
  pregel info web.txt
  pregel info rmat:scale=16 --plot degrees.svg";

/// Which graph, and how to read it.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// A file, or a generated graph such as rmat:scale=20 (see `pregel generate --help`)
    #[arg(value_name = "GRAPH")]
    pub graph: String,
    /// Edges lead one way
    #[arg(long, conflicts_with = "undirected", help_heading = "Graph")]
    pub directed: bool,
    /// Edges lead both ways
    #[arg(long, help_heading = "Graph")]
    pub undirected: bool,
    /// Format of the file [default: found by content and name]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Graph")]
    pub input_format: Option<FormatChoice>,
    /// How vertex ids are read [default: auto]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Graph")]
    pub ids: Option<IdChoice>,
    /// Which edge weights to use
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", help_heading = "Graph")]
    pub weights: WeightsChoice,
    /// What becomes of several edges between the same vertices [default: keep]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Graph")]
    pub duplicates: Option<DuplicatesChoice>,
    /// What becomes of edges from a vertex to itself [default: keep]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Graph")]
    pub self_loops: Option<SelfLoopsChoice>,
    /// Most bytes that may come out of a compressed file; K, M, G, T multiply by 1024s
    /// [default: 64M and 256 times its size]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Graph")]
    pub max_decompressed: Option<u64>,
    /// Most vertices that the header of a file may promise [default: what its edges make likely]
    #[arg(long, value_name = "N", help_heading = "Graph")]
    pub max_vertices: Option<u32>,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Threads for reading and running [default: one a core]
    #[arg(long, value_name = "N", help_heading = "Execution")]
    pub threads: Option<NonZeroUsize>,
    /// No notes, no progress: only what was asked for
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

fn algorithm_names() -> PossibleValuesParser {
    ALGORITHMS
        .iter()
        .map(|a| PossibleValue::new(a.name()).help(a.about()))
        .collect::<Vec<_>>()
        .into()
}

fn fraction(text: &str) -> Result<f64, String> {
    let x = number(text)?;
    if (0.0..=1.0).contains(&x) { Ok(x) } else { Err("must lie between 0 and 1".into()) }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let x = number(text)?;
    if x >= 0.0 { Ok(x) } else { Err("must not be negative".into()) }
}

fn positive(text: &str) -> Result<f32, String> {
    let x = number(text)? as f32;
    if x > 0.0 && x.is_finite() { Ok(x) } else { Err("must be greater than 0".into()) }
}

fn size(text: &str) -> Result<u64, String> {
    let text = text.to_ascii_uppercase();
    let (digits, shift) = [("K", 10), ("M", 20), ("G", 30), ("T", 40)]
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)))
        .unwrap_or((&text, 0));
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a size such as 500000, 64M or 4G".into())
}

fn number(text: &str) -> Result<f64, String> {
    let x: Option<f64> = text.parse().ok();
    x.filter(|x| x.is_finite()).ok_or_else(|| "not a number".into())
}

//! What the user wrote; a [`job`](crate::job) makes sense of it.

mod commands;
mod numbers;
mod words;

use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use pregel_core::io::Columns;

#[cfg(feature = "command")]
pub use commands::{BenchArgs, CompletionsArgs, FetchArgs, ManArgs};
pub use commands::{CompareArgs, ConvertArgs, GenerateArgs, InfoArgs, NewArgs};
#[cfg(feature = "command")]
pub use words::PaperArg;
pub use words::{
    DuplicatesArg, EngineArg, FormatArg, HeaderArg, IdsArg, LengthsArg, MethodArg, OrderArg,
    Precision, SaveFormatArg, SelfLoopsArg, SortArg, SourcesArg, StrategyArg, SwitchArg,
    WeightsArg,
};

use crate::facts::{Facts, Param};
use crate::usage::UsageError;

/// Reads the words of a command line, of which the first is the program's
/// name; `algorithms` are those that can be run.
///
/// # Errors
/// What clap says of a command line that it cannot read, or help if that was
/// asked for.
pub fn parse(
    words: impl IntoIterator<Item = OsString>,
    algorithms: &[Facts],
) -> Result<Cli, clap::Error> {
    let command = command(algorithms);
    let read = |words| Cli::from_arg_matches(&command.try_get_matches_from(words)?);
    read(words).map_err(|error| suggest_run(error, algorithms))
}

/// Reads an algorithm with options of `pregel run`, separated by white space. The graph comes from
/// elsewhere, and so does the engine if one is given: the result has no graph worth the name.
///
/// # Errors
/// If `pregel run` does not take these words, or if they are about the graph.
pub fn parse_run(
    text: &str,
    engine: Option<EngineArg>,
    algorithms: &[Facts],
) -> Result<RunArgs, UsageError> {
    let refused = |why: &str| UsageError::new(format!("--fits '{text}': {why}"));
    let explain = |error: clap::Error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => refused("expected an algorithm"),
        _ => {
            let text = error.to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            refused(first.trim_start_matches("error: ").trim_end())
        }
    };
    if text.trim().is_empty() {
        return Err(refused("expected an algorithm"));
    }
    let engine = engine.map(|engine| ["--engine".to_owned(), engine.to_string()]);
    let words = ["pregel", "run"].into_iter().chain(text.split_whitespace()).map(str::to_owned);
    let words = words.chain(engine.into_iter().flatten()).chain(["GRAPH".to_owned()]);
    let matches = command(algorithms).try_get_matches_from(words).map_err(explain)?;
    if let Some(run) = matches.subcommand_matches("run") {
        let about_graphs = GraphArgs::augment_args(clap::Command::new("graph"));
        let given = about_graphs.get_arguments().find(|arg| {
            let id = arg.get_id().as_str();
            id != "graph" && run.value_source(id) == Some(ValueSource::CommandLine)
        });
        if let Some(arg) = given {
            let option = arg.get_long().unwrap_or_default();
            return Err(refused(&format!("--{option} is an option of pregel info: give it there")));
        }
    }
    match Cli::from_arg_matches(&matches).map_err(explain)?.command {
        Command::Run(args) => Ok(*args),
        _ => Err(refused("expected an algorithm")),
    }
}

/// The whole command line; `algorithms` are those that can be run.
pub fn command(algorithms: &[Facts]) -> clap::Command {
    let names: PossibleValuesParser = algorithms
        .iter()
        .map(|algorithm| PossibleValue::new(algorithm.name).help(algorithm.about))
        .collect::<Vec<_>>()
        .into();
    // `mut_subcommand` and `mut_arg` would move what they change to the end.
    Cli::command().mut_subcommands(|command| {
        command.mut_args(|arg| match arg.get_id().as_str() {
            "algorithm" => arg.value_parser(names.clone()),
            _ => arg,
        })
    })
}

/// Tells a user who leaves `run` out, as in `pregel bfs web.txt`, to add it.
fn suggest_run(mut error: clap::Error, algorithms: &[Facts]) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(algorithm) = algorithms.iter().find(|algorithm| algorithm.name == *word)
    {
        let tip = format!("{0} is an algorithm: 'pregel run {0} <GRAPH>' runs it", algorithm.name);
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Run graph algorithms on graph files and generated graphs
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
  pregel convert web.txt web.pregel            make a snapshot, which loads faster";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(Box<RunArgs>),
    Generate(GenerateArgs),
    #[cfg(feature = "command")]
    Fetch(FetchArgs),
    Convert(ConvertArgs),
    Info(InfoArgs),
    Compare(CompareArgs),
    #[cfg(feature = "command")]
    Bench(BenchArgs),
    New(NewArgs),
    #[cfg(feature = "command")]
    Completions(CompletionsArgs),
    #[cfg(feature = "command")]
    Man(ManArgs),
    /// Print the book's chapter about the command line, for those who change it
    #[cfg(feature = "command")]
    #[command(hide = true)]
    Reference,
}

/// Run an algorithm on a graph
///
/// Prints a short summary. With --output it writes one line for each vertex instead,
/// `id<TAB>value`, in the order of the graph's ids.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// The algorithm to run
    #[arg(value_name = "ALGO")]
    pub algorithm: String,

    #[command(flatten)]
    pub params: ParamArgs,
    #[command(flatten)]
    pub run: ExecuteArgs,
}

/// Parameters that only some algorithms take.
#[derive(Debug, Default, Args)]
pub struct ParamArgs {
    /// Vertex to start from (bfs, sssp, widest, apsp) or to teleport to (pagerank). Without it, bfs,
    /// sssp and widest start from the vertex with the most out-edges, or from the first source of a generated
    /// graph, and say which it is
    #[arg(long, value_name = "ID", help_heading = "Algorithm")]
    pub source: Option<String>,
    /// Search from many vertices (bfs, sssp, closeness, harmonic): from this many, chosen by the seed of a generated
    /// graph, or from those in a file, one id per line. For bfs and sssp, one column per source
    /// is written
    #[arg(
        long,
        value_name = "N|FILE",
        help_heading = "Algorithm",
        conflicts_with = "verify_against"
    )]
    pub sources: Option<SourcesArg>,
    /// Print the path to this vertex (bfs, sssp, apsp); implies --parents
    #[arg(long, value_name = "ID", help_heading = "Algorithm")]
    pub target: Option<String>,
    /// Add a column with each vertex's predecessor on its path (bfs, sssp)
    #[arg(long, help_heading = "Algorithm")]
    pub parents: bool,
    /// Probability of following an edge, 0 to 1 (pagerank) [default: 0.85]
    #[arg(long, value_name = "X", value_parser = numbers::fraction, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub damping: Option<f64>,
    /// Stop when the changes of all values sum to less than this (pagerank, katz, eigenvector)
    /// [default: 1e-6]
    #[arg(long, value_name = "X", value_parser = numbers::not_negative, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Teleport by the weights in FILE, lines of `id<TAB>weight` (pagerank)
    #[arg(long, value_name = "FILE", help_heading = "Algorithm")]
    pub personalize: Option<PathBuf>,
    /// Number type of the ranks (pagerank) [default: f64]
    #[arg(long, value_name = "TYPE", help_heading = "Algorithm")]
    pub precision: Option<Precision>,
    /// Width of a priority bucket (sssp) [default: estimated from the edge weights]
    #[arg(long, value_name = "X", value_parser = numbers::positive, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub delta: Option<f32>,
    /// Write the distances from these vertices only, in this order (apsp)
    #[arg(long, value_name = "IDS", value_delimiter = ',', help_heading = "Algorithm")]
    pub rows: Option<Vec<String>>,
    /// Number type of the distances (apsp) [default: f32]
    #[arg(long, value_enum, value_name = "TYPE", help_heading = "Algorithm")]
    pub lengths: Option<LengthsArg>,
    /// How the distances are found (apsp) [default: auto]
    #[arg(long, value_enum, value_name = "METHOD", help_heading = "Algorithm")]
    pub method: Option<MethodArg>,
    /// Side of the tiles in which a GPU squares the matrix: 4, 8, 16 or 32 (apsp) [default: 16]
    #[arg(long, value_name = "N", value_parser = numbers::whole, help_heading = "Algorithm")]
    pub tile: Option<u32>,
    /// Which random order of the vertices (mis, colouring) [default: 1]
    #[arg(long, value_name = "N", value_parser = numbers::whole, help_heading = "Algorithm")]
    pub seed: Option<u32>,
    /// How much one edge more weakens a walk (katz) [default: 0.9 divided by the largest in-degree]
    #[arg(long, value_name = "X", value_parser = numbers::positive, help_heading = "Algorithm",
          allow_negative_numbers = true)]
    pub attenuation: Option<f32>,
}

/// How any program is run, on which graph, and what is written.
#[derive(Debug, Args)]
pub struct ExecuteArgs {
    /// Stop after this many supersteps (all but wcc, lcc, triangles and apsp) [default: 100 for
    /// pagerank, 1000 for katz and eigenvector, 10 for cdlp, no limit for the others]
    #[arg(long, value_name = "N", value_parser = numbers::whole, help_heading = "Algorithm")]
    pub supersteps: Option<u32>,

    /// What runs it: cpu (all cores), cuda or cuda:N (GPU number N), reference (one thread, plain
    /// loops; all but wcc, lcc, triangles and apsp), or auto: a GPU if there is one and the graph
    /// fits, otherwise cpu
    #[arg(long, default_value_t, value_name = "ENGINE", help_heading = "Execution")]
    pub engine: EngineArg,
    /// How messages travel; the results agree (all but wcc, lcc, triangles and apsp)
    #[arg(long, value_enum, default_value_t, value_name = "STRATEGY", help_heading = "Execution")]
    pub strategy: StrategyArg,
    /// The order in which the engine keeps the vertices; the results agree
    #[arg(long, value_enum, default_value_t, value_name = "ORDER", help_heading = "Execution")]
    pub order: OrderArg,
    /// Give the same bits in every run, with any number of threads
    #[arg(long, help_heading = "Execution")]
    pub deterministic: bool,
    /// Run this many times on the same prepared graph
    #[arg(long, value_name = "N", default_value = "1", value_parser = numbers::count,
          help_heading = "Execution")]
    pub trials: NonZeroUsize,
    /// Check the result of every trial against properties that a right result has
    #[arg(long, help_heading = "Execution")]
    pub verify: bool,
    /// Check the program first: that the CPU engine agrees with the reference under every
    /// strategy, on this graph and on small parts of it, that its combiner keeps the laws, and
    /// that it keeps its promises. Slow (vertex programs that are one run)
    #[arg(long, help_heading = "Execution")]
    pub check: bool,
    /// Compare the result with that in FILE, lines of `id<TAB>value` as this command or LDBC
    /// Graphalytics writes them: numbers to 1e-4 of themselves, components whatever they are
    /// called, anything else exactly (all but apsp)
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    pub verify_against: Option<PathBuf>,

    /// Save the run in this folder periodically, so that it can be resumed; the newest two
    /// checkpoints are kept (all but wcc, lcc, triangles and apsp)
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,
    /// Save the run every N supersteps
    #[arg(long, value_name = "N", value_parser = numbers::supersteps, help_heading = "Checkpoints")]
    pub every: Option<NonZeroU32>,
    /// Save the run every S seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = numbers::seconds, help_heading = "Checkpoints",
          allow_negative_numbers = true)]
    pub every_seconds: Option<Duration>,
    /// Resume from the newest checkpoint in this folder. The graph, the algorithm and its
    /// parameters must be those of the saved run; the engine and --supersteps may change
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub resume: Option<PathBuf>,

    /// How a GPU sorts vertices by degree: none, log, linear:N (into N regions), stable, exact
    /// [default: stable]
    #[arg(long, value_name = "HOW", help_heading = "GPU layout, to reproduce experiments")]
    pub gpu_sort: Option<SortArg>,
    /// Vertices in a group of a GPU's message buffer, a power of two [default: 32]
    #[arg(long, value_name = "N", value_parser = numbers::whole,
          help_heading = "GPU layout, to reproduce experiments")]
    pub gpu_group: Option<u32>,
    /// Leave all messages of a hub to one GPU thread
    #[arg(long, help_heading = "GPU layout, to reproduce experiments")]
    pub gpu_whole_hubs: bool,
    /// Keep the signals of the busiest senders in a GPU's shared memory [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_hot: Option<SwitchArg>,
    /// Send messages through bins on a GPU in supersteps where every vertex scatters
    /// [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_bins: Option<SwitchArg>,
    /// Let a launch stay on the GPU for many supersteps or rounds [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_resident: Option<SwitchArg>,
    /// Run sssp and other programs with priorities in rounds, near vertices first; a launch per
    /// round with --gpu-resident off [default: as --gpu-resident]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        help_heading = "GPU layout, to reproduce experiments"
    )]
    pub gpu_priority: Option<SwitchArg>,

    /// Write one line for each vertex: .tsv, .csv or .parquet, the first two perhaps followed by
    /// .gz, .xz or .zst; - is stdout. apsp writes a square matrix, .npy
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Write times, supersteps and messages as JSON
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Write a page with charts of the supersteps, degrees, values, memory and choices; a browser
    /// opens it from the disk
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Print what happened to this vertex, superstep by superstep: the messages that came, its
    /// state before and after, its vote. The run that is followed is one on the CPU (vertex
    /// programs that are one run)
    #[arg(long, value_name = "ID", help_heading = "Output")]
    pub follow: Option<String>,
    /// Write the times as a timeline, which Perfetto and Chrome (chrome://tracing) open
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub trace: Option<PathBuf>,
    /// Explain on stderr what the engine chose, and why, superstep by superstep
    #[arg(long, help_heading = "Output")]
    pub explain: bool,

    #[command(flatten)]
    pub graph: GraphArgs,
}

impl ParamArgs {
    /// The parameters that are there, of those that only some algorithms take.
    pub fn given(&self) -> impl Iterator<Item = Param> {
        [
            (Param::Source, self.source.is_some()),
            (Param::Sources, self.sources.is_some()),
            (Param::Target, self.target.is_some()),
            (Param::Parents, self.parents),
            (Param::Damping, self.damping.is_some()),
            (Param::Tolerance, self.tolerance.is_some()),
            (Param::Personalize, self.personalize.is_some()),
            (Param::Precision, self.precision.is_some()),
            (Param::Delta, self.delta.is_some()),
            (Param::Rows, self.rows.is_some()),
            (Param::Lengths, self.lengths.is_some()),
            (Param::Method, self.method.is_some()),
            (Param::Tile, self.tile.is_some()),
            (Param::Seed, self.seed.is_some()),
            (Param::Attenuation, self.attenuation.is_some()),
        ]
        .into_iter()
        .filter_map(|(param, given)| given.then_some(param))
    }
}

const RUN_EXAMPLES: &str = "\
Examples:
  pregel run pagerank web.txt --output ranks.tsv
  pregel run pagerank web.txt --source 42           personalised: teleport to 42 only
  pregel run bfs rmat:scale=20 --trials 5 --report bfs.json
  pregel run sssp roads.gr --source 1 --target 900  the path from 1 to 900
  pregel run bfs web.txt --sources 64 --output levels.tsv    a column for each source
  pregel run wcc web.txt --output - | cut -f2 | sort | uniq -c | sort -nr | head
  pregel run apsp cities.gr --output distances.npy           all pairs, a square matrix
  pregel run cdlp social.txt --undirected --supersteps 20
  pregel run pagerank big.pregel --checkpoint saved              save it every minute
  pregel run pagerank big.pregel --checkpoint saved --resume saved    and go on

Exit codes: 0 success, 1 the run failed, 2 the command line makes no sense.";

/// Which graph, and how to read it.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// A file, or a generated graph such as rmat:scale=20 (see `pregel generate --help`)
    #[arg(value_name = "GRAPH")]
    pub graph: String,
    /// Take edges as directed, whatever the file says
    #[arg(long, conflicts_with = "undirected", help_heading = "Graph")]
    pub directed: bool,
    /// Take edges as undirected, whatever the file says
    #[arg(long, help_heading = "Graph")]
    pub undirected: bool,
    /// Format of the file [default: found by content and name]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Graph")]
    pub input_format: Option<FormatArg>,
    /// How vertex ids are read [default: auto]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Graph")]
    pub ids: Option<IdsArg>,
    /// Whether the first line of an edge list names its columns [default: auto]
    #[arg(long, value_enum, value_name = "WHETHER", help_heading = "Graph")]
    pub header: Option<HeaderArg>,
    /// The columns of an edge list or a Parquet table that hold the edges, by name or by number
    /// from 1, such as from,to,weight or 2,3 [default: found by name, otherwise the first ones]
    #[arg(long, value_name = "FROM,TO[,WEIGHT]", help_heading = "Graph")]
    pub columns: Option<Columns>,
    /// Which edge weights to use
    #[arg(long, value_enum, default_value_t, value_name = "WHICH", help_heading = "Graph")]
    pub weights: WeightsArg,
    /// What to do with several edges between the same two vertices [default: keep]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Graph")]
    pub duplicates: Option<DuplicatesArg>,
    /// What to do with edges from a vertex to itself [default: keep]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Graph")]
    pub self_loops: Option<SelfLoopsArg>,
    /// The largest size that a compressed file may unpack to; K, M, G and T are powers of 1024
    /// [default: 64M plus 256 times its size]
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, help_heading = "Graph")]
    pub max_decompressed: Option<u64>,
    /// The most vertices that a graph may have [default: no limit, but a header that announces
    /// more than 16,777,216 needs an edge for every 64]
    #[arg(long, value_name = "N", value_parser = numbers::whole, help_heading = "Graph")]
    pub max_vertices: Option<u32>,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Threads for reading and running [default: one per core]
    #[arg(long, value_name = "N", value_parser = numbers::threads, help_heading = "Execution")]
    pub threads: Option<NonZeroUsize>,
    /// Print only what was asked for: no notes, no progress
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

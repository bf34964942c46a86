//! What the subcommands other than `run` take.

use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "command")]
use clap::builder::PossibleValuesParser;

#[cfg(feature = "command")]
use super::PaperArg;
use super::{CommonArgs, EngineArg, GraphArgs, SaveFormatArg};
#[cfg(feature = "command")]
use crate::datasets::DATASETS;

/// Write a generated graph to a file
///
/// The same spec gives the same graph, bit for bit, on every machine.
#[derive(Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    /// What to generate
    #[arg(value_name = "SPEC")]
    pub spec: String,
    /// The file to write; its suffix chooses the format
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Write the edge weights too
    #[arg(long)]
    pub weighted: bool,
    /// Format of OUT, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub output_format: Option<SaveFormatArg>,
    #[command(flatten)]
    pub common: CommonArgs,
}

const GENERATE_EXAMPLES: &str = "\
Specs:
  rmat:scale=S[,ef=16|,m=M][,n=N][,perm=1]         2^S vertices, a power law
      [,a=.57,b=.19,c=.19,d=.05]                   its probabilities, all or none
  uniform:n=N,m=M                                  N vertices, M random edges
  grid:rows=R,cols=C[,drop=0]                      like roads; drops that many edges in 1000
  lattice:rows=R,cols=C,degree=6|8|12|16           neighbours in the plane
      [,hubs=0][,hubdegree=K]                      that many hubs in 1000, each with K more edges
  indegree:n=V,m=E,max=M,receivers=N,s=S,q=Q       N vertices with in-degrees from M down to 2
  and for each: [,seed=1][,sym=1][,dedup=1][,maxw=255][,wseed=SEED]
  (indegree has sym=0 and dedup=0 unless told otherwise)

Examples:
  pregel generate rmat:scale=20 rmat20.pregel
  pregel generate grid:rows=100,cols=100,drop=50,maxw=1000 roads.mtx --weighted";

/// Download a real graph that is known
///
/// Prints the path of the file, so that it can be an argument of another command. Without NAME,
/// lists the graphs. A file that is there already is checked and not downloaded again. Downloads
/// with curl or wget.
#[cfg(feature = "command")]
#[derive(Debug, Args)]
#[command(after_help = FETCH_EXAMPLES)]
pub struct FetchArgs {
    /// The graph
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(DATASETS.iter().map(|d| d.name)))]
    pub name: Option<String>,
    /// The folder of all graphs [default: the environment variable PREGEL_DATA, or
    /// $XDG_CACHE_HOME/pregel, or ~/.cache/pregel]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

#[cfg(feature = "command")]
const FETCH_EXAMPLES: &str = "\
Examples:
  pregel fetch                                 the graphs, and what to cite
  pregel run bfs $(pregel fetch wiki-Vote)
  pregel info $(pregel fetch ego-Facebook --folder graphs) --undirected";

/// Convert a graph from one format to another
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// The file to write; its suffix chooses the format
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    /// Format of OUT, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub output_format: Option<SaveFormatArg>,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  pregel convert web.txt.gz web.pregel
  pregel convert friends.csv friends.mtx --undirected --duplicates first --self-loops drop
  pregel convert roads.gr roads.tsv --weights none";

/// Describe a graph: counts, degrees, components, weights
///
/// With --fits, says how much memory a run would take instead. The graph is read as the run would
/// read it, but nothing is run.
#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub struct InfoArgs {
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Draw the distribution of the degrees as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Say how much memory `pregel run` would take for this, an algorithm and its options, and
    /// whether that much is available; if not, the exit code is 1
    #[arg(long, value_name = "ALGO OPTIONS", conflicts_with = "plot")]
    pub fits: Option<String>,
    /// What would run it: auto, cpu, cuda or cuda:N. A GPU need not be there [default: auto]
    #[arg(long, value_name = "ENGINE", requires = "fits")]
    pub engine: Option<EngineArg>,
}

const INFO_EXAMPLES: &str = "\
Examples:
  pregel info web.txt
  pregel info rmat:scale=16 --plot degrees.svg
  pregel info web.txt --fits 'pagerank --precision f32'
  pregel info web.txt --fits sssp --engine cuda         the GPU's memory, too";

/// Compare two runs by their reports
///
/// Prints what `pregel run --report` wrote of each, side by side.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// The report of one run
    #[arg(value_name = "A.json")]
    pub a: PathBuf,
    /// The report of the other
    #[arg(value_name = "B.json")]
    pub b: PathBuf,
    /// Write a page with charts of both
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  pregel run bfs web.txt --strategy push --report push.json
  pregel run bfs web.txt --strategy pull --report pull.json
  pregel compare push.json pull.json --html both.html";

#[cfg(feature = "command")]
/// Make the tables and figures of a paper again, beside its own figures
///
/// Checks every result before it counts. Prints a report in which each claim of the paper
/// stands beside what was measured here. The benchmark Graphalytics has no figures to compare
/// with; if a result differs from its reference output, the command fails after the report.
#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub struct BenchArgs {
    /// The paper
    #[arg(value_enum, value_name = "PAPER")]
    pub paper: PaperArg,
    /// The folder of the data sets: files NAME.properties, NAME.v and NAME.e, and the reference
    /// outputs NAME-BFS, NAME-CDLP, ... (graphalytics)
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// A folder with the paper's real graphs, as downloaded; generated ones stand in for those
    /// that are missing (thesis, flexbfs, groute)
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Write the report into this folder instead, as one HTML page and as Markdown, with a CSV
    /// for each item and an SVG for each figure
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Small graphs and few runs: shows that it works, and no more
    #[arg(long)]
    pub quick: bool,
    /// Leave out what would take longer than this in all
    #[arg(long, default_value_t = 9, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub minutes: u32,
    /// Whether to measure what takes a GPU: auto if there is one, cuda or cuda:N on that one, cpu
    /// not
    #[arg(long, default_value_t, value_name = "ENGINE")]
    pub engine: EngineArg,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[cfg(feature = "command")]
const BENCH_EXAMPLES: &str = "\
Examples:
  pregel bench graph500 --quick
  pregel bench graph500 --out bsbb
  pregel bench thesis --data snap --engine cuda
  pregel bench graphalytics graphs --out report";

/// Make a crate with a vertex program of your own
///
/// Writes a small program with a test, and a command that runs it with the options of `pregel
/// run`. It builds with stable Rust; where there is a compiler for PTX, it runs on GPUs too.
#[derive(Debug, Args)]
#[command(after_help = NEW_EXAMPLES)]
pub struct NewArgs {
    /// The folder to make; its name is that of the crate
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
    /// Take the crates of this project from a folder with its sources, not from crates.io
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

const NEW_EXAMPLES: &str = "\
Examples:
  pregel new my-search --path ~/src/pregel     with the sources that are there
  pregel new my-search                         once the crates are on crates.io";

/// Print what a shell needs to complete commands and options
#[cfg(feature = "command")]
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[cfg(feature = "command")]
const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pregel completions bash > ~/.local/share/bash-completion/completions/pregel
  pregel completions zsh > ~/.zfunc/_pregel
  pregel completions fish > ~/.config/fish/completions/pregel.fish";

/// Write the manual pages, one for each command
#[cfg(feature = "command")]
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// The folder to write them into, which is made if there is none
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[cfg(feature = "command")]
const MAN_EXAMPLES: &str = "\
Examples:
  pregel man ~/.local/share/man/man1
  pregel man man && man man/pregel-run.1";

//! What a contender does when it is its turn. It does so in a process of its own, as GAPBS does:
//! where the memory of a process lies may make it half as fast again as the next.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Instant;

use graph::prelude::{
    CsrLayout, DeltaSteppingConfig, DirectedCsrGraph, GraphBuilder, PageRankConfig, WccConfig,
    delta_stepping, page_rank, wcc_afforest, wcc_afforest_dss,
};
use pregel_algos::bfs::Bfs;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_algos::verify;
use pregel_benches::input::Input;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunOptions, Session, Solve, SolveOptions,
};
use pregel_core::graph::Graph;
use pregel_core::io::{self, AnyGraph, LoadOptions};
use pregel_core::program::{Value, VertexCompute};

/// Iterations of PageRank.
pub const ITERATIONS: u32 = 20;
/// A session is prepared as for this many runs.
const RUNS: u32 = 15;
/// The widths of buckets of which the best counts for the crate `graph`.
const DELTAS: [f32; 4] = [8.0, 32.0, 128.0, 512.0];
/// The first argument of a process that takes a turn.
const TURN: &str = "--turn";

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    Bfs,
    Sssp,
    PageRank,
    Components,
}

impl Kernel {
    /// All of them, with their names.
    const NAMES: [(Self, &str); 4] = [
        (Self::Bfs, "bfs"),
        (Self::Sssp, "sssp"),
        (Self::PageRank, "pagerank"),
        (Self::Components, "components"),
    ];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kernel, _)| *kernel == self).map_or("", |(_, name)| name)
    }
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(kernel, _)| *kernel).ok_or_else(|| format!("no kernel {text}"))
    }
}

/// A graph in files that the contenders read.
pub struct Files {
    plain: PathBuf,
    weighted: PathBuf,
    source: u32,
}

impl Files {
    /// Writes the graph into a folder.
    pub fn write(folder: &Path, input: &Input) -> Result<Self, Box<dyn Error>> {
        let [plain, weighted] = ["plain.pregel", "weighted.pregel"].map(|name| folder.join(name));
        io::save(&plain, &AnyGraph::Plain(input.plain.clone()), None)?;
        io::save(&weighted, &AnyGraph::Weighted(input.weighted.clone()), None)?;
        Ok(Self { plain, weighted, source: input.source })
    }

    /// Milliseconds of pregel, or of the crate `graph`: the smallest of the trials of a new process.
    pub fn time(&self, crate_: bool, kernel: Kernel, trials: usize) -> Result<f64, Box<dyn Error>> {
        let weighted = kernel == Kernel::Sssp;
        let graph = if weighted { &self.weighted } else { &self.plain };
        let mut command = Command::new(std::env::current_exe()?);
        command.args([TURN, if crate_ { "crate" } else { "pregel" }, kernel.name()]);
        command.arg(graph).args([self.source.to_string(), trials.to_string()]);
        let done = command.stderr(Stdio::inherit()).output()?;
        if !done.status.success() {
            return Err(format!("{command:?} failed").into());
        }
        Ok(String::from_utf8(done.stdout)?.trim().parse()?)
    }
}

/// The time of a turn, if these arguments of a process ask for one.
pub fn asked(arguments: &[String]) -> Option<Result<f64, Box<dyn Error>>> {
    let [turn, contender, kernel, graph, source, trials] = arguments else { return None };
    (turn == TURN).then(|| {
        let (kernel, source, trials) = (kernel.parse()?, source.parse()?, trials.parse()?);
        let graph = io::load(Path::new(graph), &LoadOptions::default())?.graph;
        if contender == "crate" {
            of_crate(kernel, graph, source, trials)
        } else {
            of_pregel(kernel, graph, source, trials)
        }
    })
}

/// Milliseconds of pregel, after a run whose result is checked.
fn of_pregel(
    kernel: Kernel,
    graph: AnyGraph,
    source: u32,
    trials: usize,
) -> Result<f64, Box<dyn Error>> {
    let options = RunOptions::default().with_expected_runs(RUNS);
    match (kernel, graph) {
        (Kernel::Sssp, AnyGraph::Weighted(graph)) => {
            let check = |found: &[f32]| Ok(verify::sssp::distances(&graph, source, found)?);
            session(&graph, &Sssp { source }, &options, trials, check)
        }
        (Kernel::Bfs, AnyGraph::Plain(graph)) => {
            let check = |found: &[u32]| Ok(verify::bfs::levels(&graph, source, found)?);
            session(&graph, &Bfs { source }, &options, trials, check)
        }
        (Kernel::PageRank, AnyGraph::Plain(graph)) => {
            let check = |ranks: &[f32]| {
                let sum: f64 = ranks.iter().map(|rank| f64::from(*rank)).sum();
                let right = (sum - 1.0).abs() < 1e-3;
                if right { Ok(()) } else { Err(format!("ranks sum to {sum}").into()) }
            };
            let options = options.with_max_supersteps(ITERATIONS);
            session(&graph, &PageRank::<f32>::new(0.85, 0.0), &options, trials, check)
        }
        (Kernel::Components, AnyGraph::Plain(graph)) => {
            let solve = || Cpu::new().solve(ConnectedComponents, &graph, &SolveOptions::default());
            verify::hcc::labels(&graph, &solve()?.answer)?;
            Ok(smallest(trials, solve))
        }
        _ => Err(unsuitable(kernel)),
    }
}

/// Milliseconds of the crate `graph`, which has no BFS.
fn of_crate(
    kernel: Kernel,
    graph: AnyGraph,
    source: u32,
    trials: usize,
) -> Result<f64, Box<dyn Error>> {
    match (kernel, graph) {
        (Kernel::Sssp, AnyGraph::Weighted(graph)) => Ok(delta_steps(&graph, source, trials)),
        (Kernel::PageRank, AnyGraph::Plain(graph)) => {
            let (theirs, config) =
                (of_rows(&graph), PageRankConfig::new(ITERATIONS as usize, 0.0, 0.85));
            Ok(smallest(trials, || page_rank(&theirs, config)))
        }
        (Kernel::Components, AnyGraph::Plain(graph)) => {
            let (theirs, config) = (of_rows(&graph), WccConfig::default());
            let afforest = smallest(trials, || wcc_afforest(&theirs, config));
            Ok(afforest.min(smallest(trials, || wcc_afforest_dss(&theirs, config))))
        }
        _ => Err(unsuitable(kernel)),
    }
}

fn unsuitable(kernel: Kernel) -> Box<dyn Error> {
    format!("{}: no such kernel, or not for such a graph", kernel.name()).into()
}

/// Milliseconds of a run in a prepared session, after one whose result is checked.
fn session<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
    trials: usize,
    check: impl Fn(&[P::State]) -> Result<(), Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    let mut session = Cpu::new().prepare::<P>(graph, options)?;
    check(&session.run(program)?.states)?;
    Ok(smallest(trials, || session.run(program)))
}

/// The smallest time of some calls, in milliseconds.
fn smallest<R>(trials: usize, mut call: impl FnMut() -> R) -> f64 {
    let time = |_| {
        let start = Instant::now();
        let result = call();
        let time = start.elapsed().as_secs_f64() * 1e3;
        drop(std::hint::black_box(result));
        time
    };
    (0..trials).map(time).fold(f64::INFINITY, f64::min)
}

/// The edges of a graph, with their places.
fn edges<E: Value>(graph: &Graph<E>) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
    let rows = graph.out();
    (0..graph.vertex_count())
        .flat_map(move |u| rows.range(u).map(move |edge| (u, rows.targets()[edge], edge)))
}

fn of_rows(graph: &Graph<()>) -> DirectedCsrGraph<u32> {
    let list: Vec<(u32, u32)> = edges(graph).map(|(u, v, _)| (u, v)).collect();
    GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges(list).build()
}

/// SSSP by the crate `graph`, with its best delta.
fn delta_steps(graph: &Graph<f32>, source: u32, trials: usize) -> f64 {
    let weights = graph.out_values();
    let list: Vec<_> = edges(graph).map(|(u, v, edge)| (u, v, weights[edge])).collect();
    let theirs: DirectedCsrGraph<u32, (), f32> =
        GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges_with_values(list).build();
    let mut best = f64::INFINITY;
    // The widest first: on a long path the narrowest takes a hundred times as long.
    for delta in DELTAS.into_iter().rev() {
        let config = DeltaSteppingConfig::new(source as usize, delta);
        let first = smallest(1, || delta_stepping(&theirs, config));
        if first < 2.0 * best {
            best = best.min(smallest(trials, || delta_stepping(&theirs, config)));
        }
    }
    best
}

//! The table of the performance page: every kernel on every graph, beside the crate `graph`
//! and, if `PREGEL_GAPBS` names the folder of its sources, GAPBS.
//!
//! Prints Markdown: the smallest of some trials in milliseconds, and the ratio of the best peer
//! to ours; above 1 we are faster. Results are verified before anything is timed. Graphs are
//! undirected. `PREGEL_BENCH_GRAPHS` names others, separated by semicolons, and
//! `PREGEL_BENCH_TRIALS` another number of trials.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use graph::prelude::{
    CsrLayout, DeltaSteppingConfig, DirectedCsrGraph, GraphBuilder, PageRankConfig, WccConfig,
    delta_stepping, page_rank, wcc_afforest, wcc_afforest_dss,
};
use pregel_algos::bfs::Bfs;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_algos::verify;
use pregel_benches::gapbs::Gapbs;
use pregel_benches::input::Input;
use pregel_benches::quick;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunOptions, Session, Solve, SolveOptions,
};
use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexCompute};

/// The graphs on which the engine was tuned, then those on which it was not: a road network, a
/// social network, a web crawl, a star and a path.
const GRAPHS: [&str; 10] = [
    "rmat:scale=20",
    "uniform:n=1048576,m=16777216",
    "grid:rows=1500,cols=1500,drop=50,maxw=1000",
    "rmat:scale=16",
    "uniform:n=262144,m=1048576",
    "road/NE.gr.xz,sym=1",
    "soc-Slashdot0902/soc-Slashdot0902.txt.xz,sym=1",
    "uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz,sym=1",
    "star:n=1000000",
    "grid:rows=2,cols=250000",
];
const QUICK: [&str; 2] = ["rmat:scale=10", "star:n=1000"];
const ITERATIONS: u32 = 20;
const TRIALS: usize = 7;
/// The widths of buckets of which the best counts for the crate `graph`.
const DELTAS: [f32; 4] = [8.0, 32.0, 128.0, 512.0];

fn main() -> ExitCode {
    match table() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn table() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let gapbs = Gapbs::build(folder.path())?;
    if gapbs.is_none() {
        println!("PREGEL_GAPBS is not set: the columns of GAPBS are missing\n");
    }
    let trials = match std::env::var("PREGEL_BENCH_TRIALS") {
        Ok(trials) => trials.parse()?,
        Err(_) => {
            if quick() {
                1
            } else {
                TRIALS
            }
        }
    };
    let named = std::env::var("PREGEL_BENCH_GRAPHS").ok();
    let names: Vec<&str> = match &named {
        Some(names) => names.split(';').collect(),
        None => {
            if quick() {
                QUICK.to_vec()
            } else {
                GRAPHS.to_vec()
            }
        }
    };
    println!("| graph | kernel | pregel | `graph` | GAPBS | ratio |");
    println!("|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for name in names {
        match Input::open(name) {
            Ok(input) => rows(&input, gapbs.as_ref(), trials, &mut ratios)?,
            Err(error) => println!("| `{name}` | cannot be read: {error} | | | | |"),
        }
    }
    let logarithms: f64 = ratios.iter().map(|ratio: &f64| ratio.ln()).sum();
    let (count, ahead) = (ratios.len(), ratios.iter().filter(|ratio| **ratio >= 1.0).count());
    println!(
        "\ngeometric mean {:.2}, {ahead} of {count} at or above 1",
        (logarithms / count as f64).exp()
    );
    Ok(())
}

/// Prints the rows of a graph.
fn rows(
    input: &Input,
    gapbs: Option<&Gapbs>,
    trials: usize,
    ratios: &mut Vec<f64>,
) -> Result<(), Box<dyn Error>> {
    let Input { name, weighted, plain, source } = input;
    let gapbs = gapbs.map(|gapbs| gapbs.prepare(weighted, *source, trials)).transpose()?;
    let mut row = |kernel: &str, ours: f64, crate_: Option<f64>, gapbs: Option<f64>| {
        let cell = |ms: Option<f64>| ms.map_or(String::new(), |ms| format!("{ms:.2}"));
        let best = crate_.into_iter().chain(gapbs).reduce(f64::min);
        let ratio = best.map(|best| best / ours);
        ratios.extend(ratio);
        let (crate_, gapbs, ratio) = (cell(crate_), cell(gapbs), cell(ratio));
        println!("| `{name}` | {kernel} | {ours:.2} | {crate_} | {gapbs} | {ratio} |");
    };
    let expected = u32::try_from(trials)?;
    let options = RunOptions::default().with_expected_runs(expected);

    let bfs = Bfs { source: *source };
    let check = |levels: &[u32]| Ok(verify::bfs::levels(plain, *source, levels)?);
    let ours = time(plain, &bfs, &options, trials, check)?;
    row("bfs", ours, None, gapbs.as_ref().map(|peer| peer.bfs()).transpose()?);

    let sssp = Sssp { source: *source };
    let check = |found: &[f32]| Ok(verify::sssp::distances(weighted, *source, found)?);
    let ours = time(weighted, &sssp, &options, trials, check)?;
    let peer = gapbs.as_ref().map(|peer| peer.sssp()).transpose()?;
    row("sssp", ours, Some(delta_steps(weighted, *source, trials)), peer);

    let pagerank = PageRank::<f32>::new(0.85, 0.0);
    let limited = options.clone().with_max_supersteps(ITERATIONS);
    let check = |ranks: &[f32]| {
        let sum: f64 = ranks.iter().map(|rank| f64::from(*rank)).sum();
        let right = (sum - 1.0).abs() < 1e-3;
        if right { Ok(()) } else { Err(format!("ranks sum to {sum}").into()) }
    };
    let ours = time(plain, &pagerank, &limited, trials, check)? / f64::from(ITERATIONS);
    let theirs = crate_graph(plain);
    let config = PageRankConfig::new(ITERATIONS as usize, 0.0, 0.85);
    let crate_ = smallest(trials, || page_rank(&theirs, config)) / f64::from(ITERATIONS);
    let peer = gapbs.as_ref().map(|peer| peer.pagerank(ITERATIONS)).transpose()?;
    let peer = peer.map(|ms| ms / f64::from(ITERATIONS));
    row("pagerank, an iteration", ours, Some(crate_), peer);

    let solve = || Cpu::new().solve(ConnectedComponents, plain, &SolveOptions::default());
    verify::hcc::labels(plain, &solve()?.answer)?;
    let ours = smallest(trials, solve);
    let config = WccConfig::default();
    let crate_ = smallest(trials, || wcc_afforest(&theirs, config))
        .min(smallest(trials, || wcc_afforest_dss(&theirs, config)));
    let peer = gapbs.as_ref().map(|peer| peer.components()).transpose()?;
    row("components", ours, Some(crate_), peer);
    Ok(())
}

/// Milliseconds of a run of a prepared session, the smallest of the trials.
fn time<P: VertexCompute<Input = ()>>(
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

fn crate_graph(graph: &Graph<()>) -> DirectedCsrGraph<u32> {
    let list: Vec<(u32, u32)> = edges(graph).map(|(u, v, _)| (u, v)).collect();
    GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges(list).build()
}

/// Milliseconds of SSSP by the crate `graph`, with its best delta.
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

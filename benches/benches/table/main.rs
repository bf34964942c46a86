//! The table of the performance page: every kernel on every graph, beside the crate `graph`
//! and, if `PREGEL_GAPBS` names the folder of its sources, GAPBS.
//!
//! Prints Markdown: the smallest of some trials in milliseconds, and the ratio of the best peer
//! to ours; above 1 we are faster. Results are verified before anything is timed, and contenders
//! run in turns. Graphs are undirected. `PREGEL_BENCH_GRAPHS` names others, separated by
//! semicolons, and `PREGEL_BENCH_TRIALS` another number of trials.

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
use pregel_benches::gapbs::{Gapbs, Prepared};
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
/// Trials of a contender before it is the next one's turn, and how often each has its turn.
const TRIALS: usize = 5;
const ROUNDS: usize = 3;
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
    let gapbs = gapbs.as_ref();
    let mut row = |kernel: &str, [ours, crate_, gapbs]: [Option<f64>; 3]| {
        let cell = |ms: Option<f64>| ms.map_or(String::new(), |ms| format!("{ms:.2}"));
        let best = crate_.into_iter().chain(gapbs).reduce(f64::min);
        let ratio = best.zip(ours).map(|(best, ours)| best / ours);
        ratios.extend(ratio);
        let cells = [ours, crate_, gapbs, ratio].map(cell).join(" | ");
        println!("| `{name}` | {kernel} | {cells} |");
    };
    let expected = u32::try_from(trials * ROUNDS)?;
    let options = RunOptions::default().with_expected_runs(expected);

    let bfs = Bfs { source: *source };
    let check = |levels: &[u32]| Ok(verify::bfs::levels(plain, *source, levels)?);
    let ours = session(plain, &bfs, &options, trials, check)?;
    row("bfs", in_turns([ours, None, peer(gapbs, Prepared::bfs)])?);

    let sssp = Sssp { source: *source };
    let check = |found: &[f32]| Ok(verify::sssp::distances(weighted, *source, found)?);
    let ours = session(weighted, &sssp, &options, trials, check)?;
    let crate_ = delta_steps(weighted, *source, trials);
    row("sssp", in_turns([ours, crate_, peer(gapbs, Prepared::sssp)])?);

    let pagerank = PageRank::<f32>::new(0.85, 0.0);
    let limited = options.clone().with_max_supersteps(ITERATIONS);
    let check = |ranks: &[f32]| {
        let sum: f64 = ranks.iter().map(|rank| f64::from(*rank)).sum();
        let right = (sum - 1.0).abs() < 1e-3;
        if right { Ok(()) } else { Err(format!("ranks sum to {sum}").into()) }
    };
    let ours = session(plain, &pagerank, &limited, trials, check)?;
    let theirs = crate_graph(plain);
    let config = PageRankConfig::new(ITERATIONS as usize, 0.0, 0.85);
    let crate_ = contender(|| Ok(smallest(trials, || page_rank(&theirs, config))));
    let times = in_turns([ours, crate_, peer(gapbs, |gapbs| gapbs.pagerank(ITERATIONS))])?;
    row("pagerank, an iteration", times.map(|time| time.map(|ms| ms / f64::from(ITERATIONS))));

    let solve = || Cpu::new().solve(ConnectedComponents, plain, &SolveOptions::default());
    verify::hcc::labels(plain, &solve()?.answer)?;
    let ours = contender(|| Ok(smallest(trials, solve)));
    let config = WccConfig::default();
    let crate_ = contender(|| {
        let afforest = smallest(trials, || wcc_afforest(&theirs, config));
        Ok(afforest.min(smallest(trials, || wcc_afforest_dss(&theirs, config))))
    });
    row("components", in_turns([ours, crate_, peer(gapbs, Prepared::components)])?);
    Ok(())
}

/// Gives the smallest time of some trials, in milliseconds.
type Contender<'a> = Box<dyn FnMut() -> Result<f64, Box<dyn Error>> + 'a>;

fn contender<'a>(time: impl FnMut() -> Result<f64, Box<dyn Error>> + 'a) -> Option<Contender<'a>> {
    Some(Box::new(time))
}

/// GAPBS, if it is there.
fn peer<'a>(
    gapbs: Option<&'a Prepared<'a>>,
    time: impl Fn(&Prepared<'a>) -> Result<f64, Box<dyn Error>> + 'a,
) -> Option<Contender<'a>> {
    gapbs.and_then(|gapbs| contender(move || time(gapbs)))
}

/// The smallest times of contenders that run in turns: on a machine that others use too, each
/// sees the same quiet and busy phases.
fn in_turns(
    mut contenders: [Option<Contender<'_>>; 3],
) -> Result<[Option<f64>; 3], Box<dyn Error>> {
    let mut best = [None; 3];
    for _ in 0..ROUNDS {
        for (best, contender) in best.iter_mut().zip(&mut contenders) {
            if let Some(time) = contender {
                *best = Some(best.unwrap_or(f64::INFINITY).min(time()?));
            }
        }
    }
    Ok(best)
}

/// Runs of a prepared session, after one whose result is checked.
fn session<'a, P: VertexCompute<Input = ()>>(
    graph: &'a Graph<P::Edge>,
    program: &'a P,
    options: &RunOptions,
    trials: usize,
    check: impl Fn(&[P::State]) -> Result<(), Box<dyn Error>>,
) -> Result<Option<Contender<'a>>, Box<dyn Error>> {
    let mut session = Cpu::new().prepare::<P>(graph, options)?;
    check(&session.run(program)?.states)?;
    Ok(contender(move || Ok(smallest(trials, || session.run(program)))))
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

/// SSSP by the crate `graph`, with its best delta.
fn delta_steps<'a>(graph: &Graph<f32>, source: u32, trials: usize) -> Option<Contender<'a>> {
    let weights = graph.out_values();
    let list: Vec<_> = edges(graph).map(|(u, v, edge)| (u, v, weights[edge])).collect();
    let theirs: DirectedCsrGraph<u32, (), f32> =
        GraphBuilder::new().csr_layout(CsrLayout::Sorted).edges_with_values(list).build();
    contender(move || {
        let mut best = f64::INFINITY;
        // The widest first: on a long path the narrowest takes a hundred times as long.
        for delta in DELTAS.into_iter().rev() {
            let config = DeltaSteppingConfig::new(source as usize, delta);
            let first = smallest(1, || delta_stepping(&theirs, config));
            if first < 2.0 * best {
                best = best.min(smallest(trials, || delta_stepping(&theirs, config)));
            }
        }
        Ok(best)
    })
}

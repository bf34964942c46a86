//! The table of the performance page: every kernel on every graph, beside the crate `graph`
//! and, if `PREGEL_GAPBS` names the folder of its sources, GAPBS.
//!
//! Prints Markdown: the smallest of some trials in milliseconds, and the ratio of the best peer
//! to ours; above 1 we are faster. Contenders run in turns, each turn in a process of its own, and
//! results are verified before anything is timed. Graphs are undirected. `PREGEL_BENCH_GRAPHS`
//! names others, separated by semicolons, and `PREGEL_BENCH_TRIALS` another number of trials.

mod turn;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use pregel_benches::gapbs::{Gapbs, Widths};
use pregel_benches::input::Input;
use pregel_benches::quick;

use turn::{Files, ITERATIONS, Kernel};

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
/// Trials of a contender before it is the next one's turn, and how often each has its turn.
const TRIALS: usize = 5;
const TURNS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match turn::asked(&arguments) {
        Some(time) => time.map(|ms| println!("{ms}")),
        None => table(),
    };
    match result {
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
        Err(_) if quick() => 1,
        Err(_) => TRIALS,
    };
    let named = std::env::var("PREGEL_BENCH_GRAPHS").ok();
    let names: Vec<&str> = match &named {
        Some(names) => names.split(';').collect(),
        None if quick() => QUICK.to_vec(),
        None => GRAPHS.to_vec(),
    };
    println!("| graph | kernel | pregel | `graph` | GAPBS | ratio |");
    println!("|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    for name in names {
        match Input::open(name) {
            Ok(input) => rows(input, folder.path(), gapbs.as_ref(), trials, &mut ratios)?,
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
    input: Input,
    folder: &Path,
    gapbs: Option<&Gapbs>,
    trials: usize,
    ratios: &mut Vec<f64>,
) -> Result<(), Box<dyn Error>> {
    let gapbs =
        gapbs.map(|gapbs| gapbs.prepare(&input.weighted, input.source, trials)).transpose()?;
    let files = Files::write(folder, &input)?;
    // The processes have the machine for themselves.
    let name = input.name;
    drop((input.plain, input.weighted));
    let mut row = |title: &str, kernel: Kernel| -> Result<(), Box<dyn Error>> {
        let mut widths = Widths::default();
        let (mut ours, mut crate_, mut peer) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for _ in 0..if quick() { 1 } else { TURNS } {
            ours = ours.min(files.time(false, kernel, trials)?);
            // It has no BFS.
            if kernel != Kernel::Bfs {
                crate_ = crate_.min(files.time(true, kernel, trials)?);
            }
            if let Some(gapbs) = &gapbs {
                peer = peer.min(match kernel {
                    Kernel::Bfs => gapbs.bfs()?,
                    Kernel::Sssp => gapbs.sssp(&mut widths)?,
                    Kernel::PageRank => gapbs.pagerank(ITERATIONS)?,
                    Kernel::Components => gapbs.components()?,
                });
            }
        }
        let each = if kernel == Kernel::PageRank { f64::from(ITERATIONS) } else { 1.0 };
        let ratio = crate_.min(peer) / ours;
        ratios.extend(ratio.is_finite().then_some(ratio));
        let cell = |number: f64| {
            if number.is_finite() { format!("{number:.2}") } else { String::new() }
        };
        let cells = [ours / each, crate_ / each, peer / each, ratio].map(cell).join(" | ");
        println!("| `{name}` | {title} | {cells} |");
        Ok(())
    };
    row("bfs", Kernel::Bfs)?;
    row("sssp", Kernel::Sssp)?;
    row("pagerank, an iteration", Kernel::PageRank)?;
    row("components", Kernel::Components)
}

//! Widest paths on the CPU and, if there is one, on a GPU, compared bit for
//! bit.
#![forbid(unsafe_code)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use pregel_core::engine::gpu::Cuda;
use pregel_core::engine::{Cpu, Engine, Outcome, RunError, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::io::{self, LoadOptions};
use widest_path_programs::{UNREACHED, Widest};

// `images()`: the PTX of the programs, part of this executable.
include!(concat!(env!("OUT_DIR"), "/programs.rs"));

const USAGE: &str = "usage: widest-path [FILE | SPEC [SOURCE]]

FILE    a graph in a format that `pregel info` knows; weights are widths
SPEC    a generated graph, such as rmat:scale=16 (default: rmat:scale=14)
SOURCE  where the paths begin (default: the vertex of the most out-edges)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (input, source) = match &arguments[..] {
        [] => ("rmat:scale=14", None),
        [input] if input != "--help" && input != "-h" => (input.as_str(), None),
        [input, source] => (input.as_str(), Some(source.as_str())),
        _ => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
    };
    match run(input, source) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything; returns whether all results are equal.
fn run(input: &str, source: Option<&str>) -> Result<bool, Box<dyn Error>> {
    let graph = load(input)?;
    let source = match source {
        Some(id) => graph.ids().find(id).ok_or_else(|| format!("no vertex «{id}»"))?,
        None => {
            let all = 0..graph.vertex_count();
            let most = all.max_by_key(|v| (graph.out().degree(*v), std::cmp::Reverse(*v)));
            most.ok_or("the graph has no vertices")?
        }
    };
    let program = Widest { source };
    println!(
        "graph   {input}: {} vertices, {} edges\nsource  {}",
        graph.vertex_count(),
        graph.edge_count(),
        graph.ids().get(source)
    );

    let outcome = Cpu::new().run(&graph, &program, &RunOptions::default())?;
    let reached = outcome.states.iter().filter(|width| **width > UNREACHED).count();
    println!("reached {reached} vertices\n");
    println!("engine  strategy  supersteps  prepared in       ran in  states");
    row("cpu", Strategy::Auto, &outcome, "");

    let equal = match Cuda::open(0, images()) {
        Ok(gpu) => on_gpu(&gpu, &graph, program, &outcome)?,
        Err(error) => {
            println!("\nOn the CPU only: {error}.");
            true
        }
    };
    Ok(equal)
}

/// Runs every strategy; returns whether all results equal the expected ones.
fn on_gpu(
    gpu: &Cuda,
    graph: &Graph<f32>,
    program: Widest,
    expected: &Outcome<Widest>,
) -> Result<bool, RunError> {
    let strategies = [Strategy::Auto, Strategy::Push, Strategy::Pull, Strategy::Mailbox];
    let mut equal = true;
    let mut device = None;
    for strategy in strategies {
        let options = RunOptions::default().with_strategy(strategy);
        let outcome = match gpu.run(graph, &program, &options) {
            // Built where there was no compiler for PTX.
            Err(error @ RunError::NoKernels { .. }) => {
                println!("\nOn the CPU only: {error}.");
                return Ok(true);
            }
            outcome => outcome?,
        };
        let same = bits(&outcome.states).eq(bits(&expected.states));
        equal &= same;
        row("cuda", strategy, &outcome, if same { "equal" } else { "DIFFERENT" });
        device = outcome.report.device;
    }
    if let Some(device) = device {
        println!("\ncuda is {}; every state is compared bit for bit.", device.name);
    }
    Ok(equal)
}

fn bits(widths: &[f32]) -> impl Iterator<Item = u32> {
    widths.iter().map(|width| width.to_bits())
}

fn row(engine: &str, strategy: Strategy, outcome: &Outcome<Widest>, verdict: &str) {
    let report = &outcome.report;
    let milliseconds = |time: Duration| format!("{:.2} ms", 1e3 * time.as_secs_f64());
    let line = format!(
        "{engine:6}  {:8}  {:10}  {:>11}  {:>11}  {verdict}",
        strategy.name(),
        report.supersteps,
        milliseconds(report.prepare_time),
        milliseconds(report.time),
    );
    println!("{}", line.trim_end());
}

/// Reads a file, or generates the graph that a spec describes.
fn load(input: &str) -> Result<Graph<f32>, Box<dyn Error>> {
    if Spec::recognises(input) {
        return Ok(input.parse::<Spec>()?.weighted()?);
    }
    Ok(io::load(Path::new(input), &LoadOptions::default())?.graph.weighted())
}

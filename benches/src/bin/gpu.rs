//! Compares the GPU engine with the CPU engine and times it: one line for each graph,
//! program and strategy. Needs a GPU; without one it says what is missing.
//!
//! ```text
//! gpu [--ways WAY,…] [--programs PROGRAM,…] [--limit N] [--peers] [SPEC…]
//! ```
//!
//! Without options, it runs every program with every strategy; PageRank in `f32` and,
//! as `pagerank64`, in `f64`. Other ways run only if they are named: `auto-cold` without
//! hot signals, `auto-hot` with hot signals wherever they fit, `auto-bins` with binned
//! messages wherever possible, `auto-direct` without them, `auto-hosted` with every
//! superstep launched by the host, `auto-resident` with all supersteps resident that
//! can be. `--peers` adds the graphs that other systems were measured on
//! (docs/src/performance.md). `--limit` ends every program after N supersteps; without
//! it, PageRank ends after 20 and the others when they halt. Without a spec, the graph is
//! `rmat:scale=20`.
//!
//! A wrong result is an error, printed on its line; the exit code is then 1. Times are
//! medians of seven runs, in milliseconds: all supersteps, one superstep, and the
//! preparation on the device (on the CPU for Medusa).

use std::process::ExitCode;

use std::sync::Arc;
use std::time::Duration;

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::images;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Choice, Cuda, DeviceReport, GpuOptions};
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, Outcome, Report, RunError, RunOptions, Session, Solve,
    SolveOptions, SolveReport, Solver, Strategy,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;

/// The name of a way, its strategy and its options.
type Way = (&'static str, Strategy, GpuOptions);

fn ways() -> Vec<Way> {
    let default = GpuOptions::default();
    vec![
        ("medusa", Strategy::Mailbox, GpuOptions::medusa()),
        ("thesis", Strategy::Mailbox, GpuOptions::thesis(1000)),
        ("mailbox", Strategy::Mailbox, default),
        ("push", Strategy::Push, default),
        ("pull", Strategy::Pull, default),
        ("auto", Strategy::Auto, default),
    ]
}

/// Ways that force the choices of `auto`; they run only if they are named.
fn forced() -> Vec<Way> {
    let default = GpuOptions::default();
    vec![
        ("auto-cold", Strategy::Auto, default.with_hot(Choice::Never)),
        ("auto-hot", Strategy::Auto, default.with_hot(Choice::Always)),
        ("auto-bins", Strategy::Auto, default.with_bins(Choice::Always)),
        ("auto-direct", Strategy::Auto, default.with_bins(Choice::Never)),
        ("auto-hosted", Strategy::Auto, default.with_resident(Choice::Never)),
        ("auto-resident", Strategy::Auto, default.with_resident(Choice::Always)),
    ]
}

/// Graphs that other systems were measured on.
const PEERS: [&str; 5] = [
    "rmat:scale=20",
    "rmat:scale=22",
    "rmat:scale=24",
    "uniform:n=4194304,m=67108864",
    "grid:rows=4096,cols=4096,drop=50,maxw=1000",
];

/// Every way, those that run only if they are named included.
fn ways_and_forced() -> impl Iterator<Item = Way> {
    ways().into_iter().chain(forced())
}

/// The programs that can be named.
const PROGRAMS: [&str; 7] = ["pagerank", "pagerank64", "bfs", "sssp", "hcc", "wcc", "cdlp"];

/// Refuses names that are not known, which would measure nothing.
fn known<'a>(
    what: &str,
    named: &[String],
    known: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    let known: Vec<&str> = known.into_iter().collect();
    match named.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("there is no {what} {name}; there are {}", known.join(", "))),
        None => Ok(()),
    }
}

/// Number of runs of each way.
const RUNS: usize = 7;

/// What a line says of a run.
struct Ran {
    /// Supersteps after superstep 0, or passes of a solver.
    steps: u32,
    messages: u64,
    device: Option<Arc<DeviceReport>>,
}

impl Ran {
    fn of(report: &Report) -> Self {
        let (steps, messages) = (report.supersteps, report.messages);
        Self { steps, messages, device: report.device.clone() }
    }

    fn of_solver(report: &SolveReport) -> Self {
        let steps = report.passes.len() as u32;
        Self { steps, messages: report.edges(), device: report.device.clone() }
    }
}

/// What a line of the table is about.
struct Cell<'a> {
    spec: &'a str,
    program: &'static str,
    way: &'static str,
}

struct Driver {
    cuda: Cuda,
    /// The ways to measure; all if empty.
    ways: Vec<String>,
    /// The programs to measure; all if empty.
    programs: Vec<String>,
    /// Supersteps after which every program ends.
    limit: Option<u32>,
    failures: usize,
}

fn chosen(list: &[String], name: &str) -> bool {
    list.is_empty() || list.iter().any(|one| one == name)
}

impl Driver {
    /// Runs a program in every way, and compares with the CPU engine.
    fn compare<P: VertexCompute<Input = ()>>(
        &mut self,
        spec: &str,
        name: &'static str,
        graph: &Graph<P::Edge>,
        program: &P,
        limit: Option<u32>,
        same: impl Fn(&P::State, &P::State) -> bool,
    ) -> Result<(), RunError> {
        if !chosen(&self.programs, name) {
            return Ok(());
        }
        let max_supersteps = self.limit.or(limit);
        let options = RunOptions::default().with_max_supersteps(max_supersteps);
        let expected = Cpu::new().run(graph, program, &options)?.states;
        let forced = forced().into_iter().filter(|(way, ..)| self.ways.iter().any(|w| w == way));
        let ways = ways().into_iter().filter(|(way, ..)| chosen(&self.ways, way)).chain(forced);
        for (way, strategy, layout) in ways.collect::<Vec<_>>() {
            let options = options.clone().with_strategy(strategy);
            let engine = self.cuda.clone().with_options(layout);
            let measured = measure(&engine, graph, program, &options);
            let measured = measured.map(|(o, median)| (o.states, Ran::of(&o.report), median));
            self.line(&Cell { spec, program: name, way }, &expected, measured, &same);
        }
        Ok(())
    }

    /// Components by union-find, without a program.
    fn components(&mut self, spec: &str, graph: &Graph) -> Result<(), RunError> {
        if !chosen(&self.programs, "wcc") {
            return Ok(());
        }
        let (problem, options) = (ConnectedComponents, SolveOptions::default());
        let expected = Cpu::new().solve(problem, graph, &options)?.answer;
        let measure = || -> Result<_, RunError> {
            let mut solver = self.cuda.prepare_solver(problem, graph, &options)?;
            let (found, median) = median(|| solver.run(), |found| found.report.time)?;
            Ok((found.answer, Ran::of_solver(&found.report), median))
        };
        let measured = measure();
        let cell = Cell { spec, program: "wcc", way: "joins" };
        self.line(&cell, &expected, measured, |a, b| a == b);
        Ok(())
    }

    /// Prints a line, unless the program cannot run in this way.
    fn line<S>(
        &mut self,
        cell: &Cell<'_>,
        expected: &[S],
        measured: Result<(Vec<S>, Ran, f64), RunError>,
        same: impl Fn(&S, &S) -> bool,
    ) {
        let line = match measured {
            Ok((found, report, median)) => {
                let wrong = expected.iter().zip(&found).filter(|(a, b)| !same(a, b)).count();
                let wrong = wrong + expected.len().abs_diff(found.len());
                self.failures += usize::from(wrong > 0);
                let verdict = if wrong == 0 { "ok".into() } else { format!("{wrong} WRONG") };
                let steps = f64::from(report.steps.max(1));
                let device = report.device.as_deref();
                let preprocess = device.map_or(0.0, |d| d.preprocess_time.as_secs_f64() * 1e3);
                let load = device.map_or(0.0, |d| d.load_time.as_secs_f64() * 1e3);
                let upload = device.map_or(0.0, |d| d.upload_time.as_secs_f64() * 1e3);
                let messages = report.messages as f64 / 1e6;
                let launches = device.map_or(0, |d| d.launches);
                format!(
                    "{:>10.3} {:>9.4} {:>6} {messages:>9.1} {preprocess:>10.2} {upload:>8.1} {load:>7.1} {launches:>8}  {verdict}",
                    median,
                    median / steps,
                    report.steps,
                )
            }
            Err(RunError::Unsupported(_)) => return,
            Err(error) => {
                self.failures += 1;
                format!("FAILED: {error}")
            }
        };
        let Cell { spec, program, way } = cell;
        println!("{spec:<24} {program:<10} {way:<13} {line}");
    }

    fn graph(&mut self, text: &str) -> Result<(), Box<dyn std::error::Error>> {
        let spec: Spec = text.parse()?;
        let graph = spec.weighted()?;
        let plain = graph.without_values();
        let source = spec.sources(&plain, 1).first().copied().unwrap_or(0);
        let same = |a: &u32, b: &u32| a == b;
        let close = |a: &f32, b: &f32| (a - b).abs() <= 1e-3 * a.abs().max(b.abs());
        let exactly = |a: &f32, b: &f32| a.to_bits() == b.to_bits();
        let pagerank = PageRank::<f32>::new(0.85, 0.0);
        self.compare(text, "pagerank", &plain, &pagerank, Some(20), close)?;
        let pagerank = PageRank::<f64>::new(0.85, 0.0);
        let closer = |a: &f64, b: &f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        self.compare(text, "pagerank64", &plain, &pagerank, Some(20), closer)?;
        self.compare(text, "bfs", &plain, &Bfs { source }, None, same)?;
        self.compare(text, "sssp", &graph, &Sssp { source }, None, exactly)?;
        self.compare(text, "hcc", &plain, &Hcc, None, same)?;
        self.components(text, &plain)?;
        if plain.edge_count() < 3_000_000 {
            self.compare(text, "cdlp", &plain, &Cdlp, Some(5), same)?;
        }
        Ok(())
    }
}

/// The last outcome, and the median time of the supersteps in milliseconds.
fn measure<P: VertexCompute<Input = ()>>(
    engine: &Cuda,
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
) -> Result<(Outcome<P>, f64), RunError> {
    let mut session = engine.prepare::<P>(graph, options)?;
    median(|| session.run(program), |outcome| outcome.report.time)
}

/// The last of several runs, and their median time in milliseconds, after a run to
/// warm up.
fn median<T>(
    mut run: impl FnMut() -> Result<T, RunError>,
    time: impl Fn(&T) -> Duration,
) -> Result<(T, f64), RunError> {
    let mut last = run()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        last = run()?;
        times.push(time(&last).as_secs_f64() * 1e3);
    }
    Ok((last, pregel_benches::median(&mut times)))
}

fn run() -> Result<usize, Box<dyn std::error::Error>> {
    let (mut specs, mut ways, mut programs) = (Vec::new(), Vec::new(), Vec::new());
    let mut limit = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut list = || -> Vec<String> {
            arguments.next().unwrap_or_default().split(',').map(str::to_owned).collect()
        };
        match argument.as_str() {
            "--ways" => ways = list(),
            "--programs" => programs = list(),
            "--limit" => limit = Some(list().concat().parse()?),
            "--peers" => specs.extend(PEERS.map(str::to_owned)),
            option if option.starts_with("--") => {
                return Err(format!("there is no option {option}").into());
            }
            _ => specs.push(argument),
        }
    }
    known("way", &ways, ways_and_forced().map(|(way, ..)| way))?;
    known("program", &programs, PROGRAMS)?;
    if specs.is_empty() {
        specs.push(PEERS[0].to_owned());
    }
    let cuda = Cuda::open(0, images())?;
    println!("{cuda:?}");
    println!(
        "{:<24} {:<10} {:<13} {:>10} {:>9} {:>6} {:>9} {:>10} {:>8} {:>7} {:>8}",
        "graph",
        "program",
        "way",
        "ms",
        "ms/step",
        "steps",
        "M sent",
        "prepare",
        "upload",
        "load",
        "launches"
    );
    let mut driver = Driver { cuda, ways, programs, limit, failures: 0 };
    for spec in &specs {
        if let Err(error) = driver.graph(spec) {
            println!("{spec}: {error}");
            driver.failures += 1;
        }
    }
    Ok(driver.failures)
}

fn main() -> ExitCode {
    pregel_benches::exit(run())
}

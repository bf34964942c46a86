//! Compares the GPU engine with the CPU engine and times it: one line for each graph,
//! program and strategy. Needs a GPU; without one it says what is missing.
//!
//! ```text
//! gpu [--ways WAY,…] [--programs PROGRAM,…] [--limit N] [--peers] [GRAPH…]
//! gpu --survey [--ways WAY,…] [--programs PROGRAM,…] [--limit N] [--seconds S]
//!     [--bandwidth GB/S] [GROUP|GRAPH…]
//! ```
//!
//! Without options, it runs the usual programs with every strategy; PageRank in `f32` and,
//! as `pagerank64`, in `f64`. Other programs run only if they are named: `bfs-tree`, and
//! SSSP with other weights, `sssp-small` (1 to 4), `sssp-large` (1 to 100,000) and
//! `sssp-equal`. So do other ways: `auto-cold` without hot signals, `auto-hot` with hot
//! signals wherever they fit, `auto-bins` with binned messages wherever possible,
//! `auto-bins-one` with those of only one range of hubs handled separately, `auto-bins-all` with no
//! others pulled, `auto-bins-last` with those of the first part of the senders exchanged, `auto-bins-rest`
//! with all others pulled, `auto-direct` without bins, `auto-even` and `auto-uneven` without bins and reading
//! ahead on graphs of any size or of none,
//! `auto-hosted` with every superstep launched by the host,
//! `auto-resident` with all supersteps resident that can be, `auto-steady` with a near list
//! that keeps its width in rounds by priority. `--peers` adds the graphs
//! that other systems were measured on (docs/src/performance.md). `--limit` ends every
//! program after N supersteps; without it, PageRank ends after 20, CDLP after 5 and the
//! others when they halt.
//!
//! A graph is a spec, a file, perhaps in the folder `PREGEL_DATA`, or a star:
//! `rmat:scale=20`, `road/NE.gr.xz`, `edges.txt,sym=1` for a file whose edges have no
//! direction, `star:n=1000,sym=0`. Without one, it is `rmat:scale=20`.
//!
//! A wrong result is an error, printed on its line; the exit code is then 1. Times are
//! medians of seven runs, in milliseconds: all supersteps, one superstep, and the
//! preparation on the device (on the CPU for Medusa). A session is told how many runs there will
//! be, as the command tells it.
//!
//! # Survey
//!
//! `--survey` asks how far `auto` is from the best way that can be forced, on graphs that
//! it was not tuned on: `real` (files), `small`, `medium` and `large`; all four if no graph
//! is named. For each graph and program it measures all ways in turns and prints
//!
//! * the time of `auto`, the supersteps, the best other way with its time, and the ratio of
//!   both, marked with `!` above 1.05;
//! * the time of the first run of `auto`, which has not yet learned whether bins pay;
//! * the floor of PageRank, with `--bandwidth`: for each superstep, 4 bytes per edge and the
//!   signal and the state of each vertex, each read once at that many bytes per
//!   nanosecond. Supersteps that read less than 100 MB have none, because caches may hold
//!   that;
//! * on a second line, the times of all ways. Ways in parentheses took more than three
//!   times as long as the best in a warm run and were not measured further.
//!
//! A session first learns, in up to 40 runs. Where another way is then more than 5 % faster than
//! `auto`, all are measured in two more sessions, and the medians count. A way in which everything
//! ran as under `auto` is named as the same and not compared.
//!
//! `wcc` is solved without a program, in one way. The last lines count the cells within
//! 5 % and list the worst. With `--seconds`, no program starts later than this, so the
//! survey ends soon after; what is left out is counted.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use pregel_algos::images;
use pregel_benches::input::Input;
use pregel_benches::programs::{self, Bench, Task, differing, measure_all};
use pregel_benches::survey::{GROUPS, Plan, Survey, group};
use pregel_benches::ways::{self, Way, forced, usual};
use pregel_core::engine::gpu::{Cuda, DeviceReport};
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, Outcome, Report, RunError, RunOptions, Session, Solve,
    SolveOptions, SolveReport, Solver,
};
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;

/// Graphs that other systems were measured on.
const PEERS: [&str; 5] = [
    "rmat:scale=20",
    "rmat:scale=22",
    "rmat:scale=24",
    "uniform:n=4194304,m=67108864",
    "grid:rows=4096,cols=4096,drop=50,maxw=1000",
];

/// The programs that run if none is named.
const USUAL: [&str; 7] = ["pagerank", "pagerank64", "bfs", "sssp", "hcc", "wcc", "cdlp"];

/// With fewer edges than this, CDLP runs if it is not named: the CPU engine takes long.
const CDLP_EDGES: u64 = 3_000_000;

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
const RUNS: u32 = 7;

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
struct Cell {
    program: &'static str,
    way: &'static str,
}

struct Driver {
    cuda: Cuda,
    /// The ways to measure; the usual ones if empty.
    ways: Vec<String>,
    /// The programs to measure; the usual ones if empty.
    programs: Vec<String>,
    /// Supersteps after which every program ends.
    limit: Option<u32>,
    /// The name of the graph.
    graph: String,
    failures: usize,
}

impl Driver {
    /// Runs a program in every way, and compares with the CPU engine.
    fn compare<P: VertexCompute<Input = ()>>(
        &mut self,
        task: &Task<'_, P>,
    ) -> Result<(), RunError> {
        let limit = self.limit.or(task.limit);
        let options = RunOptions::default().with_max_supersteps(limit);
        let expected = Cpu::new().run(task.graph, &task.program, &options)?.states;
        let named = |way: &Way| self.ways.iter().any(|name| name == way.0);
        let usual = usual().into_iter().filter(|way| self.ways.is_empty() || named(way));
        let ways: Vec<Way> = usual.chain(forced().into_iter().filter(named)).collect();
        for (way, strategy, layout) in ways {
            let options = options.clone().with_strategy(strategy).with_expected_runs(1 + RUNS);
            let engine = self.cuda.clone().with_options(layout);
            let measured = measure(&engine, task.graph, &task.program, &options);
            let measured = measured.map(|(o, median)| (o.states, Ran::of(&o.report), median));
            let cell = Cell { program: task.name, way };
            self.line(&cell, measured, |found| (task.wrong)(&expected, found));
        }
        Ok(())
    }

    fn join(&mut self, graph: &Graph) -> Result<(), RunError> {
        let (problem, options) = (ConnectedComponents, SolveOptions::default());
        let expected = Cpu::new().solve(problem, graph, &options)?.answer;
        let measure = || -> Result<_, RunError> {
            let mut solver = self.cuda.prepare_solver(problem, graph, &options)?;
            let (found, median) = median(|| solver.run(), |found| found.report.time)?;
            Ok((found.answer, Ran::of_solver(&found.report), median))
        };
        let measured = measure();
        let cell = Cell { program: "wcc", way: "joins" };
        self.line(&cell, measured, |found| differing(&expected, found, |a, b| a == b));
        Ok(())
    }

    /// Prints a line, unless the program cannot run in this way.
    fn line<S>(
        &mut self,
        cell: &Cell,
        measured: Result<(Vec<S>, Ran, f64), RunError>,
        wrong: impl Fn(&[S]) -> usize,
    ) {
        let line = match measured {
            Ok((found, report, median)) => {
                let wrong = wrong(&found);
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
        let Cell { program, way } = cell;
        println!("{:<24} {program:<10} {way:<13} {line}", self.graph);
    }

    /// Notes that the CPU engine failed.
    fn note(&mut self, result: Result<(), RunError>, program: &str) {
        if let Err(error) = result {
            println!("{} {program}: {error}", self.graph);
            self.failures += 1;
        }
    }
}

impl Bench for Driver {
    fn includes(&self, name: &str) -> bool {
        let named = self.programs.iter().any(|one| one == name);
        named || self.programs.is_empty() && USUAL.contains(&name)
    }

    fn program<P: VertexCompute<Input = ()>>(&mut self, task: &Task<'_, P>) {
        let slow = task.name == "cdlp" && task.graph.edge_count() >= CDLP_EDGES;
        if slow && self.programs.is_empty() {
            return;
        }
        let result = self.compare(task);
        self.note(result, task.name);
    }

    fn components(&mut self, graph: &Graph) {
        let result = self.join(graph);
        self.note(result, "wcc");
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

/// What the command line asks for.
#[derive(Default)]
struct Arguments {
    survey: bool,
    plan: Plan,
    graphs: Vec<String>,
}

impl Arguments {
    fn parse() -> Result<Self, Box<dyn std::error::Error>> {
        let mut parsed = Self::default();
        let plan = &mut parsed.plan;
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            let list = |text: String| text.split(',').map(str::to_owned).collect::<Vec<_>>();
            match argument.as_str() {
                "--ways" => plan.ways = list(value()?),
                "--programs" => plan.programs = list(value()?),
                "--limit" => plan.limit = Some(value()?.parse()?),
                "--seconds" => plan.at_most = Some(Duration::from_secs(value()?.parse()?)),
                "--bandwidth" => plan.bandwidth = Some(value()?.parse()?),
                "--survey" => parsed.survey = true,
                "--peers" => parsed.graphs.extend(PEERS.map(str::to_owned)),
                option if option.starts_with("--") => {
                    return Err(format!("there is no option {option}").into());
                }
                _ => parsed.graphs.push(argument),
            }
        }
        known("way", &plan.ways, ways::all().iter().map(|way| way.0))?;
        known("program", &plan.programs, programs::NAMES)?;
        parsed.name_graphs();
        Ok(parsed)
    }

    /// Puts in the graphs that are meant if none is named, and those of groups.
    fn name_graphs(&mut self) {
        if !self.survey {
            if self.graphs.is_empty() {
                self.graphs.push(PEERS[0].to_owned());
            }
            return;
        }
        if self.graphs.is_empty() {
            self.graphs = GROUPS.map(|(name, _)| name.to_owned()).into();
        }
        let graphs = std::mem::take(&mut self.graphs);
        for name in graphs {
            match group(&name) {
                Some(graphs) => self.graphs.extend(graphs.iter().map(|graph| (*graph).to_owned())),
                None => self.graphs.push(name),
            }
        }
    }
}

/// Measures graph by graph. Returns the number of failures.
fn table(cuda: Cuda, plan: Plan, graphs: &[String]) -> usize {
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
    let Plan { ways, programs, limit, .. } = plan;
    let mut driver = Driver { cuda, ways, programs, limit, graph: String::new(), failures: 0 };
    for name in graphs {
        match Input::open(name) {
            Ok(input) => {
                driver.graph.clone_from(&input.name);
                measure_all(&input, &mut driver);
            }
            Err(error) => {
                println!("{name}: {error}");
                driver.failures += 1;
            }
        }
    }
    driver.failures
}

fn run() -> Result<usize, Box<dyn std::error::Error>> {
    let Arguments { survey, plan, graphs } = Arguments::parse()?;
    let cuda = Cuda::open(0, images())?;
    println!("{cuda:?}");
    Ok(if survey { Survey::new(cuda, plan).run(&graphs).1 } else { table(cuda, plan, &graphs) })
}

fn main() -> ExitCode {
    pregel_benches::exit(run())
}

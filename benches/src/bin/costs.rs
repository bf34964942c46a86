//! Measures the planner's costs on a GPU and prints them as `Costs`, beside the present
//! ones. Needs a GPU; without one it says what is missing.
//!
//! ```text
//! costs [SPEC…]
//! ```
//!
//! BFS and HCC run on each graph by push, by pull, and in resident launches; every
//! result is compared with the CPU engine's first. Times of supersteps are medians of
//! five runs in which the host waits for each superstep. The costs are fitted to all
//! times by least squares of relative errors. The last line says how good choices by
//! these costs are: the time of all supersteps, each pushed or pulled as the costs say,
//! relative to the time if each takes the faster way.
//!
//! The shares of hot signals, the blocks and the width of near lists are not measured
//! here; `gpu --ways auto,auto-cold` and `pregel run sssp --delta` compare them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::process::ExitCode;

use pregel_algos::bfs::Bfs;
use pregel_algos::hcc::Hcc;
use pregel_algos::images;
use pregel_benches::fit::{self, Hosted, Stayed};
use pregel_benches::median;
use pregel_core::engine::gpu::{Choice, Costs, Cuda, Device, Gpu, GpuOptions, Way};
use pregel_core::engine::{Cpu, Engine, Report, RunError, RunOptions, Session, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;

/// Graphs of several sizes and degrees, without which the costs are not determined.
const SPECS: [&str; 7] = [
    "rmat:scale=10",
    "rmat:scale=14",
    "rmat:scale=17",
    "rmat:scale=20",
    "rmat:scale=22",
    "uniform:n=4194304,m=16777216",
    "grid:rows=1024,cols=1024,drop=50",
];

/// Number of runs of each way.
const RUNS: usize = 5;

/// The measurements.
#[derive(Default)]
struct Samples {
    hosted: Vec<Hosted>,
    stayed: Vec<Stayed>,
    /// Number of wrong results.
    failures: usize,
}

impl Samples {
    /// Runs a program in all ways and records the time of each superstep.
    fn add<D: Device, P: VertexCompute<Input = ()>>(
        &mut self,
        engine: &Gpu<D>,
        name: &str,
        graph: &Graph<P::Edge>,
        program: &P,
    ) -> Result<(), RunError>
    where
        P::State: PartialEq,
    {
        let expected = Cpu::new().run(graph, program, &RunOptions::default())?.states;
        let mut reports = |strategy, resident, watched: bool| -> Result<_, RunError> {
            let engine = engine.clone().with_options(GpuOptions::default().with_resident(resident));
            // With an observer, supersteps are not batched.
            let mut options = RunOptions::default().with_strategy(strategy);
            if watched {
                options = options.with_observer(|_| ControlFlow::Continue(()));
            }
            let mut session = engine.prepare::<P>(graph, &options)?;
            let mut reports = Vec::new();
            for run in 0..=RUNS {
                let outcome = session.run(program)?;
                if outcome.states != expected {
                    println!("{name} {}: WRONG", strategy.name());
                    self.failures += 1;
                }
                // The first warms up.
                if run > 0 {
                    reports.push(outcome.report);
                }
            }
            Ok(reports)
        };
        let push = steps(&reports(Strategy::Push, Choice::Never, true)?);
        let pull = steps(&reports(Strategy::Pull, Choice::Never, true)?);
        let stayed = reports(Strategy::Auto, Choice::Always, false)?;
        let (vertices, edges) = (f64::from(graph.vertex_count()), graph.edge_count() as f64);
        for ((frontier, push_ns), (_, pull_ns)) in push.into_iter().zip(pull) {
            self.hosted.push(Hosted { vertices, edges, frontier, pull_ns, push_ns });
        }
        self.stayed.extend(launches(&stayed));
        Ok(())
    }
}

/// Edges of the frontier and median nanoseconds of each superstep after the first.
fn steps(reports: &[Report]) -> Vec<(f64, f64)> {
    let count = reports.iter().map(|report| report.steps.len()).min().unwrap_or(0);
    let step = |i: usize| {
        let nanoseconds = |report: &Report| report.steps[i].time.as_secs_f64() * 1e9;
        let mut times: Vec<f64> = reports.iter().map(nanoseconds).collect();
        (reports[0].steps[i].messages as f64, median(&mut times))
    };
    (1..count).map(step).collect()
}

/// All resident launches, with the medians of their times.
fn launches(reports: &[Report]) -> Vec<Stayed> {
    let mut found: BTreeMap<u32, Vec<Stayed>> = BTreeMap::new();
    for report in reports {
        let mut at = 0;
        while let Some(one) = report.steps.get(at).and_then(|step| step.taken) {
            let length = one.together.max(1) as usize;
            let steps = &report.steps[at..(at + length).min(report.steps.len())];
            if one.way == Way::Resident {
                found.entry(at as u32).or_default().push(Stayed {
                    supersteps: steps.len() as f64,
                    edges: steps.iter().map(|step| step.messages).sum::<u64>() as f64,
                    ns: steps.iter().map(|step| step.time.as_secs_f64()).sum::<f64>() * 1e9,
                });
            }
            at += length;
        }
    }
    let middle = |launches: Vec<Stayed>| {
        let mut times: Vec<f64> = launches.iter().map(|launch| launch.ns).collect();
        Stayed { ns: median(&mut times), ..launches[0] }
    };
    found.into_values().map(middle).collect()
}

/// The costs as Rust source, with the present ones as comments.
fn table(found: &Costs, now: &Costs) -> String {
    let rows = [
        ("hosted_ns", found.hosted_ns, now.hosted_ns),
        ("vertex_ns", found.vertex_ns, now.vertex_ns),
        ("pulled_edge_ns", found.pulled_edge_ns, now.pulled_edge_ns),
        ("pushed_edge_ns", found.pushed_edge_ns, now.pushed_edge_ns),
        ("resident_ns", found.resident_ns, now.resident_ns),
        ("resident_edge_ns", found.resident_edge_ns, now.resident_edge_ns),
        ("resident_launch_ns", found.resident_launch_ns, now.resident_launch_ns),
    ];
    let wholes = [("resident_edges", found.resident_edges, now.resident_edges)];
    let mut text = String::from("Costs {\n");
    for (name, found, now) in rows {
        text += &format!("    {name}: {found:.6}, // now {now:.6}\n");
    }
    for (name, found, now) in wholes {
        text += &format!("    {name}: {found}, // now {now}\n");
    }
    text + "    ..\n}\n"
}

fn run() -> Result<usize, Box<dyn std::error::Error>> {
    let mut specs: Vec<String> = std::env::args().skip(1).collect();
    if specs.is_empty() {
        specs.extend(SPECS.map(str::to_owned));
    }
    let cuda = Cuda::open(0, images())?;
    println!("{cuda:?}");
    let mut samples = Samples::default();
    for text in &specs {
        let spec: Spec = text.parse()?;
        let graph = spec.plain()?;
        let source = spec.sources(&graph, 1).first().copied().unwrap_or(0);
        samples.add(&cuda, text, &graph, &Bfs { source })?;
        samples.add(&cuda, text, &graph, &Hcc)?;
        let (hosted, stayed) = (samples.hosted.len(), samples.stayed.len());
        println!("{text}: {hosted} supersteps both ways, {stayed} resident launches so far");
    }
    let now = Costs::of(cuda.device().capability());
    let found = fit::costs(&samples.hosted, &samples.stayed, now)
        .ok_or("the costs are not determined: take more graphs, of several sizes")?;
    print!("{}", table(&found, &now));
    let (before, after) =
        (fit::regret(&samples.hosted, &now), fit::regret(&samples.hosted, &found));
    println!("time relative to the best choices: {before:.3} now, {after:.3} by these costs");
    Ok(samples.failures)
}

fn main() -> ExitCode {
    pregel_benches::exit(run())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pregel_core::engine::gpu::Images;
    use pregel_emulator::Emulator;

    use super::*;

    pregel_emulator::export!(bfs: Bfs);

    #[test]
    fn every_superstep_is_measured_in_all_ways() {
        let images = Images::new()
            .graph(pregel_emulator::graph::KERNELS)
            .program::<Bfs>("bfs", bfs::KERNELS);
        let engine = Gpu::new(Emulator::new(), images);
        let graph = "grid:rows=3,cols=20".parse::<Spec>().unwrap().plain().unwrap();
        let mut samples = Samples::default();
        samples.add(&engine, "grid", &graph, &Bfs { source: 0 }).unwrap();
        assert_eq!(samples.failures, 0);
        // The farthest vertex is 21 edges away; the superstep after it has no messages.
        assert_eq!(samples.hosted.len(), 22);
        assert!(samples.hosted.iter().all(|s| s.pull_ns > 0.0 && s.push_ns > 0.0));
        assert_eq!(samples.stayed.len(), 1);
        let (launch, frontiers) = (samples.stayed[0], samples.hosted.iter().map(|s| s.frontier));
        assert_eq!((launch.supersteps, launch.edges), (22.0, frontiers.sum()));
    }

    #[test]
    fn the_table_can_be_copied() {
        let text = table(&Costs::default(), &Costs::default());
        assert!(text.contains("    pushed_edge_ns: 0.041016, // now 0.041016\n"), "{text}");
        assert_eq!(text.lines().count(), 11);
    }
}

//! FlexBFS: Liu Gu and others, *Study on Optimizing Techniques of Breadth-first Search Algorithm
//! on Graphic Processing Unit*, 2014.
//!
//! The paper's search is built from its description ([`QueueSearch`]), with each technique as a
//! switch. It is measured beside a search on one core, the CPU engine, and the GPU engine's push
//! and own choice.
//!
//! [`QueueSearch`]: pregel_core::engine::gpu::QueueSearch

mod gpu;
mod graphs;
mod paper;
mod sequential;
#[cfg(test)]
mod tests;
mod ways;

use std::time::{Duration, Instant};

use pregel_algos::bfs::Bfs;
use pregel_core::engine::gpu::{Device, Gpu};
use pregel_core::engine::{Cpu, Engine, RunOptions, Session};

use self::gpu::{Bench, Launched, OnDevice, OnGraph};
use self::graphs::{Described, GRAPHS, Used};
use self::sequential::Search;
use self::ways::{ALL_CORES, ON_CPU, SEQUENTIAL};
use crate::device::{self, Use};
use crate::machine::Machine;
use crate::report::Report;
use crate::statistics::Statistics;
use crate::timing::{Repeats, left, share};
use crate::{Options, ReplicationError};

/// The graphs of Figure 7, one of each kind.
const LAUNCHED: [&str; 3] = ["regular 1", "irregular 1", "NE"];

/// What launches of every size take of the time that is left after the first graphs, at most.
const LAUNCHES: Duration = Duration::from_secs(60);

/// What was found on one graph.
struct Found {
    described: &'static Described,
    origin: String,
    vertices: u64,
    edges: u64,
    mean_degree: f64,
    largest_degree: u64,
    reached: u64,
    frontiers: Vec<u32>,
    /// Seconds of each of [`ON_CPU`].
    on_cpu: [Option<f64>; ON_CPU.len()],
    /// What a GPU took.
    on_gpu: Option<OnGraph>,
    /// Figure 7, on a few of the graphs.
    launches: Vec<Launched>,
}

/// Everything that was found.
struct Findings {
    graphs: Vec<Found>,
    /// The device's name, or why none was used.
    device: Result<String, String>,
    left_out: Vec<String>,
    quick: bool,
}

/// Makes a bench of a GPU.
struct MakeBench<'a> {
    quick: bool,
    progress: &'a dyn Fn(&str),
}

impl<'a> Use for MakeBench<'a> {
    type Made = Box<dyn OnDevice + 'a>;

    fn with<D: Device>(self, gpu: Gpu<D>) -> Self::Made {
        Box::new(Bench::new(gpu, self.quick, self.progress))
    }
}

/// Makes the paper's tables and figures again; what takes a GPU on one that is there, if the
/// options allow it.
///
/// # Errors
/// If a graph cannot be read or generated, levels are wrong, or the GPU that the options name
/// cannot be used.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    let bench = MakeBench { quick: options.quick, progress };
    let opened = device::open_for(options.gpu, bench)?;
    measure(opened, options, progress)
}

/// Measures everything, on this device if there is one.
fn measure(
    opened: Result<Box<dyn OnDevice + '_>, String>,
    options: &Options,
    progress: &dyn Fn(&str),
) -> Result<Report, ReplicationError> {
    let end = Instant::now() + options.budget;
    let mut findings = Findings {
        graphs: Vec::new(),
        device: opened.as_ref().map(|device| device.name()).map_err(Clone::clone),
        left_out: Vec::new(),
        quick: options.quick,
    };
    let mut device = opened.ok();
    let weights: Vec<_> = GRAPHS.iter().map(|described| described.weight).collect();
    for (number, described) in GRAPHS.iter().enumerate() {
        progress(&described.name);
        if left(end).is_zero() {
            findings.left_out.push(format!("{}: no time was left", described.name));
            continue;
        }
        let used = Used::open(described, options.data.as_deref(), options.quick)?;
        let Some(used) = used else { continue };
        let until = share(left(end), &weights[number..]);
        let mut found = Found::of(&used);
        on_cpu(
            &used,
            Repeats::of_report(options.quick),
            until,
            &mut found.on_cpu,
            &mut findings.left_out,
        )?;
        if let Some(device) = &mut device {
            found.on_gpu = Some(device.graph(&used, until)?);
            if LAUNCHED.contains(&described.name.as_str()) {
                let until = Instant::now() + (left(end) / 8).min(LAUNCHES);
                found.launches = device.launches(&used, until)?;
            }
        }
        findings.graphs.push(found);
    }
    if let Some(device) = &device {
        findings.left_out.extend_from_slice(device.left_out());
    }
    Ok(paper::report(&findings, Machine::here()))
}

impl Found {
    fn of(used: &Used) -> Self {
        let reached = used.frontiers.iter().map(|count| u64::from(*count)).sum();
        Self {
            described: used.described,
            origin: used.origin.clone(),
            vertices: used.graph.vertex_count().into(),
            edges: used.edges(),
            mean_degree: used.mean_degree(),
            largest_degree: used.largest_degree(),
            reached,
            frontiers: used.frontiers.clone(),
            on_cpu: [None; ON_CPU.len()],
            on_gpu: None,
            launches: Vec::new(),
        }
    }
}

/// Times the contenders on the CPU.
fn on_cpu(
    used: &Used,
    repeats: Repeats,
    until: Instant,
    seconds: &mut [Option<f64>; ON_CPU.len()],
    left_out: &mut Vec<String>,
) -> Result<(), ReplicationError> {
    let mut search = Search::new(used.graph.out());
    let mut median = |contender: usize, run: &mut dyn FnMut() -> Result<f64, ReplicationError>| {
        let what = format!("{}, {}", used.described.name, ON_CPU[contender]);
        let samples = repeats.of(&what, until, left_out, run)?;
        seconds[contender] = (!samples.is_empty()).then(|| Statistics::of(&samples).median);
        Ok::<_, ReplicationError>(())
    };
    median(SEQUENTIAL, &mut || {
        search.reset();
        let begin = Instant::now();
        search.run(used.source);
        let took = begin.elapsed().as_secs_f64();
        check(used, ON_CPU[SEQUENTIAL], search.levels())?;
        Ok(took)
    })?;
    let options = RunOptions::default().with_expected_runs(8);
    let mut session = Cpu::new().prepare::<Bfs>(&used.graph, &options)?;
    median(ALL_CORES, &mut || {
        let outcome = session.run(&Bfs { source: used.source })?;
        check(used, ON_CPU[ALL_CORES], &outcome.states)?;
        Ok(outcome.report.time.as_secs_f64())
    })
}

/// Compares levels with those of the sequential search.
///
/// # Errors
/// If any differs.
fn check(used: &Used, contender: &str, levels: &[u32]) -> Result<(), ReplicationError> {
    let differ = used.levels.iter().zip(levels).filter(|(a, b)| a != b).count();
    let vertices = (differ + used.levels.len().abs_diff(levels.len())) as u64;
    if vertices == 0 {
        return Ok(());
    }
    Err(ReplicationError::Differs {
        graph: used.described.name.clone(),
        program: "BFS".to_owned(),
        contender: contender.to_owned(),
        vertices,
    })
}

//! `pregel run`

use std::time::Duration;

use anyhow::{Context, Result};
use pregel_core::checkpoint::Checkpoints;
use pregel_core::engine::StopReason;
use pregel_core::engine::gpu::{DeviceReport, Recording, bytes};
use pregel_core::graph::Ids;

use crate::algorithm::{self, Algorithm, Path, Solution};
use crate::args::RunArgs;
use crate::command::threads::use_threads;
use crate::expected::Expected;
use crate::explain;
use crate::input::Input;
use crate::job::RunJob;
#[cfg(feature = "command")]
use crate::machine::bundled_images;
use crate::machine::{Images, Machine};
use crate::output::{Column, Target, print};
use crate::page::page;
use crate::progress::Progress;
use crate::ran::Ran;
use crate::report::Report;
use crate::runner::{Pack, Runner, Runs, Saving, arrange};
use crate::text::{Align, Table, count, duration, thousands};
use crate::trace;

/// Loads, runs and writes. Nothing is written unless the run succeeded.
#[cfg(feature = "command")]
pub fn execute(args: RunArgs) -> Result<()> {
    let algorithm = algorithm::find(&args)?;
    execute_with(args, algorithm, bundled_images())
}

/// The same for an algorithm that is not bundled; `images` are its kernels.
pub fn execute_with(args: RunArgs, algorithm: &dyn Algorithm, images: Images) -> Result<()> {
    let progress = Progress::new(args.run.graph.common.quiet);
    let threads = args.run.graph.common.threads;
    let job = RunJob::new(args, algorithm.facts())?;
    use_threads(threads)?;
    let machine = Machine::open(job.engine, &job.layout, images, job.trace.is_some())?;
    let input = Input::load(&job.graph, &job.outputs(), &progress)?;
    let input = arrange(input, algorithm, &job, &machine, &progress);
    let runner = Runner {
        job: &job,
        machine: &machine,
        input: &input,
        progress: &progress,
        foresees: false,
    };
    let expected = job.verify_against.as_deref();
    let expected = expected.map(|path| Expected::read(path, input.ids())).transpose()?;
    let solution = algorithm.solve(&runner)?;
    if let (Some(expected), Some(values)) = (&expected, solution.columns.first()) {
        expected.compare(values, input.ids(), job.algorithm.matching)?;
    }

    let recording = machine.recording()?;
    write(&job, &input, &solution, recording.as_ref(), &progress)?;
    if job.explain {
        progress.tell(&explain::describe(&solution.runs.last));
    }
    let mut parts = Vec::new();
    if !progress.quiet() {
        parts.push(headline(&job, &input, &solution));
    }
    if job.output.is_none() {
        parts.push(match (&solution.summary, solution.columns.first()) {
            (Some(summary), _) => summary.clone(),
            (None, Some(values)) => algorithm.summary(input.ids(), values),
            (None, None) => String::new(),
        });
    }
    parts.extend(solution.runs.history.clone());
    if let (Some(path), Some(values)) = (&solution.path, solution.columns.first()) {
        parts.push(describe_path(path, input.ids(), values));
    }
    let text = parts.join("\n");
    if job.takes_stdout() {
        progress.tell(&text);
        return Ok(());
    }
    print(&text)
}

/// Writes the result and the report. What goes to stdout comes last, since its
/// reader may leave early.
fn write(
    job: &RunJob,
    input: &Input,
    solution: &Solution,
    recording: Option<&Recording>,
    progress: &Progress,
) -> Result<()> {
    let report = || -> Result<()> {
        if let Some(target) = &job.trace {
            let timeline = trace::timeline(job, input, &solution.runs, recording);
            let json = serde_json::to_vec(&timeline).context("cannot write the timeline")?;
            if let Some(left_out) = recording.map(|it| it.left_out).filter(|it| *it > 0) {
                let events = count(left_out, "event", "events");
                progress.note(&format!("the timeline lacks the last {events} of the GPU"));
            }
            target.write(|out| out.write_all(&json))?;
        }
        if job.report.is_none() && job.html.is_none() {
            return Ok(());
        }
        let report = Report::new(job, input, solution);
        if let Some(target) = &job.html {
            let page = page(&[&report])?;
            target.write(|out| out.write_all(page.as_bytes()))?;
        }
        let Some(target) = &job.report else { return Ok(()) };
        let json = serde_json::to_vec_pretty(&report).context("cannot write the report")?;
        target.write(|out| {
            out.write_all(&json)?;
            out.write_all(b"\n")
        })
    };
    let Some(output) = &job.output else { return report() };
    let result = || {
        progress.stage("writing");
        match &solution.matrix {
            Some(matrix) => output.write_matrix(matrix)?,
            None => {
                output.write(input.ids(), &solution.headings(input.ids()), &solution.columns)?
            }
        }
        progress.clear();
        Ok(())
    };
    if output.target == Target::Stdout {
        report()?;
        result()
    } else {
        result()?;
        report()
    }
}

/// A line each for the graph, the run, the trials, the GPU and the check.
fn headline(job: &RunJob, input: &Input, solution: &Solution) -> String {
    let runs = &solution.runs;
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["graph", &input.describe()]);
    let source = match (solution.source, solution.packs.as_slice()) {
        (Some(source), _) => format!(" from {}", input.ids().get(source)),
        (None, []) => String::new(),
        (None, packs) => describe_packs(packs),
    };
    table.row([
        job.algorithm.name,
        &format!(
            "{}, {} after {}",
            describe_work(&runs.last, &source),
            stop(runs.last.stop),
            duration(runs.last.time)
        ),
    ]);
    if runs.times.len() > 1 {
        table.row(["trials", &trials(runs)]);
    }
    if let Some(saving) = &runs.saving {
        if let Some(superstep) = saving.resumed_after {
            table.row(["resumed", &format!("after superstep {superstep}")]);
        }
        if job.checkpoints.as_ref().is_some_and(Checkpoints::saves) {
            table.row(["saved", &describe_saving(saving)]);
        }
    }
    if let Some(device) = &runs.last.device {
        table.row(["device", &describe_device(device)]);
    }
    if job.verify {
        table.row(["verified", "yes"]);
    }
    if let Some(path) = &job.verify_against {
        table.row(["agrees with", &path.display().to_string()]);
    }
    table.to_string()
}

/// The supersteps of a program and its messages, or the passes of a solver and its edges.
fn describe_work(ran: &Ran, source: &str) -> String {
    let (steps, messages) = (u64::from(ran.count), thousands(ran.messages));
    let engine = ran.engine;
    match ran.strategy {
        Some(strategy) => {
            let steps = count(steps, "superstep", "supersteps");
            format!("{steps}{source} on {engine} ({strategy}), {messages} messages")
        }
        None => {
            let steps = count(steps, "pass", "passes");
            let counted = ran.counted;
            format!("{steps}{source} on {engine}, {messages} {counted}")
        }
    }
}

/// How many searches there were, and whether they ran together.
fn describe_packs(packs: &[Pack]) -> String {
    let sources = packs.iter().map(|pack| pack.sources.len() as u64).sum();
    let sources = count(sources, "source", "sources");
    let together = packs.iter().filter(|pack| pack.together).count() as u64;
    if together == packs.len() as u64 {
        format!(" from {sources} in {}", count(together, "pack", "packs"))
    } else {
        format!(" from {sources}")
    }
}

/// The number of checkpoints, and what they cost.
fn describe_saving(saving: &Saving) -> String {
    let written = count(saving.written.into(), "checkpoint", "checkpoints");
    let wait = Duration::try_from_secs_f64(saving.wait_seconds).unwrap_or_default();
    format!("{written}; the run waited {} for them", duration(wait))
}

/// The GPU, and what preparing it cost.
fn describe_device(device: &DeviceReport) -> String {
    format!(
        "{}, {} of memory; kernels loaded in {}, graph copied in {}, laid out in {}",
        device.name,
        bytes(device.memory.iter().map(|need| need.bytes).sum()),
        duration(device.load_time),
        duration(device.upload_time),
        duration(device.preprocess_time)
    )
}

/// Why a run ended, in words.
fn stop(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Limit => "stopped at the limit",
        reason => reason.name(),
    }
}

/// The shortest and the median time.
fn trials(runs: &Runs) -> String {
    let mut times = runs.times.clone();
    times.sort();
    let middle = times.len() / 2;
    let median = match times.len() % 2 {
        0 => (times[middle - 1] + times[middle]) / 2,
        _ => times[middle],
    };
    format!("{}: min {}, median {}", times.len(), duration(times[0]), duration(median))
}

/// The vertices of a path, each with its value.
fn describe_path(path: &Path, ids: &Ids, values: &Column) -> String {
    let target = ids.get(path.target);
    if path.vertices.is_empty() {
        return format!("no path to {target}\n");
    }
    let mut table = Table::new(&[Align::Right, Align::Left]);
    for &v in &path.vertices {
        let mut value = String::new();
        // Writing to a string never fails.
        let _ = values.print(&mut value, ids, v);
        table.row([value, ids.get(v).to_string()]);
    }
    let edges = count(path.vertices.len() as u64 - 1, "edge", "edges");
    format!("path to {target}: {edges}\n\n{table}")
}

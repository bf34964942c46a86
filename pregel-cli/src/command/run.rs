//! `pregel run`

use anyhow::{Context, Result};
use pregel_core::engine::StopReason;
use pregel_core::engine::gpu::{DeviceReport, bytes};
use pregel_core::graph::Ids;

use super::{print, use_threads};
use crate::algorithm::{Path, Solution};
use crate::args::RunArgs;
use crate::explain;
use crate::input::Input;
use crate::job::{Job, Runs};
use crate::machine::Machine;
use crate::output::{Column, Target};
use crate::plan::RunPlan;
use crate::progress::Progress;
use crate::report::Report;
use crate::text::{Align, Table, count, duration, thousands};

/// Loads, runs, writes; nothing is written unless all went well.
pub fn execute(args: RunArgs) -> Result<()> {
    let progress = Progress::new(args.graph.common.quiet);
    let (quiet, threads) = (args.graph.common.quiet, args.graph.common.threads);
    let plan = RunPlan::new(args)?;
    use_threads(threads)?;
    let machine = Machine::open(plan.engine, &plan.layout)?;
    let input = Input::load(&plan.graph, plan.algorithm.weights(), &progress)?;
    let job = Job { plan: &plan, machine: &machine, input: &input, progress: &progress };
    let solution = plan.algorithm.solve(&job)?;

    if let Some(output) = &plan.output {
        progress.stage("writing");
        output.write(input.ids(), &solution.columns)?;
        progress.clear();
    }
    if let Some(report) = &plan.report {
        let json = serde_json::to_vec_pretty(&Report::new(&plan, &input, &solution))
            .context("cannot write the report")?;
        report.write(|out| {
            out.write_all(&json)?;
            out.write_all(b"\n")
        })?;
    }
    if plan.explain {
        progress.tell(&explain::describe(&solution.runs.last));
    }
    let text = describe(&plan, &input, &solution, quiet);
    let takes_stdout = |target: &Target| *target == Target::Stdout;
    let stdout_taken = plan.output.as_ref().is_some_and(|o| takes_stdout(&o.target))
        || plan.report.as_ref().is_some_and(takes_stdout);
    match stdout_taken {
        true => progress.tell(&text),
        false => print(&text)?,
    }
    Ok(())
}

/// What the user reads in the end.
fn describe(plan: &RunPlan, input: &Input, solution: &Solution, quiet: bool) -> String {
    let mut parts = Vec::new();
    if !quiet {
        parts.push(headline(plan, input, solution));
    }
    if plan.output.is_none()
        && let Some(values) = solution.columns.first()
    {
        parts.push(plan.algorithm.summary(input.ids(), values));
    }
    if let (Some(path), Some(values)) = (&solution.path, solution.columns.first()) {
        parts.push(describe_path(path, input.ids(), values));
    }
    parts.join("\n")
}

/// Graph, run and trials, a line each.
fn headline(plan: &RunPlan, input: &Input, solution: &Solution) -> String {
    let runs = &solution.runs;
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["graph", &input.describe()]);
    let source = solution.source.map(|v| format!(" from {}", input.ids().get(v)));
    table.row([
        plan.algorithm.name(),
        &format!(
            "{}{} on {} ({}), {} messages, {} after {}",
            count(runs.last.supersteps.into(), "superstep", "supersteps"),
            source.unwrap_or_default(),
            runs.last.engine,
            runs.last.strategy.name(),
            thousands(runs.last.messages),
            stop(runs.last.stop),
            duration(runs.last.time)
        ),
    ]);
    if runs.times.len() > 1 {
        table.row(["trials", &trials(runs)]);
    }
    if let Some(device) = &runs.last.device {
        table.row(["device", &describe_device(device)]);
    }
    if plan.verify {
        table.row(["verified", "yes"]);
    }
    table.to_string()
}

/// The GPU, and what it cost to begin there.
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

/// Why a run ended.
fn stop(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Limit => "stopped at the limit",
        reason => reason.name(),
    }
}

/// Shortest and median time.
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

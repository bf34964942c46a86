//! `pregel info --fits`: how much memory a run would take.

use anyhow::{Result, anyhow, bail};
use pregel_core::engine::gpu::bytes;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::gpu::{CudaDevice, Device, DeviceError};
use pregel_core::engine::{Need, Needs, held_by};
use pregel_core::io::AnyGraph;

use crate::algorithm;
use crate::args::{EngineArg, ExecuteArgs, GraphArgs, RunArgs};
use crate::command::threads::use_threads;
use crate::input::Input;
use crate::job::RunJob;
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
use crate::machine::Images;
use crate::machine::Machine;
use crate::output::print;
use crate::progress::Progress;
use crate::runner::{Foreseen, Runner, arrange};
use crate::text::{Align, Table, thousands};
use crate::usage::UsageError;

/// Reads the graph as `args` would, and says what the run takes; `text` is what the user wrote of
/// it.
pub fn execute(mut args: RunArgs, text: &str, graph: GraphArgs) -> Result<()> {
    let progress = Progress::new(graph.common.quiet);
    let threads = graph.common.threads;
    args.run.graph = graph;
    let algorithm = algorithm::find(&args)?;
    refuse(&args.run)?;
    let job = RunJob::new(args, algorithm.facts())?;
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    if matches!(job.engine, EngineArg::Cuda(_)) {
        Machine::open(job.engine, &job.layout, Images::new(), false)?;
    }
    use_threads(threads)?;
    let input = Input::load(&job.graph, &[], &progress)?;
    // The GPU, if it is to be one, is not opened: nothing runs there.
    let machine = Machine::Cpu;
    let input = match job.engine {
        EngineArg::Cuda(_) => input,
        _ => arrange(input, algorithm, &job, &machine, &progress),
    };
    let runner =
        Runner { job: &job, machine: &machine, input: &input, progress: &progress, foresees: true };
    progress.stage("planning");
    let foreseen = match algorithm.solve(&runner) {
        Ok(_) => bail!("the memory of {text} cannot be foreseen"),
        Err(error) => error.downcast::<Foreseen>()?,
    };
    let gpu = match job.engine {
        EngineArg::Cuda(number) => free_on_gpu(number, &progress),
        EngineArg::Auto => free_on_gpu(0, &progress),
        _ => None,
    };
    progress.clear();
    let (said, why_not) = describe(&input, text, &foreseen, gpu.as_ref());
    print(&said)?;
    why_not.map_or(Ok(()), |why| Err(anyhow!(why)))
}

/// Refuses what makes a run take memory that is not foreseen, and what is not written.
fn refuse(args: &ExecuteArgs) -> Result<(), UsageError> {
    let given = [
        ("--verify", args.verify),
        ("--verify-against", args.verify_against.is_some()),
        ("--check", args.check),
        ("--follow", args.follow.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--output", args.output.is_some()),
        ("--report", args.report.is_some()),
        ("--html", args.html.is_some()),
        ("--trace", args.trace.is_some()),
        ("--explain", args.explain),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        let text = format!(
            "--fits foresees a run that is neither checked, saved nor written: leave {option} out"
        );
        return Err(UsageError::new(text));
    }
    if args.engine == EngineArg::Reference {
        let text = "--fits is for --engine cpu, cuda and auto; the memory of the reference engine \
                    is not foreseen";
        return Err(UsageError::new(text));
    }
    Ok(())
}

/// A GPU of this machine.
struct Free {
    name: String,
    bytes: u64,
}

/// The memory that a GPU has left, if there is one.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn free_on_gpu(number: u32, progress: &Progress) -> Option<Free> {
    let found = CudaDevice::open(number)
        .and_then(|gpu| Ok(Free { name: gpu.name(), bytes: gpu.memory()?.free }));
    match found {
        Ok(free) => Some(free),
        Err(DeviceError::NoDriver | DeviceError::NoDevice) => None,
        Err(why) => {
            progress.note(&format!("no GPU: {why}"));
            None
        }
    }
}

/// None, without a GPU engine.
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
fn free_on_gpu(_: u32, _: &Progress) -> Option<Free> {
    None
}

/// What is taken where, and why the run does not fit if it does not.
fn describe(
    input: &Input,
    text: &str,
    foreseen: &Foreseen,
    gpu: Option<&Free>,
) -> (String, Option<String>) {
    let on_gpu = foreseen.gpu.as_ref().and_then(|gpu| gpu.as_ref().ok());
    let mut said = format!("{}\n", input.describe());
    let mut why_not = None;
    if let Some(needs) = foreseen.cpu.as_ref().or(on_gpu) {
        said += &format!(
            "\nmemory of {text}{}\n\n",
            if foreseen.cpu.is_some() { "" } else { ", on the host" }
        );
        said += &host(&input.graph, foreseen, needs).to_string();
        let (verdict, fits) = compare(needs.host_peak(), foreseen.available, "");
        said += &format!("\n{verdict}\n");
        if !fits {
            why_not = Some(verdict);
        }
    }
    // A run on either engine tells of the GPU only if there is one.
    let alone = foreseen.cpu.is_none();
    if let (Some(needs), true) = (on_gpu, alone || gpu.is_some()) {
        let name = gpu.map_or("a GPU", |gpu| &gpu.name);
        said += &format!("\nmemory of {text} on {name}\n\n");
        let mut table = table();
        by_name(&needs.device).iter().for_each(|need| row(&mut table, need.name, need.bytes));
        row(&mut table, "all of it", needs.device_bytes());
        if let Some(gpu) = gpu {
            row(&mut table, "free", gpu.bytes);
        }
        said += &table.to_string();
        match gpu {
            None => said += "\nno GPU is here to compare with\n",
            Some(gpu) => {
                let (verdict, fits) = compare(needs.device_bytes(), Some(gpu.bytes), " on the GPU");
                said += &format!("\n{verdict}\n");
                if !fits && alone {
                    why_not = Some(verdict);
                }
            }
        }
    }
    if let (Some(Err(why)), Some(_)) = (&foreseen.gpu, gpu) {
        said += &format!("\nnot on the GPU: {why}\n");
    }
    (said, why_not)
}

/// What the process holds when the run begins, what the run adds, and the peak of both.
fn host(graph: &AnyGraph, foreseen: &Foreseen, needs: &Needs) -> Table {
    let held: Vec<Need> = match graph {
        AnyGraph::Plain(graph) => held_by(graph),
        AnyGraph::Weighted(graph) => held_by(graph),
    };
    let mut table = table();
    held.iter().for_each(|need| row(&mut table, &format!("graph: {}", need.name), need.bytes));
    let known: u64 = held.iter().map(|need| need.bytes).sum();
    let resident = foreseen.resident.unwrap_or(known);
    row(&mut table, "the process apart from that", resident.saturating_sub(known));
    needs.host.iter().for_each(|need| row(&mut table, &format!("run: {}", need.name), need.bytes));
    row(&mut table, "while it runs", resident.saturating_add(needs.host_bytes()));
    if needs.while_rows_are_made() > 0 {
        let rows = resident.saturating_add(needs.while_rows_are_made());
        row(&mut table, "while rows by target are made", rows);
    }
    if let Some(peak) = foreseen.peak {
        row(&mut table, "while the graph was made", peak);
    }
    let largest = resident.saturating_add(needs.host_peak()).max(foreseen.peak.unwrap_or(0));
    row(&mut table, "peak", largest);
    if let Some(available) = foreseen.available {
        row(&mut table, "available for the run", available);
    }
    table
}

/// The arrays of each name together, the largest first.
fn by_name(needs: &[Need]) -> Vec<Need> {
    let mut sums: Vec<Need> = Vec::new();
    for need in needs {
        match sums.iter_mut().find(|sum| sum.name == need.name) {
            Some(sum) => sum.bytes += need.bytes,
            None => sums.push(*need),
        }
    }
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.bytes));
    sums
}

fn table() -> Table {
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right]);
    table.row(["what", "bytes", ""]);
    table
}

fn row(table: &mut Table, what: &str, size: u64) {
    table.row([what, &thousands(size), &bytes(size)]);
}

/// Whether as much is available, in a sentence.
fn compare(needed: u64, available: Option<u64>, place: &str) -> (String, bool) {
    match available {
        None => {
            let text =
                format!("needs {}{place}; how much is available is not known", bytes(needed));
            (text, true)
        }
        Some(available) => {
            let [needs, has] = [needed, available].map(bytes);
            if needed <= available {
                return (
                    format!("fits{place}: the run adds {needs}, and {has} are available"),
                    true,
                );
            }
            let more = bytes(needed - available);
            let text = format!(
                "does not fit{place}: the run adds {needs}, {more} more than the {has} available"
            );
            (text, false)
        }
    }
}

//! The work to do: the arguments, checked against each other.

mod bench;
mod checkpoints;
mod files;
mod graph;
mod info;

use std::path::{Path, PathBuf};

use anyhow::Result;
use pregel_core::checkpoint::Checkpoints;
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{RunOptions, Strategy};

pub use bench::BenchJob;
use checkpoints::open_checkpoints;
pub use files::refuse_overwriting;
pub use graph::{GraphJob, SaveJob, Source, parse_spec};
pub use info::InfoJob;

use crate::args::{
    EngineArg, LengthsArg, MethodArg, OrderArg, Precision, RunArgs, SourcesArg, StrategyArg,
};
use crate::facts::Facts;
use crate::output::{Output, Target};
use crate::usage::UsageError;

/// Parameters of the algorithms; an algorithm reads those that it takes.
#[derive(Clone, Debug)]
pub struct Params {
    pub source: Option<String>,
    /// The sources of many searches, instead of one.
    pub sources: Option<SourcesArg>,
    pub target: Option<String>,
    pub parents: bool,
    pub damping: f64,
    pub tolerance: f64,
    pub personalize: Option<PathBuf>,
    pub precision: Precision,
    /// The rows of a matrix to write; all if there are none.
    pub rows: Option<Vec<String>>,
    pub lengths: LengthsArg,
    pub method: MethodArg,
    pub tile: u32,
}

/// A run, ready to begin.
#[derive(Debug)]
pub struct RunJob {
    pub algorithm: Facts,
    pub graph: GraphJob,
    pub params: Params,
    pub engine: EngineArg,
    /// How a GPU lays the graph out.
    pub layout: GpuOptions,
    pub options: RunOptions,
    pub trials: usize,
    pub verify: bool,
    /// A file of results to compare with.
    pub verify_against: Option<PathBuf>,
    pub output: Option<Output>,
    pub report: Option<Target>,
    /// Whether to say what the engine chose, and why.
    pub explain: bool,
    /// Where the run is saved and resumed from.
    pub checkpoints: Option<Checkpoints>,
}

impl RunJob {
    /// Checks the arguments against each other, and that the outputs can be
    /// written, before any work.
    pub fn new(args: RunArgs, algorithm: Facts) -> Result<Self> {
        if args.rows.is_some() && args.output.is_none() {
            return Err(UsageError::new("--rows is for --output: it says what is written").into());
        }
        if args.source.is_some() && args.personalize.is_some() {
            let text = "--source and --personalize exclude each other: both say where to teleport";
            return Err(UsageError::new(text).into());
        }
        if args.verify_against.is_some() && algorithm.matrix {
            let text = format!("--verify-against compares columns; {} has none", algorithm.name);
            return Err(UsageError::new(text).into());
        }
        check_sources(&args)?;
        let graph = GraphJob::new(&args.graph, algorithm.weights)?;
        let strategy: Strategy = args.strategy.into();
        check_strategy(&algorithm, &args)?;
        let layout = layout(&algorithm, &args)?;
        let sources = match &args.sources {
            Some(SourcesArg::File(path)) => Some(path.as_path()),
            _ => None,
        };
        let inputs =
            [graph.file(), args.personalize.as_deref(), sources, args.verify_against.as_deref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().collect();
        let outputs: Vec<&Path> =
            [args.output.as_deref(), args.report.as_deref()].into_iter().flatten().collect();
        refuse_overwriting(&inputs, &outputs)?;
        let (output, report) = (args.output.as_deref(), args.report.as_deref());
        let output = output.map(|path| Output::new(path, algorithm.matrix)).transpose()?;
        let report = report.map(Target::new).transpose()?;
        // Last, since this may create a folder.
        let checkpoints = open_checkpoints(&args, &algorithm)?;
        Ok(Self {
            algorithm,
            graph,
            engine: args.engine,
            layout,
            options: RunOptions::default()
                .with_strategy(strategy)
                .with_max_supersteps(args.supersteps.or(algorithm.default_supersteps))
                .with_deterministic(args.deterministic)
                .with_order(args.order.into())
                .with_expected_runs(u32::try_from(args.trials.get()).ok())
                .with_delta(args.delta),
            trials: args.trials.get(),
            verify: args.verify,
            verify_against: args.verify_against,
            output,
            report,
            explain: args.explain,
            checkpoints,
            params: Params {
                parents: args.parents || args.target.is_some(),
                source: args.source,
                sources: args.sources,
                target: args.target,
                damping: args.damping.unwrap_or(0.85),
                tolerance: args.tolerance.unwrap_or(1e-6),
                personalize: args.personalize,
                precision: args.precision.unwrap_or_default(),
                rows: args.rows,
                lengths: args.lengths.unwrap_or_default(),
                method: args.method.unwrap_or_default(),
                tile: args.tile.unwrap_or(16),
            },
        })
    }

    /// The files to write.
    pub fn outputs(&self) -> Vec<&Path> {
        let output = self.output.as_ref().map(|output| &output.target);
        [output, self.report.as_ref()].into_iter().flatten().filter_map(Target::file).collect()
    }

    /// Whether the result or the report goes to stdout, and the rest of what
    /// the user reads must go elsewhere.
    pub fn takes_stdout(&self) -> bool {
        let output = self.output.as_ref().map(|output| &output.target);
        [output, self.report.as_ref()].contains(&Some(&Target::Stdout))
    }
}

/// Refuses what is for one search where there are many.
fn check_sources(args: &RunArgs) -> Result<(), UsageError> {
    if args.sources.is_none() {
        return Ok(());
    }
    let given = [
        ("--source", args.source.is_some(), "both say where to start"),
        ("--target", args.target.is_some(), "a path has one source"),
        ("--parents", args.parents, "there is one column per source"),
        ("--checkpoint", args.checkpoint.is_some(), "a checkpoint saves a single run"),
        ("--resume", args.resume.is_some(), "a checkpoint saves a single run"),
    ];
    match given.iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((option, _, why)) => {
            Err(UsageError::new(format!("--sources and {option} exclude each other: {why}")))
        }
    }
}

/// Refuses a strategy or an order that the engine or the algorithm does not have.
fn check_strategy(algorithm: &Facts, args: &RunArgs) -> Result<(), UsageError> {
    let plain = args.strategy == StrategyArg::Auto
        && args.order == OrderArg::Auto
        && args.supersteps.is_none();
    if !algorithm.vertex_program && !plain {
        return Err(UsageError::new(format!(
            "{} has no strategies, no order of vertices and no supersteps to limit, since it is \
             not a vertex program{}",
            algorithm.name,
            if algorithm.counterpart.is_some() { "; label propagation (hcc) has" } else { "" }
        )));
    }
    if !algorithm.one_run && args.supersteps.is_some() {
        return Err(UsageError::new(format!(
            "--supersteps means nothing to {}, which consists of several runs and has no result \
             before the last one ends",
            algorithm.name
        )));
    }
    match (args.engine, args.strategy) {
        (EngineArg::Reference, StrategyArg::Push | StrategyArg::Pull) => {
            let strategy = Strategy::from(args.strategy).name();
            Err(UsageError::new(format!(
                "--strategy {strategy} is for --engine cpu and cuda; the reference engine keeps \
                 every message"
            )))
        }
        (EngineArg::Reference, _) if args.order == OrderArg::Degree => Err(UsageError::new(
            "--order degree is for --engine cpu and cuda; the reference engine keeps the \
             vertices as given",
        )),
        (EngineArg::Auto | EngineArg::Cpu | EngineArg::Reference, StrategyArg::Medusa) => {
            Err(UsageError::new("--strategy medusa is for --engine cuda"))
        }
        _ => Ok(()),
    }
}

/// The layout on a GPU that the user asked for.
fn layout(algorithm: &Facts, args: &RunArgs) -> Result<GpuOptions, UsageError> {
    let given = [
        ("--gpu-sort", args.gpu_sort.is_some()),
        ("--gpu-group", args.gpu_group.is_some()),
        ("--gpu-whole-hubs", args.gpu_whole_hubs),
        ("--gpu-hot", args.gpu_hot.is_some()),
        ("--gpu-bins", args.gpu_bins.is_some()),
        ("--gpu-resident", args.gpu_resident.is_some()),
        ("--gpu-priority", args.gpu_priority.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        if !matches!(args.engine, EngineArg::Cuda(_)) {
            return Err(UsageError::new(format!(
                "{option} is for --engine cuda, not for --engine {}",
                args.engine
            )));
        }
        if !algorithm.vertex_program {
            return Err(UsageError::new(format!(
                "{option} means nothing to {}, which needs no layout",
                algorithm.name
            )));
        }
    }
    let medusa = args.strategy == StrategyArg::Medusa;
    let mut layout = if medusa { GpuOptions::medusa() } else { GpuOptions::default() }
        .with_split_hubs(!args.gpu_whole_hubs)
        .with_hot(args.gpu_hot.unwrap_or_default().into())
        .with_bins(args.gpu_bins.unwrap_or_default().into())
        .with_resident(args.gpu_resident.unwrap_or_default().into())
        .with_priority(args.gpu_priority.unwrap_or_default().into());
    if let Some(sort) = args.gpu_sort {
        layout = layout.with_sort(sort.0);
    }
    if let Some(group) = args.gpu_group {
        layout = layout.with_group(group);
    }
    Ok(layout)
}

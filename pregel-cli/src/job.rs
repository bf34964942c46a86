//! The work to do: the arguments, checked against each other.

#[cfg(feature = "command")]
mod bench;
mod checkpoints;
#[cfg(feature = "command")]
mod fetch;
mod files;
mod graph;
#[cfg(feature = "command")]
mod info;

use std::path::{Path, PathBuf};

use anyhow::Result;
use pregel_core::checkpoint::Checkpoints;
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{RunOptions, Strategy};

#[cfg(feature = "command")]
pub use bench::BenchJob;
use checkpoints::open_checkpoints;
#[cfg(feature = "command")]
pub use fetch::FetchJob;
pub use files::refuse_overwriting;
pub use graph::{GraphJob, SaveJob, Source, parse_spec};
#[cfg(feature = "command")]
pub use info::InfoJob;

use crate::args::{
    EngineArg, ExecuteArgs, LengthsArg, MethodArg, OrderArg, ParamArgs, Precision, RunArgs,
    SourcesArg, StrategyArg,
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
    pub seed: u32,
    pub attenuation: Option<f32>,
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
    /// The vertex whose history is printed.
    pub follow: Option<String>,
    /// Whether to check the program before it runs.
    pub check: bool,
    /// Where the timeline goes.
    pub trace: Option<Target>,
    /// Where the page goes.
    pub html: Option<Target>,
    /// Where the run is saved and resumed from.
    pub checkpoints: Option<Checkpoints>,
}

impl RunJob {
    /// Checks the arguments against each other, and that the outputs can be
    /// written, before any work.
    pub fn new(args: RunArgs, algorithm: Facts) -> Result<Self> {
        let RunArgs { params, run: args, .. } = args;
        if params.rows.is_some() && args.output.is_none() {
            return Err(UsageError::new("--rows is for --output: it says what is written").into());
        }
        if params.source.is_some() && params.personalize.is_some() {
            let text = "--source and --personalize exclude each other: both say where to teleport";
            return Err(UsageError::new(text).into());
        }
        if args.verify_against.is_some() && algorithm.matrix {
            let text = format!("--verify-against compares columns; {} has none", algorithm.name);
            return Err(UsageError::new(text).into());
        }
        check_sources(&params, &args)?;
        check_inspection(&algorithm, &args)?;
        let graph = GraphJob::new(&args.graph, algorithm.weights)?;
        let strategy: Strategy = args.strategy.into();
        check_strategy(&algorithm, &args)?;
        let layout = layout(&algorithm, &args)?;
        let sources = match &params.sources {
            Some(SourcesArg::File(path)) => Some(path.as_path()),
            _ => None,
        };
        let inputs =
            [graph.file(), params.personalize.as_deref(), sources, args.verify_against.as_deref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().collect();
        let outputs = [&args.output, &args.report, &args.trace, &args.html].map(Option::as_deref);
        let outputs: Vec<&Path> = outputs.into_iter().flatten().collect();
        refuse_overwriting(&inputs, &outputs)?;
        let (output, report) = (args.output.as_deref(), args.report.as_deref());
        let output = output.map(|path| Output::new(path, algorithm.matrix)).transpose()?;
        let report = report.map(Target::new).transpose()?;
        let trace = args.trace.as_deref().map(Target::new).transpose()?;
        let html = args.html.as_deref().map(Target::new).transpose()?;
        let shows_steps = args.explain || report.is_some() || trace.is_some() || html.is_some();
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
                .with_delta(params.delta)
                .with_totals_only(!shows_steps),
            trials: args.trials.get(),
            verify: args.verify,
            verify_against: args.verify_against,
            output,
            report,
            explain: args.explain,
            follow: args.follow,
            check: args.check,
            trace,
            html,
            checkpoints,
            params: Params {
                parents: params.parents || params.target.is_some(),
                source: params.source,
                sources: params.sources,
                target: params.target,
                damping: params.damping.unwrap_or(0.85),
                tolerance: params.tolerance.unwrap_or(1e-6),
                personalize: params.personalize,
                precision: params.precision.unwrap_or_default(),
                rows: params.rows,
                lengths: params.lengths.unwrap_or_default(),
                method: params.method.unwrap_or_default(),
                tile: params.tile.unwrap_or(16),
                seed: params.seed.unwrap_or(1),
                attenuation: params.attenuation,
            },
        })
    }

    /// The places to write to.
    fn targets(&self) -> impl Iterator<Item = &Target> {
        let output = self.output.as_ref().map(|output| &output.target);
        let others = [&self.report, &self.trace, &self.html].map(Option::as_ref);
        output.into_iter().chain(others.into_iter().flatten())
    }

    /// The files to write.
    pub fn outputs(&self) -> Vec<&Path> {
        self.targets().filter_map(Target::file).collect()
    }

    /// Whether the result or a report goes to stdout, and the rest of what
    /// the user reads must go elsewhere.
    pub fn takes_stdout(&self) -> bool {
        self.targets().any(|target| *target == Target::Stdout)
    }
}

/// Refuses what is for one search where there are many.
fn check_sources(params: &ParamArgs, args: &ExecuteArgs) -> Result<(), UsageError> {
    if params.sources.is_none() {
        return Ok(());
    }
    let given = [
        ("--source", params.source.is_some(), "both say where to start"),
        ("--target", params.target.is_some(), "a path has one source"),
        ("--parents", params.parents, "there is one column per source"),
        ("--checkpoint", args.checkpoint.is_some(), "a checkpoint saves a single run"),
        ("--resume", args.resume.is_some(), "a checkpoint saves a single run"),
        ("--follow", args.follow.is_some(), "a single run is followed"),
        ("--check", args.check, "a single program is checked"),
    ];
    match given.iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((option, _, why)) => {
            Err(UsageError::new(format!("--sources and {option} exclude each other: {why}")))
        }
    }
}

/// Refuses to look into what is not a vertex program, or not a single run of one.
fn check_inspection(algorithm: &Facts, args: &ExecuteArgs) -> Result<(), UsageError> {
    let given = [("--follow", args.follow.is_some()), ("--check", args.check)];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) if !algorithm.vertex_program || !algorithm.one_run => {
            Err(UsageError::new(format!(
                "{option} is for a single run of a vertex program, which {} is not{}",
                algorithm.name,
                algorithm.counterpart.map_or(String::new(), |name| format!("; {name} is"))
            )))
        }
        _ => Ok(()),
    }
}

/// Refuses a strategy or an order that the engine or the algorithm does not have.
fn check_strategy(algorithm: &Facts, args: &ExecuteArgs) -> Result<(), UsageError> {
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
fn layout(algorithm: &Facts, args: &ExecuteArgs) -> Result<GpuOptions, UsageError> {
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

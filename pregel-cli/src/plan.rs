//! What is to be done: the arguments, checked against each other.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Result;
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{RunOptions, Strategy};
use pregel_core::graph::generate::Spec;
use pregel_core::io::LoadOptions;

use crate::algorithm::{self, Algorithm, Param};
use crate::args::{EngineChoice, GraphArgs, Precision, RunArgs};
use crate::output::{Output, Target};

/// A command line that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Where a graph comes from.
#[derive(Clone, Debug)]
pub enum Source {
    File(PathBuf),
    Generated(Spec),
}

/// A graph and how to read it.
#[derive(Clone, Debug)]
pub struct GraphPlan {
    pub source: Source,
    pub load: LoadOptions,
}

impl fmt::Display for GraphPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::File(path) => path.display().fmt(f),
            Source::Generated(spec) => spec.fmt(f),
        }
    }
}

impl GraphPlan {
    /// Tells a file from a spec and refuses options that a spec cannot have.
    pub fn new(args: &GraphArgs) -> Result<Self, UsageError> {
        let load = LoadOptions::default()
            .with_format(args.input_format.map(Into::into))
            .with_directed(match (args.directed, args.undirected) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            })
            .with_ids(args.ids.unwrap_or_default().into())
            .with_weights(args.weights.into())
            .with_duplicates(args.duplicates.unwrap_or_default().into())
            .with_self_loops(args.self_loops.unwrap_or_default().into())
            .with_max_decompressed(args.max_decompressed)
            .with_max_vertices(args.max_vertices);
        if !Spec::recognises(&args.graph) {
            return Ok(Self { source: Source::File(PathBuf::from(&args.graph)), load });
        }
        let of_files = [
            ("--directed", args.directed),
            ("--undirected", args.undirected),
            ("--input-format", args.input_format.is_some()),
            ("--ids", args.ids.is_some()),
            ("--duplicates", args.duplicates.is_some()),
            ("--self-loops", args.self_loops.is_some()),
            ("--max-decompressed", args.max_decompressed.is_some()),
            ("--max-vertices", args.max_vertices.is_some()),
        ];
        if let Some((option, _)) = of_files.iter().find(|(_, given)| *given) {
            return Err(UsageError(format!(
                "{option} is for files; a generated graph is what its spec says \
                 (sym=0 for directed, dedup=0 to keep duplicates)"
            )));
        }
        Ok(Self { source: Source::Generated(parse_spec(&args.graph)?), load })
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            Source::Generated(_) => None,
        }
    }
}

/// Reads a generator spec.
pub fn parse_spec(text: &str) -> Result<Spec, UsageError> {
    if !Spec::recognises(text) {
        return Err(UsageError(format!(
            "«{text}» is no generator spec; rmat:scale=10, uniform:n=1000,m=16000 and \
             grid:rows=30,cols=40 are"
        )));
    }
    Spec::from_str(text).map_err(|error| UsageError(error.to_string()))
}

/// Parameters of the algorithms; an algorithm reads those that it takes.
#[derive(Clone, Debug)]
pub struct Params {
    pub source: Option<String>,
    pub target: Option<String>,
    pub parents: bool,
    pub damping: f64,
    pub tolerance: f64,
    pub personalize: Option<PathBuf>,
    pub precision: Precision,
}

/// A run, ready to begin.
#[derive(Debug)]
pub struct RunPlan {
    pub algorithm: &'static dyn Algorithm,
    pub graph: GraphPlan,
    pub params: Params,
    pub engine: EngineChoice,
    /// How the graph is laid out on a GPU.
    pub layout: GpuOptions,
    pub options: RunOptions,
    pub trials: usize,
    pub verify: bool,
    pub output: Option<Output>,
    pub report: Option<Target>,
    /// Whether to say what was chosen, and why.
    pub explain: bool,
}

impl RunPlan {
    /// Checks the arguments against each other and the places to write to,
    /// before any work.
    pub fn new(args: RunArgs) -> Result<Self> {
        let algorithm = algorithm::find(&args.algorithm)
            .ok_or_else(|| UsageError(format!("there is no algorithm «{}»", args.algorithm)))?;
        check_params(algorithm, &args)?;
        let graph = GraphPlan::new(&args.graph)?;
        let strategy: Strategy = args.strategy.into();
        check_strategy(args.engine, strategy)?;
        let layout = layout(algorithm, &args)?;
        let inputs = [graph.file(), args.personalize.as_deref()];
        refuse_overwriting(&inputs, &[args.output.as_deref(), args.report.as_deref()])?;
        Ok(Self {
            algorithm,
            graph,
            params: Params {
                parents: args.parents || args.target.is_some(),
                source: args.source,
                target: args.target,
                damping: args.damping.unwrap_or(0.85),
                tolerance: args.tolerance.unwrap_or(1e-6),
                personalize: args.personalize,
                precision: args.precision.unwrap_or_default(),
            },
            engine: args.engine,
            layout,
            options: RunOptions::default()
                .with_strategy(strategy)
                .with_max_supersteps(args.supersteps.or(algorithm.default_supersteps()))
                .with_deterministic(args.deterministic)
                .with_order(args.order.into())
                .with_delta(args.delta),
            trials: args.trials.get(),
            verify: args.verify,
            output: args.output.as_deref().map(Output::new).transpose()?,
            report: args.report.as_deref().map(Target::new).transpose()?,
            explain: args.explain,
        })
    }
}

/// Refuses strategies that the engine does not have.
fn check_strategy(engine: EngineChoice, strategy: Strategy) -> Result<(), UsageError> {
    let word = strategy.name();
    match (engine, strategy) {
        (EngineChoice::Reference, Strategy::Push | Strategy::Pull) => Err(UsageError(format!(
            "--strategy {word} is for --engine cpu and cuda; the reference engine keeps every \
             message"
        ))),
        (EngineChoice::Cuda(_), _) | (_, Strategy::Auto | Strategy::Mailbox) => Ok(()),
        (_, Strategy::Medusa) => {
            Err(UsageError("--strategy medusa is for --engine cuda".to_owned()))
        }
        _ => Ok(()),
    }
}

/// The layout asked for.
fn layout(algorithm: &dyn Algorithm, args: &RunArgs) -> Result<GpuOptions, UsageError> {
    let given = [
        ("--gpu-sort", args.gpu_sort.is_some()),
        ("--gpu-group", args.gpu_group.is_some()),
        ("--gpu-whole-hubs", args.gpu_whole_hubs),
        ("--gpu-hot", args.gpu_hot.is_some()),
        ("--gpu-bins", args.gpu_bins.is_some()),
        ("--gpu-resident", args.gpu_resident.is_some()),
    ];
    let given = given.iter().find(|(_, given)| *given);
    if let (Some((option, _)), false) = (given, matches!(args.engine, EngineChoice::Cuda(_))) {
        return Err(UsageError(format!("{option} is for --engine cuda")));
    }
    if let (Some((option, _)), false) = (given, algorithm.laid_out()) {
        let name = algorithm.name();
        return Err(UsageError(format!("{option} means nothing to {name}, which has no layout")));
    }
    let mut layout = GpuOptions::default()
        .with_split_hubs(!args.gpu_whole_hubs)
        .with_hot(args.gpu_hot.unwrap_or_default().into())
        .with_bins(args.gpu_bins.unwrap_or_default().into())
        .with_resident(args.gpu_resident.unwrap_or_default().into());
    if let Some(sort) = args.gpu_sort {
        layout = layout.with_sort(sort.0);
    }
    Ok(args.gpu_group.map_or(layout, |group| layout.with_group(group)))
}

/// Refuses options that mean nothing to the algorithm.
fn check_params(algorithm: &dyn Algorithm, args: &RunArgs) -> Result<(), UsageError> {
    let given = [
        (Param::Source, args.source.is_some()),
        (Param::Target, args.target.is_some()),
        (Param::Parents, args.parents),
        (Param::Damping, args.damping.is_some()),
        (Param::Tolerance, args.tolerance.is_some()),
        (Param::Personalize, args.personalize.is_some()),
        (Param::Precision, args.precision.is_some()),
        (Param::Delta, args.delta.is_some()),
    ];
    for (param, _) in given.iter().filter(|(_, given)| *given) {
        if !algorithm.takes().contains(param) {
            let takers: Vec<_> = algorithm::ALGORITHMS
                .iter()
                .filter(|a| a.takes().contains(param))
                .map(|a| a.name())
                .collect();
            return Err(UsageError(format!(
                "{param} means nothing to {}; it is for {}",
                algorithm.name(),
                takers.join(" and ")
            )));
        }
    }
    if args.source.is_some() && args.personalize.is_some() {
        return Err(UsageError("--source and --personalize exclude each other".into()));
    }
    Ok(())
}

/// Refuses to write over a file that is read, or to write one file twice.
pub fn refuse_overwriting(
    inputs: &[Option<&Path>],
    outputs: &[Option<&Path>],
) -> Result<(), UsageError> {
    let mut taken: Vec<PathBuf> =
        inputs.iter().flatten().filter_map(|path| path.canonicalize().ok()).collect();
    for path in outputs.iter().flatten() {
        let Some(place) = whereabouts(path) else { continue };
        if taken.contains(&place) {
            let path = match path.to_str() {
                Some("-") => "standard output".into(),
                _ => path.display().to_string(),
            };
            return Err(UsageError(format!("{path} is used twice; choose another file to write")));
        }
        taken.push(place);
    }
    Ok(())
}

/// The one true path of a file that need not exist yet.
fn whereabouts(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
}

//! Which graph a command reads, and where it writes one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Result;
use pregel_core::graph::generate::Spec;
use pregel_core::io::{self, Format, LoadOptions, SaveError, Weights};

use crate::args::{GraphArgs, SaveFormatArg};
use crate::facts::WeightUse;
use crate::output::Target;
use crate::usage::UsageError;

/// Where a graph comes from.
#[derive(Clone, Debug)]
pub enum Source {
    File { path: PathBuf, options: LoadOptions },
    Generated { spec: Spec, weighted: bool },
}

/// A graph to read or generate.
#[derive(Clone, Debug)]
pub struct GraphJob {
    pub source: Source,
    /// Whether `--weights` leaves it to the algorithm which weights it uses.
    pub weights_auto: bool,
}

impl fmt::Display for GraphJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::File { path, .. } => path.display().fmt(f),
            Source::Generated { spec, .. } => spec.fmt(f),
        }
    }
}

impl GraphJob {
    /// Tells a file from a spec and refuses options that a spec cannot have;
    /// `weights` are those that `--weights auto` stands for.
    pub fn new(args: &GraphArgs, weights: WeightUse) -> Result<Self, UsageError> {
        let asked: Weights = args.weights.into();
        let weights_auto = asked == Weights::Auto;
        let source = if Spec::recognises(&args.graph) {
            refuse_file_options(args)?;
            let weighted = weights_auto && weights == WeightUse::Always;
            Source::Generated { spec: parse_spec(&args.graph)?, weighted }
        } else {
            let path = PathBuf::from(&args.graph);
            refuse_misspelt_spec(&args.graph, &path)?;
            let weights = if weights == WeightUse::Never { Weights::None } else { asked };
            Source::File { path, options: load_options(args, weights) }
        };
        Ok(Self { source, weights_auto })
    }

    /// The file, unless the graph is generated.
    pub fn file(&self) -> Option<&Path> {
        match &self.source {
            Source::File { path, .. } => Some(path),
            Source::Generated { .. } => None,
        }
    }
}

fn load_options(args: &GraphArgs, weights: Weights) -> LoadOptions {
    LoadOptions::default()
        .with_format(args.input_format.map(Into::into))
        .with_directed((args.directed || args.undirected).then_some(args.directed))
        .with_ids(args.ids.unwrap_or_default().into())
        .with_header(args.header.unwrap_or_default().into())
        .with_columns(args.columns.clone())
        .with_weights(weights)
        .with_duplicates(args.duplicates.unwrap_or_default().into())
        .with_self_loops(args.self_loops.unwrap_or_default().into())
        .with_max_decompressed(args.max_decompressed)
        .with_max_vertices(args.max_vertices)
}

/// A generated graph takes no option that says how to read a file.
fn refuse_file_options(args: &GraphArgs) -> Result<(), UsageError> {
    let given = [
        ("--directed", args.directed),
        ("--undirected", args.undirected),
        ("--input-format", args.input_format.is_some()),
        ("--ids", args.ids.is_some()),
        ("--header", args.header.is_some()),
        ("--columns", args.columns.is_some()),
        ("--duplicates", args.duplicates.is_some()),
        ("--self-loops", args.self_loops.is_some()),
        ("--max-decompressed", args.max_decompressed.is_some()),
        ("--max-vertices", args.max_vertices.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(UsageError::new(format!(
            "{option} is for files; the spec of a generated graph says all (sym=0 makes it \
             directed, dedup=0 keeps duplicates and self-loops)"
        ))),
    }
}

/// Refuses a name such as `rmt:scale=10` unless there is such a file.
fn refuse_misspelt_spec(name: &str, path: &Path) -> Result<(), UsageError> {
    let option = name.split_once(':').and_then(|(_, options)| options.split_once('='));
    if option.is_some_and(|(key, _)| !key.contains('/')) && !path.exists() {
        return Err(UsageError::new(format!(
            "«{name}» is neither a file nor a generator spec; specs begin with rmat:, uniform:, \
             grid:, lattice: or indegree:"
        )));
    }
    Ok(())
}

/// Reads a generator spec.
pub fn parse_spec(text: &str) -> Result<Spec, UsageError> {
    if !Spec::recognises(text) {
        return Err(UsageError::new(format!(
            "«{text}» is not a generator spec; rmat:scale=10, uniform:n=1000,m=16000 and \
             grid:rows=30,cols=40 are"
        )));
    }
    Spec::from_str(text).map_err(|error| UsageError::new(error.to_string()))
}

/// A graph to write.
#[derive(Clone, Debug)]
pub struct SaveJob {
    pub path: PathBuf,
    pub format: Format,
}

impl SaveJob {
    /// Checks that a graph can be written to `path`, in `format` or in that
    /// of the name.
    pub fn new(path: &Path, format: Option<SaveFormatArg>) -> Result<Self> {
        if Target::new(path)? == Target::Stdout {
            let text = "graphs are written to files, not to stdout; name a file such as out.tsv";
            return Err(UsageError::new(text).into());
        }
        let format = io::save_format(path, format.map(Into::into)).map_err(|error| {
            if let SaveError::Unsupported { format, .. } = error {
                return not_written(path, format);
            }
            UsageError::new(error.to_string())
        })?;
        Ok(Self { path: path.to_owned(), format })
    }
}

fn not_written(path: &Path, format: Format) -> UsageError {
    UsageError::new(format!(
        "{}: graphs are not written as {}; .pregel, .mtx, .parquet, .txt, .tsv and .csv are",
        path.display(),
        format.name()
    ))
}

//! What `pregel info` is to do.

use std::path::Path;

use anyhow::Result;

use crate::args::InfoArgs;
use crate::facts::WeightUse;
use crate::job::files::refuse_overwriting;
use crate::job::graph::GraphJob;
use crate::output::{Target, unpacked_name};
use crate::usage::UsageError;

/// A graph to describe.
#[derive(Debug)]
pub struct InfoJob {
    pub graph: GraphJob,
    /// Where the picture goes.
    pub plot: Option<Target>,
}

impl InfoJob {
    /// Checks that the picture can be written, before any work.
    pub fn new(args: &InfoArgs) -> Result<Self> {
        let graph = GraphJob::new(&args.graph, WeightUse::Always)?;
        let inputs: Vec<_> = graph.file().into_iter().collect();
        let outputs: Vec<_> = args.plot.as_deref().into_iter().collect();
        refuse_overwriting(&inputs, &outputs)?;
        outputs.iter().try_for_each(|path| check_suffix(path))?;
        Ok(Self { graph, plot: args.plot.as_deref().map(Target::new).transpose()? })
    }
}

/// Refuses to write SVG into a file that is called something else.
fn check_suffix(path: &Path) -> Result<(), UsageError> {
    let name = unpacked_name(path).unwrap_or_else(|| path.to_owned());
    match name.extension() {
        Some(suffix) if !suffix.eq_ignore_ascii_case("svg") => Err(UsageError::new(format!(
            "{}: pictures are written as SVG only; call it {}",
            path.display(),
            name.with_extension("svg").display()
        ))),
        _ => Ok(()),
    }
}

//! `pregel generate`

use anyhow::Result;
use pregel_core::io::AnyGraph;

use super::{check_save, save, use_threads};
use crate::args::GenerateArgs;
use crate::plan::parse_spec;
use crate::progress::Progress;

/// Generates a graph and writes it.
pub fn execute(args: GenerateArgs) -> Result<()> {
    let progress = Progress::new(args.common.quiet);
    let spec = parse_spec(&args.spec)?;
    let format = check_save(&args.out, args.output_format)?;
    use_threads(args.common.threads)?;
    progress.stage(&format!("generating {spec}"));
    let graph = match args.weights {
        true => AnyGraph::Weighted(spec.weighted()?),
        false => AnyGraph::Plain(spec.plain()?),
    };
    save(&args.out, &graph, format, &progress)
}

//! `pregel generate`

use anyhow::Result;
use pregel_core::io::AnyGraph;

use super::{print, use_threads};
use crate::args::GenerateArgs;
use crate::output::Target;
use crate::plan::parse_spec;
use crate::progress::Progress;
use crate::text::count;

/// Generates a graph and writes it.
pub fn execute(args: GenerateArgs) -> Result<()> {
    let progress = Progress::new(args.common.quiet);
    let spec = parse_spec(&args.spec)?;
    Target::new(&args.out)?;
    use_threads(args.common.threads)?;
    progress.stage(&format!("generating {spec}"));
    let graph = match args.weights {
        true => AnyGraph::Weighted(spec.weighted()?),
        false => AnyGraph::Plain(spec.plain()?),
    };
    super::save(&args.out, &graph, args.output_format, &progress)?;
    if !args.common.quiet {
        let plain = graph.plain();
        print(&format!(
            "{}: {}, {}\n",
            args.out.display(),
            count(plain.vertex_count().into(), "vertex", "vertices"),
            count(plain.edge_count(), "edge", "edges")
        ))?;
    }
    Ok(())
}

//! `pregel convert`

use anyhow::Result;

use super::{print, use_threads};
use crate::args::ConvertArgs;
use crate::input::{Input, WeightUse};
use crate::output::Target;
use crate::plan::{GraphPlan, refuse_overwriting};
use crate::progress::Progress;
use crate::text::count;

/// Reads a graph and writes it in another format.
pub fn execute(args: ConvertArgs) -> Result<()> {
    let progress = Progress::new(args.graph.common.quiet);
    let plan = GraphPlan::new(&args.graph)?;
    refuse_overwriting(&[plan.file()], &[Some(&args.out)])?;
    Target::new(&args.out)?;
    use_threads(args.graph.common.threads)?;
    let input = Input::load(&plan, WeightUse::OfFiles, &progress)?;
    super::save(&args.out, &input.graph, args.output_format, &progress)?;
    if !args.graph.common.quiet {
        let graph = input.plain();
        print(&format!(
            "{}: {}, {}{}\n",
            args.out.display(),
            count(graph.vertex_count().into(), "vertex", "vertices"),
            count(graph.edge_count(), "edge", "edges"),
            if input.graph.has_weights() { ", weighted" } else { "" }
        ))?;
    }
    Ok(())
}

//! `pregel convert`

use anyhow::Result;

use super::{check_save, save, use_threads};
use crate::args::ConvertArgs;
use crate::input::{Input, WeightUse};
use crate::plan::{GraphPlan, refuse_overwriting};
use crate::progress::Progress;

/// Reads a graph and writes it in another format.
pub fn execute(args: ConvertArgs) -> Result<()> {
    let progress = Progress::new(args.graph.common.quiet);
    let plan = GraphPlan::new(&args.graph)?;
    refuse_overwriting(&[plan.file()], &[Some(&args.out)])?;
    let format = check_save(&args.out, args.output_format)?;
    use_threads(args.graph.common.threads)?;
    let input = Input::load(&plan, WeightUse::OfFiles, &progress)?;
    save(&args.out, &input.graph, format, &progress)
}

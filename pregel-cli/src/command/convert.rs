//! `pregel convert`

use anyhow::Result;

use crate::args::ConvertArgs;
use crate::command::save::save;
use crate::command::threads::use_threads;
use crate::facts::WeightUse;
use crate::input::Input;
use crate::job::{GraphJob, SaveJob, refuse_overwriting};
use crate::progress::Progress;

/// Reads a graph and writes it in another format.
pub fn execute(args: ConvertArgs) -> Result<()> {
    let progress = Progress::new(args.graph.common.quiet);
    let graph = GraphJob::new(&args.graph, WeightUse::OfFiles)?;
    let inputs: Vec<_> = graph.file().into_iter().collect();
    refuse_overwriting(&inputs, &[&args.out])?;
    let job = SaveJob::new(&args.out, args.output_format)?;
    use_threads(args.graph.common.threads)?;
    let input = Input::load(&graph, &[&job.path], &progress)?;
    save(&job, &input.graph, &progress)
}

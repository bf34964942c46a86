//! `pregel generate`

use anyhow::Result;

use crate::args::GenerateArgs;
use crate::command::save::save;
use crate::command::threads::use_threads;
use crate::input::generate;
use crate::job::{SaveJob, parse_spec};
use crate::progress::Progress;

/// Generates a graph and writes it.
pub fn execute(args: GenerateArgs) -> Result<()> {
    let progress = Progress::new(args.common.quiet);
    let spec = parse_spec(&args.spec)?;
    let job = SaveJob::new(&args.out, args.output_format)?;
    use_threads(args.common.threads)?;
    progress.stage(&format!("generating {spec}"));
    let graph = generate(&spec, args.weighted)?;
    save(&job, &graph, &progress)
}

//! `pregel bench`

use anyhow::Result;
use pregel_replication::{Options, replicate};

use crate::args::BenchArgs;
use crate::command::threads::use_threads;
use crate::job::BenchJob;
use crate::output::print;
use crate::progress::Progress;

/// Makes the tables and figures of a paper again.
pub fn execute(args: BenchArgs) -> Result<()> {
    let progress = Progress::new(args.common.quiet);
    let job = BenchJob::new(&args)?;
    use_threads(args.common.threads)?;
    let BenchJob { paper, quick, budget, gpu, data, out } = job;
    let options = Options { quick, budget, gpu, data };
    let report = replicate(paper, &options, &|stage| progress.stage(stage));
    progress.clear();
    let report = report?;
    let Some(folder) = &out else { return print(&report.markdown(false)) };
    let paths = report.write(folder)?;
    let names: Vec<_> = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    print(&names.concat())
}

//! `pregel bench`

use std::path::PathBuf;

use anyhow::{Result, bail};
use pregel_replication::{Options, replicate};

use crate::args::BenchArgs;
use crate::command::threads::use_threads;
use crate::job::BenchJob;
use crate::output::print;
use crate::progress::Progress;

/// Makes the tables and figures of a paper again. What is wrong is an error after the report.
pub fn execute(args: BenchArgs) -> Result<()> {
    let progress = Progress::new(args.common.quiet);
    let job = BenchJob::new(&args)?;
    use_threads(args.common.threads)?;
    let BenchJob { paper, quick, budget, gpu, data, out } = job;
    let options = Options { quick, budget, gpu, data };
    let report = replicate(paper, &options, &|stage| progress.stage(stage));
    progress.clear();
    let report = report?;
    match &out {
        None => print(&report.markdown(false))?,
        Some(folder) => {
            let paths = report.write(folder)?;
            let name = |path: &PathBuf| format!("{}\n", path.display());
            print(&paths.iter().map(name).collect::<String>())?;
        }
    }
    match &report.failures[..] {
        [] => Ok(()),
        [only] => bail!("{only}"),
        [first, others @ ..] => bail!("{first}; {} more", others.len()),
    }
}

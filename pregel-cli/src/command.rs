//! The subcommands, one file each.

mod convert;
mod generate;
mod info;
mod run;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use pregel_core::io::{self, AnyGraph};

use crate::args::{Command, FormatChoice};
use crate::progress::Progress;

/// Does what was asked.
pub fn execute(command: Command) -> Result<()> {
    match command {
        Command::Run(args) => run::execute(*args),
        Command::Generate(args) => generate::execute(args),
        Command::Convert(args) => convert::execute(args),
        Command::Info(args) => info::execute(args),
    }
}

/// Makes everything that follows use so many threads.
fn use_threads(threads: Option<NonZeroUsize>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .with_context(|| format!("cannot start {threads} threads"))
}

/// Prints to stdout.
fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes a graph, in the format of the file's name unless one is given.
fn save(
    path: &Path,
    graph: &AnyGraph,
    format: Option<FormatChoice>,
    progress: &Progress,
) -> Result<()> {
    progress.stage(&format!("writing {}", path.display()));
    io::save(path, graph, format.map(Into::into))?;
    progress.clear();
    Ok(())
}

//! The subcommands, one file each.

mod convert;
mod generate;
mod info;
mod run;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use pregel_core::io::{self, AnyGraph, Format};

use crate::args::{Command, FormatChoice};
use crate::output::Target;
use crate::plan::UsageError;
use crate::progress::Progress;
use crate::text::count;

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

/// Checks that a graph can be written to `path`; returns the format, that of
/// the name unless one is given.
fn check_save(path: &Path, format: Option<FormatChoice>) -> Result<Format> {
    if Target::new(path)? == Target::Stdout {
        return Err(UsageError("graphs go to files; - is for results".into()).into());
    }
    let format = io::save_format(path, format.map(Into::into));
    Ok(format.map_err(|error| UsageError(error.to_string()))?)
}

/// Writes a graph and says how large it is.
fn save(path: &Path, graph: &AnyGraph, format: Format, progress: &Progress) -> Result<()> {
    progress.stage(&format!("writing {}", path.display()));
    io::save(path, graph, Some(format))?;
    progress.clear();
    if !progress.quiet() {
        print(&format!(
            "{}: {}, {}, {}{}\n",
            path.display(),
            count(graph.vertex_count().into(), "vertex", "vertices"),
            count(graph.edge_count(), "edge", "edges"),
            if graph.directed() { "directed" } else { "undirected, each edge counted both ways" },
            if graph.has_weights() { ", weighted" } else { "" }
        ))?;
    }
    Ok(())
}

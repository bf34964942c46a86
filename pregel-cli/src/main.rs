//! The `pregel` command: vertex programs on graph files and generated graphs.
//!
//! * [`args`]: what the user wrote; [`plan`]: what is to be done.
//! * [`command`]: one file a subcommand.
//! * [`algorithm`]: one file an algorithm; the table there is all that the
//!   rest of the program knows about them.
#![forbid(unsafe_code)]

mod algorithm;
mod args;
mod command;
mod explain;
mod groups;
mod input;
mod job;
mod machine;
mod output;
mod plan;
mod plot;
mod progress;
mod report;
mod text;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::plan::UsageError;

/// Exit code of a run that failed.
const FAILED: u8 = 1;
/// Exit code of a command line that makes no sense, as clap has it.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    match command::execute(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if reader_left(&error) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(complain(&error)),
    }
}

/// Whether whoever read our output (`head`, say) wanted no more of it.
fn reader_left(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// Prints one message with its causes; returns the exit code.
fn complain(error: &anyhow::Error) -> u8 {
    let usage = error.is::<UsageError>();
    let hint = if usage { "\n\nFor more information, try '--help'." } else { "" };
    progress::Progress::new(false).clear();
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr(), "error: {error:#}{hint}");
    if usage { USAGE } else { FAILED }
}

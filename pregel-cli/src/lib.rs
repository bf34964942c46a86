//! The command `pregel`, and the same command line for programs of your own.
//!
//! The feature `command`, which is on by default, adds the command and its algorithms.
//!
//! [`App`] makes a command of a vertex program: it reads and generates graphs, chooses an
//! engine, shows progress, saves and resumes runs, and writes results and reports as `pregel run`
//! does. `pregel new` writes a crate that does this.
//!
//! A command goes one way through these modules:
//!
//! 1. `args`: what the user wrote;
//! 2. `job`: the work to do, checked before any of it;
//! 3. `command`: doing it, one file per subcommand; `algorithm` has one file per algorithm, which
//!    runs through a `runner` and gives columns for `output`.
#![forbid(unsafe_code)]
// What only the command needs is not worth a condition each.
#![cfg_attr(not(feature = "command"), allow(dead_code, unused_imports))]

mod algorithm;
mod app;
mod args;
mod command;
#[cfg(feature = "command")]
mod datasets;
mod expected;
mod explain;
mod facts;
mod groups;
mod input;
mod job;
mod levels;
mod machine;
mod output;
mod page;
#[cfg(feature = "command")]
mod plot;
mod progress;
mod ran;
mod ranking;
mod report;
mod runner;
mod signals;
mod text;
mod trace;
mod usage;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use pregel_core::engine::RunError;

use crate::output::StdoutError;
use crate::usage::UsageError;

pub use app::{App, EdgeKind, Error, Values, find_vertex, run};
pub use clap;

/// Exit code of a run that failed.
const FAILED: u8 = 1;
/// Exit code of a command line that makes no sense; clap has the same.
const USAGE: u8 = 2;

/// The command `pregel`.
#[cfg(feature = "command")]
pub fn main() -> ExitCode {
    let cli = match args::parse(std::env::args_os(), &algorithm::facts()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    exit_code(|| command::execute(cli.command))
}

/// Does the work, reports what goes wrong, and returns the exit code.
fn exit_code(work: impl FnOnce() -> Result<()>) -> ExitCode {
    match signals::install().and_then(|()| work()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.downcast_ref().is_some_and(StdoutError::is_closed) => {
            signals::end_by_broken_pipe()
        }
        Err(error) => {
            let code = report(&error);
            if matches!(error.downcast_ref(), Some(RunError::Cancelled { .. })) {
                signals::end_by_cancelling();
            }
            ExitCode::from(code)
        }
    }
}

/// Prints an error with its causes; returns the exit code.
fn report(error: &anyhow::Error) -> u8 {
    let usage = error.is::<UsageError>();
    let hint = if usage { "\n\nFor more information, try '--help'." } else { "" };
    progress::Progress::new(false).clear();
    // If stderr is closed, the exit code has to do.
    let _ = writeln!(std::io::stderr(), "error: {error:#}{hint}");
    if usage { USAGE } else { FAILED }
}

//! Signals that end the command, and what they must not leave behind.

#[cfg(unix)]
mod unix;

use std::process::ExitCode;

use anyhow::{Context, Result};

/// Makes the signals that end the command remove unfinished files first.
pub fn install() -> Result<()> {
    #[cfg(unix)]
    unix::install().context("cannot install signal handlers")?;
    Ok(())
}

/// Ends the command as one whose reader has left: silently, and by the signal
/// that `cat` or `sort` would have got.
pub fn end_by_broken_pipe() -> ExitCode {
    #[cfg(unix)]
    unix::end_by_broken_pipe();
    ExitCode::FAILURE
}

//! Signals that end the command, and what they must not leave behind.
//!
//! A signal during a run cancels it, so that the command can say how far the run got before
//! it ends by that signal. At any other time, and on a second signal, the command ends at
//! once.

#[cfg(unix)]
mod unix;

use std::process::ExitCode;

use anyhow::{Context, Result};
use pregel_core::engine::{Cancel, RunError};

/// Makes the signals that end the command remove unfinished files first.
pub fn install() -> Result<()> {
    #[cfg(unix)]
    unix::install().context("cannot install signal handlers")?;
    Ok(())
}

/// While this value lives, signals cancel the run.
#[derive(Debug)]
pub struct Cancellable<'a>(&'a Cancel);

/// Lets signals cancel the run that is about to start.
pub fn cancel(run: &Cancel) -> Cancellable<'_> {
    #[cfg(unix)]
    unix::set_run(Some(run.clone()));
    Cancellable(run)
}

impl Cancellable<'_> {
    /// Stops signals from cancelling the run. One that arrived after the last superstep still
    /// counts: nothing may be written after it.
    ///
    /// # Errors
    /// [`RunError::Cancelled`] with this superstep if there was a signal.
    pub fn end(self, supersteps: u32) -> Result<(), RunError> {
        let run = self.0;
        // From here on a signal ends the command.
        drop(self);
        if run.is_cancelled() { Err(RunError::Cancelled { superstep: supersteps }) } else { Ok(()) }
    }
}

impl Drop for Cancellable<'_> {
    fn drop(&mut self) {
        #[cfg(unix)]
        unix::set_run(None);
    }
}

/// Ends the command by the signal that cancelled its run; returns if there was none.
pub fn end_by_cancelling() {
    #[cfg(unix)]
    unix::end_by_cancelling();
}

/// Ends the command as one whose reader has left: silently, and by the signal
/// that `cat` or `sort` would have got.
pub fn end_by_broken_pipe() -> ExitCode {
    #[cfg(unix)]
    unix::end_by_broken_pipe();
    ExitCode::FAILURE
}

//! The signals of Unix.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io, thread};

use pregel_core::engine::Cancel;
use pregel_core::io::remove_temporary_files;
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The run that the next signal cancels.
static RUN: Mutex<Option<Cancel>> = Mutex::new(None);

/// The signal that cancelled a run; 0 if none did.
static CANCELLED_BY: AtomicI32 = AtomicI32::new(0);

/// Sets the run that the next signal cancels.
pub fn set_run(run: Option<Cancel>) {
    *RUN.lock().unwrap_or_else(PoisonError::into_inner) = run;
}

/// Raises the signal that cancelled the run, if one did.
pub fn end_by_cancelling() {
    let signal = CANCELLED_BY.load(Relaxed);
    if signal != 0 {
        let _ = emulate_default_handler(signal);
    }
}

/// Starts a thread that waits for signals that end the command.
pub fn install() -> io::Result<()> {
    // With a handler, a write beyond the limit of file sizes fails and is
    // reported like a full disk; without one, the signal kills the command.
    flag::register(SIGXFSZ, Arc::default())?;
    let mut signals = Signals::new(not_ignored())?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            // A second signal finds no run here and ends the command.
            if let Some(run) = RUN.lock().unwrap_or_else(PoisonError::into_inner).take() {
                CANCELLED_BY.store(signal, Relaxed);
                run.cancel();
                continue;
            }
            remove_temporary_files();
            // The parent process is told that the signal ended this one.
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// The signals that end the command, except those that it was started to
/// ignore: `nohup` does so with SIGHUP, a shell with SIGINT for a background
/// command.
fn not_ignored() -> Vec<i32> {
    let mask = ignored();
    let mut signals = vec![SIGHUP, SIGINT, SIGTERM];
    signals.retain(|signal| mask >> (signal - 1) & 1 == 0);
    signals
}

/// The set of ignored signals, signal 1 at the lowest bit. Only Linux tells it
/// without unsafe code; elsewhere SIGHUP counts as ignored, and so keeps
/// whatever `nohup` made of it.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.unwrap_or(1 << (SIGHUP - 1))
}

/// Raises SIGPIPE, which Rust programs ignore unless told otherwise.
pub fn end_by_broken_pipe() {
    let _ = emulate_default_handler(SIGPIPE);
}

//! What the user sees on stderr while it runs.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pregel_core::engine::{Observer, SuperstepReport};

use crate::text::thousands;

/// The progress line is rewritten at most this often.
const PERIOD: Duration = Duration::from_millis(100);
const CLEAR_LINE: &str = "\r\x1b[K";

/// Notes, and one rewritten line of progress when stderr is a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    quiet: bool,
    live: bool,
}

impl Progress {
    /// Shows progress if stderr is a terminal and `quiet` is not set.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, live: !quiet && std::io::stderr().is_terminal() }
    }

    /// Whether the user wants only what was asked for.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// Prints a note, something that the user should know.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.clear();
            say(&format!("note: {text}\n"));
        }
    }

    /// Prints what would go to stdout if the result did not go there.
    pub fn tell(&self, text: &str) {
        self.clear();
        say(text);
    }

    /// Shows what is being done now.
    pub fn stage(&self, text: &str) {
        if self.live {
            say(&format!("{CLEAR_LINE}{text}…"));
        }
    }

    /// Removes the progress line.
    pub fn clear(&self) {
        if self.live {
            say(CLEAR_LINE);
        }
    }

    /// Shows the supersteps of `what` as they end; `None` if the user does not
    /// see them.
    pub fn observer(&self, what: &str) -> Option<Observer> {
        self.live.then(|| -> Observer {
            let what = what.to_owned();
            let start = Instant::now();
            let due = AtomicU64::new(PERIOD.as_millis() as u64);
            Arc::new(move |step: &SuperstepReport| {
                let now = start.elapsed().as_millis() as u64;
                if now >= due.load(Ordering::Relaxed) {
                    due.store(now + PERIOD.as_millis() as u64, Ordering::Relaxed);
                    say(&line(&what, step, start.elapsed()));
                }
                ControlFlow::Continue(())
            })
        })
    }
}

fn line(what: &str, step: &SuperstepReport, elapsed: Duration) -> String {
    format!(
        "{CLEAR_LINE}{what}: superstep {}, {} active, {} messages, {:.1} s",
        step.superstep,
        thousands(step.active),
        thousands(step.messages),
        elapsed.as_secs_f64()
    )
}

/// Writes to stderr; nothing is lost if that is closed.
fn say(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

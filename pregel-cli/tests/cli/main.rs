//! The command, run as a user runs it.
#![allow(clippy::unwrap_used)]

mod common;
mod errors;
mod graphs;
mod run;
#[cfg(unix)]
mod signals;

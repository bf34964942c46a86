//! The command, run as a user runs it.
#![allow(clippy::unwrap_used)]

mod apsp;
mod bench;
mod checkpoints;
mod common;
#[cfg(target_os = "linux")]
mod disks;
mod errors;
#[cfg(unix)]
mod fetch;
mod fits;
mod graphs;
mod inspect;
#[cfg(unix)]
mod killed;
mod new;
mod run;
#[cfg(unix)]
mod signals;
mod sources;

//! Runs that are saved, damaged and resumed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod damage;
mod folders;
#[cfg(target_os = "linux")]
mod foreign;
mod programs;
mod resuming;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use self::programs::{Rumour, rumour_graph};
use super::*;
use crate::engine::{Cpu, Reference, RunOptions};

/// A folder for folders of checkpoints.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Names of the files in a folder, sorted.
    fn files(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A folder with checkpoints of supersteps 10 and 20 of [`Rumour`], which runs to 25.
    fn with_checkpoints(name: &str) -> Self {
        let place = Self::new();
        let done = run(&Reference, &every(10, &place.path(name)), &limited()).unwrap();
        assert_eq!((done.written, done.resumed_after), (2, None));
        place
    }
}

const SOME: Rumour = Rumour { doubt: 3 };
const NEWER: &str = "superstep-0000000020.checkpoint";
const OLDER: &str = "superstep-0000000010.checkpoint";

/// The superstep limit of most runs here.
fn limited() -> RunOptions {
    RunOptions::default().with_max_supersteps(25)
}

/// Saves after every `n`-th superstep.
fn every(n: u32, folder: &Path) -> CheckpointOptions {
    CheckpointOptions::default()
        .with_directory(folder)
        .with_interval(Interval::Supersteps(n.try_into().unwrap()))
}

fn resume(folder: &Path) -> CheckpointOptions {
    CheckpointOptions::default().with_resume(folder)
}

fn inputs() -> Vec<u32> {
    (0..rumour_graph().vertex_count()).map(|v| v * v % 7).collect()
}

/// Runs [`SOME`].
fn run<E: Engine>(
    engine: &E,
    checkpoints: &CheckpointOptions,
    options: &RunOptions,
) -> Result<Checkpointed<Rumour>, CheckpointError> {
    Checkpoints::open(checkpoints)?.run(engine, &rumour_graph(), &SOME, &inputs(), options)
}

/// The final states of an uninterrupted run.
fn right() -> Vec<u64> {
    run(&Reference, &CheckpointOptions::default(), &limited()).unwrap().outcome.states
}

fn says(result: Result<Checkpointed<Rumour>, CheckpointError>, words: &str) {
    let said = result.expect_err(words).to_string();
    assert!(said.contains(words), "«{words}» is not in «{said}»");
}

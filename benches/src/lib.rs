//! The graphs that the benchmarks run on, and what they share.
//!
//! `cargo bench -p pregel-benches` runs on all of them. If `PREGEL_BENCH_QUICK` is set,
//! the generated graph is small, to check only that the benchmarks work.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests may panic"))]

pub mod fit;
pub mod gapbs;
pub mod input;
pub mod programs;
pub mod survey;
pub mod ways;

use std::error::Error;
use std::process::ExitCode;

use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::io::{self, LoadOptions};

/// Whether to check only that the benchmarks work.
pub fn quick() -> bool {
    std::env::var_os("PREGEL_BENCH_QUICK").is_some()
}

/// The power-law graph: `rmat:scale=20`, or a small one if [`quick`].
///
/// # Panics
/// Never: the spec is valid.
#[allow(clippy::expect_used, reason = "a constant")]
pub fn rmat() -> Spec {
    let text = if quick() { "rmat:scale=12" } else { "rmat:scale=20" };
    text.parse().expect("a valid spec")
}

/// The road network of the north-eastern USA (DIMACS-9, without lengths), from the
/// folder of real graphs; `None`, with a note on stderr, if it is missing.
pub fn road() -> Option<Graph<()>> {
    let path = input::data_folder().join("road/NE.gr.xz");
    match io::load(&path, &LoadOptions::default()) {
        Ok(loaded) => Some(loaded.graph.plain()),
        Err(error) => {
            eprintln!("no road network, skipping its benchmarks: {error}");
            None
        }
    }
}

/// The median; of an even number of times, the larger of the two in the middle.
///
/// # Panics
/// If there are no times.
pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The exit code of a program that counted wrong results; prints what went wrong.
pub fn exit(result: Result<usize, Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(0) => return ExitCode::SUCCESS,
        Ok(failures) => println!("{failures} failures"),
        Err(error) => eprintln!("error: {error}"),
    }
    ExitCode::FAILURE
}

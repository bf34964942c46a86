//! The graphs that the benchmarks run on.
//!
//! `cargo bench -p pregel-benches` takes them all; with `PREGEL_BENCH_QUICK`
//! set the generated graph is small, for a run that only proves that the
//! benchmarks work.

pub mod fit;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::io::{self, LoadOptions};

/// Whether the benchmarks should only prove that they work.
pub fn quick() -> bool {
    std::env::var_os("PREGEL_BENCH_QUICK").is_some()
}

/// The power-law graph: `rmat:scale=20`, or a small one when [`quick`].
///
/// # Panics
/// Never: the spec is a right one.
#[allow(clippy::expect_used, reason = "a constant")]
pub fn rmat() -> Spec {
    let text = if quick() { "rmat:scale=12" } else { "rmat:scale=20" };
    text.parse().expect("a right spec")
}

/// The road network of the north-eastern USA (DIMACS-9, topology alone),
/// from the folder of real graphs; `None`, said aloud, where that is missing.
pub fn road() -> Option<Graph<()>> {
    let folder = std::env::var_os("PREGEL_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("road/NE.gr.xz");
    match io::load(&path, &LoadOptions::default()) {
        Ok(loaded) => Some(loaded.graph.plain()),
        Err(error) => {
            eprintln!("no road network, its benchmarks are left out: {error}");
            None
        }
    }
}

/// The median; of an even number of times the later of the two in the middle.
///
/// # Panics
/// Without a time.
pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Ends a program that counted its wrong results: says what went wrong.
pub fn exit(result: Result<usize, Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(0) => return ExitCode::SUCCESS,
        Ok(failures) => println!("{failures} failures"),
        Err(error) => eprintln!("error: {error}"),
    }
    ExitCode::FAILURE
}

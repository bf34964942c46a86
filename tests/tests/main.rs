//! All tests of this package except those that need a GPU (`gpu.rs`) and those of runs that
//! change hands (`handover.rs`), as modules of one executable:
//! `cargo test -p pregel-tests --test suite resident::` runs the tests of `resident.rs`.
//!
//! The tests of [`emulated`] and [`large`] run each program on a sample of the graphs,
//! unless `PREGEL_ROSTER=whole` is set.

mod bins;
mod brevity;
mod cancel;
mod conformance;
mod contract;
mod device_memory;
mod emulated;
mod explain;
mod facts;
mod fastest;
mod graphalytics;
mod hostile;
mod images;
mod large;
mod laws;
mod left_out;
mod loads;
mod many;
mod oracles;
mod orders;
mod parts;
mod paths;
mod phases;
mod priority;
mod pulls;
mod queues;
mod random_graphs;
mod resident;
mod rounds;
mod scc;
mod short_cuts;
mod sorts;
mod steps;
mod totals;
mod triangles;
mod verifiers;
mod widths;

/// Tests in files with a target of their own.
const APART: [&str; 3] = ["gpu", "handover", "main"];

#[test]
#[allow(clippy::unwrap_used)]
fn every_file_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if is_source && !APART.contains(&name) {
            let declaration = format!("\nmod {name};\n");
            assert!(include_str!("main.rs").contains(&declaration), "{name}.rs is in no target");
        }
    }
}

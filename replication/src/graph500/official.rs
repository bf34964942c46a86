//! Results in the shape of the benchmark's own output.

use std::fmt::Write;

use super::{Kronecker, Searches};
use crate::statistics::{Harmonic, Statistics};

/// The lines that the Graph500's reference code prints, with the same names.
pub fn output(kronecker: &Kronecker, searches: &Searches) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}, {}", kronecker.spec, searches.contender);
    let _ = writeln!(text, "SCALE: {}", kronecker.scale);
    let _ = writeln!(text, "nvtx: {}", kronecker.graph.vertex_count());
    let _ = writeln!(text, "edgefactor: {}", kronecker.edge_factor);
    let _ = writeln!(text, "A: 0.57\nB: 0.19\nC: 0.19\nD: 0.05");
    let _ = writeln!(text, "generation_time: {}", kronecker.generation.as_secs_f64());
    let _ = writeln!(text, "construction_time: {}", searches.construction.as_secs_f64());
    let _ = writeln!(text, "nbfs: {}", searches.times.len());
    let edges: Vec<f64> = searches.edges.iter().map(|&edges| edges as f64).collect();
    for (name, sample) in
        [("time", &searches.times), ("nedge", &edges), ("TEPS", &searches.rates())]
    {
        let of = Statistics::of(sample);
        let _ = writeln!(text, "min_{name}: {}", of.min);
        let _ = writeln!(text, "firstquartile_{name}: {}", of.first_quartile);
        let _ = writeln!(text, "median_{name}: {}", of.median);
        let _ = writeln!(text, "thirdquartile_{name}: {}", of.third_quartile);
        let _ = writeln!(text, "max_{name}: {}", of.max);
        if name != "TEPS" {
            let _ = writeln!(text, "mean_{name}: {}", of.mean);
            let _ = writeln!(text, "stddev_{name}: {}", of.deviation);
        }
    }
    let rates = Harmonic::of(&searches.rates());
    let _ = writeln!(text, "harmonic_mean_TEPS: {}", rates.mean);
    let _ = writeln!(text, "harmonic_stddev_TEPS: {}", rates.error);
    text
}

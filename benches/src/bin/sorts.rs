//! Times the sorts by degree on a GPU, after comparing each with a sort on the host.
//! Needs a GPU; without one it says what is missing.
//!
//! ```text
//! sorts [SPEC…]
//! ```
//!
//! Without a spec it sorts the 4.2 million vertices of `rmat:scale=22` by in-degree.
//! Degrees and memory are on the device beforehand; times are medians of nine, in
//! microseconds, after a warm-up. `alone` is one sort, from queueing it until it has
//! ended. `in a row` is a sixteenth of the time of sixteen queued sorts, in which the
//! host's part counts little, except that every exact sort waits once. `launches` is
//! the number of kernels of one sort, `per s` the vertices sorted per second in a row.

use std::process::ExitCode;
use std::time::Instant;

use pregel_algos::images;
use pregel_core::engine::RunError;
use pregel_core::engine::gpu::{
    Cuda, CudaDevice, DegreeSort, DeviceError, Mapping, Sort, SortedOrder,
};
use pregel_core::graph::generate::Spec;

/// The thesis' number of regions.
const REGIONS: u32 = 1000;

/// Number of times measured.
const RUNS: usize = 9;

/// Number of sorts in a row.
const ROW: u32 = 16;

fn ways() -> Vec<(&'static str, Sort)> {
    let (linear, logarithmic) = (Mapping::Linear, Mapping::Logarithmic);
    vec![
        ("approximate, linear", Sort::Approximate { mapping: linear, regions: REGIONS }),
        ("approximate, logarithmic", Sort::Approximate { mapping: logarithmic, regions: 0 }),
        ("stable, linear", Sort::Stable { mapping: linear, regions: REGIONS }),
        ("stable, logarithmic", Sort::Stable { mapping: logarithmic, regions: 0 }),
        ("exact", Sort::Exact),
    ]
}

/// The key that each vertex is sorted by, in ascending order.
fn ranks(degrees: &[u32], sort: Sort) -> Vec<u32> {
    let least = degrees.iter().copied().min().unwrap_or(0);
    let most = degrees.iter().copied().max().unwrap_or(0);
    let rank = |degree: &u32| match sort {
        Sort::Approximate { mapping, regions } | Sort::Stable { mapping, regions } => {
            mapping.region(*degree, least, most, regions)
        }
        _ => most - degree,
    };
    degrees.iter().map(rank).collect()
}

/// Describes what is wrong with the order that the device found, if anything is.
fn wrong(degrees: &[u32], sort: Sort, vertex_at: &[u32], place_of: &[u32]) -> Option<String> {
    let inverse = |(place, vertex): (u32, &u32)| place_of.get(*vertex as usize) == Some(&place);
    if vertex_at.len() != degrees.len() || !(0..).zip(vertex_at).all(inverse) {
        return Some("no permutation, or the places are not its inverse".into());
    }
    let ranks = ranks(degrees, sort);
    if let Sort::Approximate { .. } = sort {
        let monotone = vertex_at.is_sorted_by_key(|v| ranks[*v as usize]);
        return (!monotone).then(|| "the regions are out of order".into());
    }
    let mut expected: Vec<u32> = (0..degrees.len() as u32).collect();
    expected.sort_by_key(|v| ranks[*v as usize]);
    let differ = expected.iter().zip(vertex_at).position(|(a, b)| a != b)?;
    Some(format!("place {differ} has vertex {}, not {}", vertex_at[differ], expected[differ]))
}

/// Median of [`RUNS`] times of `row` sorts, in microseconds per sort.
fn median(sort: &DegreeSort<CudaDevice>, row: u32) -> Result<f64, DeviceError> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        for _ in 0..row {
            sort.queue()?;
        }
        sort.wait()?;
        times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(row));
    }
    Ok(pregel_benches::median(&mut times))
}

/// Checks and times sorts of these degrees; returns the number of failures.
fn compare(
    cuda: &Cuda,
    name: &str,
    degrees: &[u32],
    ways: &[(&str, Sort)],
) -> Result<usize, RunError> {
    let mut failures = 0;
    for &(way, sort) in ways {
        let on_device = cuda.degree_sort(degrees, sort)?;
        on_device.queue()?;
        let launches = on_device.launches();
        let SortedOrder { vertex_at, place_of } = on_device.order()?;
        if let Some(what) = wrong(degrees, sort, &vertex_at, &place_of) {
            println!("{name:<16} {way:<24} WRONG: {what}");
            failures += 1;
            continue;
        }
        median(&on_device, 1)?;
        let (alone, row) = (median(&on_device, 1)?, median(&on_device, ROW)?);
        let rate = degrees.len() as f64 / row / 1e3;
        println!("{name:<16} {way:<24} {alone:>9.1} {row:>9.1} {launches:>8} {rate:>8.2} G  ok");
    }
    Ok(failures)
}

fn run() -> Result<usize, Box<dyn std::error::Error>> {
    let mut specs: Vec<String> = std::env::args().skip(1).collect();
    if specs.is_empty() {
        specs.push("rmat:scale=22".into());
    }
    let cuda = Cuda::open(0, images())?;
    println!("{cuda:?}");
    println!(
        "{:<16} {:<24} {:>9} {:>9} {:>8} {:>10}",
        "degrees of", "sort", "alone", "in a row", "launches", "per s"
    );
    let mut failures = 0;
    for text in &specs {
        let graph = text.parse::<Spec>()?.plain()?;
        let incoming = graph.incoming();
        let mut degrees: Vec<u32> =
            (0..graph.vertex_count()).map(|v| incoming.degree(v) as u32).collect();
        failures += compare(&cuda, text, &degrees, &ways())?;
        // With a degree of 32 bits, no digit can be skipped.
        if let Some(first) = degrees.first_mut() {
            *first = u32::MAX;
            failures += compare(&cuda, text, &degrees, &[("exact, all 32 bits", Sort::Exact)])?;
        }
    }
    Ok(failures)
}

fn main() -> ExitCode {
    pregel_benches::exit(run())
}

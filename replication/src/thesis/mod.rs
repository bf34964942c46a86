//! The thesis *PregelGPU*, chapter 5, as far as it takes no GPU.

mod graphs;
mod numbering;
mod padding;
mod paper;
#[cfg(test)]
mod tests;

use std::time::Instant;

use self::graphs::{GRAPHS, Used};
use crate::machine::Machine;
use crate::report::Report;
use crate::statistics::Statistics;
use crate::{Options, ReplicationError};

/// Runs of what is timed, of which the median counts.
const RUNS: usize = 7;

/// Regions of the approximate sort in the thesis' experiments.
const REGIONS: u32 = 1_000;
/// Vertices of a group there: the threads of a warp.
const GROUP: usize = 32;
/// Sizes of groups that Figure 5.8 is extended to.
const GROUPS: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// Numbers of regions of Figure 5.6; 0 stands for no sort.
const REGION_COUNTS: [u32; 8] = [0, 10, 32, 100, 316, 1_000, 3_162, 10_000];

/// What was found on one graph.
struct Found {
    used: &'static graphs::Described,
    origin: String,
    vertices: u64,
    edges: u64,
    largest: u64,
    above_one: f64,
    /// Seconds of Medusa's numbering on one thread and on all of them.
    numbering: [f64; 2],
    /// Slots beyond the messages in per cent, for each of [`GROUPS`], in the order of the ids
    /// and sorted.
    by_group: [[f64; 2]; GROUPS.len()],
    /// The same for groups of 32 and each of [`REGION_COUNTS`].
    by_regions: [f64; REGION_COUNTS.len()],
}

impl Found {
    fn measure(used: Used) -> Result<Self, ReplicationError> {
        let rows = used.graph.out();
        if u32::try_from(rows.edge_count()).is_err() {
            return Err(ReplicationError::TooManyEdges { edges: rows.edge_count() });
        }
        let expected = numbering::on_one_thread(rows);
        if numbering::on_all_threads(rows) != expected {
            return Err(ReplicationError::Numbering { graph: used.described.name });
        }
        let degrees = numbering::in_degrees(&expected.0);
        let sorted = padding::sorted(&degrees, REGIONS);
        let above_one = degrees.iter().filter(|degree| **degree > 1).count();
        let by_regions = |regions: u32| padding::extra(&padding::sorted(&degrees, regions), GROUP);
        Ok(Self {
            vertices: degrees.len() as u64,
            edges: used.graph.edge_count(),
            largest: degrees.iter().copied().max().unwrap_or(0).into(),
            above_one: 100.0 * above_one as f64 / degrees.len().max(1) as f64,
            numbering: [
                median(|| numbering::on_one_thread(rows)),
                median(|| numbering::on_all_threads(rows)),
            ],
            by_group: GROUPS.map(|group| [&degrees, &sorted].map(|of| padding::extra(of, group))),
            by_regions: REGION_COUNTS.map(by_regions),
            used: used.described,
            origin: used.origin,
        })
    }
}

/// Seconds, the median of [`RUNS`].
fn median<R>(run: impl Fn() -> R) -> f64 {
    let time = |_| {
        let begin = Instant::now();
        let result = run();
        let time = begin.elapsed().as_secs_f64();
        drop(std::hint::black_box(result));
        time
    };
    Statistics::of(&(0..RUNS).map(time).collect::<Vec<_>>()).median
}

/// Makes what takes no GPU again.
///
/// # Errors
/// If a graph cannot be read or generated, or a numbering is wrong.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    let mut found = Vec::with_capacity(GRAPHS.len());
    for (number, described) in GRAPHS.iter().enumerate() {
        progress(described.name);
        let used = Used::open(number, options.data.as_deref(), options.quick)?;
        found.push(Found::measure(used)?);
    }
    Ok(paper::report(&found, options.quick, Machine::here()))
}

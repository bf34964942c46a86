//! The thesis *PregelGPU*, chapter 5: what takes no GPU, and with a GPU the rest.

mod gpu;
mod graphs;
mod numbering;
mod padding;
mod paper;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use pregel_core::engine::gpu::{Device, Gpu};

use self::gpu::{Grown, OnDevice, OnGraph, Sorted};
use self::graphs::{GRAPHS, Used};
use crate::device::{self, Use};
use crate::machine::Machine;
use crate::report::Report;
use crate::statistics::Statistics;
use crate::timing::{Repeats, share};
use crate::{Options, ReplicationError};

/// Runs of what is timed, of which the median counts.
const RUNS: usize = Repeats::FULL.runs;

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
    /// What a GPU took.
    on_gpu: Option<OnGraph>,
}

impl Found {
    fn measure(used: &Used) -> Result<Self, ReplicationError> {
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
            origin: used.origin.clone(),
            on_gpu: None,
        })
    }
}

/// Everything that was found.
struct Findings {
    graphs: Vec<Found>,
    device: Measured,
    quick: bool,
}

/// What a device gave that is not about one of the graphs.
enum Measured {
    /// No device was used, and why.
    Nothing(String),
    Device {
        name: String,
        growth: Vec<Grown>,
        sorts: Vec<Sorted>,
        left_out: Vec<String>,
    },
}

/// Seconds, the median of [`RUNS`].
fn median<R>(run: impl Fn() -> R) -> f64 {
    median_of(RUNS, || (), |()| run())
}

/// Seconds, the median of `runs`, without what is made before each and dropped after it.
fn median_of<T, R>(runs: usize, before: impl Fn() -> T, run: impl Fn(T) -> R) -> f64 {
    let time = |_| {
        let made = before();
        let begin = Instant::now();
        let result = run(made);
        let time = begin.elapsed().as_secs_f64();
        drop(std::hint::black_box(result));
        time
    };
    Statistics::of(&(0..runs).map(time).collect::<Vec<_>>()).median
}

/// The longest that what is about no graph of the thesis takes on a GPU.
const APART: Duration = Duration::from_secs(90);

/// Makes a bench of a GPU.
struct MakeBench<'a> {
    quick: bool,
    progress: &'a dyn Fn(&str),
}

impl<'a> Use for MakeBench<'a> {
    type Made = Box<dyn OnDevice + 'a>;

    fn with<D: Device>(self, gpu: Gpu<D>) -> Self::Made {
        Box::new(gpu::Bench::new(gpu, self.quick, self.progress))
    }
}

/// Makes chapter 5 again; what takes a GPU on one that is there, if the options allow it.
///
/// # Errors
/// If a graph cannot be read or generated, a result is wrong, or the GPU that the options name
/// cannot be used.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    let bench = MakeBench { quick: options.quick, progress };
    let opened = device::open_for(options.gpu, bench)?;
    measure(opened, options, progress)
}

/// Measures everything, on this device if there is one.
fn measure(
    opened: Result<Box<dyn OnDevice + '_>, String>,
    options: &Options,
    progress: &dyn Fn(&str),
) -> Result<Report, ReplicationError> {
    let begin = Instant::now();
    let (mut device, mut measured) = match opened {
        Ok(mut device) => {
            // First, since it takes little time.
            let until = begin + APART.min(options.budget);
            let (growth, sorts) = (device.growth(until)?, device.sorts(until)?);
            let (name, left_out) = (device.name(), Vec::new());
            (Some(device), Measured::Device { name, growth, sorts, left_out })
        }
        Err(why) => (None, Measured::Nothing(why)),
    };
    let edges = GRAPHS.map(|described| described.edges);
    let mut graphs = Vec::with_capacity(GRAPHS.len());
    for (number, described) in GRAPHS.iter().enumerate() {
        progress(described.name);
        let left = options.budget.saturating_sub(begin.elapsed());
        let until = share(left, &edges[number..]);
        let used = Used::open(number, options.data.as_deref(), options.quick)?;
        let mut found = Found::measure(&used)?;
        if let Some(device) = &mut device {
            found.on_gpu = Some(device.graph(&used, until)?);
        }
        graphs.push(found);
    }
    if let (Some(device), Measured::Device { left_out, .. }) = (&device, &mut measured) {
        left_out.extend_from_slice(device.left_out());
    }
    let findings = Findings { graphs, device: measured, quick: options.quick };
    Ok(paper::report(&findings, Machine::here()))
}

//! Groute on one GPU: what its paper says of soft priority, fused kernels, PageRank by residuals
//! and components by pointer jumping. Its runs on several GPUs are not replicated here.

mod bench;
mod cpu;
mod graphs;
mod paper;
mod ran;
mod ranks;
mod task;
#[cfg(test)]
mod tests;
mod ways;

use std::time::{Duration, Instant};

use pregel_core::engine::gpu::{Device, Gpu};
use pregel_core::graph::generate::sources;

use self::bench::{Bench, OnDevice};
use self::cpu::Subject;
use self::graphs::{GRAPHS, SEED, Used};
use self::ran::{Entry, Limits};
use self::ranks::Curve;
use crate::check::{largest_in_degree, largest_out_degree};
use crate::device::{self, Use};
use crate::machine::Machine;
use crate::report::Report;
use crate::timing::{Repeats, share};
use crate::{Options, ReplicationError};

/// What was measured on one graph, by the CPU or by a device.
#[derive(Clone, Debug, Default)]
struct Measured {
    /// Shortest paths.
    paths: Vec<Entry>,
    /// Breadth-first search.
    levels: Vec<Entry>,
    ranks: Vec<Entry>,
    components: Vec<Entry>,
    /// Of PageRank in both forms.
    curves: Vec<Curve>,
    left_out: Vec<String>,
}

impl Measured {
    fn extend(&mut self, more: Self) {
        self.paths.extend(more.paths);
        self.levels.extend(more.levels);
        self.ranks.extend(more.ranks);
        self.components.extend(more.components);
        self.curves.extend(more.curves);
        self.left_out.extend(more.left_out);
    }
}

/// What was found on one graph.
struct Found {
    used: &'static graphs::Described,
    origin: String,
    real: bool,
    vertices: u64,
    edges: u64,
    /// The most in-edges and out-edges of a vertex.
    largest: [u64; 2],
    measured: Measured,
}

/// Everything that was found.
struct Findings {
    graphs: Vec<Found>,
    device: Result<String, String>,
    left_out: Vec<String>,
    quick: bool,
}

/// Makes a bench of a GPU.
struct MakeBench<'a> {
    repeats: Repeats,
    progress: &'a dyn Fn(&str),
}

impl<'a> Use for MakeBench<'a> {
    type Made = Box<dyn OnDevice + 'a>;

    fn with<D: Device>(self, gpu: Gpu<D>) -> Self::Made {
        Box::new(Bench::new(gpu, self.repeats, self.progress))
    }
}

/// Measures what the paper says of one GPU; what takes one on one that is there, if the options
/// allow it.
///
/// # Errors
/// If a graph cannot be read or generated, a result is wrong, or the GPU that the options name
/// cannot be used.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    let bench = MakeBench { repeats: Repeats::of_report(options.quick), progress };
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
    let (mut device, name) = match opened {
        Ok(device) => {
            let name = device.name();
            (Some(device), Ok(name))
        }
        Err(why) => (None, Err(why)),
    };
    // Time for each edge.
    let mut needed = Duration::ZERO;
    let mut left_out = Vec::new();
    let weights = GRAPHS.map(|described| described.weight);
    let mut graphs = Vec::with_capacity(GRAPHS.len());
    for (number, described) in GRAPHS.iter().enumerate() {
        progress(described.name);
        let left = options.budget.saturating_sub(begin.elapsed());
        // To make the graph and find the right results, by what that took before.
        let expected = needed.mul_f64(described.edges as f64);
        if number > 0 && (left.is_zero() || !options.quick && expected >= left) {
            left_out.push(format!("{}: no time was left", described.name));
            continue;
        }
        let until = share(left, &weights[number..]);
        let opened = Instant::now();
        let used = Used::open(number, options.data.as_deref(), options.quick)?;
        let plain = used.graph.without_values();
        let source = sources(&plain, SEED, 1).first().copied().unwrap_or(0);
        let subject = Subject::new(described.name, &used.graph, &plain, source)?;
        needed = opened.elapsed().div_f64(plain.edge_count().max(1) as f64);
        let limits = Limits::new(Repeats::of_report(options.quick), until, device.is_some());
        let mut measured = subject.on_cpu(limits, progress)?;
        if let Some(device) = &mut device {
            measured.extend(device.measure(&subject, until)?);
        }
        left_out.append(&mut measured.left_out);
        graphs.push(Found {
            used: described,
            real: used.is_real(),
            vertices: plain.vertex_count().into(),
            edges: plain.edge_count(),
            largest: [largest_in_degree(&plain).into(), largest_out_degree(&plain)],
            measured,
            origin: used.origin,
        });
    }
    if let Some(device) = device {
        left_out.extend_from_slice(device.left_out());
    }
    let findings = Findings { graphs, device: name, left_out, quick: options.quick };
    Ok(paper::report(&findings, Machine::here()))
}

//! What of chapter 5 takes a GPU, on any device: a real one, or an emulated one in tests.

mod cell;
mod growth;
mod sorts;
mod ways;

use std::time::Instant;

use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Device, Gpu};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::{draw_weights, sources};
use pregel_replication_programs::{HccOut, ThesisPageRank};

use self::cell::{Extent, Task};
use super::graphs::Used;
use super::{REGION_COUNTS, REGIONS};
use crate::ReplicationError;
use crate::check::tolerance;

pub use self::cell::Time;
pub use self::growth::Grown;
#[cfg(test)]
pub use self::sorts::wrong as sort_is_wrong;
pub use self::sorts::{MERGE_ON_CPU, PROPOSED, RADIX, SORTS, Sorted};
pub use self::ways::{MEDUSA, MEDUSA_THREAD, PIPELINE, WAYS};

/// The largest weight of an edge for shortest paths.
const LARGEST_WEIGHT: u32 = 255;
/// The seed of weights and sources.
const SEED: u64 = 1;
/// The graph of Figure 5.6.
pub const PATENTS: &str = "cit-Patents";

/// What is measured of each graph, in order of importance.
pub const PROGRAMS: [&str; 4] =
    ["PageRank", "SSSP", "HCC along out-edges", "HCC both ways (components)"];

/// The pipeline with and without its parts: the name, and whether it sorts and remaps.
pub const VARIANTS: [(&str, bool, bool); 4] = [
    ("neither", false, false),
    ("sort", true, false),
    ("remap", false, true),
    ("sort and remap", true, true),
];

/// What a device is asked for.
pub trait OnDevice {
    /// Its name.
    fn name(&self) -> String;
    /// Measures what is about one graph, as far as there is time.
    fn graph(&mut self, used: &Used, until: Instant) -> Result<OnGraph, ReplicationError>;
    /// Measures how the preparation grows.
    fn growth(&mut self, until: Instant) -> Result<Vec<Grown>, ReplicationError>;
    /// Measures the sorts of Figure 5.5.
    fn sorts(&mut self, until: Instant) -> Result<Vec<Sorted>, ReplicationError>;
    /// What was left out so far, and why.
    fn left_out(&self) -> &[String];
}

/// What was measured on one graph; nothing where there was no time or memory.
pub struct OnGraph {
    /// For each of [`PROGRAMS`], each of [`WAYS`].
    pub programs: [[Option<Time>; WAYS.len()]; PROGRAMS.len()],
    /// PageRank for each of [`VARIANTS`].
    pub variants: [Option<Time>; VARIANTS.len()],
    /// PageRank for each of [`REGION_COUNTS`], on [`PATENTS`] alone.
    pub regions: [Option<Time>; REGION_COUNTS.len()],
}

/// Measures on one device.
pub struct Bench<'a, D: Device> {
    gpu: Gpu<D>,
    extent: Extent,
    quick: bool,
    progress: &'a dyn Fn(&str),
    left_out: Vec<String>,
}

impl<'a, D: Device> Bench<'a, D> {
    /// With the kernels of [`PROGRAMS`].
    pub fn new(gpu: Gpu<D>, quick: bool, progress: &'a dyn Fn(&str)) -> Self {
        let extent = if quick { Extent::QUICK } else { Extent::FULL };
        Self { gpu, extent, quick, progress, left_out: Vec::new() }
    }

    fn limit(&self) -> Option<u32> {
        Some(self.extent.iterations)
    }

    /// A graph of Table 5.3's growth: small ones in a quick run.
    fn scaled(&self, count: u64) -> u64 {
        if self.quick { count >> 12 } else { count }
    }
}

impl<D: Device> OnDevice for Bench<'_, D> {
    fn name(&self) -> String {
        self.gpu.device().name()
    }

    fn graph(&mut self, used: &Used, until: Instant) -> Result<OnGraph, ReplicationError> {
        let (name, graph) = (used.described.name, &used.graph);
        let ranks = Task::new(name, PROGRAMS[0], graph, ThesisPageRank, self.limit())?;
        let ranks = ranks.with_tolerance(tolerance(graph));
        let pagerank = self.all_ways(&ranks, until)?;
        let sssp = {
            let weighted: Graph<f32> = draw_weights(graph, LARGEST_WEIGHT, SEED);
            let source = sources(graph, SEED, 1).first().copied().unwrap_or(0);
            let task = Task::new(name, PROGRAMS[1], &weighted, Sssp { source }, None)?;
            self.all_ways(&task, until)?
        };
        let hcc_out = {
            let task = Task::new(name, PROGRAMS[2], graph, HccOut, None)?;
            self.all_ways(&task, until)?
        };

        // The whole pipeline has been measured.
        let mut variants = [None, None, None, pagerank[PIPELINE]];
        for (variant, (what, sort, remap)) in variants.iter_mut().zip(VARIANTS) {
            if variant.is_none() {
                let way = ways::pipeline(what, if sort { REGIONS } else { 0 }, remap);
                *variant = self.time(&ranks, &way, until)?;
            }
        }
        let mut regions = [None; REGION_COUNTS.len()];
        if name == PATENTS {
            for (found, count) in regions.iter_mut().zip(REGION_COUNTS) {
                let way = ways::pipeline(&format!("{count} regions"), count, true);
                *found = self.time(&ranks, &way, until)?;
            }
        }
        drop(ranks);
        let hcc_both = {
            let task = Task::new(name, PROGRAMS[3], graph, Hcc, None)?;
            self.all_ways(&task, until)?
        };
        Ok(OnGraph { programs: [pagerank, sssp, hcc_out, hcc_both], variants, regions })
    }

    fn growth(&mut self, until: Instant) -> Result<Vec<Grown>, ReplicationError> {
        self.grow(until)
    }

    fn sorts(&mut self, until: Instant) -> Result<Vec<Sorted>, ReplicationError> {
        self.sort_keys(until)
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

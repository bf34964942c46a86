//! How long a job takes on all cores and on a GPU, as far as one can tell beforehand.
//!
//! The figures are rough, and need not be better: between a job that is done on all cores
//! before a GPU has started, and one that is worth the start, there are orders of magnitude.

use std::time::Duration;

use crate::engine::cpu::last_superstep;
use crate::engine::{Problem, RunOptions, SolveOptions};
use crate::graph::Graph;
use crate::program::{Delivery, Law, Value, VertexCompute};

/// Opening a GPU for the first time in a process: 335 to 390 ms on an H200.
const START_MS: f64 = 350.0;
/// Loading kernels that the driver has compiled before, and the first copies: 14 ms there.
const LOAD_MS: f64 = 14.0;
/// Copying and laying out the graph for the first time, for each byte of it: 28 ms for 134 MB.
const BYTE_NS: f64 = 0.2;
/// A run on a GPU, apart from its messages.
const RUN_MS: f64 = 0.2;
/// How many cores do as much as a GPU: 32 (CDLP) to 400 (PageRank), an H200 and cores of an
/// AMD EPYC (Zen 4).
const CORES: f64 = 64.0;

/// What there is to do. Times are those of one core, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    runs: f64,
    /// One run.
    run_ns: f64,
    /// What the graph takes on a GPU.
    bytes: f64,
}

/// What one run costs.
struct Cost {
    edge_ns: f64,
    vertex_ns: f64,
    /// How often.
    passes: u32,
}

impl Job {
    /// Runs of a program.
    pub(super) fn of_program<P: VertexCompute>(
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> Self {
        let cost = |edge_ns, vertex_ns, passes| Cost { edge_ns, vertex_ns, passes };
        let supersteps = last_superstep::<P>(options);
        Self::new(
            graph,
            options.expected_runs,
            match P::Combiner::MERGE_LAW {
                // A search, which reads few of the messages.
                Law::Arbitrary => cost(0.3, 20.0, 1),
                // Every vertex changes a few times.
                _ if P::MONOTONE => cost(6.0, 60.0, 1),
                _ if !P::Combiner::COMBINES => cost(7.0, 10.0, supersteps),
                _ => cost(1.6, 8.0, supersteps),
            },
        )
    }

    /// Runs of a solver.
    pub(super) fn of_solver<Q: Problem, E: Value>(
        graph: &Graph<E>,
        options: &SolveOptions,
    ) -> Self {
        let cost = Cost { edge_ns: Q::EDGE_NS, vertex_ns: 15.0, passes: 1 };
        Self::new(graph, options.expected_runs, cost)
    }

    fn new<E: Value>(graph: &Graph<E>, runs: Option<u32>, cost: Cost) -> Self {
        let (edges, vertices) = (graph.edge_count() as f64, f64::from(graph.vertex_count()));
        let edge_bytes = (size_of::<E>() + 4) as f64;
        Self {
            runs: runs.unwrap_or(1).max(1).into(),
            run_ns: (edges * cost.edge_ns + vertices * cost.vertex_ns) * f64::from(cost.passes),
            bytes: edges * edge_bytes + vertices * 8.0,
        }
    }

    /// How long it takes on this many cores.
    pub(super) fn on_cores(&self, cores: usize) -> Duration {
        Duration::from_nanos((self.runs * self.run_ns / cores as f64) as u64)
    }

    /// How long it takes on a GPU, which may have been started.
    pub(super) fn on_gpu(&self, started: bool) -> Duration {
        let start = LOAD_MS + if started { 0.0 } else { START_MS };
        let run = RUN_MS * 1e6 + self.run_ns / CORES;
        Duration::from_nanos((start * 1e6 + self.bytes * BYTE_NS + self.runs * run) as u64)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::graph::generate::Spec;

    /// A graph of 1000 edges and one of 2^20 · 16 would differ by the factor.
    fn job(factor: f64, runs: u32, cost: Cost) -> Job {
        let graph = "rmat:scale=10".parse::<Spec>().unwrap().plain().unwrap();
        let job = Job::new(&graph, Some(runs), cost);
        Job { run_ns: job.run_ns * factor, bytes: job.bytes * factor, ..job }
    }

    fn sum() -> Cost {
        Cost { edge_ns: 1.6, vertex_ns: 8.0, passes: 20 }
    }

    fn search() -> Cost {
        Cost { edge_ns: 0.3, vertex_ns: 20.0, passes: 1 }
    }

    #[test]
    fn small_jobs_do_not_wait_for_a_gpu() {
        for job in [job(1.0, 1, sum()), job(1.0, 100, sum()), job(1024.0, 1, search())] {
            assert!(job.on_cores(2) < job.on_gpu(false), "{job:?}");
        }
        assert!(job(1.0, 1, sum()).on_cores(2) < job(1.0, 1, sum()).on_gpu(true));
    }

    #[test]
    fn large_jobs_are_worth_the_start() {
        for job in [job(1024.0, 1, sum()), job(1024.0, 1000, search())] {
            assert!(job.on_cores(2) > job.on_gpu(false), "{job:?}");
        }
    }

    #[test]
    fn a_gpu_that_has_started_is_worth_more() {
        let job = job(1024.0, 4, search());
        assert!(job.on_cores(2) < job.on_gpu(false) && job.on_cores(2) > job.on_gpu(true));
    }
}

//! One program on one graph in one way: checked, then timed.

use std::time::{Duration, Instant};

use pregel_core::engine::gpu::Device;
use pregel_core::engine::{Cpu, Engine, RunError, RunOptions};
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;

use super::Bench;
use super::ways::{self, WAYS, Way};
use crate::ReplicationError;
use crate::check::{Number, wrong};
use crate::statistics::Statistics;
use crate::timing::Repeats;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Supersteps of PageRank.
    pub iterations: u32,
    pub repeats: Repeats,
}

impl Extent {
    pub const FULL: Self = Self { iterations: 50, repeats: Repeats::FULL };
    pub const QUICK: Self = Self { iterations: 3, repeats: Repeats::QUICK };
}

/// A program on a graph, with its result.
pub struct Task<'a, P: VertexCompute> {
    graph_name: &'a str,
    name: &'a str,
    graph: &'a Graph<P::Edge>,
    program: P,
    limit: Option<u32>,
    expected: Vec<P::State>,
    /// By how much numbers may differ, relative to them.
    tolerance: f64,
}

impl<'a, P: VertexCompute<Input = ()>> Task<'a, P> {
    /// The CPU engine says what the result is.
    pub fn new(
        graph_name: &'a str,
        name: &'a str,
        graph: &'a Graph<P::Edge>,
        program: P,
        limit: Option<u32>,
    ) -> Result<Self, RunError> {
        let options = RunOptions::default().with_max_supersteps(limit).with_expected_runs(1);
        let expected = Cpu::new().run(graph, &program, &options)?.states;
        Ok(Self { graph_name, name, graph, program, limit, expected, tolerance: 0.0 })
    }

    /// The same, with numbers that are sums in another order.
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    fn options(&self, way: &Way) -> RunOptions {
        RunOptions::default()
            .with_strategy(way.strategy)
            .with_max_supersteps(self.limit)
            .with_expected_runs(1)
    }
}

/// Seconds of one way, medians.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// To copy the graph to the device.
    pub upload: f64,
    /// To sort and lay out, on the device or, for Medusa, on the CPU.
    pub preparation: f64,
    /// All supersteps.
    pub supersteps: f64,
    /// Preparation and supersteps, run by run.
    pub total: f64,
    /// How many supersteps there were.
    pub count: u32,
}

impl Time {
    /// Of at least one sample.
    fn of(samples: &[Self]) -> Option<Self> {
        let median = |of: fn(&Self) -> f64| {
            Statistics::of(&samples.iter().map(of).collect::<Vec<_>>()).median
        };
        Some(Self {
            count: samples.first()?.count,
            upload: median(|time| time.upload),
            preparation: median(|time| time.preparation),
            supersteps: median(|time| time.supersteps),
            total: median(|time| time.total),
        })
    }
}

impl<D: Device> Bench<'_, D> {
    /// Each of [`WAYS`].
    pub(super) fn all_ways<P: VertexCompute<Input = ()>>(
        &mut self,
        task: &Task<'_, P>,
        until: Instant,
    ) -> Result<[Option<Time>; WAYS.len()], ReplicationError>
    where
        P::State: Number,
    {
        let mut times = [None; WAYS.len()];
        for (time, way) in times.iter_mut().zip(ways::all()) {
            *time = self.time(task, &way, until)?;
        }
        Ok(times)
    }

    /// Checks one run, then times as many as there is time for; none if there is not enough
    /// time or memory.
    pub(super) fn time<P: VertexCompute<Input = ()>>(
        &mut self,
        task: &Task<'_, P>,
        way: &Way,
        until: Instant,
    ) -> Result<Option<Time>, ReplicationError>
    where
        P::State: Number,
    {
        let what = format!("{}, {}, {}", task.graph_name, task.name, way.name);
        (self.progress)(&what);
        let mut left_out = Vec::new();
        let samples =
            self.extent.repeats.of(&what, until, &mut left_out, || self.run(task, way))?;
        self.left_out.append(&mut left_out);
        Ok(Time::of(&samples))
    }

    /// One run, in a session of its own, whose result is compared.
    fn run<P: VertexCompute<Input = ()>>(
        &self,
        task: &Task<'_, P>,
        way: &Way,
    ) -> Result<Time, ReplicationError>
    where
        P::State: Number,
    {
        let engine = self.gpu.clone().with_options(way.options);
        let outcome = engine.run(task.graph, &task.program, &task.options(way))?;
        let vertices = wrong(&task.expected, &outcome.states, task.tolerance);
        if vertices > 0 {
            return Err(ReplicationError::Differs {
                graph: task.graph_name.to_owned(),
                program: task.name.to_owned(),
                contender: way.name.clone(),
                vertices,
            });
        }
        let report = outcome.report;
        let of_device = |of: fn(&pregel_core::engine::gpu::DeviceReport) -> Duration| {
            report.device.as_ref().map_or(0.0, |device| of(device).as_secs_f64())
        };
        let (preparation, supersteps) =
            (of_device(|device| device.preprocess_time), report.time.as_secs_f64());
        Ok(Time {
            upload: of_device(|device| device.upload_time),
            preparation,
            supersteps,
            total: preparation + supersteps,
            count: report.supersteps,
        })
    }
}

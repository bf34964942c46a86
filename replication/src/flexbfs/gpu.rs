//! What takes a GPU, on any device: a real one, or an emulated one in tests.

use std::ops::RangeInclusive;
use std::time::Instant;

use pregel_algos::bfs::Bfs;
use pregel_core::engine::gpu::{
    Device, Gpu, GpuOptions, LaunchSize, QueueOptions, QueueSearch, QueueTraffic,
};
use pregel_core::engine::{Engine, RunError, RunOptions, Session, Strategy};

use super::check;
use super::graphs::Used;
use super::ways::{self, ON_GPU, QUEUES, Way};
use crate::ReplicationError;
use crate::statistics::Statistics;
use crate::timing::{Repeats, left};

/// The fixed launches of Figure 7: 2^8 to 2^20 threads.
const POWERS: RangeInclusive<u32> = 8..=20;
/// Those of a quick run.
const QUICK_POWERS: RangeInclusive<u32> = 8..=11;

/// What a device is asked for.
pub trait OnDevice {
    /// Its name.
    fn name(&self) -> String;
    /// Times all contenders on a graph, and counts transactions, as far as there is time.
    fn graph(&mut self, used: &Used, until: Instant) -> Result<OnGraph, ReplicationError>;
    /// Times launches of every size.
    fn launches(&mut self, used: &Used, until: Instant) -> Result<Vec<Launched>, ReplicationError>;
    /// What was left out so far, and why.
    fn left_out(&self) -> &[String];
}

/// What was measured on one graph; nothing where there was no time or memory.
pub struct OnGraph {
    /// Seconds of each of [`ON_GPU`].
    pub seconds: [Option<f64>; ON_GPU.len()],
    /// For each of [`QUEUES`].
    pub traffic: [Option<QueueTraffic>; QUEUES.len()],
}

/// The times of one size of launch.
pub struct Launched {
    pub size: LaunchSize,
    /// Seconds of the search by queues, with all other techniques.
    pub queues: Option<f64>,
    /// Threads of that search, for an average level.
    pub threads: f64,
    /// Seconds of the engine's push.
    pub push: Option<f64>,
}

/// Measures on one device.
pub struct Bench<'a, D: Device> {
    gpu: Gpu<D>,
    repeats: Repeats,
    powers: RangeInclusive<u32>,
    progress: &'a dyn Fn(&str),
    left_out: Vec<String>,
}

impl<'a, D: Device> Bench<'a, D> {
    /// With the kernels of [`Bfs`].
    pub fn new(gpu: Gpu<D>, quick: bool, progress: &'a dyn Fn(&str)) -> Self {
        let powers = if quick { QUICK_POWERS } else { POWERS };
        Self { gpu, repeats: Repeats::of_report(quick), powers, progress, left_out: Vec::new() }
    }

    /// The median of what `run` returns, as often as there is time.
    fn median(
        &mut self,
        what: &str,
        until: Instant,
        run: impl FnMut() -> Result<f64, ReplicationError>,
    ) -> Result<Option<f64>, ReplicationError> {
        (self.progress)(what);
        let samples = self.repeats.of(what, until, &mut self.left_out, run)?;
        Ok((!samples.is_empty()).then(|| Statistics::of(&samples).median))
    }

    /// What `made` is, unless the graph does not fit the device.
    fn if_it_fits<T>(
        &mut self,
        what: &str,
        made: Result<T, RunError>,
    ) -> Result<Option<T>, ReplicationError> {
        match made {
            Err(error @ (RunError::TooLarge { .. } | RunError::DeviceLimit(_))) => {
                self.left_out.push(format!("{what}: {error}"));
                Ok(None)
            }
            made => Ok(Some(made?)),
        }
    }

    /// Seconds of the program on the engine.
    fn engine(
        &mut self,
        used: &Used,
        contender: &str,
        strategy: Strategy,
        push: LaunchSize,
        until: Instant,
    ) -> Result<Option<f64>, ReplicationError> {
        let what = format!("{}, {contender}", used.described.name);
        let (gpu, run_options) = (
            self.gpu.clone().with_options(GpuOptions::default().with_push(push)),
            RunOptions::default().with_strategy(strategy).with_expected_runs(8),
        );
        let prepared = gpu.prepare::<Bfs>(&used.graph, &run_options);
        let Some(mut session) = self.if_it_fits(&what, prepared)? else { return Ok(None) };
        self.median(&what, until, || {
            let outcome = session.run(&Bfs { source: used.source })?;
            check(used, contender, &outcome.states)?;
            Ok(outcome.report.time.as_secs_f64())
        })
    }

    /// Seconds of a search by queues, and the threads of an average level.
    fn queues(
        &mut self,
        used: &Used,
        contender: &str,
        search: &QueueSearch<D>,
        options: &QueueOptions,
        until: Instant,
    ) -> Result<(Option<f64>, f64), ReplicationError> {
        let what = format!("{}, {contender}", used.described.name);
        let mut threads = 0.0;
        let seconds = self.median(&what, until, || {
            let searched = search.run(used.source, options)?;
            check(used, contender, &search.levels()?)?;
            threads = searched.threads as f64 / searched.frontiers.len().max(1) as f64;
            Ok(searched.time.as_secs_f64())
        })?;
        Ok((seconds, threads))
    }
}

impl<D: Device> OnDevice for Bench<'_, D> {
    fn name(&self) -> String {
        self.gpu.device().name()
    }

    fn graph(&mut self, used: &Used, until: Instant) -> Result<OnGraph, ReplicationError> {
        let hub_degree = ways::hub_degree(used.mean_degree());
        let mut found = OnGraph { seconds: [None; ON_GPU.len()], traffic: [None; QUEUES.len()] };
        let made = self.gpu.queue_search(&used.graph);
        let what = format!("{}, by queues", used.described.name);
        let search = self.if_it_fits(&what, made)?;
        for ((seconds, contender), way) in
            found.seconds.iter_mut().zip(ON_GPU).zip(ways::on_gpu(hub_degree))
        {
            *seconds = match (way, &search) {
                (Way::Engine(strategy, push), _) => {
                    self.engine(used, contender, strategy, push, until)?
                }
                (Way::Queues(options), Some(search)) => {
                    self.queues(used, contender, search, &options, until)?.0
                }
                (Way::Queues(_), None) => None,
            };
        }
        let Some(search) = search else { return Ok(found) };
        for (traffic, (queue, kind)) in found.traffic.iter_mut().zip(QUEUES) {
            if left(until).is_zero() {
                self.left_out.push(format!("{what}, transactions of {queue}: no time was left"));
                continue;
            }
            let options = ways::flexbfs(hub_degree).with_queue(kind);
            *traffic = search.run_counted(used.source, &options)?.counted;
            check(used, queue, &search.levels()?)?;
        }
        Ok(found)
    }

    fn launches(&mut self, used: &Used, until: Instant) -> Result<Vec<Launched>, ReplicationError> {
        let made = self.gpu.queue_search(&used.graph);
        let what = format!("{}, launches", used.described.name);
        let Some(search) = self.if_it_fits(&what, made)? else { return Ok(Vec::new()) };
        let sizes = self.powers.clone().map(|power| LaunchSize::Threads(1 << power));
        let mut launched = Vec::new();
        for size in sizes.chain([LaunchSize::Frontier]) {
            let name = match size {
                LaunchSize::Threads(threads) => format!("{threads} threads"),
                _ => "as many threads as the frontier needs".to_owned(),
            };
            let options = ways::flexbfs(ways::hub_degree(used.mean_degree())).with_launch(size);
            let contender = format!("queue, {name}");
            let (queues, threads) = self.queues(used, &contender, &search, &options, until)?;
            let contender = format!("push, {name}");
            let push = self.engine(used, &contender, Strategy::Push, size, until)?;
            launched.push(Launched { size, queues, threads, push });
        }
        Ok(launched)
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

//! Runs searches from many sources.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use pregel_algos::many::{DEPTH, Many, Searches, TOGETHER, starts};
use pregel_algos::verify::Violation;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::Placement;
use pregel_core::engine::{Cancel, Cpu, Engine, Reference, StopReason};
use pregel_core::graph::Graph;
use pregel_core::program::VertexId;

use super::{Runner, Runs, Trial, describe_failure, explain_refusal};
use crate::machine::Machine;
use crate::ran::Ran;
use crate::signals;

/// Some of many searches, and how they ran.
#[derive(Clone, Debug)]
pub struct Pack {
    pub sources: Vec<VertexId>,
    /// Whether they ran together, or one after another.
    pub together: bool,
    /// The sums of all runs.
    pub time: Duration,
    pub supersteps: u32,
    pub messages: u64,
}

impl Runner<'_> {
    /// Searches from all sources in every trial. In the last trial, `keep` is given the values
    /// found from each source, in their order. With `--verify`, `check` judges all of them.
    pub fn run_many<P: Many>(
        &self,
        graph: &Graph<P::Edge>,
        sources: &[VertexId],
        check: impl Fn(VertexId, &[P::Value]) -> Result<(), Violation>,
        keep: impl FnMut(VertexId, Vec<P::Value>),
    ) -> Result<(Vec<Pack>, Runs)> {
        if self.foresees {
            return Err(self.foresee_many::<P>(graph, sources));
        }
        match self.machine {
            Machine::Reference => {
                self.many_on::<_, P>(&Reference, false, graph, sources, check, keep)
            }
            Machine::Cpu => self.many_on::<_, P>(&Cpu::new(), false, graph, sources, check, keep),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Cuda(engine) => {
                self.many_on::<_, P>(&**engine, true, graph, sources, check, keep)
            }
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Auto(engine) => {
                let packs = self.searches(sources.len()).div_ceil(P::MOST as u32);
                let options = self.job.options.clone().with_expected_runs(packs);
                let placement = engine.placement::<P>(graph, &options);
                self.explain_placement(&placement);
                let on_gpu = placement == Placement::Gpu;
                self.many_on::<_, P>(engine, on_gpu, graph, sources, check, keep)
            }
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Machine::Auto => self.many_on::<_, P>(&Cpu::new(), false, graph, sources, check, keep),
        }
    }

    /// What the searches take, in place of the searches: the first pack, and what is found by it.
    fn foresee_many<P: Many>(&self, graph: &Graph<P::Edge>, sources: &[VertexId]) -> anyhow::Error {
        let Some(&first) = sources.first() else {
            return anyhow!("there is no source to start from");
        };
        let pack = &sources[..sources.len().min(P::MOST)];
        let found = pack.len() * size_of::<P::Value>();
        let columns = u64::from(graph.vertex_count()) * found as u64;
        let one_by_one = pack.len() < TOGETHER;
        let cpu = || {
            let options = self.job.options.clone().with_expected_runs(self.searches(sources.len()));
            let engine = Cpu::new();
            if one_by_one {
                let needs = engine.needs(graph, &P::one(first), &[], &options);
                return Ok(needs.map_err(explain_refusal)?.with_host("values found", columns));
            }
            let limit = options.max_supersteps.map_or(DEPTH, |limit| limit.min(DEPTH));
            let packs = self.searches(sources.len()).div_ceil(P::MOST as u32);
            let options = options.with_max_supersteps(limit).with_expected_runs(packs);
            let inputs = starts(graph.vertex_count(), pack).map_err(anyhow::Error::msg)?;
            let needs = engine.needs(graph, &P::new(pack.len()), &inputs, &options);
            let needs = needs.map_err(explain_refusal)?.with_host("values found", columns);
            Ok(needs.with_host("sources by vertex", size_of_val(&inputs[..]) as u64))
        };
        self.foresee(cpu, || {
            let needs = if one_by_one {
                self.gpu_needs::<P::One>(graph)?
            } else {
                self.gpu_needs::<P>(graph)?
            };
            Ok(needs.with_host("values found", columns))
        })
    }

    /// The number of searches in all trials.
    fn searches(&self, sources: usize) -> u32 {
        u32::try_from(sources.saturating_mul(self.job.trials)).unwrap_or(u32::MAX)
    }

    fn many_on<E: Engine, P: Many>(
        &self,
        engine: &E,
        on_gpu: bool,
        graph: &Graph<P::Edge>,
        sources: &[VertexId],
        check: impl Fn(VertexId, &[P::Value]) -> Result<(), Violation>,
        mut keep: impl FnMut(VertexId, Vec<P::Value>),
    ) -> Result<(Vec<Pack>, Runs)> {
        let cancel = Cancel::new();
        let options = self.options(on_gpu).with_cancel(cancel.clone());
        let options = options.with_expected_runs(self.searches(sources.len()));
        self.progress.stage("preparing");
        let prepared = Instant::now();
        let mut searches = Searches::<E, P>::prepare(engine, graph, &options, sources.len())
            .map_err(explain_refusal)?;
        let (mut times, mut trials, mut given_up) = (Vec::new(), Vec::<Trial>::new(), false);
        loop {
            let began = [prepared, Instant::now()];
            let (mut packs, mut last, mut stop) = (Vec::new(), None, StopReason::Halted);
            for pack in sources.chunks(P::MOST) {
                let cancellable = signals::cancel(&cancel);
                let found = searches.run(pack).map_err(explain_refusal)?;
                let supersteps = found.reports.iter().map(|report| report.supersteps).sum();
                cancellable.end(supersteps)?;
                if !given_up && found.gave_up() {
                    given_up = true;
                    self.progress.note(
                        "the graph is so deep that searches share little work; they run one after \
                         another",
                    );
                }
                let judged = found.reports.iter().skip(usize::from(found.gave_up()));
                let reason = judged.map(|report| report.stop).find(|s| *s != StopReason::Halted);
                stop = reason.unwrap_or(stop);
                last = found.reports.last().map(Ran::from).or(last);
                packs.push(Pack {
                    sources: pack.to_vec(),
                    together: found.together,
                    time: found.reports.iter().map(|report| report.time).sum(),
                    supersteps,
                    messages: found.reports.iter().map(|report| report.messages).sum(),
                });
                for (&source, values) in pack.iter().zip(found.columns) {
                    if self.job.verify {
                        self.progress.stage("verifying");
                        check(source, &values).with_context(|| {
                            let id = self.input.ids().get(source);
                            format!("{}, from {id}", describe_failure(trials.len() + 1, stop))
                        })?;
                    }
                    if trials.len() + 1 == self.job.trials {
                        keep(source, values);
                    }
                }
            }
            let last = last.context("there is no source to start from")?;
            let last = Ran {
                stop,
                time: packs.iter().map(|pack| pack.time).sum(),
                count: packs.iter().map(|pack| pack.supersteps).sum(),
                messages: packs.iter().map(|pack| pack.messages).sum(),
                ..last
            };
            times.push(last.time);
            trials.push(Trial {
                seconds: last.time.as_secs_f64(),
                supersteps: last.count,
                messages: last.messages,
            });
            if trials.len() >= self.job.trials {
                self.progress.clear();
                let runs = Runs::new(searches.prepare_time(), times, trials, last, began);
                return Ok((packs, runs));
            }
        }
    }
}

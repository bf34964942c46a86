//! Runs algorithms of several phases, whose programs take turns.

use anyhow::{Context as _, Result};
use pregel_algos::scc::{
    Collect, Colour, Member, PhaseReport, StrongComponents, Trim, strong_components,
};
use pregel_algos::verify::Violation;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::Placement;
use pregel_core::engine::{Cancel, Cpu, Engine, Needs, Reference, RunError};
use pregel_core::graph::Graph;

use super::{Runner, Runs, explain_refusal};
use crate::machine::Machine;
use crate::ran::Ran;
use crate::signals;

impl Runner<'_> {
    /// Finds strongly connected components in every trial, and returns those of the last one.
    /// With `--verify`, `check` judges all of them.
    pub fn strong_components(
        &self,
        graph: &Graph,
        check: impl Fn(&StrongComponents) -> Result<(), Violation>,
    ) -> Result<(StrongComponents, Runs)> {
        if self.foresees {
            return Err(self.foresee_phases(graph));
        }
        match self.machine {
            Machine::Reference => self.strong_on(&Reference, false, graph, check),
            Machine::Cpu => self.strong_on(&Cpu::new(), false, graph, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Cuda(engine) => self.strong_on(&**engine, true, graph, check),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Machine::Auto(engine) => {
                let placement = engine.placement::<Colour>(graph, &self.job.options);
                self.explain_placement(&placement);
                self.strong_on(engine, placement == Placement::Gpu, graph, check)
            }
            #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
            Machine::Auto => self.strong_on(&Cpu::new(), false, graph, check),
        }
    }

    /// What the sessions of all phases take, in place of the phases.
    fn foresee_phases(&self, graph: &Graph) -> anyhow::Error {
        let options = &self.job.options;
        let inputs = vec![Member::open(0); graph.vertex_count() as usize];
        let given = size_of_val(&inputs[..]) as u64;
        let cpu = || -> Result<Needs> {
            let engine = Cpu::new();
            let sources =
                engine.needs(graph, &Trim::<false> { without_loops: 0 }, &inputs, options);
            let sinks = engine.needs(graph, &Trim::<true> { without_loops: 0 }, &inputs, options);
            let colour = engine.needs(graph, &Colour::from_all(0), &inputs, options);
            let collect = engine.needs(graph, &Collect { round: 0 }, &inputs, options);
            let together = |a: Result<Needs, RunError>, b: Result<Needs, RunError>| {
                Ok::<_, RunError>(a?.beside(b?))
            };
            let needs = together(together(sources, sinks), together(colour, collect));
            Ok(needs.map_err(explain_refusal)?.with_host("inputs", given))
        };
        self.foresee(cpu, || {
            let trimmed =
                self.gpu_needs::<Trim<false>>(graph)?.beside(self.gpu_needs::<Trim<true>>(graph)?);
            let coloured =
                self.gpu_needs::<Colour>(graph)?.beside(self.gpu_needs::<Collect>(graph)?);
            Ok(trimmed.beside(coloured).with_host("inputs", given))
        })
    }

    fn strong_on<E: Engine>(
        &self,
        engine: &E,
        on_gpu: bool,
        graph: &Graph,
        check: impl Fn(&StrongComponents) -> Result<(), Violation>,
    ) -> Result<(StrongComponents, Runs)> {
        let cancel = Cancel::new();
        let options = self.options(on_gpu).with_cancel(cancel.clone());
        self.progress.stage("preparing");
        let run = || {
            let cancellable = signals::cancel(&cancel);
            let found = strong_components(engine, graph, &options).map_err(explain_refusal)?;
            cancellable.end(found.supersteps())?;
            let ran = Ran::of_phases(&found.phases).context("no phase has run")?;
            Ok((Ran { stop: found.stop, time: found.time, ..ran }, found))
        };
        let ((_, found), mut runs) =
            self.repeat(run, |(ran, _)| ran.clone(), |(_, found)| check(found))?;
        runs.prepare_time = found.prepare_time;
        Ok((found, runs))
    }
}

impl Ran {
    /// Several runs as one, whose supersteps are numbered from the first run to the last; `None`
    /// if there are no runs.
    fn of_phases(phases: &[PhaseReport]) -> Option<Self> {
        let last = Self::from(&phases.last()?.report);
        let reports = || phases.iter().map(|phase| &phase.report);
        let mut supersteps: Vec<_> = reports().flat_map(|report| report.steps.clone()).collect();
        (0..).zip(&mut supersteps).for_each(|(number, step)| step.superstep = number);
        Some(Self {
            count: reports().map(|report| report.supersteps).sum(),
            messages: reports().map(|report| report.messages).sum(),
            supersteps,
            ..last
        })
    }
}

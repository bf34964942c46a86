//! A session on either engine.

use std::fmt;

use super::run::{Beginning, FastestKept, FastestRun, On, Spare, lost};
use super::{Fastest, unless_out_of_memory};
use crate::engine::cpu::{CpuRun, CpuSession};
use crate::engine::gpu::{Device, GpuSession};
use crate::engine::{Cpu, Engine, Inputs, Outcome, Run, RunError, RunOptions, Saved, Session};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// A graph prepared on either engine.
pub struct FastestSession<'g, D: Device, P: VertexCompute> {
    ready: Ready<'g, D, P>,
    /// Whether a run found too little memory on the GPU.
    exhausted: bool,
    // The rest is for a run that does not fit the GPU after all.
    cpu: Cpu,
    graph: &'g Graph<P::Edge>,
    options: RunOptions,
}

enum Ready<'g, D: Device, P: VertexCompute> {
    Gpu(Box<GpuSession<'g, D, P>>),
    Cpu(Box<CpuSession<'g, P>>),
    /// The memory of the GPU ran out, and no run has begun since.
    Neither,
}

impl<'g, D: Device, P: VertexCompute> FastestSession<'g, D, P> {
    /// On the GPU if that has prepared a session.
    pub(super) fn new(
        on_gpu: Option<GpuSession<'g, D, P>>,
        cpu: &Cpu,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let ready = match on_gpu {
            Some(session) => Ready::Gpu(Box::new(session)),
            None => Ready::Cpu(Box::new(cpu.prepare::<P>(graph, options)?)),
        };
        let (cpu, options) = (cpu.clone(), options.clone());
        Ok(Self { ready, exhausted: false, cpu, graph, options })
    }
}

impl<'g, D: Device, P: VertexCompute> Session<P> for FastestSession<'g, D, P> {
    type Engine = Fastest<D>;

    type Run<'r>
        = FastestRun<'r, 'g, D, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, FastestKept<D, P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<FastestRun<'r, 'g, D, P>, RunError> {
        self.settle();
        if matches!(self.ready, Ready::Neither) {
            let session = self.cpu.prepare::<P>(self.graph, &self.options)?;
            self.ready = Ready::Cpu(Box::new(session));
        }
        let inputs = match inputs {
            Inputs::Given(values) => Inputs::Given(values),
            Inputs::Kept(kept) => kept.into_inputs(),
        };
        let Self { ready, exhausted, cpu, graph, options } = self;
        let (on, again) = match ready {
            Ready::Cpu(session) => {
                let run = CpuRun::new(session, *program, inputs.into_host()?, saved)?;
                (On::Cpu(Box::new(run)), None)
            }
            Ready::Gpu(session) => {
                let again = Beginning {
                    inputs: match &inputs {
                        Inputs::Given(values) => Inputs::Given(values.clone()),
                        Inputs::Kept(kept) => Inputs::Kept(kept.share()),
                    },
                    saved: saved.cloned(),
                };
                let run = unless_out_of_memory(session.begin(program, inputs, saved))?;
                (run.map_or(On::Neither, |run| On::Gpu(Box::new(run))), Some(again))
            }
            Ready::Neither => return Err(lost()),
        };
        let program = *program;
        let spare = Spare { cpu, graph, options, program, again, exhausted, done: 0 };
        FastestRun::new(on, spare)
    }

    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let mut run = self.start(program, inputs)?;
        run.advance_to_end()?;
        let outcome = run.finish();
        self.settle();
        outcome
    }
}

impl<D: Device, P: VertexCompute> FastestSession<'_, D, P> {
    /// Frees what is on the GPU if its memory ran out.
    fn settle(&mut self) {
        if self.exhausted && matches!(self.ready, Ready::Gpu(_)) {
            self.ready = Ready::Neither;
        }
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for FastestSession<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestSession")
            .field("on_gpu", &matches!(self.ready, Ready::Gpu(_)))
            .finish_non_exhaustive()
    }
}

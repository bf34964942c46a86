//! A run on either engine, which changes over to the CPU if the GPU has too little memory.

use std::borrow::Cow;
use std::fmt;

use super::{Fastest, unless_out_of_memory};
use crate::engine::cpu::CpuRun;
use crate::engine::gpu::{Device, DeviceError, Gpu, GpuKept, GpuRun};
use crate::engine::{
    Cpu, Engine, Inputs, InputsOf, Kept, KeptOutcome, Outcome, Progress, Run, RunError, RunOptions,
    Saved,
};
use crate::graph::Graph;
use crate::program::{Value, VertexCompute};

/// A run on either engine.
pub struct FastestRun<'r, 'g, D: Device, P: VertexCompute> {
    on: On<'r, 'g, D, P>,
    spare: Spare<'r, 'g, D, P>,
}

/// The engine of a run.
pub(super) enum On<'r, 'g, D: Device, P: VertexCompute> {
    Gpu(Box<GpuRun<'r, 'g, D, P>>),
    Cpu(Box<CpuRun<'r, 'g, P>>),
    /// The GPU had no memory, and the CPU has not started.
    Neither,
}

/// What a run needs to begin again on the CPU.
pub(super) struct Spare<'r, 'g, D: Device, P: VertexCompute> {
    pub(super) cpu: &'r Cpu,
    pub(super) graph: &'g Graph<P::Edge>,
    pub(super) options: &'r RunOptions,
    pub(super) program: P,
    /// `None` once the run has begun on the CPU.
    pub(super) again: Option<Beginning<'r, D, P>>,
    pub(super) exhausted: &'r mut bool,
    /// How many supersteps the caller has asked for so far.
    pub(super) done: u32,
}

/// How a run began.
pub(super) struct Beginning<'r, D: Device, P: VertexCompute> {
    pub(super) inputs: InputsOf<'r, Gpu<D>, P>,
    /// Where the run was resumed, if it was.
    pub(super) saved: Option<Saved<P>>,
}

impl<'r, 'g, D: Device, P: VertexCompute> FastestRun<'r, 'g, D, P> {
    /// A run that begins here, on the CPU if the GPU has no memory.
    pub(super) fn new(on: On<'r, 'g, D, P>, spare: Spare<'r, 'g, D, P>) -> Result<Self, RunError> {
        let mut run = Self { on, spare };
        if matches!(run.on, On::Neither) {
            run.change_over()?;
        }
        Ok(run)
    }

    /// Begins again on the CPU, and goes on to where the run was.
    fn change_over(&mut self) -> Result<(), RunError> {
        let Spare { cpu, graph, options, program, again, exhausted, done } = &mut self.spare;
        **exhausted = true;
        // What is on the GPU is freed first.
        self.on = On::Neither;
        let session = cpu.prepare::<P>(graph, options)?;
        let Beginning { inputs, saved } = again.take().ok_or_else(lost)?;
        let inputs = inputs.into_host()?;
        let mut run = CpuRun::owning(session, *program, inputs, saved.as_ref())?;
        run.advance(*done)?;
        self.on = On::Cpu(Box::new(run));
        Ok(())
    }
}

/// The error of a run that ended in an error before.
pub(super) fn lost() -> RunError {
    RunError::Device(DeviceError::Call {
        call: "a run",
        reason: "it ended in an error before".into(),
    })
}

impl<D: Device, P: VertexCompute> Run<P> for FastestRun<'_, '_, D, P> {
    type Engine = Fastest<D>;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        if let On::Gpu(run) = &mut self.on {
            if let Some(progress) = unless_out_of_memory(run.advance(at_most))? {
                self.spare.done = self.spare.done.saturating_add(at_most);
                return Ok(progress);
            }
            self.change_over()?;
        }
        match &mut self.on {
            On::Cpu(run) => run.advance(at_most),
            _ => Err(lost()),
        }
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        match &self.on {
            On::Gpu(run) => run.save(),
            On::Cpu(run) => run.save(),
            On::Neither => Err(lost()),
        }
    }

    fn save_into(&self, saved: &mut Saved<P>) -> Result<(), RunError> {
        match &self.on {
            On::Gpu(run) => run.save_into(saved),
            On::Cpu(run) => run.save_into(saved),
            On::Neither => Err(lost()),
        }
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        match self.on {
            On::Gpu(run) => run.finish(),
            On::Cpu(run) => run.finish(),
            On::Neither => Err(lost()),
        }
    }

    fn keep(self) -> Result<KeptOutcome<Fastest<D>, P>, RunError> {
        match self.on {
            On::Gpu(run) => Ok(run.keep()?.map_states(|kept| FastestKept(Inputs::Kept(kept)))),
            On::Cpu(run) => Ok(run.keep()?.map_states(FastestKept::of_host)),
            On::Neither => Err(lost()),
        }
    }
}

/// The states of a run, on the GPU if they are there.
pub struct FastestKept<D: Device, T: Value>(Inputs<'static, T, GpuKept<D, T>>);

impl<D: Device, T: Value> FastestKept<D, T> {
    /// The values on the GPU.
    ///
    /// # Errors
    /// The values, if the run was on the CPU and they are in its memory.
    pub fn into_gpu(self) -> Result<GpuKept<D, T>, Vec<T>> {
        match self.0 {
            Inputs::Kept(kept) => Ok(kept),
            Inputs::Given(values) => Err(values.into_owned()),
        }
    }

    pub(super) fn into_inputs(self) -> Inputs<'static, T, GpuKept<D, T>> {
        self.0
    }

    fn of_host(values: Vec<T>) -> Self {
        Self(Inputs::Given(Cow::Owned(values)))
    }
}

impl<D: Device, T: Value> Kept<T> for FastestKept<D, T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn to_vec(&self) -> Result<Vec<T>, RunError> {
        match &self.0 {
            Inputs::Given(values) => Ok(values.to_vec()),
            Inputs::Kept(kept) => kept.to_vec(),
        }
    }

    fn into_vec(self) -> Result<Vec<T>, RunError> {
        self.0.into_host().map(Cow::into_owned)
    }
}

impl<D: Device, T: Value> fmt::Debug for FastestKept<D, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestKept")
            .field("values", &self.len())
            .field("on_gpu", &matches!(self.0, Inputs::Kept(_)))
            .finish()
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for FastestRun<'_, '_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestRun")
            .field("on_gpu", &matches!(self.on, On::Gpu(_)))
            .finish_non_exhaustive()
    }
}

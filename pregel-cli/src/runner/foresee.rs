//! What a run would take, in place of the run: for `pregel info --fits`.

use anyhow::Result;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::gpu::Cuda;
use pregel_core::engine::{
    Cpu, Needs, available_memory_bytes, peak_memory_bytes, resident_memory_bytes,
};
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;
use thiserror::Error;

use super::{Runner, explain_refusal};
use crate::args::EngineArg;
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
use crate::usage::UsageError;

/// What a run would take. It travels as an error, since there is no result.
#[derive(Debug, Error)]
#[error("the run was foreseen, but not made")]
pub struct Foreseen {
    /// Resident memory of the process when the engine would have begun.
    pub resident: Option<u64>,
    /// The largest that it was before.
    pub peak: Option<u64>,
    /// What was available then.
    pub available: Option<u64>,
    /// What a run on all cores takes, if it may be there.
    pub cpu: Option<Needs>,
    /// What a run on a GPU takes, if it may be there, or why it cannot be.
    pub gpu: Option<Result<Needs, String>>,
}

impl Runner<'_> {
    /// What the engine of the job would take, or why that cannot be said.
    pub fn foresee(
        &self,
        cpu: impl FnOnce() -> Result<Needs>,
        gpu: impl FnOnce() -> Result<Needs>,
    ) -> anyhow::Error {
        // Before the plan itself takes memory.
        let mut foreseen = Foreseen {
            resident: resident_memory_bytes(),
            peak: peak_memory_bytes(),
            available: available_memory_bytes(),
            cpu: None,
            gpu: None,
        };
        let planned = match self.job.engine {
            EngineArg::Cpu | EngineArg::Reference => cpu().map(|needs| foreseen.cpu = Some(needs)),
            EngineArg::Cuda(_) => gpu().map(|needs| foreseen.gpu = Some(Ok(needs))),
            EngineArg::Auto => cpu().map(|needs| {
                foreseen.cpu = Some(needs);
                foreseen.gpu = Some(gpu().map_err(|why| why.to_string()));
            }),
        };
        planned.map_or_else(|why| why, |()| foreseen.into())
    }

    /// The same for a program.
    pub(super) fn foresee_program<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
    ) -> anyhow::Error {
        let options = &self.job.options;
        let cpu = || Cpu::new().needs(graph, program, inputs, options).map_err(explain_refusal);
        self.foresee(cpu, || self.gpu_needs::<P>(graph))
    }

    /// What a program takes on a GPU.
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    pub(super) fn gpu_needs<P: VertexCompute>(&self, graph: &Graph<P::Edge>) -> Result<Needs> {
        Cuda::needs::<P>(graph, &self.job.options, &self.job.layout).map_err(explain_refusal)
    }

    /// The same where the command was built without a GPU engine.
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    pub(super) fn gpu_needs<P: VertexCompute>(&self, _: &Graph<P::Edge>) -> Result<Needs> {
        Err(without_gpu())
    }
}

/// Why nothing is planned on a GPU.
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
pub fn without_gpu() -> anyhow::Error {
    UsageError::new("this pregel was built without GPU support").into()
}

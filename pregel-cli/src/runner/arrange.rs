//! The graph in the order in which a run will keep it.

use pregel_core::engine::Cpu;
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;

use super::Runner;
use crate::algorithm::Algorithm;
use crate::input::Input;
use crate::job::RunJob;
use crate::machine::Machine;
use crate::progress::Progress;

/// The input, in the order of falling degree if the run would otherwise make a copy in it.
pub fn arrange(
    input: Input,
    algorithm: &dyn Algorithm,
    job: &RunJob,
    machine: &Machine,
    progress: &Progress,
) -> Input {
    let renumbers = {
        let runner = Runner { job, machine, input: &input, progress, foresees: true };
        algorithm.renumbers(&runner)
    };
    if !renumbers {
        return input;
    }
    progress.stage("preparing");
    input.in_degree_order()
}

impl Runner<'_> {
    /// Whether a run of this program, whose vertices all keep scattering, will be on all cores in
    /// the order of falling degree, and nothing reads the graph in the given one.
    pub fn renumbers<P: VertexCompute>(&self, graph: &Graph<P::Edge>) -> bool {
        let RunJob { verify, check, follow, checkpoints, options, .. } = self.job;
        let is_read = *verify || *check || follow.is_some() || checkpoints.is_some();
        !is_read && Cpu::new().renumbers::<P>(graph, options) && self.is_on_cores::<P>(graph)
    }

    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    fn is_on_cores<P: VertexCompute>(&self, graph: &Graph<P::Edge>) -> bool {
        match self.machine {
            Machine::Cpu => true,
            Machine::Auto(engine) => !engine.tries_gpu::<P>(graph, &self.job.options),
            Machine::Reference | Machine::Cuda(_) => false,
        }
    }

    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    fn is_on_cores<P: VertexCompute>(&self, _: &Graph<P::Edge>) -> bool {
        !matches!(self.machine, Machine::Reference)
    }
}

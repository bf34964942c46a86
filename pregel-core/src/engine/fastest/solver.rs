//! A problem solved on either engine.

use std::fmt;

use super::unless_out_of_memory;
use crate::engine::gpu::{Device, Gpu};
use crate::engine::{Cpu, Problem, RunError, Solution, Solve, SolveOptions, Solver};
use crate::graph::Graph;
use crate::program::Value;

/// A graph made ready for a problem, on either engine.
pub struct FastestSolver<'g, D: Device, Q: Problem, E: Value>
where
    Gpu<D>: Solve<Q>,
{
    /// `None`: on all cores.
    on_gpu: Option<<Gpu<D> as Solve<Q>>::Solver<'g, E>>,
    cpu: Cpu,
    problem: Q,
    graph: &'g Graph<E>,
    options: SolveOptions,
}

impl<'g, D: Device, Q: Problem, E: Value> FastestSolver<'g, D, Q, E>
where
    Gpu<D>: Solve<Q>,
{
    /// On the GPU if that has prepared a solver.
    pub(super) fn new(
        on_gpu: Option<<Gpu<D> as Solve<Q>>::Solver<'g, E>>,
        cpu: Cpu,
        problem: Q,
        graph: &'g Graph<E>,
        options: SolveOptions,
    ) -> Self {
        Self { on_gpu, cpu, problem, graph, options }
    }
}

impl<D: Device, Q: Problem, E: Value> Solver for FastestSolver<'_, D, Q, E>
where
    Gpu<D>: Solve<Q>,
    Cpu: Solve<Q>,
{
    type Answer = Q::Answer;

    fn run(&mut self) -> Result<Solution<Q::Answer>, RunError> {
        if let Some(solver) = &mut self.on_gpu {
            if let Some(found) = unless_out_of_memory(solver.run())? {
                return Ok(found);
            }
            self.on_gpu = None;
        }
        self.cpu.solve(self.problem, self.graph, &self.options)
    }
}

impl<D: Device, Q: Problem, E: Value> fmt::Debug for FastestSolver<'_, D, Q, E>
where
    Gpu<D>: Solve<Q>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastestSolver")
            .field("on_gpu", &self.on_gpu.is_some())
            .finish_non_exhaustive()
    }
}

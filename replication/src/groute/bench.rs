//! What takes a GPU, on any device: a real one, or an emulated one in tests.

use std::time::Instant;

use pregel_algos::bfs::Bfs;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Device, Gpu};
use pregel_core::engine::{
    ConnectedComponents, Engine, RunOptions, Session, Solve, SolveOptions, Solver,
};
use pregel_core::program::VertexCompute;
use pregel_replication_programs::{Levels, ResidualPageRank};

use super::Measured;
use super::cpu::Subject;
use super::ran::{Entry, On, Ran};
use super::ranks;
use super::task::{Task, equal};
use super::ways::{BFS, Way, auto, push, resident, techniques};
use crate::ReplicationError;
use crate::timing::Repeats;

/// What a device is asked for.
pub trait OnDevice {
    /// Its name.
    fn name(&self) -> String;
    /// Measures one graph, as far as there is time.
    fn measure(
        &mut self,
        subject: &Subject<'_>,
        until: Instant,
    ) -> Result<Measured, ReplicationError>;
    /// What was left out so far, and why.
    fn left_out(&self) -> &[String];
}

/// Measures on one device.
pub struct Bench<'a, D: Device> {
    gpu: Gpu<D>,
    repeats: Repeats,
    progress: &'a dyn Fn(&str),
    left_out: Vec<String>,
}

impl<'a, D: Device> Bench<'a, D> {
    /// With the kernels of all programs that are measured.
    pub fn new(gpu: Gpu<D>, repeats: Repeats, progress: &'a dyn Fn(&str)) -> Self {
        Self { gpu, repeats, progress, left_out: Vec::new() }
    }

    /// Times a program in one way, in one session.
    fn time<P: VertexCompute<Input = ()>>(
        &mut self,
        task: &Task<'_, P>,
        way: Way,
        until: Instant,
    ) -> Result<Entry, ReplicationError> {
        let what = task.with(way.name);
        (self.progress)(&what);
        let engine = self.gpu.clone().with_options(way.options);
        let options = RunOptions::default().with_strategy(way.strategy);
        let mut session = None;
        let runs = self.repeats.of(&what, until, &mut self.left_out, || {
            let session = match &mut session {
                Some(session) => session,
                None => session.insert(engine.prepare::<P>(task.graph, &options)?),
            };
            task.checked(way.name, &session.run(&task.program)?)
        })?;
        Ok(Entry { on: On::Gpu, name: way.name, ran: Ran::median(&runs) })
    }

    fn union_find(
        &mut self,
        subject: &Subject<'_>,
        until: Instant,
    ) -> Result<Entry, ReplicationError> {
        const NAME: &str = "union-find";
        let what = format!("{}, components, {NAME}", subject.name);
        (self.progress)(&what);
        let mut solver = None;
        let runs = self.repeats.of(&what, until, &mut self.left_out, || {
            let solver = match &mut solver {
                Some(solver) => solver,
                None => {
                    let options = SolveOptions::default();
                    let made =
                        self.gpu.prepare_solver(ConnectedComponents, subject.plain, &options)?;
                    solver.insert(made)
                }
            };
            let solution = solver.run()?;
            subject.right_components(NAME, &solution.answer)?;
            Ok(Ran::of_solver(&solution.report))
        })?;
        Ok(Entry { on: On::Gpu, name: NAME, ran: Ran::median(&runs) })
    }
}

impl<D: Device> OnDevice for Bench<'_, D> {
    fn name(&self) -> String {
        self.gpu.device().name()
    }

    fn measure(
        &mut self,
        subject: &Subject<'_>,
        until: Instant,
    ) -> Result<Measured, ReplicationError> {
        let (graph_name, source) = (subject.name, subject.source);
        let mut measured = Measured::default();
        {
            // The fast ones first, so that a slow one is left out rather than those after it.
            let judge = equal(&subject.components);
            measured.components.push(self.union_find(subject, until)?);
            let task = subject.task("components", Hcc, &judge);
            measured.components.push(self.time(&task, auto("hcc"), until)?);
        }
        {
            let (change, tolerance) =
                (ranks::CHANGES[ranks::TIMED], ranks::TOLERANCES[ranks::TIMED]);
            let judge = ranks::near::<PageRank<f32>>(&subject.ranks, change);
            let task = subject.task("PageRank", ranks::bundled(change), &judge);
            measured.ranks.push(self.time(&task, auto("pagerank"), until)?);
            let judge = ranks::near::<ResidualPageRank>(&subject.ranks, tolerance);
            let task = subject.task("PageRank", ranks::residual(tolerance), &judge);
            for way in [auto("residual"), push("residual, push"), resident("residual, fused")] {
                measured.ranks.push(self.time(&task, way, until)?);
            }
        }
        {
            let judge = equal(&subject.levels);
            let task = subject.task("BFS", Levels { source }, &judge);
            for way in techniques() {
                measured.levels.push(self.time(&task, way, until)?);
            }
            let task = subject.task("BFS", Bfs { source }, &judge);
            measured.levels.push(self.time(&task, auto(BFS), until)?);
        }
        let judge = equal(&subject.distances);
        let (name, graph, program) = ("SSSP", subject.weighted, Sssp { source });
        let task = Task { graph_name, name, graph, program, judge: &judge };
        for way in techniques().into_iter().rev() {
            measured.paths.push(self.time(&task, way, until)?);
        }
        measured.paths.reverse();
        Ok(measured)
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

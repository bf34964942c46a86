//! The CPU's part: what all results are compared with, and how long it takes.

use pregel_algos::bfs::Bfs;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunOptions, Solve, SolveOptions, Solver, Strategy,
};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId};
use pregel_replication_programs::Levels;

use super::Measured;
use super::ran::{Entry, Limits, On, Ran};
use super::ranks::{self, CHANGES, Curve, DAMPING, EXACT, Point, Ranks, TIMED, TOLERANCES};
use super::task::{Task, differs, equal};
use super::ways::{AUTO, BFS, PLAIN};
use crate::ReplicationError;
use crate::check::wrong;
use crate::timing::Repeats;

/// A graph to measure on, with and without weights, and the right results.
pub struct Subject<'a> {
    pub name: &'static str,
    pub weighted: &'a Graph<f32>,
    pub plain: &'a Graph<()>,
    /// Where searches begin.
    pub source: VertexId,
    pub distances: Vec<f32>,
    pub levels: Vec<u32>,
    pub ranks: Vec<f64>,
    pub components: Vec<VertexId>,
}

/// The states after a run of the CPU engine.
fn states<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: &P,
) -> Result<Vec<P::State>, ReplicationError> {
    let options = RunOptions::default().with_expected_runs(1);
    Ok(Cpu::new().run(graph, program, &options)?.states)
}

impl<'a> Subject<'a> {
    /// Finds the right results.
    pub fn new(
        name: &'static str,
        weighted: &'a Graph<f32>,
        plain: &'a Graph<()>,
        source: VertexId,
    ) -> Result<Self, ReplicationError> {
        let components = Cpu::new().solve(ConnectedComponents, plain, &SolveOptions::default())?;
        Ok(Self {
            name,
            weighted,
            plain,
            source,
            distances: states(weighted, &Sssp { source })?,
            levels: states(plain, &Bfs { source })?,
            ranks: states(plain, &PageRank::<f64>::new(DAMPING.into(), EXACT))?,
            components: components.answer,
        })
    }

    /// Makes a task of this graph.
    pub fn task<'b, P: VertexCompute<Input = (), Edge = ()>>(
        &'b self,
        name: &'static str,
        program: P,
        judge: &'b dyn Fn(&[P::State]) -> super::task::Judged,
    ) -> Task<'b, P> {
        Task { graph_name: self.name, name, graph: self.plain, program, judge }
    }

    /// Measures the CPU, as far as there is time.
    pub fn on_cpu(
        &self,
        limits: Limits,
        progress: &dyn Fn(&str),
    ) -> Result<Measured, ReplicationError> {
        let say = |what: &str| progress(&format!("{}, CPU: {what}", self.name));
        let mut measured = Measured::default();

        say("SSSP");
        let (graph_name, source) = (self.name, self.source);
        let judge = equal(&self.distances);
        let program = Sssp { source };
        let task = Task { graph_name, name: "SSSP", graph: self.weighted, program, judge: &judge };
        measured.paths.push(task.on_cpu(AUTO, Strategy::Auto, limits)?);

        say("BFS");
        let judge = equal(&self.levels);
        let task = self.task("BFS", Levels { source }, &judge);
        measured.levels.push(task.on_cpu(AUTO, Strategy::Auto, limits)?);
        let task = self.task("BFS", Bfs { source }, &judge);
        measured.levels.push(task.on_cpu(BFS, Strategy::Auto, limits)?);

        say("PageRank");
        self.ranks("pagerank", CHANGES, ranks::bundled, limits, &mut measured)?;
        self.ranks("residual", TOLERANCES, ranks::residual, limits, &mut measured)?;

        say("components");
        measured.components.push(self.union_find(limits)?);
        let judge = equal(&self.components);
        let task = self.task("components", Hcc, &judge);
        measured.components.push(task.on_cpu("hcc", Strategy::Auto, limits)?);

        // The slowest, so that it is left out rather than what comes after it, a GPU included.
        let limits = Limits { latest: limits.until, ..limits };
        say("SSSP without priorities");
        let judge = equal(&self.distances);
        let task = Task { graph_name, name: "SSSP", graph: self.weighted, program, judge: &judge };
        measured.paths.push(task.on_cpu(PLAIN, Strategy::Push, limits)?);
        for entries in [&measured.paths, &measured.levels, &measured.ranks, &measured.components] {
            let late = entries.iter().filter(|entry| entry.ran.is_none());
            let line =
                |entry: &Entry| format!("{}, CPU, {}: no time was left", self.name, entry.name);
            measured.left_out.extend(late.map(line));
        }
        Ok(measured)
    }

    /// Times one tolerance, and runs the others once.
    fn ranks<P: Ranks>(
        &self,
        name: &'static str,
        tolerances: [f32; CHANGES.len()],
        program: fn(f32) -> P,
        limits: Limits,
        measured: &mut Measured,
    ) -> Result<(), ReplicationError> {
        let mut points = Vec::new();
        for (number, tolerance) in tolerances.into_iter().enumerate() {
            let judge = ranks::near::<P>(&self.ranks, tolerance);
            let task = self.task("PageRank", program(tolerance), &judge);
            let repeats = if number == TIMED { limits.repeats } else { Repeats::QUICK };
            let entry = task.on_cpu(name, Strategy::Auto, Limits { repeats, ..limits })?;
            points.extend(entry.ran.map(|ran| Point {
                tolerance: tolerance.into(),
                error: ran.error,
                steps: ran.steps as u64,
                messages: ran.work as u64,
            }));
            if number == TIMED {
                measured.ranks.push(entry);
            }
        }
        measured.curves.push(Curve { name, points });
        Ok(())
    }

    fn union_find(&self, limits: Limits) -> Result<Entry, ReplicationError> {
        const NAME: &str = "union-find";
        let options = SolveOptions::default();
        let mut solver = Cpu::new().prepare_solver(ConnectedComponents, self.plain, &options)?;
        let runs = limits.run(|| {
            let solution = solver.run()?;
            self.right_components(NAME, &solution.answer)?;
            Ok(Ran::of_solver(&solution.report))
        })?;
        Ok(Entry { on: On::Cpu, name: NAME, ran: Ran::median(&runs) })
    }

    /// An error if a component is wrong.
    pub fn right_components(
        &self,
        contender: &str,
        found: &[VertexId],
    ) -> Result<(), ReplicationError> {
        match wrong(&self.components, found, 0.0) {
            0 => Ok(()),
            vertices => Err(differs(self.name, "components", contender, vertices)),
        }
    }
}

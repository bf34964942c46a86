//! A survey: whether `auto` is as fast as the best way that can be forced, on graphs that
//! the planner was not tuned on.
//!
//! A *cell* is a program on a graph. All its ways are prepared and warmed up, and then
//! measured in turns, so that whatever slows the machine down slows all of them down. Where `auto`
//! comes out slower than another way, that is done twice more, and the medians count.

mod cell;
#[cfg(test)]
mod emulated;
mod race;

use std::time::{Duration, Instant};

use pregel_core::engine::gpu::{Device, Gpu};
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, RunError, RunOptions, Solve, SolveOptions, Solver,
};
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;

pub use cell::Cell;

use crate::input::Input;
use crate::programs::{Bench, Task, differing, measure_all};
use crate::ways::{Way, surveyed};

/// Graphs by group. A group takes a few minutes on a machine with 16 cores and an H100.
pub const GROUPS: [(&str, &[&str]); 4] = [
    (
        "real",
        &[
            "road/NE.gr.xz",
            "luxembourg_osm/luxembourg_osm.mtx.xz",
            "uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz",
            "uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz,sym=1",
            "soc-Slashdot0902/soc-Slashdot0902.txt.xz",
            "soc-Slashdot0902/soc-Slashdot0902.txt.xz,sym=1",
            "email-Enron/email-Enron.txt.xz,sym=1",
        ],
    ),
    (
        "small",
        &[
            "star:n=100000",
            "star:n=100000,sym=0",
            "star:n=100000,sym=0,in=1",
            "grid:rows=1,cols=1000",
            "grid:rows=1,cols=20000",
            "grid:rows=1,cols=20000,sym=0",
            "grid:rows=8,cols=4096",
            "grid:rows=300,cols=300",
            "grid:rows=300,cols=300,sym=0",
            "rmat:scale=14,ef=8",
            "rmat:scale=14,ef=8,sym=0",
            "uniform:n=100000,m=100000",
            "uniform:n=2000,m=1000000",
        ],
    ),
    (
        "medium",
        &[
            "rmat:scale=19,ef=6",
            "rmat:scale=19,ef=6,sym=0",
            "rmat:scale=16,ef=128",
            "uniform:n=4000000,m=6000000",
            "uniform:n=4000000,m=6000000,sym=0",
            "uniform:n=100000,m=16000000",
            "uniform:n=100000,m=16000000,sym=0",
            "star:n=8000000",
            "grid:rows=1000,cols=1000,drop=100",
            "grid:rows=1000,cols=1000,drop=100,sym=0",
        ],
    ),
    ("large", &["rmat:scale=23,ef=32", "rmat:scale=23,ef=32,sym=0"]),
];

/// The graphs of a group; `None` if there is no such group.
pub fn group(name: &str) -> Option<&'static [&'static str]> {
    GROUPS.iter().find(|(group, _)| *group == name).map(|(_, graphs)| *graphs)
}

/// What a survey does.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The ways besides `auto`; all that `auto` chooses from if empty.
    pub ways: Vec<String>,
    /// The programs; all if empty.
    pub programs: Vec<String>,
    /// Supersteps after which every program ends.
    pub limit: Option<u32>,
    /// Bytes that the device's memory moves per nanosecond.
    pub bandwidth: Option<f64>,
    /// No cell begins later than this after the start.
    pub at_most: Option<Duration>,
    /// Measures as little as it can, to see only that everything runs.
    pub brief: bool,
}

impl Plan {
    /// About how long all rounds of a cell take together, and for each way the runs in which it
    /// learns, in milliseconds.
    fn budget_ms(&self) -> f64 {
        if self.brief { 0.0 } else { 1000.0 }
    }
}

/// A survey that prints each cell when it is done.
#[allow(missing_debug_implementations, reason = "engines differ in what they print")]
pub struct Survey<D: Device> {
    engine: Gpu<D>,
    plan: Plan,
    start: Instant,
    /// The graph that is being measured.
    graph: String,
    cells: Vec<Cell>,
    /// Cells that had no time left.
    left_out: usize,
    /// Graphs and ways that failed, and ways whose result was wrong.
    failures: usize,
}

/// How often a cell is measured again, in new sessions, if `auto` was slower than another way: two
/// sessions that do the same may differ by more than that.
const AGAIN: usize = 2;

/// With fewer edges than this, CDLP runs; on larger graphs the CPU engine takes too long.
const CDLP_EDGES: u64 = 40_000_000;

impl<D: Device> Survey<D> {
    /// A survey of an engine, which starts now.
    pub fn new(engine: Gpu<D>, plan: Plan) -> Self {
        let (graph, cells) = (String::new(), Vec::new());
        Self { engine, plan, start: Instant::now(), graph, cells, left_out: 0, failures: 0 }
    }

    /// Measures all programs on these graphs and prints a summary. Returns what was
    /// measured and the number of failures.
    pub fn run(mut self, graphs: &[String]) -> (Vec<Cell>, usize) {
        println!("{}", Cell::header());
        for name in graphs {
            if self.is_over() {
                println!("{name}: no time left");
                self.left_out += 1;
                continue;
            }
            match Input::open(name) {
                Ok(input) => {
                    self.graph.clone_from(&input.name);
                    measure_all(&input, &mut self);
                }
                Err(error) => {
                    println!("{name}: {error}");
                    self.failures += 1;
                }
            }
        }
        print!("{}", cell::summary(&self.cells));
        if self.left_out > 0 {
            println!("{} graphs or cells left out for lack of time", self.left_out);
        }
        (self.cells, self.failures)
    }

    fn is_over(&self) -> bool {
        self.plan.at_most.is_some_and(|most| self.start.elapsed() > most)
    }

    /// Prints a cell and keeps it.
    fn add(&mut self, cell: Result<Cell, RunError>, program: &str) {
        match cell {
            Ok(cell) => {
                self.failures += cell.problems.len();
                println!("{cell}");
                self.cells.push(cell);
            }
            Err(error) => {
                self.failures += 1;
                println!("{} {program} FAILED: {error}", self.graph);
            }
        }
    }

    fn measure<P: VertexCompute<Input = ()>>(&self, task: &Task<'_, P>) -> Result<Cell, RunError> {
        let limit = self.plan.limit.or(task.limit);
        let options = RunOptions::default().with_max_supersteps(limit);
        let expected = Cpu::new().run(task.graph, &task.program, &options)?.states;
        let ways: Vec<Way> = surveyed(&self.plan.ways);
        let measure = || {
            let mut cell = Cell::new(&self.graph, task.name);
            let budget_ms = self.plan.budget_ms();
            race::run(&self.engine, task, &options, &ways, &expected, budget_ms, &mut cell)?;
            Ok::<_, RunError>(cell)
        };
        let mut cell = measure()?;
        if cell.is_slow() {
            let again = (0..AGAIN).map(|_| measure()).collect::<Result<Vec<_>, _>>()?;
            cell.take_medians(&again);
        }
        let bytes = task.least_bytes().filter(|bytes| *bytes >= cell::LEAST_FLOOR_BYTES);
        cell.floor_ms = bytes
            .zip(self.plan.bandwidth)
            .map(|(bytes, per_ns)| f64::from(cell.steps) * bytes as f64 / per_ns / 1e6);
        Ok(cell)
    }

    fn measure_components(&self, graph: &Graph) -> Result<Cell, RunError> {
        let (problem, options) = (ConnectedComponents, SolveOptions::default());
        let expected = Cpu::new().solve(problem, graph, &options)?.answer;
        let mut cell = Cell::new(&self.graph, "wcc");
        let mut solver = self.engine.prepare_solver(problem, graph, &options)?;
        let found = solver.run()?;
        cell.steps = found.report.passes.len() as u32;
        cell.check("joins", differing(&expected, &found.answer, |a, b| a == b));
        cell.first_ms = race::milliseconds(found.report.time);
        cell.rounds = race::rounds(self.plan.budget_ms(), cell.first_ms);
        let mut times = Vec::new();
        for _ in 0..cell.rounds {
            times.push(race::milliseconds(solver.run()?.report.time));
        }
        cell.auto_ms = crate::median(&mut times);
        Ok(cell)
    }
}

impl<D: Device> Bench for Survey<D> {
    fn includes(&self, name: &str) -> bool {
        self.plan.programs.is_empty() || self.plan.programs.iter().any(|one| one == name)
    }

    fn program<P: VertexCompute<Input = ()>>(&mut self, task: &Task<'_, P>) {
        if task.name == "cdlp" && task.graph.edge_count() >= CDLP_EDGES {
            return;
        }
        if self.is_over() {
            self.left_out += 1;
            return;
        }
        let cell = self.measure(task);
        self.add(cell, task.name);
    }

    fn components(&mut self, graph: &Graph) {
        if self.is_over() {
            self.left_out += 1;
            return;
        }
        let cell = self.measure_components(graph);
        self.add(cell, "wcc");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pregel_core::graph::generate::Spec;

    #[test]
    fn groups_name_graphs() {
        for (name, graphs) in GROUPS {
            assert_eq!(group(name), Some(graphs));
            for graph in graphs {
                let spec = Spec::recognises(graph) && graph.parse::<Spec>().is_ok();
                assert!(spec || graph.starts_with("star:") || graph.contains(".xz"), "{graph}");
            }
        }
        assert_eq!(group("huge"), None);
    }

    #[test]
    fn real_graphs_can_be_read() {
        for graph in group("real").unwrap() {
            let path = graph.split(',').next().unwrap();
            if !crate::input::data_folder().join(path).exists() {
                eprintln!("{graph}: not found, skipped");
                continue;
            }
            let input = Input::open(graph).unwrap();
            let directed = !graph.ends_with("sym=1") && !graph.contains("road/");
            let directed = directed && !graph.contains(".mtx");
            assert_eq!(input.plain.directed(), directed, "{graph}");
            assert!(input.plain.out().degree(input.source) > 0, "{graph}");
        }
    }
}

//! LDBC Graphalytics (Alexandru Iosup and others, *The LDBC Graphalytics Benchmark*,
//! arXiv 2011.15028): its six algorithms on the data sets of a folder, validated by its rules.
//!
//! The reference output of an algorithm says what every run must find. A run that finds anything
//! else is reported as wrong, without times, and the report has [`failures`](Report::failures).

mod contender;
mod data_set;
mod report;
mod task;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use pregel_algos::verify::expected::compare;
use pregel_core::io::Values;
use pregel_core::program::VertexId;

use self::contender::{Contender, contenders};
use self::data_set::{DataSet, Ready};
use self::task::{Algorithm, Task};
use crate::report::Report;
use crate::statistics::Statistics;
use crate::{Options, ReplicationError};

/// How many runs there are, unless they take too long.
const RUNS: usize = 7;
/// The most vertices and edges together that a quick run reads.
const QUICK_SIZE: u64 = 1_000_000;

/// What was measured.
struct Findings {
    graphs: Vec<Described>,
    rows: Vec<Row>,
    /// The engines, and the GPU's name.
    engines: Vec<&'static str>,
    device: Option<String>,
    why_no_gpu: Option<String>,
    left_out: Vec<String>,
    quick: bool,
}

/// What is known of a graph.
struct Described {
    name: String,
    directed: bool,
    weighted: bool,
    vertices: u64,
    edges: u64,
    load_seconds: f64,
    notes: Vec<String>,
}

/// An algorithm on a graph by an engine.
struct Row {
    /// Which of the graphs.
    graph: usize,
    algorithm: Algorithm,
    engine: &'static str,
    state: State,
    /// Unless the result is wrong.
    times: Option<Times>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Valid,
    /// There is no reference output.
    NotValidated,
    /// The first value that differs, or what is wrong with the reference output.
    Wrong(String),
    /// The engine refused, or failed.
    Failed(String),
    /// The engine does not have the algorithm.
    NotOnThisEngine,
}

/// Medians, in seconds.
#[derive(Clone, Copy)]
struct Times {
    runs: usize,
    processing: f64,
    makespan: f64,
}

/// Runs all data sets of the folder `options.data`.
///
/// # Errors
/// If the folder has no data set, a file of one is wrong, or the GPU that is named cannot be
/// used. A wrong result is none: the report says so.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    let (contenders, why_no_gpu) = contenders(options.gpu)?;
    measure(&contenders, why_no_gpu, options, progress)
}

fn measure(
    contenders: &[Box<dyn Contender>],
    why_no_gpu: Option<String>,
    options: &Options,
    progress: &dyn Fn(&str),
) -> Result<Report, ReplicationError> {
    let begin = Instant::now();
    let folder = options.data.as_deref().ok_or(ReplicationError::NoFolder)?;
    let sets = data_set::find(folder)?;
    let mut findings = Findings {
        graphs: Vec::new(),
        rows: Vec::new(),
        engines: contenders.iter().map(|contender| contender.name()).collect(),
        device: contenders.iter().find_map(|contender| contender.device().map(str::to_owned)),
        why_no_gpu,
        left_out: Vec::new(),
        quick: options.quick,
    };
    let mut cells = contenders.len() * sets.iter().map(|set| set.tasks.len()).sum::<usize>();
    for set in &sets {
        let left = options.budget.saturating_sub(begin.elapsed());
        if left.is_zero() {
            findings.left_out.push(format!("{}: there was no time left", set.name));
            continue;
        }
        if options.quick && set.promised_size().is_some_and(|size| size > QUICK_SIZE) {
            findings.left_out.push(format!("{}: too large for a quick run", set.name));
            cells -= contenders.len() * set.tasks.len();
            continue;
        }
        progress(&format!("{}: reading", set.name));
        let graph = set.load()?;
        findings.describe(set, &graph);
        for &task in &set.tasks {
            let source = task.source(&set.properties, graph.ids())?;
            let expected = set.reference(task.algorithm());
            let expected = expected.map(|path| Values::read(&path, graph.ids()));
            for contender in contenders {
                progress(&format!(
                    "{}: {} on {}",
                    set.name,
                    task.algorithm().acronym(),
                    contender.name()
                ));
                let left = options.budget.saturating_sub(begin.elapsed());
                let trial = Trial {
                    contender: &**contender,
                    task,
                    source,
                    graph: &graph,
                    runs: if options.quick { 1 } else { RUNS },
                    time: left / u32::try_from(cells.max(1)).unwrap_or(u32::MAX),
                };
                let (state, times) = match &expected {
                    None => trial.measure(None),
                    Some(Ok(expected)) => trial.measure(Some(expected)),
                    Some(Err(why)) => (State::Wrong(described(why)), None),
                };
                cells = cells.saturating_sub(1);
                findings.rows.push(Row {
                    graph: findings.graphs.len() - 1,
                    algorithm: task.algorithm(),
                    engine: contender.name(),
                    state,
                    times,
                });
            }
        }
    }
    Ok(findings.report(folder))
}

impl Findings {
    fn describe(&mut self, set: &DataSet, graph: &Ready) {
        self.graphs.push(Described {
            name: set.name.clone(),
            directed: graph.plain.directed(),
            weighted: graph.weighted.is_some(),
            vertices: graph.vertices(),
            edges: graph.edges,
            load_seconds: graph.load_seconds,
            notes: graph.notes.iter().map(ToString::to_string).collect(),
        });
    }
}

/// What is repeated.
struct Trial<'a> {
    contender: &'a dyn Contender,
    task: Task,
    source: VertexId,
    graph: &'a Ready,
    /// How often.
    runs: usize,
    /// For how long, if it is run twice.
    time: Duration,
}

impl Trial<'_> {
    /// Compares the result of every run.
    fn measure(&self, expected: Option<&Values>) -> (State, Option<Times>) {
        let (mut processing, mut makespan) = (Vec::new(), Vec::new());
        let begin = Instant::now();
        loop {
            let run = match self.contender.run(self.task, self.source, self.graph) {
                Ok(Some(run)) => run,
                Ok(None) => return (State::NotOnThisEngine, None),
                Err(why) => return (State::Failed(described(&why)), None),
            };
            if let Some(expected) = expected
                && let Err(why) = compare(expected, run.values.found(), self.graph.ids())
            {
                return (State::Wrong(why.to_string()), None);
            }
            processing.push(run.processing);
            makespan.push(run.makespan);
            let done = processing.len();
            let next = begin.elapsed() / done as u32;
            if done >= self.runs || begin.elapsed() + next > self.time {
                break;
            }
        }
        let state = if expected.is_some() { State::Valid } else { State::NotValidated };
        let times = Times {
            runs: processing.len(),
            processing: Statistics::of(&processing).median,
            makespan: Statistics::of(&makespan).median,
        };
        (state, Some(times))
    }
}

/// An error with its causes.
fn described(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

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
    on_gpu: bool,
    state: State,
    /// If it ran and the result is not wrong.
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
    /// The algorithm needs weights, and the graph has none.
    NoWeights,
    /// It did not run, because there was no time left.
    NoTime,
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
/// used. A wrong result is not an error: the report says so.
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
    let mut sets = data_set::find(folder)?;
    let mut findings = Findings {
        graphs: Vec::new(),
        rows: Vec::new(),
        engines: contenders.iter().map(|contender| contender.name()).collect(),
        device: contenders.iter().find_map(|contender| contender.device().map(str::to_owned)),
        why_no_gpu,
        left_out: Vec::new(),
        quick: options.quick,
    };
    if options.quick {
        sets.retain(|set| {
            let large = set.promised_size().is_some_and(|size| size > QUICK_SIZE);
            if large {
                findings.left_out.push(format!("{}: too large for a quick run", set.name));
            }
            !large
        });
    }
    let tasks: usize = sets.iter().map(|set| set.tasks.len()).sum();
    let mut clock = Clock { begin, budget: options.budget, trials: contenders.len() * tasks };
    for set in &sets {
        if clock.left().is_zero() {
            findings.left_out.push(format!("{}: there was no time left", set.name));
        } else {
            findings.run(set, contenders, &mut clock, progress)?;
        }
    }
    Ok(findings.report(folder))
}

/// The time left, which the trials to come share.
struct Clock {
    begin: Instant,
    budget: Duration,
    trials: usize,
}

impl Clock {
    fn left(&self) -> Duration {
        self.budget.saturating_sub(self.begin.elapsed())
    }

    /// What the next trial may take; `None` if nothing is left.
    fn share(&mut self) -> Option<Duration> {
        let share = self.left() / u32::try_from(self.trials.max(1)).unwrap_or(u32::MAX);
        self.trials = self.trials.saturating_sub(1);
        (!share.is_zero()).then_some(share)
    }
}

impl Findings {
    /// Runs all algorithms on one graph.
    fn run(
        &mut self,
        set: &DataSet,
        contenders: &[Box<dyn Contender>],
        clock: &mut Clock,
        progress: &dyn Fn(&str),
    ) -> Result<(), ReplicationError> {
        progress(&format!("{}: reading", set.name));
        let graph = set.load()?;
        self.graphs.push(Described {
            name: set.name.clone(),
            directed: graph.plain.directed(),
            weighted: graph.weighted.is_some(),
            vertices: graph.vertices(),
            edges: graph.edges,
            load_seconds: graph.load_seconds,
            notes: graph.notes.iter().map(ToString::to_string).collect(),
        });
        for &task in &set.tasks {
            let algorithm = task.algorithm();
            let source = task.source(&set.properties, graph.ids())?;
            let expected = set.reference(algorithm);
            let expected = expected.map(|path| Values::read(&path, graph.ids()));
            for contender in contenders {
                let name = contender.name();
                progress(&format!("{}: {} on {name}", set.name, algorithm.acronym()));
                let trial = Trial {
                    contender: &**contender,
                    task,
                    source,
                    graph: &graph,
                    runs: if self.quick { 1 } else { RUNS },
                };
                let (state, times) = match (&expected, clock.share()) {
                    (Some(Err(why)), _) => (State::Wrong(described(why)), None),
                    (_, None) => (State::NoTime, None),
                    (None, Some(time)) => trial.measure(None, time),
                    (Some(Ok(expected)), Some(time)) => trial.measure(Some(expected), time),
                };
                self.rows.push(Row {
                    graph: self.graphs.len() - 1,
                    algorithm,
                    engine: name,
                    on_gpu: contender.device().is_some(),
                    state,
                    times,
                });
            }
        }
        Ok(())
    }
}

/// What is repeated.
struct Trial<'a> {
    contender: &'a dyn Contender,
    task: Task,
    source: VertexId,
    graph: &'a Ready,
    /// How often, if there is time.
    runs: usize,
}

impl Trial<'_> {
    /// Compares the result of every run. There is one, whatever it takes, and more if they are
    /// expected to fit into `time`.
    fn measure(&self, expected: Option<&Values>, time: Duration) -> (State, Option<Times>) {
        let (mut processing, mut makespan) = (Vec::new(), Vec::new());
        let begin = Instant::now();
        loop {
            let run = match self.contender.run(self.task, self.source, self.graph) {
                Ok(Some(run)) => run,
                Ok(None) => return (State::NoWeights, None),
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
            if done >= self.runs || begin.elapsed() + next > time {
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

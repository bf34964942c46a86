//! All ways of a cell, measured in turns.

use std::time::Duration;

use pregel_core::engine::gpu::{Device, DeviceError, Explanation, Gpu, GpuSession};
use pregel_core::engine::{Engine, Outcome, RunError, RunOptions, Session};
use pregel_core::program::VertexCompute;

use super::Cell;
use crate::programs::Task;
use crate::ways::{Course, Way, same_as_auto};

/// The most rounds of a cell.
const MOST_ROUNDS: usize = 45;
/// The fewest rounds of a cell.
const LEAST_ROUNDS: usize = 3;
/// The runs that a session is told to expect, so that it tries what pays only after many.
const EXPECTED_RUNS: u32 = 100;
/// The most runs in which a session finds out what pays: three trials of 13 runs.
const MOST_LEARNING: usize = 40;
/// The fewest: one trial.
const LEAST_LEARNING: usize = 14;
/// A way that takes this many times longer than the best is not measured further.
const HOPELESS: f64 = 3.0;

/// How many rounds to measure within `budget_ms` if one takes `round_ms`.
pub(super) fn rounds(budget_ms: f64, round_ms: f64) -> usize {
    // A division by 0 gives the most.
    ((budget_ms / round_ms) as usize).clamp(LEAST_ROUNDS, MOST_ROUNDS)
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A way that is still measured.
struct Runner<'g, D: Device, P: VertexCompute> {
    way: &'static str,
    session: GpuSession<'g, D, P>,
    /// The time of a warm run.
    warm_ms: f64,
    /// What it does once it has found out what pays.
    course: Option<Course>,
    times: Vec<f64>,
}

/// Warms up all ways, the first of which is `auto`, and measures those that are worth it
/// in turns, for about `budget_ms`, after as long for each way to find out what pays.
///
/// # Errors
/// If `auto` cannot run, or the device fails.
pub(super) fn run<D: Device, P: VertexCompute<Input = ()>>(
    engine: &Gpu<D>,
    task: &Task<'_, P>,
    options: &RunOptions,
    ways: &[Way],
    expected: &[P::State],
    budget_ms: f64,
    cell: &mut Cell,
) -> Result<(), RunError> {
    let mut auto: Option<Explanation> = None;
    let mut best = f64::INFINITY;
    let mut runners: Vec<Runner<'_, D, P>> = Vec::new();
    for (way, strategy, layout) in ways {
        let engine = engine.clone().with_options(*layout);
        let options = options.clone().with_strategy(*strategy).with_expected_runs(EXPECTED_RUNS);
        let prepared = engine.prepare::<P>(task.graph, &options);
        let warmed = prepared.and_then(|mut session| Ok((session.run(&task.program)?, session)));
        let (outcome, mut session) = match warmed {
            Ok(warmed) => warmed,
            Err(error) if runners.is_empty() => return Err(error),
            Err(error) => {
                note_refusal(cell, way, error);
                continue;
            }
        };
        cell.check(way, (task.wrong)(expected, &outcome.states));
        let explanation = explained(&outcome);
        let first_ms = milliseconds(outcome.report.time);
        match (&auto, &explanation) {
            (None, _) => {
                cell.steps = outcome.report.supersteps;
                cell.first_ms = first_ms;
                auto = explanation;
            }
            (Some(auto), Some(own)) if same_as_auto(way, auto, own) => {
                cell.same_as_auto.push(way);
                continue;
            }
            _ => {}
        }
        // A first run can do what later ones need not, so it alone does not decide.
        let mut warm_ms = first_ms;
        if first_ms < 3.0 * HOPELESS * best {
            warm_ms = milliseconds(session.run(&task.program)?.report.time);
        }
        if warm_ms > HOPELESS * best {
            cell.hopeless.push((way, warm_ms));
            continue;
        }
        best = best.min(warm_ms);
        runners.push(Runner { way, session, warm_ms, course: None, times: Vec::new() });
    }
    runners.retain(|runner| {
        let keep = runner.way == "auto" || runner.warm_ms <= HOPELESS * best;
        if !keep {
            cell.hopeless.push((runner.way, runner.warm_ms));
        }
        keep
    });
    for runner in &mut runners {
        let learning = (budget_ms / runner.warm_ms) as usize;
        for _ in 0..learning.clamp(LEAST_LEARNING, MOST_LEARNING) {
            let outcome = runner.session.run(&task.program)?;
            runner.course = explained(&outcome).map(|chosen| Course::of(&outcome.report, &chosen));
        }
    }
    let auto = runners.first().and_then(|auto| auto.course.clone());
    runners.retain(|runner| {
        let same = runner.way != "auto" && runner.course == auto;
        if same {
            cell.same_as_auto.push(runner.way);
        }
        !same
    });
    let rounds = rounds(budget_ms, runners.iter().map(|runner| runner.warm_ms).sum());
    for round in 0..rounds {
        // Another way begins each round, and so no way always follows the same one.
        for i in 0..runners.len() {
            let at = if round % 2 == 0 { round / 2 + i } else { round / 2 + runners.len() - i };
            let at = at % runners.len();
            let runner = &mut runners[at];
            let report = runner.session.run(&task.program)?.report;
            runner.times.push(milliseconds(report.time));
        }
    }
    for mut runner in runners {
        let median = crate::median(&mut runner.times);
        if runner.way == "auto" {
            cell.auto_ms = median;
        } else {
            cell.others.push((runner.way, median));
        }
    }
    cell.rounds = rounds;
    Ok(())
}

/// What a run says about its choices.
fn explained<P: VertexCompute>(outcome: &Outcome<P>) -> Option<Explanation> {
    outcome.report.device.as_ref()?.explanation.clone()
}

/// Notes why a way did not run. It is no failure that a program cannot run in it, or that
/// it does not fit beside the others.
fn note_refusal(cell: &mut Cell, way: &'static str, error: RunError) {
    match error {
        RunError::Unsupported(_) => {}
        RunError::TooLarge { .. } | RunError::Device(DeviceError::Memory { .. }) => {
            cell.no_room.push(way);
        }
        error => cell.problems.push(format!("{way}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_are_measured_more_often() {
        assert_eq!(rounds(1000.0, 0.0), MOST_ROUNDS);
        assert_eq!(rounds(1000.0, 1.0), MOST_ROUNDS);
        assert_eq!(rounds(1000.0, 100.0), 10);
        assert_eq!(rounds(1000.0, 1e9), LEAST_ROUNDS);
        assert_eq!(rounds(0.0, 1.0), LEAST_ROUNDS);
    }
}

//! The timeline of a run, in the trace event format that Perfetto and Chrome open.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::input::Input;
use crate::job::RunJob;
use crate::ran::Kind;
use crate::runner::Runs;

/// What `--trace` writes: loading, preparing, and the steps of the last trial, one after another.
/// Times are in microseconds. What lies between the steps is not recorded, so that they begin
/// where the one before ends.
#[derive(Debug, Serialize)]
pub struct Timeline {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
}

/// A complete event ("X"), a counter ("C") or a name ("M").
#[derive(Debug, Serialize)]
struct Event {
    name: String,
    cat: &'static str,
    ph: &'static str,
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: u32,
    args: Map<String, Value>,
}

/// The line of the stages, and that of the steps.
const STAGES: u32 = 1;
const STEPS: u32 = 2;

/// The timeline of the last trial.
pub fn timeline(job: &RunJob, input: &Input, runs: &Runs) -> Timeline {
    let mut events = vec![
        named("process_name", STAGES, &format!("{} on {}", job.algorithm.name, input.name)),
        named("thread_name", STAGES, "stages"),
        named(
            "thread_name",
            STEPS,
            if runs.last.strategy.is_some() { "supersteps" } else { "passes" },
        ),
    ];
    let mut now = 0.0;
    let mut stage = |name: &str, time: Duration| {
        let start = now;
        now += microseconds(time);
        events.push(complete(name.to_owned(), "stage", STAGES, start, time, Map::new()));
        start
    };
    stage("load", input.load_time);
    stage("prepare", runs.prepare_time);
    let mut at = stage(&format!("run on {}", runs.last.engine), runs.last.time);
    for step in &runs.last.steps {
        let (name, kind) = match step.kind {
            Kind::Superstep(strategy) => (format!("superstep {}", step.number), strategy),
            Kind::Pass(pass) => (format!("pass {}", step.number), pass),
        };
        let facts = [
            ("kind", json!(kind)),
            ("active", json!(step.active)),
            ("messages", json!(step.messages)),
        ];
        let facts: Map<String, Value> =
            facts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        for counter in ["active", "messages"] {
            let value = [(counter.to_owned(), facts[counter].clone())].into_iter().collect();
            events.push(Event {
                dur: None,
                ph: "C",
                ..event(counter.into(), "count", STEPS, at, value)
            });
        }
        events.push(complete(name, "step", STEPS, at, step.time, facts));
        at += microseconds(step.time);
    }
    Timeline { events, unit: "ms" }
}

fn microseconds(time: Duration) -> f64 {
    1e6 * time.as_secs_f64()
}

fn event(name: String, cat: &'static str, tid: u32, ts: f64, args: Map<String, Value>) -> Event {
    Event { name, cat, ph: "X", ts, dur: None, pid: 1, tid, args }
}

fn complete(
    name: String,
    cat: &'static str,
    tid: u32,
    ts: f64,
    time: Duration,
    args: Map<String, Value>,
) -> Event {
    Event { dur: Some(microseconds(time)), ..event(name, cat, tid, ts, args) }
}

fn named(what: &str, tid: u32, name: &str) -> Event {
    let args = [("name".to_owned(), json!(name))].into_iter().collect();
    Event { ph: "M", ..event(what.to_owned(), "name", tid, 0.0, args) }
}

//! The timeline of a run, in the trace event format that Perfetto and Chrome open.

use std::ops::Range;
use std::time::{Duration, Instant};

use pregel_core::engine::gpu::{DeviceEvent, EventKind, Recording};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::input::Input;
use crate::job::RunJob;
use crate::ran::Kind;
use crate::runner::Runs;

/// What `--trace` writes: loading, preparing, and the steps of the last trial, one after another;
/// and what a GPU was asked to do and did. Times are in microseconds since loading began. What
/// lies between the steps is not recorded, so that they begin where the one before ends.
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

/// The lines: the stages, the steps, and what the host asked of the GPU, by parts and by calls;
/// then what the GPU did.
const STAGES: u32 = 1;
const STEPS: u32 = 2;
const PARTS: u32 = 3;
const CALLS: u32 = 4;
const DEVICE: u32 = 5;

/// The timeline of the last trial.
pub fn timeline(
    job: &RunJob,
    input: &Input,
    runs: &Runs,
    recording: Option<&Recording>,
) -> Timeline {
    let steps = if runs.last.strategy.is_some() { "supersteps" } else { "passes" };
    let mut events = vec![
        named("process_name", STAGES, &format!("{} on {}", job.algorithm.name, input.name)),
        named("thread_name", STAGES, "stages"),
        named("thread_name", STEPS, steps),
    ];
    let since = |instant: Instant| instant.saturating_duration_since(input.began);
    let mut stage = |name: &str, start: Duration, time: Duration| {
        let span = start..start + time;
        events.push(complete(name.to_owned(), "stage", STAGES, &span, Map::new()));
        start
    };
    let [prepared, began] = runs.began.map(since);
    stage("load", Duration::ZERO, input.load_time);
    stage("prepare", prepared, runs.prepare_time);
    let mut at = stage(&format!("run on {}", runs.last.engine), began, runs.last.time);
    for step in runs.last.steps() {
        let (name, kind) = match step.kind {
            Kind::Superstep(strategy) => (format!("superstep {}", step.number), strategy),
            Kind::Round(strategy) => (format!("round {}", step.number), strategy),
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
                ..event(counter.into(), "count", STEPS, microseconds(at), value)
            });
        }
        let span = at..at + step.time;
        at = span.end;
        events.push(complete(name, "step", STEPS, &span, facts));
    }
    if let Some(recording) = recording {
        for (line, name) in [(PARTS, "GPU: parts"), (CALLS, "GPU: calls"), (DEVICE, "GPU")] {
            events.push(named("thread_name", line, name));
        }
        let offset = since(recording.began);
        events.extend(recording.events.iter().flat_map(|event| on_gpu(event, offset)));
    }
    Timeline { events, unit: "ms" }
}

/// What the host did and what the GPU did for one event; `offset` is when the recording began.
fn on_gpu(event: &DeviceEvent, offset: Duration) -> impl Iterator<Item = Event> {
    let (line, kind) = match event.kind {
        EventKind::Part => (PARTS, "part"),
        EventKind::Load => (CALLS, "load"),
        EventKind::Kernel => (CALLS, "kernel"),
        EventKind::Fill => (CALLS, "fill"),
        EventKind::Write | EventKind::Read => (CALLS, "copy"),
        EventKind::Wait => (CALLS, "wait"),
        _ => (CALLS, "other"),
    };
    let facts = match event.bytes {
        0 => Map::new(),
        bytes => [("bytes".to_owned(), json!(bytes))].into_iter().collect(),
    };
    let spans = [(line, Some(&event.host)), (DEVICE, event.device.as_ref())];
    spans.into_iter().filter_map(move |(line, span)| {
        let span = span?.start + offset..span?.end + offset;
        Some(complete(event.name.clone().into_owned(), kind, line, &span, facts.clone()))
    })
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
    span: &Range<Duration>,
    args: Map<String, Value>,
) -> Event {
    let dur = Some(microseconds(span.end.saturating_sub(span.start)));
    Event { dur, ..event(name, cat, tid, microseconds(span.start), args) }
}

fn named(what: &str, tid: u32, name: &str) -> Event {
    let args = [("name".to_owned(), json!(name))].into_iter().collect();
    Event { ph: "M", ..event(what.to_owned(), "name", tid, 0.0, args) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_gpu_has_lines_of_its_own() {
        let span = |from, to| Duration::from_millis(from)..Duration::from_millis(to);
        let mut kernel = DeviceEvent::new(EventKind::Kernel, "bfs__pull".into(), span(1, 2));
        kernel.device = Some(span(2, 5));
        let mut copy = DeviceEvent::new(EventKind::Read, "copy".into(), span(2, 6));
        copy.bytes = 8;
        let offset = Duration::from_millis(10);
        let found: Vec<Value> = [kernel, copy]
            .iter()
            .flat_map(|event| on_gpu(event, offset))
            .map(|event| serde_json::to_value(event).unwrap())
            .collect();
        let seen = |i: usize| {
            let event: &Value = &found[i];
            (event["tid"].as_u64(), event["ts"].as_f64(), event["dur"].as_f64())
        };
        assert_eq!(found.len(), 3);
        assert_eq!(seen(0), (Some(CALLS.into()), Some(11_000.0), Some(1_000.0)));
        assert_eq!(seen(1), (Some(DEVICE.into()), Some(12_000.0), Some(3_000.0)));
        assert_eq!(seen(2), (Some(CALLS.into()), Some(12_000.0), Some(4_000.0)));
        assert_eq!((&found[2]["cat"], &found[2]["args"]["bytes"]), (&json!("copy"), &json!(8)));
    }
}

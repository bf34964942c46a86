//! What runs are compared by.

use pregel_core::engine::gpu::bytes;

use crate::report::Report;
use crate::text::{duration_of, thousands};

/// A fact about each run.
#[derive(Debug)]
pub struct Fact {
    pub name: &'static str,
    /// One per run.
    pub values: Vec<String>,
    /// The second run's number divided by that of the first.
    pub ratio: Option<f64>,
}

/// Facts about all runs, those that none has left out.
pub fn facts(reports: &[&Report]) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut words = |name, of: &dyn Fn(&Report) -> String| {
        let values: Vec<_> = reports.iter().map(|report| of(report)).collect();
        if values.iter().any(|value| !value.is_empty()) {
            facts.push(Fact { name, values, ratio: None });
        }
    };
    words("algorithm", &|report| report.algorithm.clone());
    words("program", &|report| report.program.clone().unwrap_or_default());
    words("graph", &|report| report.graph.name.clone());
    words("edges are", &|report| crate::text::direction(report.graph.directed).to_owned());
    words("edge hash", &|report| report.graph.edge_hash.clone());
    words("source", &|report| report.source.clone().unwrap_or_default());
    words("sources", &|report| match report.sources.len() {
        0 => String::new(),
        n => format!("{} in {} packs", thousands(n as u64), report.packs.len()),
    });
    words("engine", &engine);
    words("device", &|report| report.device.as_ref().map_or(String::new(), |d| d.name.clone()));
    words("ended", &|report| report.stop_reason.clone());
    words("verified", &|report| if report.verified { "yes" } else { "" }.to_owned());
    for (name, of) in NUMBERS {
        let numbers: Vec<Option<(f64, String)>> = reports.iter().map(|report| of(report)).collect();
        if numbers.iter().all(Option::is_none) {
            continue;
        }
        let ratio = match numbers.as_slice() {
            [Some((a, _)), Some((b, _))] if *a > 0.0 => Some(b / a),
            _ => None,
        };
        let values = numbers.into_iter().map(|n| n.map_or_else(String::new, |(_, text)| text));
        facts.push(Fact { name, values: values.collect(), ratio });
    }
    facts
}

/// The engine, and the strategy if there is one.
pub fn engine(report: &Report) -> String {
    match &report.strategy {
        Some(strategy) => format!("{} ({strategy})", report.engine),
        None => report.engine.clone(),
    }
}

type Number = fn(&Report) -> Option<(f64, String)>;

const NUMBERS: [(&str, Number); 12] = [
    ("vertices", |report| counted(report.graph.vertices.into())),
    ("edges", |report| counted(report.graph.edges)),
    ("threads", |report| counted(report.threads as u64)),
    ("load", |report| timed(report.load_seconds)),
    ("prepare", |report| timed(report.prepare_seconds)),
    ("run, shortest", |report| timed(times(report).first().copied()?)),
    ("run, median", |report| {
        let times = times(report);
        if times.len() < 2 { None } else { timed(times[times.len() / 2]) }
    }),
    ("supersteps", |report| counted(report.trials.last()?.supersteps.into())),
    ("messages", |report| counted(report.trials.last()?.messages)),
    ("µs per superstep", |report| {
        let (time, steps) = (times(report).first().copied()?, report.trials.last()?.supersteps);
        let each = 1e6 * time / f64::from(steps.max(1));
        Some((each, format!("{each:.1}")))
    }),
    ("peak memory", |report| held(report.peak_memory_bytes?)),
    ("device memory", |report| held(report.device.as_ref()?.memory_bytes)),
];

/// The times of the trials, the shortest first.
fn times(report: &Report) -> Vec<f64> {
    let mut times: Vec<f64> = report.trials.iter().map(|trial| trial.seconds).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn counted(count: u64) -> Option<(f64, String)> {
    Some((count as f64, thousands(count)))
}

fn timed(seconds: f64) -> Option<(f64, String)> {
    Some((seconds, duration_of(seconds)))
}

fn held(memory: u64) -> Option<(f64, String)> {
    Some((memory as f64, bytes(memory)))
}

//! The report of a run, as JSON.

use pregel_core::engine::gpu::{DeviceReport, Explanation, Need, Predicted, Taken};
use pregel_core::engine::peak_memory_bytes;
use pregel_core::graph::edge_hash;
use serde::Serialize;

use crate::algorithm::Solution;
use crate::args::EngineArg;
use crate::input::Input;
use crate::job::RunJob;
use crate::ran::{self, Kind};
use crate::runner::{Pack, Saving, Trial};

/// What `--report` writes.
#[derive(Debug, Serialize)]
pub struct Report {
    algorithm: &'static str,
    engine: &'static str,
    /// A solver has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<&'static str>,
    graph: GraphFacts,
    /// The id of the vertex that a search started from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// The ids of the vertices that many searches started from, in the order of the columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    /// How these searches ran in the last trial.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packs: Vec<PackFacts>,
    threads: usize,
    deterministic: bool,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_against: Option<String>,
    load_seconds: f64,
    prepare_seconds: f64,
    trials: Vec<Trial>,
    stop_reason: &'static str,
    /// Only with `--checkpoint` or `--resume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoints: Option<Saving>,
    peak_memory_bytes: Option<u64>,
    /// The GPU, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<DeviceFacts>,
    /// The supersteps of the last trial, or the passes of a solver. Of many searches, those of
    /// the last run.
    supersteps: Vec<Step>,
}

#[derive(Debug, Serialize)]
struct GraphFacts {
    name: String,
    directed: bool,
    vertices: u32,
    /// As stored: an undirected edge counts both ways.
    edges: u64,
    /// 16 hexadecimal digits.
    edge_hash: String,
}

/// Some of many searches.
#[derive(Debug, Serialize)]
struct PackFacts {
    /// How many, in the order of the sources.
    sources: usize,
    /// Whether they ran together, or one after another.
    together: bool,
    seconds: f64,
    supersteps: u32,
    messages: u64,
}

#[derive(Debug, Serialize)]
struct DeviceFacts {
    name: String,
    number: u32,
    /// Loading the kernels, which compiles them the first time.
    load_seconds: f64,
    upload_seconds: f64,
    /// Sorting the vertices and laying the graph out.
    preprocess_seconds: f64,
    download_seconds: f64,
    /// In the supersteps of the last trial, as are the copies.
    launches: u64,
    copies: u64,
    /// Slots for messages: one for each edge, and the padding of columns.
    slots: u64,
    memory_bytes: u64,
    /// Every array, the largest first.
    memory: Vec<Memory>,
    /// What the engine chose, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Choices>,
}

#[derive(Debug, Serialize)]
struct Choices {
    layout: String,
    hot_signals: String,
    bins: String,
    resident: String,
    rounds: String,
}

#[derive(Debug, Serialize)]
struct Memory {
    name: &'static str,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Step {
    superstep: u32,
    active: u64,
    messages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<&'static str>,
    /// What a pass of a solver does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pass: Option<&'static str>,
    seconds: f64,
    /// How a GPU ran the superstep.
    #[serde(flatten)]
    taken: Option<Way>,
}

#[derive(Debug, Serialize)]
struct Way {
    way: &'static str,
    /// Supersteps queued together or run in one launch.
    together: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_seconds: Option<Seconds>,
}

/// How long each way was predicted to take.
#[derive(Debug, Serialize)]
struct Seconds {
    pull: f64,
    push: f64,
    resident: f64,
}

impl Report {
    /// Gathers the figures. O(E), for the hash.
    pub fn new(job: &RunJob, input: &Input, solution: &Solution) -> Self {
        let graph = input.plain();
        let runs = &solution.runs;
        Self {
            algorithm: job.algorithm.name,
            engine: runs.last.engine,
            strategy: runs.last.strategy,
            graph: GraphFacts {
                name: input.name.clone(),
                directed: graph.directed(),
                vertices: graph.vertex_count(),
                edges: graph.edge_count(),
                edge_hash: format!("{:016x}", edge_hash(&graph)),
            },
            source: solution.source.map(|v| input.ids().get(v).to_string()),
            sources: solution.sources().map(|v| input.ids().get(v).to_string()).collect(),
            packs: solution.packs.iter().map(PackFacts::new).collect(),
            threads: match job.engine {
                EngineArg::Reference => 1,
                _ => rayon::current_num_threads(),
            },
            deterministic: job.options.deterministic,
            verified: job.verify,
            verified_against: job.verify_against.as_ref().map(|path| path.display().to_string()),
            load_seconds: input.load_time.as_secs_f64(),
            prepare_seconds: runs.prepare_time.as_secs_f64(),
            trials: runs.trials.clone(),
            stop_reason: runs.last.stop.name(),
            checkpoints: runs.saving,
            peak_memory_bytes: peak_memory_bytes(),
            device: runs.last.device.as_deref().map(DeviceFacts::new),
            supersteps: runs.last.steps.iter().map(Step::new).collect(),
        }
    }
}

impl PackFacts {
    fn new(pack: &Pack) -> Self {
        Self {
            sources: pack.sources.len(),
            together: pack.together,
            seconds: pack.time.as_secs_f64(),
            supersteps: pack.supersteps,
            messages: pack.messages,
        }
    }
}

impl DeviceFacts {
    fn new(device: &DeviceReport) -> Self {
        let array = |need: &Need| Memory { name: need.name, bytes: need.bytes };
        Self {
            name: device.name.clone(),
            number: device.ordinal,
            load_seconds: device.load_time.as_secs_f64(),
            upload_seconds: device.upload_time.as_secs_f64(),
            preprocess_seconds: device.preprocess_time.as_secs_f64(),
            download_seconds: device.download_time.as_secs_f64(),
            launches: device.launches,
            copies: device.copies,
            slots: device.slots,
            memory_bytes: device.memory.iter().map(|need| need.bytes).sum(),
            memory: device.memory.iter().map(array).collect(),
            choices: device.explanation.as_ref().map(Choices::new),
        }
    }
}

impl Choices {
    fn new(explanation: &Explanation) -> Self {
        Self {
            layout: explanation.layout.to_string(),
            hot_signals: explanation.hot.to_string(),
            bins: explanation.bins.to_string(),
            resident: explanation.resident.to_string(),
            rounds: explanation.rounds.to_string(),
        }
    }
}

impl Way {
    fn new(taken: &Taken) -> Self {
        let seconds = |p: Predicted| Seconds {
            pull: p.pull_ns / 1e9,
            push: p.push_ns / 1e9,
            resident: p.resident_ns / 1e9,
        };
        Self {
            way: taken.way.name(),
            together: taken.together,
            predicted_seconds: taken.predicted.map(seconds),
        }
    }
}

impl Step {
    fn new(step: &ran::Step) -> Self {
        let (strategy, pass) = match step.kind {
            Kind::Superstep(strategy) => (Some(strategy), None),
            Kind::Pass(name) => (None, Some(name)),
        };
        Self {
            superstep: step.number,
            active: step.active,
            messages: step.messages,
            strategy,
            pass,
            seconds: step.time.as_secs_f64(),
            taken: step.taken.as_ref().map(Way::new),
        }
    }
}

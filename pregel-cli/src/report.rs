//! The report of a run, as JSON.

mod values;

use pregel_core::engine::gpu::{DeviceReport, Explanation, Need, Predicted, Taken};
use pregel_core::engine::peak_memory_bytes;
use pregel_core::graph::{DegreeStats, Graph, edge_hash};
use serde::{Deserialize, Serialize};

use crate::algorithm::Solution;
use crate::args::EngineArg;
use crate::input::Input;
use crate::job::RunJob;
use crate::ran::{self, Kind};
use crate::runner::{Pack, Saving, Trial};

pub use values::Values;

/// What `--report` writes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub algorithm: String,
    pub engine: String,
    /// A solver has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    pub graph: GraphFacts,
    /// The program with its parameters; of a program of one's own, its options. A solver has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The id of the vertex that a search started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The ids of the vertices that many searches started from, in the order of the columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// How these searches ran in the last trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<PackFacts>,
    pub threads: usize,
    pub deterministic: bool,
    pub verified: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_against: Option<String>,
    pub load_seconds: f64,
    pub prepare_seconds: f64,
    pub trials: Vec<Trial>,
    pub stop_reason: String,
    /// Only with `--checkpoint` or `--resume`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<Saving>,
    pub peak_memory_bytes: Option<u64>,
    /// The GPU, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceFacts>,
    /// The supersteps of the last trial, or the passes of a solver. Of many searches, those of
    /// the last run.
    pub supersteps: Vec<Step>,
    /// How the values of the result are distributed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct GraphFacts {
    pub name: String,
    pub directed: bool,
    pub vertices: u32,
    /// As stored: an undirected edge counts both ways.
    pub edges: u64,
    /// 16 hexadecimal digits.
    pub edge_hash: String,
    /// Of out-edges and in-edges, or of both together in an undirected graph.
    #[serde(default)]
    pub degrees: Vec<Degrees>,
}

/// How many edges the vertices have.
#[derive(Debug, Serialize, Deserialize)]
pub struct Degrees {
    pub name: String,
    pub median: u64,
    pub mean: f64,
    pub max: u64,
    /// The first counts the vertices without an edge, number k those with `2^(k-1)..2^k` edges.
    pub vertices: Vec<u64>,
}

/// Some of many searches.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackFacts {
    /// How many, in the order of the sources.
    pub sources: usize,
    /// Whether they ran together, or one after another.
    pub together: bool,
    pub seconds: f64,
    pub supersteps: u32,
    pub messages: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct DeviceFacts {
    pub name: String,
    pub number: u32,
    /// Loading the kernels, which compiles them the first time.
    pub load_seconds: f64,
    pub upload_seconds: f64,
    /// Sorting the vertices and laying the graph out.
    pub preprocess_seconds: f64,
    pub download_seconds: f64,
    /// In the supersteps of the last trial, as are the copies.
    pub launches: u64,
    pub copies: u64,
    /// Slots for messages: one for each edge, and the padding of columns.
    pub slots: u64,
    pub memory_bytes: u64,
    /// Every array, the largest first.
    pub memory: Vec<Memory>,
    /// What the engine chose, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Choices>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Choices {
    pub layout: String,
    pub hot_signals: String,
    pub bins: String,
    pub resident: String,
    pub rounds: String,
    /// Reports of earlier versions lack it.
    #[serde(default)]
    pub hosted: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Memory {
    pub name: String,
    pub bytes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Step {
    pub superstep: u32,
    pub active: u64,
    pub messages: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Whether it was a round in place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
    /// What a pass of a solver does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    pub seconds: f64,
    /// How a GPU ran the superstep.
    #[serde(flatten)]
    pub taken: Option<Way>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Way {
    pub way: String,
    /// Supersteps queued together or run in one launch.
    pub together: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted_seconds: Option<Seconds>,
}

/// How long each way was predicted to take.
#[derive(Debug, Serialize, Deserialize)]
pub struct Seconds {
    pub pull: f64,
    pub push: f64,
    pub resident: f64,
}

impl Report {
    /// Gathers the figures. O(E), for the hash.
    pub fn new(job: &RunJob, input: &Input, solution: &Solution) -> Self {
        // First, since the degrees and the values below may take memory that the run did not.
        let peak_memory_bytes = peak_memory_bytes();
        let graph = input.plain();
        let runs = &solution.runs;
        Self {
            algorithm: job.algorithm.name.to_owned(),
            engine: runs.last.engine.to_owned(),
            strategy: runs.last.strategy.map(str::to_owned),
            graph: GraphFacts {
                name: input.name.clone(),
                directed: graph.directed(),
                vertices: graph.vertex_count(),
                edges: graph.edge_count(),
                edge_hash: format!("{:016x}", edge_hash(&graph)),
                degrees: degrees(&graph),
            },
            program: runs.program.clone(),
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
            stop_reason: runs.last.stop.name().to_owned(),
            checkpoints: runs.saving,
            peak_memory_bytes,
            device: runs.last.device.as_deref().map(DeviceFacts::new),
            supersteps: runs.last.steps().map(Step::new).collect(),
            values: solution.columns.first().map(|column| {
                let headings = solution.headings(input.ids());
                Values::of(input.ids(), column, headings.get(0))
            }),
        }
    }
}

fn degrees(graph: &Graph<()>) -> Vec<Degrees> {
    let of = |name: &str, degrees| {
        let DegreeStats { median, mean, max, histogram, .. } = degrees;
        Degrees { name: name.to_owned(), median, mean, max, vertices: histogram }
    };
    if graph.directed() {
        let [out, incoming] = [DegreeStats::of_out(graph), DegreeStats::of_incoming(graph)];
        vec![of("out-degree", out), of("in-degree", incoming)]
    } else {
        vec![of("degree", DegreeStats::of_out(graph))]
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
        let array = |need: &Need| Memory { name: need.name.to_owned(), bytes: need.bytes };
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
            hosted: explanation.hosted.to_string(),
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
            way: taken.way.name().to_owned(),
            together: taken.together,
            predicted_seconds: taken.predicted.map(seconds),
        }
    }
}

impl Step {
    fn new(step: ran::Step) -> Self {
        let (strategy, pass) = match step.kind {
            Kind::Superstep(strategy) | Kind::Round(strategy) => (Some(strategy), None),
            Kind::Pass(name) => (None, Some(name)),
        };
        Self {
            superstep: step.number,
            active: step.active,
            messages: step.messages,
            strategy: strategy.map(str::to_owned),
            in_place: matches!(step.kind, Kind::Round(_)),
            pass: pass.map(str::to_owned),
            seconds: step.time.as_secs_f64(),
            taken: step.taken.as_ref().map(Way::new),
        }
    }
}

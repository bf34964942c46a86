//! Breadth-first search by the rules of the Graph500: Zhang Chenglong and others (BSBB, 2020).
//!
//! Their search is built here with each technique as a switch. It is measured beside the engines,
//! which run [`BfsTree`](pregel_algos::bfs::BfsTree) like any other vertex program.

mod bitmap;
mod engine;
mod gpu;
mod layout;
mod machines;
mod official;
mod paper;
mod search;
mod techniques;
#[cfg(test)]
mod tests;
mod validate;

use std::time::{Duration, Instant};

use pregel_core::graph::generate::Spec;
use pregel_core::graph::{Duplicates, EdgeList, Graph, GraphBuilder, SelfLoops};
use pregel_core::program::VertexId;

pub use validate::Broken;

use self::engine::{MakeSearcher, OnDevice};
use self::layout::Layout;
use self::search::Search;
use self::techniques::{LADDER, Techniques};
use self::validate::validate;
use crate::report::Report;
use crate::statistics::Harmonic;
use crate::timing::left;
use crate::{Options, ReplicationError, device};

/// Those that are tried, as far as time and memory allow. The paper has 24 to 30.
const SCALES: [u32; 6] = [16, 18, 20, 22, 24, 26];
const QUICK_SCALES: [u32; 2] = [8, 10];
/// Edges drawn for each vertex.
const EDGE_FACTOR: u32 = 16;
/// Searches that the benchmark asks for.
const ROOTS: usize = 64;
const QUICK_ROOTS: usize = 4;
/// How much longer the next scale takes: four times the edges, and worse caching.
const GROWTH: u32 = 6;
/// The CPU gets this part of the time if there is a GPU.
const GPU_SHARE: u32 = 4;
/// Bytes of an edge drawn, in all copies that there are at once: as drawn, as rows of the
/// graph, as rows of a layout while it is built.
const BYTES_PER_EDGE: u64 = 40;

/// How much is measured.
struct Plan {
    quick: bool,
    scales: &'static [u32],
    roots: usize,
    /// Edge factors beside [`EDGE_FACTOR`].
    edge_factors: [u32; 3],
    /// When everything should have been measured.
    until: Instant,
}

/// Makes the paper's tables and figures on this machine's CPU, and searches on a GPU if there is
/// one.
///
/// # Errors
/// If a graph cannot be made, a tree breaks a rule, or the GPU that the options name cannot be
/// used.
pub fn replicate(options: &Options, progress: &dyn Fn(&str)) -> Result<Report, ReplicationError> {
    measure(device::open_for(options.gpu, MakeSearcher)?, options, progress)
}

/// Measures everything, on this device if there is one.
fn measure(
    device: Result<Box<dyn OnDevice>, String>,
    options: &Options,
    progress: &dyn Fn(&str),
) -> Result<Report, ReplicationError> {
    let (scales, roots): (&[u32], _) =
        if options.quick { (&QUICK_SCALES, QUICK_ROOTS) } else { (&SCALES, ROOTS) };
    let begin = Instant::now();
    let plan = Plan {
        quick: options.quick,
        scales,
        roots,
        edge_factors: [8, 16, 32],
        until: begin + options.budget,
    };
    // A GPU searches larger graphs when the CPU is done.
    let until = begin + options.budget / if device.is_ok() { GPU_SHARE } else { 1 };
    let mut measured: Vec<Scale> = Vec::new();
    let mut largest = None;
    let mut why_no_larger = None;
    for &scale in plan.scales {
        // What comes after the ladders takes about as long as the largest of them.
        if let Some(last) = measured.last()
            && last.took * GROWTH * 2 > left(until)
        {
            why_no_larger = Some(format!("scale {scale} would take too long"));
            break;
        }
        if !fits_memory(scale) {
            why_no_larger = Some(format!("there is not enough memory for scale {scale}"));
            break;
        }
        // The graph before is not needed any more, and this one needs its memory.
        drop(largest.take());
        progress(&format!("scale {scale}: the graph"));
        let kronecker = Kronecker::new(scale, EDGE_FACTOR, plan.roots)?;
        measured.push(Scale::measure(&kronecker, device.as_deref().ok(), progress)?);
        largest = Some(kronecker);
    }
    let Some(largest) = largest else {
        return Err(ReplicationError::Memory);
    };
    paper::Findings { plan, scales: measured, largest, why_no_larger, device, progress }.report()
}

/// Whether a graph of this scale can be made in the memory that is free, as far as the system
/// says how much that is.
fn fits_memory(scale: u32) -> bool {
    let bytes = (u64::from(EDGE_FACTOR) << scale) * BYTES_PER_EDGE;
    free_memory().is_none_or(|free| bytes <= free)
}

/// Bytes of memory that are free, if the system says so.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// A graph of the benchmark: its edges as drawn, for validation, and what is made of them.
struct Kronecker {
    spec: String,
    scale: u32,
    edge_factor: u32,
    drawn: EdgeList,
    generation: Duration,
    graph: Graph<()>,
    construction: Duration,
    roots: Vec<VertexId>,
}

impl Kronecker {
    fn new(scale: u32, edge_factor: u32, roots: usize) -> Result<Self, ReplicationError> {
        let text = format!("rmat:scale={scale},ef={edge_factor}");
        let spec: Spec = text.parse()?;
        let begin = Instant::now();
        let drawn = spec.edge_list()?;
        let generation = begin.elapsed();
        let list = drawn.clone();
        let begin = Instant::now();
        let graph = GraphBuilder::new()
            .with_directed(false)
            .with_duplicates(Duplicates::First)
            .with_self_loops(SelfLoops::Drop)
            .with_edge_list(list)
            .build()?;
        let construction = begin.elapsed();
        let roots = spec.sources(&graph, roots);
        Ok(Self { spec: text, scale, edge_factor, drawn, generation, graph, construction, roots })
    }

    /// Searches from every root, each time checked before it counts.
    fn searches(
        &self,
        contender: &str,
        construction: Duration,
        mut search: impl FnMut(VertexId) -> Result<(Vec<VertexId>, Duration), ReplicationError>,
    ) -> Result<Searches, ReplicationError> {
        let vertices = self.graph.vertex_count();
        let mut times = Vec::with_capacity(self.roots.len());
        let mut edges = Vec::with_capacity(self.roots.len());
        for &root in &self.roots {
            let (parents, time) = search(root)?;
            let traversed = validate(vertices, &self.drawn.edges, root, &parents);
            edges.push(traversed.map_err(|broken| ReplicationError::Wrong {
                graph: self.spec.clone(),
                contender: contender.to_owned(),
                source_vertex: root,
                broken,
            })?);
            times.push(time.as_secs_f64());
        }
        Ok(Searches { contender: contender.to_owned(), construction, times, edges, copy: None })
    }

    /// The paper's search on a layout that has what these techniques ask for.
    fn paper(
        &self,
        name: &str,
        layout: &Layout,
        laid_out: Duration,
        techniques: Techniques,
    ) -> Result<Searches, ReplicationError> {
        let mut search = Search::new(layout, techniques);
        self.searches(name, self.construction + laid_out, |root| {
            let begin = Instant::now();
            let parents = search.run(root);
            Ok((parents, begin.elapsed()))
        })
    }

    fn layout(&self, techniques: Techniques) -> Result<(Layout, Duration), ReplicationError> {
        let begin = Instant::now();
        let layout = Layout::new(&self.graph, techniques, rayon::current_num_threads())?;
        Ok((layout, begin.elapsed()))
    }
}

/// What one contender did on one graph.
struct Searches {
    contender: String,
    /// From the edges as drawn to what is searched.
    construction: Duration,
    /// Seconds of each search.
    times: Vec<f64>,
    /// Edges as drawn that each search traversed.
    edges: Vec<u64>,
    /// The median time in which a device's results came to the host, not part of a search.
    copy: Option<Duration>,
}

impl Searches {
    /// Billions of traversed edges per second, in the harmonic mean.
    fn gteps(&self) -> f64 {
        Harmonic::of(&self.rates()).mean / 1e9
    }

    /// Traversed edges per second of each search.
    fn rates(&self) -> Vec<f64> {
        self.edges.iter().zip(&self.times).map(|(&edges, time)| edges as f64 / time).collect()
    }
}

/// All contenders at one scale.
struct Scale {
    scale: u32,
    vertices: u64,
    isolated: u64,
    drawn: u64,
    /// As in [`LADDER`].
    ladder: Vec<Searches>,
    engine: Searches,
    /// The engine on a GPU, or why the graph does not fit it; nothing without a GPU.
    gpu: Option<Result<Searches, String>>,
    /// How long the GPU's part and the graph took.
    gpu_took: Duration,
    /// How long all of it took.
    took: Duration,
}

impl Scale {
    fn measure(
        kronecker: &Kronecker,
        device: Option<&dyn OnDevice>,
        progress: &dyn Fn(&str),
    ) -> Result<Self, ReplicationError> {
        let scale = kronecker.scale;
        let begin = Instant::now();
        if device.is_some() {
            progress(&format!("scale {scale}: engine gpu"));
        }
        let gpu = device.map(|device| device.searches(kronecker)).transpose()?;
        let gpu_took = kronecker.generation + kronecker.construction + begin.elapsed();
        let begin = Instant::now();
        progress(&format!("scale {scale}: engine cpu"));
        let engine = kronecker.engine()?;
        let mut ladder = Vec::with_capacity(LADDER.len());
        let mut last: Option<(Techniques, Layout, Duration)> = None;
        for (name, techniques) in LADDER {
            progress(&format!("scale {scale}: {name}"));
            let (layout, time) = match last.take() {
                Some((of, layout, time)) if of.same_layout(techniques) => (layout, time),
                _ => kronecker.layout(techniques)?,
            };
            ladder.push(kronecker.paper(name, &layout, time, techniques)?);
            last = Some((techniques, layout, time));
        }
        let rows = kronecker.graph.out();
        let isolated = (0..rows.vertex_count()).filter(|&v| rows.degree(v) == 0).count();
        Ok(Self {
            scale,
            vertices: u64::from(rows.vertex_count()),
            isolated: isolated as u64,
            drawn: kronecker.drawn.edges.len() as u64,
            ladder,
            engine,
            gpu,
            gpu_took,
            took: begin.elapsed(),
        })
    }
}

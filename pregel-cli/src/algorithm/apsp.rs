//! `pregel run apsp`: distances between all pairs of vertices.

use anyhow::{Result, anyhow};
use pregel_algos::verify;
use pregel_algos::verify::Violation;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
use pregel_core::engine::gpu::{Cuda, CudaDevice, DeviceError, DeviceLength};
use pregel_core::engine::paths::{
    AllPairs, Length, Method, PathOptions, Paths, PathsError, PathsReport, best_on_cpu, lengths_of,
    needs, search_all,
};
use pregel_core::engine::{Cpu, StopReason};
use pregel_core::graph::{Graph, Ids};
use pregel_core::program::VertexId;
use rayon::prelude::*;

use crate::algorithm::contract::{Algorithm, Path, Solution};
use crate::args::LengthsArg;
use crate::facts::{Facts, Param, WeightUse};
use crate::machine::Machine;
use crate::output::{Column, Distances, Npy};
use crate::ran::Ran;
use crate::runner::Runner;
use crate::text::{count, percent, short, thousands};
use crate::usage::UsageError;

/// Vertices below which a GPU is not worth its start.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
const FEW: u32 = 512;

#[derive(Debug)]
pub struct Apsp;

impl Algorithm for Apsp {
    fn facts(&self) -> Facts {
        let about = "Distances between all pairs of vertices; weights may be negative";
        let takes = &[
            Param::Source,
            Param::Target,
            Param::Rows,
            Param::Lengths,
            Param::Method,
            Param::Tile,
        ];
        Facts {
            weights: WeightUse::Always,
            vertex_program: false,
            matrix: true,
            ..Facts::new("apsp", about, takes)
        }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        if matches!(runner.machine, Machine::Reference) {
            let text = "apsp is not a vertex program and does not run on --engine reference";
            return Err(UsageError::new(text).into());
        }
        let params = &runner.job.params;
        if params.source.is_some() != params.target.is_some() {
            let text = "apsp takes --source and --target together: they ask for a path";
            return Err(UsageError::new(text).into());
        }
        let name = &runner.input.name;
        if !runner.input.graph.has_weights() && runner.job.graph.weights_auto {
            runner.progress.note(&format!("{name} has no weights; every edge weighs 1"));
        }
        let graph = runner.input.graph.weighted();
        match params.lengths {
            LengthsArg::F32 => solve(runner, &graph, |w| *w, |d| d, Distances::F32),
            LengthsArg::I32 => {
                whole(runner, &graph)?;
                let as_f32 = |d: i32| if d.is_finite() { d as f32 } else { f32::INFINITY };
                solve(runner, &graph, |w| *w as i32, as_f32, Distances::I32)
            }
        }
    }
}

/// Refuses weights that `i32` does not hold exactly.
fn whole(runner: &Runner<'_>, graph: &Graph<f32>) -> Result<()> {
    // The largest whole numbers of `f32` that are all exact.
    const LARGEST: f32 = 16_777_216.0;
    let wrong = |w: &&f32| !(w.fract() == 0.0 && w.abs() <= LARGEST);
    match graph.out_values().par_iter().find_first(wrong) {
        None => Ok(()),
        Some(weight) => Err(anyhow!(
            "{} has an edge of weight {weight}; --lengths i32 takes whole numbers up to {LARGEST}",
            runner.input.name
        )),
    }
}

/// What a type of length needs to run on all engines.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
trait AnyLength: DeviceLength {}
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
impl<T: DeviceLength> AnyLength for T {}
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
trait AnyLength: Length {}
#[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
impl<T: Length> AnyLength for T {}

fn solve<T: AnyLength>(
    runner: &Runner<'_>,
    graph: &Graph<f32>,
    length: fn(&f32) -> T,
    as_f32: fn(T) -> f32,
    distances: fn(pregel_core::engine::paths::Matrix<T>) -> Distances,
) -> Result<Solution> {
    let params = &runner.job.params;
    let path = match (&params.source, &params.target) {
        (Some(from), Some(to)) => Some((runner.input.find(from)?, runner.input.find(to)?)),
        _ => None,
    };
    let rows = params
        .rows
        .as_ref()
        .map(|ids| ids.iter().map(|id| runner.input.find(id)).collect::<Result<Vec<_>>>());
    let rows = rows.transpose()?;
    let options = PathOptions::default().with_successors(path.is_some()).with_tile(params.tile);
    if runner.foresees {
        return Err(foresee(runner, graph, length, &options));
    }
    let place = Place::choose(runner, graph, length)?;
    let run = || {
        let found = place.run(runner, graph, length, &options);
        found.map_err(|error| with_id(error, runner.input.ids()))
    };
    let check = |found: &(Paths<T>, PathsReport)| check(runner, graph, &found.0, as_f32);
    let ((paths, report), mut runs) = runner.repeat(run, |found| ran(&found.1), check)?;
    runs.prepare_time = report.prepare_time;
    let summary = summary(&paths, &report);
    let mut solution =
        Solution { summary: Some(summary), ..Solution::of_columns(Vec::new(), runs) };
    if let Some((from, to)) = path {
        let vertices = paths.path(from, to).unwrap_or_default();
        solution.path = Some(Path { target: to, vertices });
        solution.source = Some(from);
        let row = paths.distances.row(from).iter().map(|d| as_f32(*d)).collect();
        solution.columns = vec![Column::F32(row)];
    }
    solution.matrix = Some(Npy { distances: distances(paths.distances), rows });
    Ok(solution)
}

/// What all cores or a GPU would take, in place of a run.
fn foresee<T: AnyLength>(
    runner: &Runner<'_>,
    graph: &Graph<f32>,
    length: fn(&f32) -> T,
    options: &PathOptions,
) -> anyhow::Error {
    let asked: Option<Method> = runner.job.params.method.into();
    let with = |method| options.clone().with_method(method);
    let cpu = || {
        let method = asked.unwrap_or_else(|| best_on_cpu(graph, length));
        Ok(needs(graph, &with(method)))
    };
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    let gpu = || {
        let needs = Cuda::needs_of_paths(graph, &with(asked.unwrap_or_default()));
        needs.map_err(|error| with_id(error, runner.input.ids()))
    };
    #[cfg(not(any(feature = "cuda-12", feature = "cuda-13")))]
    let gpu = || Err(anyhow!("this pregel was built without GPU support"));
    runner.foresee(cpu, gpu)
}

/// Where the distances are found, and how.
enum Place {
    Cpu(Method),
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    Gpu(Box<Cuda>, Method),
    /// The GPU that the user has named.
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    ThisGpu(Method),
}

impl Place {
    /// What the user asked for; otherwise a GPU if there is one, and on the CPU searches
    /// where they are expected to be cheaper.
    fn choose<T: AnyLength>(
        runner: &Runner<'_>,
        graph: &Graph<f32>,
        length: fn(&f32) -> T,
    ) -> Result<Self> {
        let asked: Option<Method> = runner.job.params.method.into();
        #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
        if let Some(gpu) = Self::choose_gpu(runner, graph, asked.unwrap_or_default())? {
            return Ok(gpu);
        }
        if let Some(method) = asked {
            return Ok(Self::Cpu(method));
        }
        if best_on_cpu(graph, length) == Method::FloydWarshall {
            return Ok(Self::Cpu(Method::FloydWarshall));
        }
        let (n, m) = (graph.vertex_count(), graph.edge_count());
        runner.progress.note(&format!(
            "a search from every vertex is expected to be cheaper than Floyd-Warshall: n (m + n \
             log n) = {:.1e} steps against n³ = {:.1e} pairs",
            f64::from(n) * (m as f64 + f64::from(n) * f64::from(n).log2()),
            f64::from(n).powi(3)
        ));
        Ok(Self::Cpu(Method::Search))
    }

    /// The GPU that the user has named; otherwise one for a graph that is not small, if there is
    /// one.
    #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
    fn choose_gpu(runner: &Runner<'_>, graph: &Graph<f32>, method: Method) -> Result<Option<Self>> {
        let searches = method == Method::Search;
        match runner.machine {
            Machine::Cuda(_) if searches => {
                Err(UsageError::new("--method search is for --engine cpu").into())
            }
            Machine::Cuda(_) => Ok(Some(Self::ThisGpu(method))),
            Machine::Auto(engine) if graph.vertex_count() >= FEW && !searches => {
                if let Some(gpu) = engine.gpu() {
                    return Ok(Some(Self::Gpu(Box::new(gpu.clone()), method)));
                }
                match CudaDevice::open(0) {
                    Ok(_) | Err(DeviceError::NoDriver | DeviceError::NoDevice) => {}
                    Err(why) => runner.progress.note(&format!("not on the GPU: {why}")),
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn run<T: AnyLength>(
        &self,
        runner: &Runner<'_>,
        graph: &Graph<f32>,
        length: fn(&f32) -> T,
        options: &PathOptions,
    ) -> Result<(Paths<T>, PathsReport), PathsError> {
        let dense = |method| options.clone().with_method(method);
        runner.progress.stage("running");
        match self {
            Self::Cpu(Method::Search) => search_all(&Cpu::new(), graph, length, options),
            Self::Cpu(method) => Cpu::new().all_pairs(lengths_of(graph, length)?, &dense(*method)),
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Self::Gpu(gpu, method) => {
                match gpu.all_pairs(lengths_of(graph, length)?, &dense(*method)) {
                    Err(why @ (PathsError::Memory { .. } | PathsError::Run(_))) => {
                        runner.progress.note(&format!("not on the GPU: {why}"));
                        Cpu::new().all_pairs(lengths_of(graph, length)?, &dense(*method))
                    }
                    done => done,
                }
            }
            #[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
            Self::ThisGpu(method) => match runner.machine {
                Machine::Cuda(gpu) => gpu.all_pairs(lengths_of(graph, length)?, &dense(*method)),
                _ => Cpu::new().all_pairs(lengths_of(graph, length)?, &dense(*method)),
            },
        }
    }
}

/// The error with the user's id of the vertex that it names.
fn with_id(error: PathsError, ids: &Ids) -> anyhow::Error {
    match error {
        PathsError::NegativeCycle { vertex } => anyhow!(
            "a negative cycle goes through vertex «{}»: there are no shortest paths",
            ids.get(vertex)
        ),
        PathsError::NotANumber { vertex } => {
            anyhow!("the length of an edge from vertex «{}» is not a number", ids.get(vertex))
        }
        PathsError::NegativeLength { vertex } => anyhow!(
            "an edge from vertex «{}» has a negative length; --method floyd takes those",
            ids.get(vertex)
        ),
        error @ (PathsError::NoSuccessors | PathsError::Tile { .. }) => {
            UsageError::new(error.to_string()).into()
        }
        error => error.into(),
    }
}

/// Rows that are checked; all of a graph that is small enough.
fn check<T: Length>(
    runner: &Runner<'_>,
    graph: &Graph<f32>,
    paths: &Paths<T>,
    as_f32: fn(T) -> f32,
) -> Result<(), Violation> {
    // About a minute on one core.
    const STEPS: u64 = 1 << 34;
    let n = graph.vertex_count();
    let steps = graph.edge_count() + u64::from(n);
    let rows = (STEPS / steps.max(1)).clamp(16, u64::from(n).max(16)) as u32;
    let stride = n.div_ceil(rows).max(1);
    if stride > 1 {
        let checked = thousands(n.div_ceil(stride).into());
        runner.progress.note(&format!("the paths from {checked} vertices are checked, not all"));
    }
    let row = |v: VertexId| {
        let row: Vec<f32> = paths.distances.row(v).iter().map(|d| as_f32(*d)).collect();
        verify::apsp::distances(graph, v, &row)
    };
    (0..n.div_ceil(stride)).into_par_iter().try_for_each(|i| row(i * stride))
}

fn ran(report: &PathsReport) -> Ran {
    Ran {
        engine: report.engine,
        strategy: None,
        counted: match report.method {
            Method::Search => "edges looked at",
            _ => "pairs compared",
        },
        stop: StopReason::Halted,
        count: report.passes,
        messages: report.pairs,
        time: report.time,
        supersteps: Vec::new(),
        passes: Vec::new(),
        device: report.device.clone(),
    }
}

/// How many pairs are connected, how far apart they are, and how fast this was found out.
fn summary<T: Length>(paths: &Paths<T>, report: &PathsReport) -> String {
    let n = paths.distances.vertex_count();
    let row = |v: VertexId| {
        let finite = paths.distances.row(v).iter().filter(|d| d.is_finite()).map(|d| d.to_f64());
        finite.fold((0, 0.0, f64::NEG_INFINITY), |(count, sum, most), d| {
            (count + 1, sum + d, f64::max(most, d))
        })
    };
    let add = |a: (u64, f64, f64), b: (u64, f64, f64)| (a.0 + b.0, a.1 + b.1, a.2.max(b.2));
    let all = (0..n).into_par_iter().map(row).reduce(|| (0, 0.0, f64::NEG_INFINITY), add);
    let (reached, sum, farthest) = all;
    let pairs = u64::from(n) * u64::from(n);
    let mut text =
        format!("{} connected ({})", count(reached, "pair", "pairs"), percent(reached, pairs));
    if reached > 0 {
        let mean = short(sum / reached as f64);
        text += &format!(", mean distance {mean}, the farthest {}", short(farthest));
    }
    let rate = report.rate() / 1e9;
    format!("{text}\n{}: {rate:.1} billion a second\n", report.method.name())
}

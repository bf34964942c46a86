//! `pregel run pagerank`: ranks, plain, weighted or personalised.

mod teleport;

use std::fmt::Debug;

use anyhow::Result;
use pregel_algos::pagerank::{self, Real, Teleport, Transition};
use pregel_algos::verify;
use pregel_core::engine::{Report, StopReason};
use pregel_core::graph::{Graph, Ids};
use pregel_core::io::AnyGraph;

use crate::algorithm::contract::{Algorithm, Solution};
use crate::args::Precision;
use crate::facts::{Facts, Param, WeightUse};
use crate::output::Column;
use crate::ranking::highest;
use crate::runner::{Runner, Runs};

#[derive(Debug)]
pub struct PageRank;

impl Algorithm for PageRank {
    fn facts(&self) -> Facts {
        use Param::{Damping, Personalize, Precision, Source, Tolerance};
        Facts {
            weights: WeightUse::OfFiles,
            default_supersteps: Some(100),
            ..Facts::new(
                "pagerank",
                "PageRank: where a random surfer spends time; ranks sum to 1",
                &[Source, Damping, Tolerance, Personalize, Precision],
            )
        }
    }

    fn renumbers(&self, runner: &Runner<'_>) -> bool {
        match (&runner.input.graph, runner.job.params.precision) {
            // Where it teleports to makes no difference.
            (AnyGraph::Plain(graph), Precision::F32) => {
                runner.renumbers::<pagerank::PageRank<f32, (), ()>>(graph)
            }
            (AnyGraph::Plain(graph), Precision::F64) => {
                runner.renumbers::<pagerank::PageRank<f64, (), ()>>(graph)
            }
            (AnyGraph::Weighted(_), _) => false,
        }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let (column, runs) = match runner.job.params.precision {
            Precision::F32 => {
                let (ranks, runs) = ranks(runner, |x| x as f32)?;
                (Column::F32(ranks), runs)
            }
            Precision::F64 => {
                let (ranks, runs) = ranks(runner, |x| x)?;
                (Column::F64(ranks), runs)
            }
        };
        let source = runner.job.params.source.as_deref();
        let source = source.map(|id| runner.input.find(id)).transpose()?;
        Ok(Solution { source, ..Solution::of_column(column, runs) })
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        highest(ids, values, "highest ranks", "rank")
    }
}

/// Damping and tolerance, as the program takes them.
#[derive(Clone, Copy, Debug)]
struct Limits<F> {
    damping: F,
    tolerance: F,
}

/// Chooses the variant: weighted or not, personalised or not.
fn ranks<F>(runner: &Runner<'_>, number: impl Fn(f64) -> F + Sync) -> Result<(Vec<F>, Runs)>
where
    F: Real + Transition<F> + Teleport<F> + Debug,
    (): Transition<F> + Teleport<F>,
{
    let (params, input) = (&runner.job.params, runner.input);
    let teleport = teleport::probabilities(params, input)?;
    let teleport: Option<Vec<F>> = teleport.map(|t| t.into_iter().map(&number).collect());
    let limits = Limits { damping: number(params.damping), tolerance: number(params.tolerance) };
    match (&input.graph, teleport) {
        (AnyGraph::Plain(graph), None) => variant::<F, (), ()>(runner, graph, limits, &[]),
        (AnyGraph::Plain(graph), Some(t)) => variant::<F, (), F>(runner, graph, limits, &t),
        (AnyGraph::Weighted(graph), teleport) => {
            runner.progress.note(&format!(
                "using the edge weights of {}; --weights none ignores them",
                input.name
            ));
            let graph = graph.map_values(|_, _, weight| number(weight.into())).normalized()?;
            // An even distribution stands for plain teleporting, which saves a variant.
            let n = graph.vertex_count();
            let teleport = teleport.unwrap_or_else(|| vec![number(1.0 / f64::from(n)); n as usize]);
            variant::<F, F, F>(runner, &graph, limits, &teleport)
        }
    }
}

fn variant<F: Real + Debug, W: Transition<F> + Debug, T: Teleport<F> + Debug>(
    runner: &Runner<'_>,
    graph: &Graph<W>,
    limits: Limits<F>,
    teleport: &[T],
) -> Result<(Vec<F>, Runs)> {
    let program = pagerank::PageRank::<F, W, T>::new(limits.damping, limits.tolerance);
    runner.run(graph, &program, teleport, |outcome| {
        let bound = bound(limits, &outcome.report, graph.vertex_count());
        verify::pagerank::ranks(graph, &program, teleport, &outcome.states, bound)
    })
}

/// How far a right result can be from the fixpoint: the tolerance if the run
/// converged, otherwise what is left after its supersteps, each of which
/// shrinks the change by the damping factor.
fn bound<F: Real>(limits: Limits<F>, report: &Report, vertex_count: u32) -> f64 {
    let real = |x: F| x.to_f64().unwrap_or(f64::NAN);
    let left = match report.stop {
        StopReason::Converged => real(limits.tolerance),
        _ => 2.0 * real(limits.damping).powf(report.supersteps.into()),
    };
    left + verify::pagerank::rounding::<F>(vertex_count)
}

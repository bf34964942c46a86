//! `pregel run pagerank`: ranks, plain, weighted or personalised.

mod teleport;

use anyhow::Result;
use pregel_algos::pagerank::{self, Real, Teleport, Transition};
use pregel_algos::verify;
use pregel_core::engine::{Report, StopReason};
use pregel_core::graph::{Graph, Ids};
use pregel_core::io::AnyGraph;

use super::{Algorithm, Param, Solution};
use crate::args::Precision;
use crate::input::WeightUse;
use crate::job::{Job, Runs};
use crate::output::Column;
use crate::text::{Align, Table, short, thousands};

/// Ranks that a summary lists.
const LISTED: usize = 10;

#[derive(Debug)]
pub struct PageRank;

impl Algorithm for PageRank {
    fn name(&self) -> &'static str {
        "pagerank"
    }

    fn about(&self) -> &'static str {
        "PageRank: where a random surfer spends time; ranks sum to 1"
    }

    fn takes(&self) -> &'static [Param] {
        use Param::{Damping, Personalize, Precision, Source, Tolerance};
        &[Source, Damping, Tolerance, Personalize, Precision]
    }

    fn weights(&self) -> WeightUse {
        WeightUse::OfFiles
    }

    fn default_supersteps(&self) -> Option<u32> {
        Some(100)
    }

    fn solve(&self, job: &Job<'_>) -> Result<Solution> {
        let (column, runs) = match job.plan.params.precision {
            Precision::F32 => {
                let (ranks, runs) = ranks(job, |x| x as f32)?;
                (Column::F32(ranks), runs)
            }
            Precision::F64 => {
                let (ranks, runs) = ranks(job, |x| x)?;
                (Column::F64(ranks), runs)
            }
        };
        let source = job.plan.params.source.as_deref().map(|id| job.input.find(id)).transpose()?;
        Ok(Solution { columns: vec![column], runs, source, path: None })
    }

    fn summary(&self, ids: &Ids, values: &Column) -> String {
        let ranks: Vec<f64> = match values {
            Column::F32(ranks) => ranks.iter().map(|rank| f64::from(*rank)).collect(),
            Column::F64(ranks) => ranks.clone(),
            _ => return String::new(),
        };
        let mut order: Vec<u32> = (0..ids.len()).collect();
        let by_rank =
            |a: &u32, b: &u32| ranks[*b as usize].total_cmp(&ranks[*a as usize]).then(a.cmp(b));
        if order.len() > LISTED {
            order.select_nth_unstable_by(LISTED - 1, by_rank);
            order.truncate(LISTED);
        }
        order.sort_by(by_rank);
        let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
        table.row(["", "vertex", "rank"]);
        for (place, v) in (1..).zip(order) {
            let rank = short(ranks[v as usize]);
            table.row([thousands(place), ids.get(v).to_string(), rank]);
        }
        format!("highest ranks\n\n{table}")
    }
}

/// Chooses the variant: weighted or not, personalised or not.
fn ranks<F>(job: &Job<'_>, number: impl Fn(f64) -> F + Sync) -> Result<(Vec<F>, Runs)>
where
    F: Real + Transition<F> + Teleport<F>,
    (): Transition<F> + Teleport<F>,
{
    let teleport = teleport::probabilities(&job.plan.params, job.input)?;
    let teleport: Option<Vec<F>> = teleport.map(|t| t.into_iter().map(&number).collect());
    let parameters = (number(job.plan.params.damping), number(job.plan.params.tolerance));
    match (&job.input.graph, teleport) {
        (AnyGraph::Plain(graph), None) => variant::<F, (), ()>(job, graph, parameters, &[]),
        (AnyGraph::Plain(graph), Some(t)) => variant::<F, (), F>(job, graph, parameters, &t),
        (AnyGraph::Weighted(graph), teleport) => {
            let name = &job.input.name;
            let text = format!("using the edge weights of {name}; --weights none ignores them");
            job.progress.note(&text);
            let graph = graph.map_values(|_, _, weight| number(weight.into())).normalized()?;
            // Even teleporting is a distribution too; it saves one variant.
            let n = graph.vertex_count();
            let teleport = teleport.unwrap_or_else(|| vec![number(1.0 / f64::from(n)); n as usize]);
            variant::<F, F, F>(job, &graph, parameters, &teleport)
        }
    }
}

fn variant<F: Real, W: Transition<F>, T: Teleport<F>>(
    job: &Job<'_>,
    graph: &Graph<W>,
    parameters: (F, F),
    teleport: &[T],
) -> Result<(Vec<F>, Runs)> {
    let program = pagerank::PageRank::<F, W, T>::new(parameters.0, parameters.1);
    job.run(graph, &program, teleport, |outcome| {
        let bound = bound(parameters, &outcome.report, graph.vertex_count());
        verify::pagerank::ranks(graph, &program, teleport, &outcome.states, bound)
    })
}

/// How far from the fixpoint a right result may be: the tolerance if the run
/// converged, else what is left after so many supersteps, each of which
/// shrinks the change by the damping factor.
fn bound<F: Real>((damping, tolerance): (F, F), report: &Report, vertex_count: u32) -> f64 {
    let real = |x: F| x.to_f64().unwrap_or(f64::NAN);
    let left = match report.stop {
        StopReason::Converged => real(tolerance),
        _ => 2.0 * real(damping).powf(report.supersteps.into()),
    };
    left + verify::pagerank::rounding::<F>(vertex_count)
}

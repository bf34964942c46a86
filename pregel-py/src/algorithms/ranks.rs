//! PageRank.

use pregel_algos::pagerank::{Odds, PageRank, Real, Teleport, Transition};
use pregel_core::engine::{Cancel, Report};
use pregel_core::graph::Graph as Rows;
use pyo3::prelude::*;

use super::Run;
use crate::column::{Column, Kind};
use crate::data::{Left, Values};
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::options::Options;
use crate::report::Went;
use crate::run::interruptible;
use crate::sources::distribution;

/// What the user asks for.
struct Wanted<'a> {
    damping: f64,
    tolerance: f64,
    personalize: Option<Vec<f64>>,
    start: Option<Vec<f64>>,
    dangling: Option<Vec<f64>>,
    weighted: bool,
    graph: &'a Graph,
    options: &'a Options,
}

/// PageRank.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn pagerank(
    graph: &Bound<'_, Graph>,
    options: &Bound<'_, Options>,
    damping: f64,
    tolerance: f64,
    personalize: Option<&Bound<'_, PyAny>>,
    start: Option<&Bound<'_, PyAny>>,
    dangling: Option<&Bound<'_, PyAny>>,
    weighted: Option<bool>,
    dtype: &str,
) -> PyResult<Column> {
    let inner = graph.get();
    let read = |given: Option<&Bound<'_, PyAny>>, name| {
        given.map(|given| distribution(inner, given, name)).transpose()
    };
    let has_weights = !matches!(inner.weights, Weights::None);
    if weighted == Some(true) && !has_weights {
        return Err(value("weighted=True, but the graph has no weights"));
    }
    let wanted = Wanted {
        damping,
        tolerance,
        personalize: read(personalize, "personalize")?,
        start: read(start, "start")?,
        dangling: read(dangling, "dangling")?,
        weighted: weighted.unwrap_or(has_weights),
        graph: inner,
        options: options.get(),
    };
    let (ranks, report) = match dtype {
        "float64" => {
            let (ranks, report) =
                interruptible(graph.py(), |cancel| ranks::<f64>(&wanted, cancel, |x| x))?;
            (Values::from(ranks), report)
        }
        "float32" => {
            let (ranks, report) =
                interruptible(graph.py(), |cancel| ranks::<f32>(&wanted, cancel, |x| x as f32))?;
            (ranks.into(), report)
        }
        other => {
            let text = format!("dtype is «{other}», expected \"float64\" or \"float32\"");
            return Err(value(text));
        }
    };
    Ok(Column::new(ranks, Kind::Number, graph, "pagerank", Went::from(report)))
}

/// Chooses the variant of the program. Those with [`Odds`] serve what the others cannot.
fn ranks<F>(
    wanted: &Wanted<'_>,
    cancel: &Cancel,
    number: impl Fn(f64) -> F + Sync,
) -> Result<(Left<F>, Report), Failure>
where
    F: Real + Transition<F> + Teleport<F>,
    (): Transition<F> + Teleport<F>,
    Odds<F>: Teleport<F>,
{
    let graph = &wanted.graph.rows;
    let n = graph.vertex_count() as usize;
    let even = || vec![1.0 / n as f64; n];
    let all = |given: Option<&Vec<f64>>| given.cloned().unwrap_or_else(even);
    let limits = (number(wanted.damping), number(wanted.tolerance));
    let weights = wanted.weighted.then(|| weights(wanted.graph, &number)).transpose()?;
    if wanted.start.is_some() || wanted.dangling.is_some() {
        let teleport = all(wanted.personalize.as_ref());
        let start = all(wanted.start.as_ref());
        let dangling = wanted.dangling.as_ref().unwrap_or(&teleport);
        let odds: Vec<Odds<F>> = (0..n)
            .map(|v| Odds::new(number(start[v]), number(teleport[v]), number(dangling[v])))
            .collect();
        return match weights.flatten() {
            Some(weights) => run::<F, F, _>(wanted, cancel, &weights, limits, &odds),
            None => run::<F, (), _>(wanted, cancel, graph, limits, &odds),
        };
    }
    let numbers = |given: Vec<f64>| given.into_iter().map(&number).collect::<Vec<F>>();
    match (weights.flatten(), &wanted.personalize) {
        // An even distribution stands for plain teleporting, which saves a variant.
        (Some(weights), teleport) => {
            let teleport = numbers(all(teleport.as_ref()));
            run::<F, F, _>(wanted, cancel, &weights, limits, &teleport)
        }
        (None, Some(teleport)) => {
            run::<F, (), _>(wanted, cancel, graph, limits, &numbers(teleport.clone()))
        }
        (None, None) => run::<F, (), ()>(wanted, cancel, graph, limits, &[]),
    }
}

/// The weights as probabilities; `None` if there are none.
fn weights<F: Real>(
    graph: &Graph,
    number: impl Fn(f64) -> F + Sync,
) -> Result<Option<Rows<F>>, Failure> {
    let weights: Rows<f64> = match &graph.weights {
        Weights::None => return Ok(None),
        Weights::F32(graph) => graph.map_values(|_, _, weight| f64::from(weight)),
        Weights::F64(graph) => graph.clone(),
        Weights::I64(graph) => graph.map_values(|_, _, weight| weight as f64),
    };
    Ok(Some(weights.normalized()?.map_values(|_, _, weight| number(weight))))
}

fn run<F: Real, W: Transition<F>, T: Teleport<F>>(
    wanted: &Wanted<'_>,
    cancel: &Cancel,
    graph: &Rows<W>,
    (damping, tolerance): (F, F),
    inputs: &[T],
) -> Result<(Left<F>, Report), Failure> {
    let program = PageRank::<F, W, T>::new(damping, tolerance);
    let options = wanted.options.of_run(cancel);
    let found = Run { graph, program, inputs, options }.find(wanted.options)?;
    Ok((found.states, found.report))
}

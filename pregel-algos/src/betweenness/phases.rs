//! Runs both phases for one source after another.

use pregel_core::engine::{Engine, Kept, Report, Run, RunError, RunOptions, Session};
use pregel_core::graph::Graph;
use pregel_core::program::VertexId;

use super::{Accumulate, CountPaths, Dependency};

/// The result of [`betweenness`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Betweenness {
    /// For every vertex, the sum of the dependencies of all sources on it.
    ///
    /// If every vertex is a source, this is the number of pairs of other vertices whose
    /// shortest paths pass through the vertex. A pair with several shortest paths counts as
    /// the fraction of them that do. In an undirected graph every pair is counted both ways.
    /// With a sample of k sources out of n, n/k times the sum is an estimate (Brandes and
    /// Pich, *Centrality Estimation in Large Networks*, 2007).
    pub centrality: Vec<f64>,
    /// The reports of every source: forwards, then backwards.
    pub reports: Vec<[Report; 2]>,
}

/// The contribution of paths from these sources to the betweenness of every vertex. A source
/// that is given twice counts twice. A superstep limit is ignored.
///
/// O(V + E) per source. On a GPU, the states stay in its memory until the end.
///
/// # Errors
/// Those of [`Engine::prepare`] and [`Session::run_with`].
pub fn betweenness<E: Engine>(
    engine: &E,
    graph: &Graph,
    sources: &[VertexId],
    options: &RunOptions,
) -> Result<Betweenness, RunError> {
    let options = options.clone().with_max_supersteps(None);
    let mut forwards = engine.prepare::<CountPaths>(graph, &options)?;
    let mut backwards = engine.prepare::<Accumulate>(graph, &options)?;
    let nothing = vec![Dependency::default(); graph.vertex_count() as usize];
    let (mut before, mut reports) = (None, Vec::with_capacity(sources.len()));
    for &source in sources {
        let program = CountPaths { source };
        let mut run = match before {
            None => forwards.start(&program, &nothing)?,
            Some(dependencies) => forwards.follow(&program, dependencies)?,
        };
        run.advance_to_end()?;
        let counted = run.keep()?;
        let mut run = backwards.follow(&Accumulate, counted.states)?;
        run.advance_to_end()?;
        let accumulated = run.keep()?;
        before = Some(accumulated.states);
        reports.push([counted.report, accumulated.report]);
    }
    let states = before.map_or(Ok(nothing), |dependencies| dependencies.to_vec())?;
    Ok(Betweenness { centrality: states.iter().map(|state| state.centrality).collect(), reports })
}

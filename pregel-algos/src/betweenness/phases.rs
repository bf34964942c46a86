//! Both phases, for one source after the other.

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
    /// If every vertex is a source, that is the number of pairs that a shortest path through
    /// the vertex joins, where a pair with several shortest paths counts by the part of them
    /// that lead through it. In an undirected graph every pair is counted both ways. From a
    /// sample of k sources out of n, n/k times the sum estimates the same (Brandes and Pich,
    /// *Centrality Estimation in Large Networks*, 2007).
    pub centrality: Vec<f64>,
    /// How the runs went: for every source, forwards and backwards.
    pub reports: Vec<[Report; 2]>,
}

/// Betweenness of all vertices, as far as it comes from paths that begin at these sources.
/// A source that is named twice counts twice; a superstep limit is ignored.
///
/// O(V + E) per source. On a GPU the states stay there until the end.
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

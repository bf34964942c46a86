//! Runs packs of searches.

use std::fmt;
use std::time::{Duration, Instant};

use pregel_core::engine::{Engine, Report, RunError, RunOptions, Session, StopReason};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId, Zeroable};
use rayon::prelude::*;

use super::{DEPTH, Many};
use crate::sssp::in_graph;

/// The fewest sources of a pack that is searched from together.
pub const TOGETHER: usize = 8;

/// A graph prepared for searches from many sources.
pub struct Searches<'g, E: Engine, P: Many> {
    engine: &'g E,
    graph: &'g Graph<P::Edge>,
    options: RunOptions,
    /// Each session is prepared when it is needed first.
    together: Option<E::Session<'g, P>>,
    alone: Option<E::Session<'g, P::One>>,
    /// Whether searches run one after another from now on, since a pack was given up or took
    /// longer than its searches would have taken.
    apart: bool,
    prepare_time: Duration,
}

/// What the searches of a pack have found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found<T> {
    /// For each source, the value of every vertex.
    pub columns: Vec<Vec<T>>,
    /// The report of every run: one of all searches together, or one for each search, after that
    /// of the pack if it was given up.
    pub reports: Vec<Report>,
    /// Whether the searches ran together.
    pub together: bool,
}

impl<T> Found<T> {
    /// Whether the searches began together and were given up, which is the first report.
    pub fn gave_up(&self) -> bool {
        !self.together && self.reports.len() > self.columns.len()
    }
}

impl<E: Engine, P: Many> fmt::Debug for Searches<'_, E, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searches")
            .field("options", &self.options)
            .field("apart", &self.apart)
            .finish_non_exhaustive()
    }
}

impl<'g, E: Engine, P: Many> Searches<'g, E, P> {
    /// Prepares the graph for packs of this many sources; for others, it is prepared when they
    /// come. [`RunOptions::expected_runs`] counts searches, that is, sources.
    ///
    /// # Errors
    /// Those of [`Engine::prepare`].
    pub fn prepare(
        engine: &'g E,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
        sources: usize,
    ) -> Result<Self, RunError> {
        let (together, alone, prepare_time) = (None, None, Duration::ZERO);
        let options = options.clone();
        let mut searches =
            Self { engine, graph, options, together, alone, apart: false, prepare_time };
        if sources < TOGETHER {
            searches.alone()?;
        } else {
            searches.together()?;
        }
        Ok(searches)
    }

    /// Searches from these sources, at most [`Many::MOST`]. A source may be given twice.
    ///
    /// # Errors
    /// [`RunError::Program`] if there are too many sources, or if one of them is not in the
    /// graph; and those of [`Engine::prepare`] and [`Session::run_with`].
    pub fn run(&mut self, sources: &[VertexId]) -> Result<Found<P::Value>, RunError> {
        let n = self.graph.vertex_count();
        if sources.len() > P::MOST {
            return Err(RunError::Program { reason: "there are too many sources for one pack" });
        }
        let mut reports = Vec::new();
        if sources.len() >= TOGETHER && !self.apart {
            let inputs = starts(n, sources).map_err(|reason| RunError::Program { reason })?;
            let outcome = self.together()?.run_with(&P::new(sources.len()), &inputs)?;
            let within = self.options.max_supersteps.is_some_and(|limit| limit <= DEPTH);
            let deep = outcome.report.stop == StopReason::Limit && !within;
            let earned = P::WORTH * sources.len() as f64 / P::MOST as f64;
            let sent = outcome.report.messages as f64 / self.graph.edge_count().max(1) as f64;
            self.apart = deep || sent > earned;
            reports.push(outcome.report);
            if !deep {
                let columns = columns::<P>(&outcome.states, sources.len());
                return Ok(Found { columns, reports, together: true });
            }
        }
        if self.apart {
            // It is not needed any more, and takes memory.
            self.together = None;
        }
        let mut columns = Vec::with_capacity(sources.len());
        for &source in sources {
            let outcome = self.alone()?.run(&P::one(source))?;
            columns.push(outcome.states);
            reports.push(outcome.report);
        }
        Ok(Found { columns, reports, together: false })
    }

    /// Time spent on preparing the graph so far.
    pub fn prepare_time(&self) -> Duration {
        self.prepare_time
    }

    fn together(&mut self) -> Result<&mut E::Session<'g, P>, RunError> {
        let limit = self.options.max_supersteps.map_or(DEPTH, |limit| limit.min(DEPTH));
        let packs = self.options.expected_runs.map(|runs| runs.div_ceil(P::MOST as u32));
        let options = self.options.clone().with_max_supersteps(Some(limit));
        let options = options.with_expected_runs(packs);
        session(self.engine, self.graph, &options, &mut self.together, &mut self.prepare_time)
    }

    fn alone(&mut self) -> Result<&mut E::Session<'g, P::One>, RunError> {
        session(self.engine, self.graph, &self.options, &mut self.alone, &mut self.prepare_time)
    }
}

/// The session in `place`, prepared if there is none yet.
fn session<'s, 'g, E: Engine, P: VertexCompute>(
    engine: &E,
    graph: &'g Graph<P::Edge>,
    options: &RunOptions,
    place: &'s mut Option<E::Session<'g, P>>,
    time: &mut Duration,
) -> Result<&'s mut E::Session<'g, P>, RunError> {
    let session = match place.take() {
        Some(session) => session,
        None => {
            let start = Instant::now();
            let session = engine.prepare::<P>(graph, options)?;
            *time += start.elapsed();
            session
        }
    };
    Ok(place.insert(session))
}

/// For each source, what the states say of it.
fn columns<P: Many>(states: &[P::State], sources: usize) -> Vec<Vec<P::Value>> {
    /// States that stay in the cache while all columns take their values from them.
    const BLOCK: usize = 1 << 10;
    let mut columns = vec![vec![P::Value::zeroed(); states.len()]; sources];
    let mut blocks: Vec<Vec<&mut [P::Value]>> = Vec::new();
    blocks.resize_with(states.len().div_ceil(BLOCK), || Vec::with_capacity(sources));
    for column in &mut columns {
        for (block, part) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
            block.push(part);
        }
    }
    blocks.into_par_iter().zip(states.par_chunks(BLOCK)).for_each(|(block, states)| {
        for (i, part) in block.into_iter().enumerate() {
            for (value, state) in part.iter_mut().zip(states) {
                *value = P::value(state, i);
            }
        }
    });
    columns
}

/// For each vertex the set of the sources that begin there: bit `i` stands for `sources[i]`.
/// Sources beyond the 64th are ignored.
///
/// # Errors
/// If a source is not in a graph of this many vertices.
pub fn starts(vertex_count: u32, sources: &[VertexId]) -> Result<Vec<u64>, &'static str> {
    let mut starts = vec![0; vertex_count as usize];
    for (i, &source) in sources.iter().take(64).enumerate() {
        in_graph(source, vertex_count)?;
        starts[source as usize] |= 1 << i;
    }
    Ok(starts)
}

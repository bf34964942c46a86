//! The multi-threaded engine.
//!
//! Reading order: [`Cpu`] and its session here; `run` (a run that is advanced); `shape`
//! (what a run reads of the graph, cut into spans of equal work); `superstep` (the memory
//! of a run and the three kinds of superstep), which uses `gather` (pull), `scatter`
//! (push), `vertex` and `votes`; `direction` (whether to push or to pull); `order` (whether
//! to renumber the vertices first). `in_place` runs monotone programs in another way:
//! without barriers between sending and computing, by soft priorities.
//!
//! Results do not depend on the number of threads where the contract says so: the
//! graph alone decides the spans and the order in which they are added up.

mod bitmap;
mod cells;
mod direction;
mod frontier;
mod gather;
mod in_place;
mod order;
mod plain;
mod run;
mod scatter;
mod shape;
mod superstep;
mod vertex;
mod votes;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use self::direction::PushOrPull;
pub use self::run::CpuRun;
use self::shape::{Cut, Shape};
use self::superstep::Memory;
use super::{Engine, Inputs, RunError, RunOptions, Saved, Session, check_edges};
use crate::graph::Graph;
use crate::graph::renumber::Order;
use crate::program::{Value, VertexCompute, VertexId};

/// Runs on all cores of this machine, or on a number of threads.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Cpu {
    /// Uses the global thread pool, with one thread per core.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses `threads` threads of its own.
    ///
    /// # Errors
    /// [`RunError::Threads`] if they cannot be started.
    pub fn with_threads(threads: usize) -> Result<Self, RunError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| RunError::Threads { threads, reason: e.to_string() })?;
        Ok(Self { pool: Some(Arc::new(pool)) })
    }

    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// A graph prepared for the [`Cpu`] engine, with the memory of the last run.
pub struct CpuSession<'g, P: VertexCompute> {
    engine: Cpu,
    /// The user's graph.
    graph: &'g Graph<P::Edge>,
    /// The graph in the engine's order, if that is not the user's.
    renumbered: Option<(Order, Graph<P::Edge>)>,
    cut: Cut,
    options: RunOptions,
    memory: Option<Memory<P>>,
    prepare_time: Duration,
}

impl<P: VertexCompute> fmt::Debug for CpuSession<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuSession")
            .field("engine", &self.engine)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Engine for Cpu {
    type Session<'g, P: VertexCompute> = CpuSession<'g, P>;
    type Kept<T: Value> = Vec<T>;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<CpuSession<'g, P>, RunError> {
        let start = Instant::now();
        PushOrPull::new::<P>(options)?;
        self.install(|| {
            check_edges::<P>(graph)?;
            let renumbered = order::choose::<P>(graph, options.order).map(|order| {
                let graph = graph.renumbered(&order, order::front::<P>(graph.vertex_count()));
                (order, graph)
            });
            let mut session = CpuSession {
                engine: self.clone(),
                graph,
                renumbered,
                cut: Cut::default(),
                options: options.clone(),
                memory: None,
                prepare_time: Duration::ZERO,
            };
            session.cut = session.shape().cut();
            session.prepare_time = start.elapsed();
            Ok(session)
        })
    }
}

impl<'g, P: VertexCompute> Session<P> for CpuSession<'g, P> {
    type Engine = Cpu;

    type Run<'r>
        = CpuRun<'r, 'g, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, Vec<P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<CpuRun<'r, 'g, P>, RunError> {
        CpuRun::new(self, *program, inputs.into_host()?, saved)
    }
}

impl<P: VertexCompute> CpuSession<'_, P> {
    fn shape(&self) -> Shape<'_, P> {
        let shape = match &self.renumbered {
            Some((order, graph)) => Shape::new(graph, &order.vertex_at, &self.cut),
            None => Shape::new(self.graph, &[], &self.cut),
        };
        shape.with_cancel(self.options.cancel.as_ref())
    }

    /// Values by place in the order of the user's vertices.
    fn restore<T: Value>(&self, values: Vec<T>) -> Vec<T> {
        match &self.renumbered {
            Some((order, _)) => order.restore(&values),
            None => values,
        }
    }

    /// For each of the user's vertices, what `at` says of its place. O(V), parallel.
    fn by_vertex<T: Send>(&self, at: impl Fn(VertexId) -> T + Sync) -> Vec<T> {
        let mut values = Vec::new();
        self.by_vertex_into(&mut values, at);
        values
    }

    /// [`by_vertex`](Self::by_vertex) in place of what `values` held.
    fn by_vertex_into<T: Send>(&self, values: &mut Vec<T>, at: impl Fn(VertexId) -> T + Sync) {
        let vertices = (0..self.graph.vertex_count()).into_par_iter().with_min_len(4096);
        match &self.renumbered {
            Some((order, _)) => {
                vertices.map(|v| at(order.place_of[v as usize])).collect_into_vec(values);
            }
            None => vertices.map(&at).collect_into_vec(values),
        }
    }
}

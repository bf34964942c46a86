//! The multi-threaded engine.
//!
//! Reading order: [`Cpu`] here; `session` (the graph in the engine's order); `run` (a run that
//! is advanced); `shape` (what a run reads of the graph, cut into spans of equal work);
//! `superstep` (the memory of a run and the three kinds of superstep), which uses `gather`
//! (pull), `scatter` (push), `vertex` and `votes`; `direction` (whether to push or to pull); `order`
//! (whether, and when, to renumber the vertices); `rows` (whether, and when, to make rows by
//! target). `in_place` runs monotone programs in another way: without barriers between sending and
//! computing, by soft priorities. `needs` says beforehand how much memory all of that takes.
//!
//! Results do not depend on the number of threads where the contract says so: the
//! graph alone decides the spans and the order in which they are added up.

mod bitmap;
mod cells;
mod cut;
mod direction;
mod edges;
mod frontier;
mod gather;
mod in_place;
mod needs;
mod order;
mod plain;
mod rows;
mod run;
mod scatter;
mod session;
mod shape;
mod sorter;
mod stage;
mod superstep;
mod vertex;
mod votes;
mod word_mail;

use std::sync::Arc;

pub(super) use self::order::last_superstep;
pub use self::run::CpuRun;
pub use self::session::CpuSession;
use super::{Engine, RunError, RunOptions};
use crate::graph::Graph;
use crate::parallel;
use crate::parallel::team::Team;
use crate::program::{Value, VertexCompute};

/// Runs on all cores of this machine, or on a number of threads.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    pool: Option<Arc<rayon::ThreadPool>>,
    /// The threads of the pool, as far as they stay for the next loop.
    team: Arc<Team>,
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
        Ok(Self { pool: Some(Arc::new(pool)), team: Arc::default() })
    }

    /// Does `work` on a thread of the pool, so that not each parallel step has to change over to
    /// one.
    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        parallel::on_thread_of(self.pool.as_deref(), || self.team.lead(work))
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
        self.install(|| CpuSession::new(self, graph, options))
    }
}

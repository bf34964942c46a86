//! The multi-threaded engine.

use std::sync::Arc;

use super::{Engine, Reference, RunError, RunOptions};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// All cores of this machine, or as many as asked for.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Cpu {
    /// Uses the global thread pool: one thread a core.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses `threads` threads of its own.
    ///
    /// # Errors
    /// [`RunError::Threads`] when they cannot be started.
    pub fn with_threads(threads: usize) -> Result<Self, RunError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| RunError::Threads { threads, reason: e.to_string() })?;
        Ok(Self { pool: Some(Arc::new(pool)) })
    }
}

impl Engine for Cpu {
    type Session<'g, P: VertexCompute> = super::reference::ReferenceSession<'g, P::Edge>;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError> {
        Reference.prepare::<P>(graph, options)
    }
}

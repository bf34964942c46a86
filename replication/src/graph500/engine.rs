//! The engines, which run [`BfsTree`] like any other vertex program.

use std::time::Instant;

use pregel_algos::bfs::{BfsTree, UNREACHED, Visit};
use pregel_core::engine::gpu::{Device, Gpu};
use pregel_core::engine::{Cpu, Engine, RunError, RunOptions, Session};
use pregel_core::program::VertexId;

use super::{Kronecker, Searches};
use crate::ReplicationError;
use crate::device::Use;

/// What a device is asked for.
pub trait OnDevice {
    /// Its name.
    fn name(&self) -> String;

    /// Searches from every root, or says why the graph does not fit.
    fn searches(&self, kronecker: &Kronecker)
    -> Result<Result<Searches, String>, ReplicationError>;
}

/// Makes a device's [`OnDevice`].
pub struct MakeSearcher;

impl Use for MakeSearcher {
    type Made = Box<dyn OnDevice>;

    fn with<D: Device>(self, gpu: Gpu<D>) -> Self::Made {
        Box::new(Searcher(gpu))
    }
}

/// Searches on one device.
pub struct Searcher<D: Device>(pub Gpu<D>);

impl<D: Device> OnDevice for Searcher<D> {
    fn name(&self) -> String {
        self.0.device().name()
    }

    /// A search ends when the tree is in the device's memory; copying it to the host is timed
    /// apart.
    fn searches(
        &self,
        kronecker: &Kronecker,
    ) -> Result<Result<Searches, String>, ReplicationError> {
        match kronecker.by(&self.0, "pregel, engine gpu") {
            Err(ReplicationError::Run(
                error @ (RunError::TooLarge { .. } | RunError::DeviceLimit(_)),
            )) => Ok(Err(error.to_string())),
            done => done.map(Ok),
        }
    }
}

impl Kronecker {
    /// The CPU engine.
    pub fn engine(&self) -> Result<Searches, ReplicationError> {
        self.by(&Cpu::new(), "pregel, engine cpu")
    }

    /// An engine, as anybody would call it for 64 searches.
    fn by<E: Engine>(&self, engine: &E, contender: &str) -> Result<Searches, ReplicationError> {
        let options =
            RunOptions::default().with_expected_runs(u32::try_from(self.roots.len()).ok());
        let begin = Instant::now();
        let mut session = engine.prepare::<BfsTree>(&self.graph, &options)?;
        // A session may lay its graph out anew in the midst of the first run, which is
        // construction.
        if let Some(&source) = self.roots.first() {
            session.run(&BfsTree { source })?;
        }
        let prepared = begin.elapsed();
        let mut copies = Vec::new();
        let mut searches = self.searches(contender, self.construction + prepared, |source| {
            let begin = Instant::now();
            let result = session.run(&BfsTree { source })?;
            let time = match &result.report.device {
                Some(device) => {
                    copies.push(device.download_time);
                    result.report.time
                }
                None => begin.elapsed(),
            };
            Ok((parents(&result.states, source), time))
        })?;
        copies.sort_unstable();
        searches.copy = copies.get(copies.len() / 2).copied();
        Ok(searches)
    }
}

/// The parents of a search's tree, in which the root is its own.
fn parents(states: &[Visit], source: VertexId) -> Vec<VertexId> {
    let mut parents: Vec<_> = states.iter().map(|visit| visit.parent).collect();
    debug_assert_eq!(parents[source as usize], UNREACHED);
    parents[source as usize] = source;
    parents
}

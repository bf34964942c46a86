//! How the preparation grows with the vertices and with the edges.

use std::time::Instant;

use pregel_core::engine::gpu::Device;
use pregel_core::graph::generate::Spec;
use pregel_replication_programs::ThesisPageRank;

use super::cell::Task;
use super::ways::{self, MEDUSA_THREAD, PIPELINE};
use super::{Bench, PROGRAMS};
use crate::ReplicationError;
use crate::check::tolerance;

/// Vertices and edges of uniformly random graphs, in units of 2^20. The first four grow in
/// edges, the last four in vertices.
const SIZES: [[u64; 2]; 7] = [[1, 4], [1, 8], [1, 16], [1, 32], [2, 16], [4, 16], [8, 16]];

/// The preparation of one graph.
pub struct Grown {
    pub vertices: u64,
    pub edges: u64,
    /// Seconds on the device.
    pub pipeline: f64,
    /// Seconds on the CPU.
    pub medusa: f64,
}

impl<D: Device> Bench<'_, D> {
    /// Prepares graphs of other sizes. The result of a superstep is compared.
    pub(super) fn grow(&mut self, until: Instant) -> Result<Vec<Grown>, ReplicationError> {
        let mut grown = Vec::with_capacity(SIZES.len());
        for [vertices, edges] in SIZES.map(|size| size.map(|millions| self.scaled(millions << 20)))
        {
            let text = format!("uniform:n={vertices},m={edges},sym=0,dedup=0");
            if until.saturating_duration_since(Instant::now()).is_zero() {
                self.left_out.push(format!("the preparation of {text}: no time was left"));
                continue;
            }
            let graph = text.parse::<Spec>()?.plain()?;
            let task = Task::new(&text, PROGRAMS[0], &graph, ThesisPageRank, Some(1))?;
            let task = task.with_tolerance(tolerance(&graph));
            let ways = ways::all();
            let pipeline = self.time(&task, &ways[PIPELINE], until)?;
            let medusa = self.time(&task, &ways[MEDUSA_THREAD], until)?;
            if let (Some(pipeline), Some(medusa)) = (pipeline, medusa) {
                let (pipeline, medusa) = (pipeline.preparation, medusa.preparation);
                grown.push(Grown { vertices, edges, pipeline, medusa });
            }
        }
        Ok(grown)
    }
}

//! Writes graphs.

use anyhow::Result;
use pregel_core::io::{self, AnyGraph};

use crate::job::SaveJob;
use crate::output::print;
use crate::progress::Progress;
use crate::text::{count, direction};

/// Writes a graph and says how large it is.
pub fn save(job: &SaveJob, graph: &AnyGraph, progress: &Progress) -> Result<()> {
    let path = job.path.display();
    progress.stage(&format!("writing {path}"));
    let saved = io::save(&job.path, graph, Some(job.format))?;
    progress.clear();
    for note in &saved.notes {
        progress.note(&format!("{path}: {note}"));
    }
    if !progress.quiet() {
        print(&format!(
            "{path}: {}, {}, {}{}\n",
            count(graph.vertex_count().into(), "vertex", "vertices"),
            count(graph.edge_count(), "edge", "edges"),
            direction(graph.directed()),
            if graph.has_weights() { ", weighted" } else { "" }
        ))?;
    }
    Ok(())
}

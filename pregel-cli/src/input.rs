//! Reads or generates the graph.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{BuildReport, Graph, Id, Ids};
use pregel_core::io::{self, AnyGraph, Note};
use pregel_core::program::VertexId;

use crate::job::{GraphJob, Source, refuse_overwriting};
use crate::progress::Progress;
use crate::text::{count, direction, duration, thousands};

/// A graph and its origin.
#[derive(Debug)]
pub struct Input {
    /// The file or the spec.
    pub name: String,
    pub graph: AnyGraph,
    /// Set if the graph was generated.
    pub spec: Option<Spec>,
    /// When loading began.
    pub began: Instant,
    pub load_time: Duration,
    /// How long it took to put the graph in another order.
    pub order_time: Duration,
}

impl Input {
    /// Reads or generates the graph and notes what the reader did about it.
    ///
    /// # Errors
    /// When it cannot be read, or when one of the `outputs` turns out to be a
    /// file that it was read from.
    pub fn load(job: &GraphJob, outputs: &[&Path], progress: &Progress) -> Result<Self> {
        let began = Instant::now();
        let (graph, spec) = match &job.source {
            Source::File { path, options } => {
                progress.stage(&format!("reading {job}"));
                let loaded = io::load(path, options)?;
                // A file name can stand for several files.
                refuse_overwriting(&loaded.files, outputs)?;
                for note in &loaded.notes {
                    progress.note(&format!("{job}: {note}{}", hint(note)));
                }
                if let Some(text) = dropped(&loaded.report) {
                    progress.note(&format!("{job}: {text}"));
                }
                (loaded.graph, None)
            }
            Source::Generated { spec, weighted } => {
                progress.stage(&format!("generating {job}"));
                (generate(spec, *weighted)?, Some(*spec))
            }
        };
        let load_time = began.elapsed();
        progress.clear();
        let (name, order_time) = (job.to_string(), Duration::ZERO);
        Ok(Self { name, graph, spec, began, load_time, order_time })
    }

    /// The same with the vertices in the order of falling degree, if edges have no weights.
    pub fn in_degree_order(self) -> Self {
        let start = Instant::now();
        let graph = match self.graph {
            AnyGraph::Plain(graph) => AnyGraph::Plain(graph.into_degree_order()),
            weighted @ AnyGraph::Weighted(_) => weighted,
        };
        Self { graph, order_time: self.order_time + start.elapsed(), ..self }
    }

    /// The graph without weights; shares the rows.
    pub fn plain(&self) -> Graph<()> {
        self.graph.plain()
    }

    /// The user's ids.
    pub fn ids(&self) -> &Ids {
        self.graph.ids()
    }

    /// The vertex that the user calls `id`.
    pub fn find(&self, id: &str) -> Result<VertexId> {
        find(self.ids(), id, &self.name).map_err(anyhow::Error::msg)
    }

    /// One line about the graph.
    pub fn describe(&self) -> String {
        format!(
            "{}: {}, {} ({}), {} in {}",
            self.name,
            count(self.graph.vertex_count().into(), "vertex", "vertices"),
            count(self.graph.edge_count(), "edge", "edges"),
            direction(self.graph.directed()),
            if self.spec.is_some() { "generated" } else { "read" },
            duration(self.load_time)
        )
    }
}

/// The option that makes the reader decide otherwise.
fn hint(note: &Note) -> &'static str {
    match note {
        Note::Header { .. } => " (--header no takes it as an edge)",
        Note::PossibleHeader { .. } => " (--header yes)",
        Note::ColumnsByName { .. } | Note::IgnoredColumns { .. } => " (--columns takes others)",
        _ => "",
    }
}

/// Generates a graph.
pub fn generate(spec: &Spec, weighted: bool) -> Result<AnyGraph> {
    Ok(if weighted { AnyGraph::Weighted(spec.weighted()?) } else { AnyGraph::Plain(spec.plain()?) })
}

/// The vertex with this id in the graph of this name; if there is none, which ids there are.
pub fn find(ids: &Ids, id: &str, graph: &str) -> Result<VertexId, String> {
    ids.find(id).ok_or_else(|| {
        format!("vertex «{id}» is not in {graph}; its ids are {}", describe_ids(ids))
    })
}

/// What the ids of a graph look like.
pub fn describe_ids(ids: &Ids) -> String {
    let Some(last) = ids.len().checked_sub(1) else { return "none".into() };
    match (ids.get(0), ids.get(last)) {
        (Id::Integer(first), Id::Integer(last)) if last - first == u64::from(ids.len()) - 1 => {
            format!("the integers {first} to {last}")
        }
        (Id::Integer(first), Id::Integer(last)) => {
            format!("{} integers between {first} and {last}", thousands(ids.len().into()))
        }
        (first, last) => format!("names such as «{first}» and «{last}»"),
    }
}

/// What the builder dropped, if anything.
fn dropped(report: &BuildReport) -> Option<String> {
    let parts = [
        (report.self_loops, "self-loop", "self-loops"),
        (report.duplicates, "duplicate edge", "duplicate edges"),
    ];
    let parts: Vec<_> =
        parts.iter().filter(|p| p.0 > 0).map(|&(n, one, many)| count(n, one, many)).collect();
    (!parts.is_empty()).then(|| format!("dropped {}", parts.join(" and ")))
}

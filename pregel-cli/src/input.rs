//! Reads or generates the graph.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{BuildReport, Graph, Id, Ids};
use pregel_core::io::{self, AnyGraph, Weights};
use pregel_core::program::VertexId;

use crate::plan::{GraphPlan, Source};
use crate::progress::Progress;
use crate::text::{count, duration, thousands};

/// Which weights an algorithm has a use for, unless `--weights` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightUse {
    /// None: they need not be read.
    Never,
    /// Those that a file has.
    OfFiles,
    /// Those that a file has, those that a generator makes, else 1.
    Always,
}

/// A graph, and where it is from.
#[derive(Debug)]
pub struct Input {
    /// The file or the spec, as the user wrote it.
    pub name: String,
    pub graph: AnyGraph,
    /// Set when it was generated.
    pub spec: Option<Spec>,
    pub load_time: Duration,
}

impl Input {
    /// Reads or generates the graph.
    pub fn load(plan: &GraphPlan, weights: WeightUse, progress: &Progress) -> Result<Self> {
        let start = Instant::now();
        let (graph, spec) = match &plan.source {
            Source::File(path) => {
                progress.stage(&format!("reading {plan}"));
                let mut options = plan.load.clone();
                if weights == WeightUse::Never {
                    options.weights = Weights::None;
                }
                let loaded = io::load(path, &options)?;
                for note in &loaded.notes {
                    progress.note(&format!("{plan}: {note}"));
                }
                if let Some(text) = dropped(&loaded.report) {
                    progress.note(&format!("{plan}: {text}"));
                }
                (loaded.graph, None)
            }
            Source::Generated(spec) => {
                progress.stage(&format!("generating {plan}"));
                let weighted = weights == WeightUse::Always && plan.load.weights == Weights::Auto;
                let graph = match weighted {
                    true => AnyGraph::Weighted(spec.weighted()?),
                    false => AnyGraph::Plain(spec.plain()?),
                };
                (graph, Some(*spec))
            }
        };
        let load_time = start.elapsed();
        progress.clear();
        Ok(Self { name: plan.to_string(), graph, spec, load_time })
    }

    /// The graph without weights; shares the rows.
    pub fn plain(&self) -> Graph<()> {
        self.graph.plain()
    }

    /// The user's ids.
    pub fn ids(&self) -> &Ids {
        match &self.graph {
            AnyGraph::Plain(graph) => graph.ids(),
            AnyGraph::Weighted(graph) => graph.ids(),
        }
    }

    /// The vertex that the user calls `id`.
    pub fn find(&self, id: &str) -> Result<VertexId> {
        match self.ids().find(id) {
            Some(vertex) => Ok(vertex),
            None => bail!(
                "vertex «{id}» is not in {}; its ids are {}",
                self.name,
                describe_ids(self.ids())
            ),
        }
    }

    /// One line about the graph.
    pub fn describe(&self) -> String {
        let graph = self.plain();
        let direction = match graph.directed() {
            true => "directed",
            false => "undirected, each edge counted both ways",
        };
        format!(
            "{}: {}, {} ({direction}), {} in {}",
            self.name,
            count(graph.vertex_count().into(), "vertex", "vertices"),
            count(graph.edge_count(), "edge", "edges"),
            if self.spec.is_some() { "generated" } else { "read" },
            duration(self.load_time)
        )
    }
}

/// How the ids of a graph look.
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

/// What the builder dropped and added.
fn dropped(report: &BuildReport) -> Option<String> {
    let parts = [
        (report.self_loops, "self-loop", "self-loops"),
        (report.duplicates, "duplicate edge", "duplicate edges"),
    ];
    let parts: Vec<_> =
        parts.iter().filter(|p| p.0 > 0).map(|&(n, one, many)| count(n, one, many)).collect();
    (!parts.is_empty()).then(|| format!("dropped {}", parts.join(" and ")))
}

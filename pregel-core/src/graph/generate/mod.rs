//! Generated graphs, the same bit for bit on every machine.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Graph;
use crate::program::VertexId;

/// A generated graph, as written: `rmat:scale=20`, `uniform:n=1000,m=16000`,
/// `grid:rows=30,cols=40,drop=50,maxw=1000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    text: String,
}

/// A generator spec that cannot be read or carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("generator spec «{spec}»: {reason}")]
pub struct SpecError {
    /// The spec.
    pub spec: String,
    /// What is wrong with it, and what was expected.
    pub reason: String,
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Ok(Self { text: text.to_owned() })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Spec {
    /// Whether `text` looks like a spec rather than a file name.
    pub fn recognises(text: &str) -> bool {
        ["rmat:", "uniform:", "grid:"].iter().any(|kind| text.starts_with(kind))
    }

    /// Generates the graph without weights.
    ///
    /// # Errors
    /// When the graph has more vertices than 32-bit ids can name.
    pub fn plain(&self) -> Result<Graph<()>, SpecError> {
        Err(SpecError { spec: self.text.clone(), reason: "not made yet".into() })
    }

    /// Generates the graph with its integer weights.
    ///
    /// # Errors
    /// As [`plain`](Spec::plain).
    pub fn weighted(&self) -> Result<Graph<f32>, SpecError> {
        Err(SpecError { spec: self.text.clone(), reason: "not made yet".into() })
    }

    /// The sources for searches: distinct vertices with an out-edge.
    pub fn sources(&self, _graph: &Graph<()>, _count: usize) -> Vec<VertexId> {
        Vec::new()
    }
}

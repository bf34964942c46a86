//! Files with a value for each vertex: results of another run or system, to compare with
//! (`--verify-against`), and what a reader of such a file says of it.

use std::path::Path;

use anyhow::{Result, anyhow};
use pregel_algos::verify::expected::{Found, compare};
use pregel_core::graph::Ids;
use pregel_core::io::{Values, ValuesError};

use crate::facts::Matching;
use crate::input::describe_ids;
use crate::output::Column;

/// The result that a run must have.
#[derive(Debug)]
pub struct Expected(Values);

impl Expected {
    /// Reads a line for each vertex.
    pub fn read(path: &Path, ids: &Ids) -> Result<Self> {
        Values::read(path, ids).map(Self).map_err(|error| explain(error, ids))
    }

    /// Compares `found`, the result of a run. O(V).
    ///
    /// # Errors
    /// The first vertex that differs, and how many do.
    pub fn compare(&self, found: &Column, ids: &Ids, matching: Matching) -> Result<()> {
        let found = match (matching, found) {
            (Matching::Partition, Column::Vertex(labels)) => Found::Partition(labels),
            (_, Column::Vertex(vertices)) => Found::Vertices(vertices),
            (_, Column::Level(levels)) => Found::Levels(levels),
            (_, Column::Count(counts)) => Found::Counts(counts),
            (_, Column::F32(numbers)) => Found::F32(numbers),
            (_, Column::F64(numbers)) => Found::F64(numbers),
        };
        let path = self.0.path().display();
        compare(&self.0, found, ids)
            .map_err(|difference| anyhow!("the result differs from {path}: {difference}"))
    }
}

/// Adds which ids the graph has, where the file has another.
pub fn explain(error: ValuesError, ids: &Ids) -> anyhow::Error {
    match error {
        ValuesError::Unknown { .. } => anyhow!("{error}; its ids are {}", describe_ids(ids)),
        error => error.into(),
    }
}

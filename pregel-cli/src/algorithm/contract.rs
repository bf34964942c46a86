//! What the command line asks of an algorithm, and gets from it.

use std::fmt;

use anyhow::Result;
use pregel_core::graph::Ids;
use pregel_core::program::VertexId;

use crate::facts::Facts;
use crate::output::{Column, Headings, Npy};
use crate::runner::{Pack, Runner, Runs};

/// An algorithm of the command line.
pub trait Algorithm: fmt::Debug + Sync {
    /// Its name, its help text and what it needs.
    fn facts(&self) -> Facts;
    /// Whether the run will be on all cores, and keep the vertices in the order of falling degree,
    /// so that the graph had better be in it.
    fn renumbers(&self, _runner: &Runner<'_>) -> bool {
        false
    }
    /// Runs it.
    fn solve(&self, runner: &Runner<'_>) -> Result<Solution>;
    /// A short readable summary of its first column, several lines; none if every
    /// [`Solution`] has one of its own.
    fn summary(&self, _ids: &Ids, _values: &Column) -> String {
        String::new()
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct Solution {
    /// The value of every vertex, then its parent if asked for, or what else an app has.
    pub columns: Vec<Column>,
    /// The names of these columns; with `packs`, they are named by their sources.
    pub headings: Headings,
    pub runs: Runs,
    /// Where a search started.
    pub source: Option<VertexId>,
    /// The path asked for with `--target`.
    pub path: Option<Path>,
    /// With `--sources`, the searches, which have a column each if there is an output.
    pub packs: Vec<Pack>,
    /// A summary in place of that of the first column.
    pub summary: Option<String>,
    /// Written in place of the columns.
    pub matrix: Option<Npy>,
}

impl Solution {
    /// A result that is one value per vertex.
    pub fn of_column(column: Column, runs: Runs) -> Self {
        Self::of_columns(vec![column], runs)
    }

    /// A result of one or more values per vertex.
    pub fn of_columns(columns: Vec<Column>, runs: Runs) -> Self {
        Self {
            columns,
            headings: Headings::default(),
            runs,
            source: None,
            path: None,
            packs: Vec::new(),
            summary: None,
            matrix: None,
        }
    }

    /// Where many searches started.
    pub fn sources(&self) -> impl Iterator<Item = VertexId> + '_ {
        self.packs.iter().flat_map(|pack| &pack.sources).copied()
    }

    /// The names of the columns.
    pub fn headings(&self, ids: &Ids) -> Headings {
        if self.packs.is_empty() {
            self.headings.clone()
        } else {
            Headings::of_many(self.sources().map(|v| format!("from_{}", ids.get(v))).collect())
        }
    }
}

/// A path from the source of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub target: VertexId,
    /// From the source to the target; empty if there is no path.
    pub vertices: Vec<VertexId>,
}

impl Path {
    /// Follows `parents` back from `target`. O(length of the path).
    pub fn find(source: VertexId, target: VertexId, parents: &[VertexId]) -> Self {
        let parent = |v: &VertexId| parents.get(*v as usize).copied();
        let back = std::iter::successors(Some(target), parent)
            .take_while(|v| (*v as usize) < parents.len())
            .take(parents.len());
        let mut vertices: Vec<_> = back.collect();
        if vertices.last() != Some(&source) {
            vertices.clear();
        }
        vertices.reverse();
        Self { target, vertices }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::NO_VERTEX;

    #[test]
    fn paths_follow_parents() {
        let parents = [NO_VERTEX, 0, 1, NO_VERTEX];
        assert_eq!(Path::find(0, 2, &parents).vertices, [0, 1, 2]);
        assert_eq!(Path::find(0, 0, &parents).vertices, [0]);
        assert_eq!(Path::find(0, 3, &parents).vertices, Vec::<VertexId>::new());
    }
}

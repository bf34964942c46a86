//! The algorithms: one file each, and one line in [`ALGORITHMS`].

mod bfs;
mod cdlp;
mod hcc;
mod pagerank;
mod sssp;
mod wcc;

use std::fmt;

use anyhow::Result;
use pregel_core::graph::Ids;
use pregel_core::program::VertexId;

use crate::input::WeightUse;
use crate::job::{Job, Runs};
use crate::output::Column;

/// Every algorithm, as help texts list them.
pub static ALGORITHMS: &[&dyn Algorithm] =
    &[&pagerank::PageRank, &sssp::Sssp, &hcc::Hcc, &wcc::Wcc, &bfs::Bfs, &cdlp::Cdlp];

/// The algorithm of that name.
pub fn find(name: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.name() == name)
}

/// All that the command line knows about an algorithm.
pub trait Algorithm: fmt::Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Half a line of help.
    fn about(&self) -> &'static str;
    /// The parameters that mean something to it.
    fn takes(&self) -> &'static [Param];
    /// Which edge weights it has a use for.
    fn weights(&self) -> WeightUse {
        WeightUse::Never
    }
    /// Superstep limit unless the user gives one.
    fn default_supersteps(&self) -> Option<u32> {
        None
    }
    /// Whether a GPU lays the graph out for it, as options say.
    fn laid_out(&self) -> bool {
        true
    }
    /// Runs it.
    fn solve(&self, job: &Job<'_>) -> Result<Solution>;
    /// A short readable summary of its first column, several lines.
    fn summary(&self, ids: &Ids, values: &Column) -> String;
}

/// A parameter that only some algorithms take; prints as its option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    Source,
    Target,
    Parents,
    Damping,
    Tolerance,
    Personalize,
    Precision,
    Delta,
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "--source",
            Self::Target => "--target",
            Self::Parents => "--parents",
            Self::Damping => "--damping",
            Self::Tolerance => "--tolerance",
            Self::Personalize => "--personalize",
            Self::Precision => "--precision",
            Self::Delta => "--delta",
        })
    }
}

/// What a run came to.
#[derive(Debug)]
pub struct Solution {
    /// The value of every vertex, then its parent if asked for.
    pub columns: Vec<Column>,
    pub runs: Runs,
    /// Where a search began.
    pub source: Option<VertexId>,
    /// The path asked for.
    pub path: Option<Path>,
}

/// A path asked for with `--target`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub target: VertexId,
    /// From the source to the target; empty when there is no path.
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

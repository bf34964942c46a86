//! What travels between parts.

use std::fmt;

use crate::program::{Monoid, Program, VertexId};

/// Messages by target, or signals by sender, as two columns of the same length. Vertices
/// ascend. Plain data, which can be copied byte by byte.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parcel<T> {
    /// The vertices.
    pub vertices: Vec<VertexId>,
    /// A value for each of them.
    pub values: Vec<T>,
}

impl<T> Parcel<T> {
    /// A parcel with these columns, which must have the same length.
    pub fn new(vertices: Vec<VertexId>, values: Vec<T>) -> Self {
        Self { vertices, values }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Every vertex with its value.
    pub fn iter(&self) -> impl Iterator<Item = (VertexId, &T)> {
        self.vertices.iter().copied().zip(&self.values)
    }
}

impl<T> Default for Parcel<T> {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new())
    }
}

impl<T> FromIterator<(VertexId, T)> for Parcel<T> {
    fn from_iter<I: IntoIterator<Item = (VertexId, T)>>(pairs: I) -> Self {
        let (vertices, values) = pairs.into_iter().unzip();
        Self { vertices, values }
    }
}

/// What parts have to know about each other after a superstep, for one part or several.
#[non_exhaustive]
pub struct Tally<P: Program> {
    /// What the vertices contributed to the aggregate of the superstep.
    pub aggregate: <P::Aggregate as Monoid>::Value,
    /// Whether all vertices halted.
    pub halted: bool,
    /// Whether an observer cancelled the run.
    pub cancelled: bool,
}

impl<P: Program> Tally<P> {
    /// A tally with these contributions.
    pub fn new(aggregate: <P::Aggregate as Monoid>::Value, halted: bool, cancelled: bool) -> Self {
        Self { aggregate, halted, cancelled }
    }

    /// The tally of both together. Combine in the order of the parts, so that rounded sums
    /// are the same from run to run.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        Self {
            aggregate: P::Aggregate::combine(self.aggregate, other.aggregate),
            halted: self.halted && other.halted,
            cancelled: self.cancelled || other.cancelled,
        }
    }
}

impl<P: Program> Clone for Tally<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Program> Copy for Tally<P> {}

impl<P: Program> fmt::Debug for Tally<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally")
            .field("halted", &self.halted)
            .field("cancelled", &self.cancelled)
            .finish_non_exhaustive()
    }
}

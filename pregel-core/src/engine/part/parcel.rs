//! What travels between parts.

use std::fmt;

use crate::program::{Monoid, Program, VertexId};

/// Messages by target, or signals by sender, as two columns of the same length. Vertices
/// ascend. Plain data, which can be copied byte by byte.
///
/// An empty parcel has to be carried too: it tells the receiver that nothing else will come.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parcel<T> {
    /// The part that it comes from.
    pub from: u32,
    /// The superstep after which it was taken.
    pub superstep: u32,
    /// The vertices.
    pub vertices: Vec<VertexId>,
    /// A value for each of them.
    pub values: Vec<T>,
}

impl<T> Parcel<T> {
    /// A parcel from part `from` after this superstep, with these columns, which must have
    /// the same length.
    pub fn new(from: u32, superstep: u32, vertices: Vec<VertexId>, values: Vec<T>) -> Self {
        Self { from, superstep, vertices, values }
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

/// What parts have to know about each other after a superstep, for one part or several.
#[non_exhaustive]
pub struct Tally<P: Program> {
    /// The superstep.
    pub superstep: u32,
    /// How many parts this is about; 0 if their supersteps differed.
    pub parts: u32,
    /// What the vertices contributed to the aggregate of the superstep.
    pub aggregate: <P::Aggregate as Monoid>::Value,
    /// Whether all vertices halted.
    pub halted: bool,
    /// Whether an observer cancelled the run.
    pub cancelled: bool,
}

impl<P: Program> Tally<P> {
    /// The tally of one part, with what its vertices contributed in this superstep. They have
    /// not halted, and no observer cancelled the run.
    pub fn new(superstep: u32, aggregate: <P::Aggregate as Monoid>::Value) -> Self {
        Self { superstep, parts: 1, aggregate, halted: false, cancelled: false }
    }

    /// The tally of both together. Combine in the order of the parts, so that rounded sums
    /// are the same from run to run.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        let same = self.superstep == other.superstep;
        Self {
            superstep: self.superstep,
            parts: if same { self.parts.saturating_add(other.parts) } else { 0 },
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
            .field("superstep", &self.superstep)
            .field("parts", &self.parts)
            .field("halted", &self.halted)
            .field("cancelled", &self.cancelled)
            .finish_non_exhaustive()
    }
}

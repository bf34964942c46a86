//! Splits a saved run into parts, and merges it again.

use super::{Part, Partition};
use crate::engine::{RunError, Saved};
use crate::program::Program;

impl<P: Program> Saved<P> {
    /// The share of one part in a run that was saved as a whole, for
    /// [`PartSession::resume`](super::PartSession::resume). O(V).
    #[must_use]
    pub fn share(&self, part: &Part) -> Self {
        Self {
            superstep: self.superstep,
            states: part.pick(&self.states),
            votes: part.pick(&self.votes),
            aggregate: self.aggregate,
            seen: self.seen,
        }
    }

    /// Merges what the parts of a run saved, in the order of the parts, into a run that any
    /// engine can resume, as a whole or in other parts. O(V).
    ///
    /// # Errors
    /// [`RunError::Parts`] unless these are all parts of the partition, saved after the same
    /// superstep.
    pub fn merge(partition: &Partition, parts: &[Self]) -> Result<Self, RunError> {
        let Some(first) = parts.first().filter(|_| parts.len() == partition.count() as usize)
        else {
            return Err(RunError::Parts("the number of saved runs is not the number of parts"));
        };
        if parts.iter().any(|part| part.superstep != first.superstep) {
            return Err(RunError::Parts("the parts were saved after different supersteps"));
        }
        let states: Vec<&[P::State]> = parts.iter().map(|part| &part.states[..]).collect();
        let votes: Vec<_> = parts.iter().map(|part| &part.votes[..]).collect();
        Ok(Self {
            superstep: first.superstep,
            states: partition.join(&states)?,
            votes: partition.join(&votes)?,
            aggregate: first.aggregate,
            seen: first.seen,
        })
    }
}

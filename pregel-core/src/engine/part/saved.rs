//! Saved runs of parts, and of the whole that they make up.

use super::{Part, Partition};
use crate::engine::{RunError, Saved};
use crate::program::Program;

impl<P: Program> Saved<P> {
    /// The share of one part in a run that was saved whole: what
    /// [`PartSession::resume`](super::PartSession::resume) takes. O(V).
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

    /// Puts together what the parts of a run saved, in the order of the parts: a run that
    /// any engine resumes, whole or in other parts. O(V).
    ///
    /// # Errors
    /// [`RunError::Parts`] if they are not all the parts of this partition, saved after the
    /// same superstep.
    pub fn merge(partition: &Partition, parts: &[Self]) -> Result<Self, RunError> {
        let Some(first) = parts.first().filter(|_| parts.len() == partition.count() as usize)
        else {
            return Err(RunError::Parts("there are not as many saved runs as parts"));
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

//! Saves a run, and resumes one that was saved, here or on another engine.

use super::course::Course;
use super::session::GpuSession;
use crate::device::Counts;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::engine::run::verdict;
use crate::engine::{RunError, Saved};
use crate::graph::Graph;
use crate::program::{Direction, VertexCompute, VertexId, Vote};

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Copies what is needed to go on after superstep `superstep`, which is the last that
    /// ran. Waits.
    pub(super) fn save(
        &self,
        course: &Course<'_, P>,
        superstep: u32,
    ) -> Result<Saved<P>, RunError> {
        let n = self.graph.vertex_count() as usize;
        let vertex_at = self.core.placed.vertex_at.to_vec()?;
        let mut votes = vec![Vote::Halt; n];
        match &course.rounds {
            Some(rounds) => {
                let (push, lists) = self.strategies.lists()?;
                for place in rounds.pending(push, lists)? {
                    votes[vertex_at[place as usize] as usize] = Vote::Scatter;
                }
            }
            None => {
                let by_place = self.core.votes_of(course.superstep).to_vec()?;
                for (vote, vertex) in by_place.into_iter().zip(&vertex_at) {
                    votes[*vertex as usize] = Vote::from_bits(vote);
                }
            }
        }
        let states = self.core.states()?;
        let (aggregate, seen) = (course.aggregate, course.seen);
        Ok(Saved { superstep, states, votes, aggregate, seen })
    }

    /// Goes on where another run was saved: copies its states and votes to the device, with
    /// the signals that they stand for. Waits.
    pub(super) fn resume_from(
        &self,
        course: &mut Course<'_, P>,
        saved: &Saved<P>,
    ) -> Result<(), RunError> {
        let next = saved.superstep.saturating_add(1);
        (course.superstep, course.first) = (next, next);
        course.log.resume_after(saved.superstep);
        (course.aggregate, course.seen) = (saved.aggregate, saved.seen);
        course.counts = counts::<P>(self.graph, &saved.votes);
        course.stop = verdict(
            &course.program,
            &self.options,
            saved.superstep,
            &saved.aggregate,
            saved.halted(),
        );
        let vertex_at = self.core.placed.vertex_at.to_vec()?;
        let inputs = self.core.inputs_on_host(&course.inputs)?;
        let signals = saved.signals(&course.program, self.graph, &inputs, 0..);
        self.core.put(next, saved, &signals, &vertex_at).map_err(DeviceError::into)
    }
}

/// What happened in the superstep that was saved, as far as the next one depends on it.
fn counts<P: VertexCompute>(graph: &Graph<P::Edge>, votes: &[Vote]) -> Counts {
    let both = graph.directed() && P::DIRECTION == Direction::Both;
    let out = (P::DIRECTION != Direction::In || both).then(|| graph.out());
    let incoming = (P::DIRECTION == Direction::In || both).then(|| graph.incoming());
    let rows = out.into_iter().chain(incoming);
    let degree = |v: VertexId| rows.clone().map(|rows| rows.degree(v)).sum::<u64>();
    let mut counts = Counts::default();
    for (v, vote) in (0..).zip(votes) {
        counts.awake += u64::from(vote.awake());
        if vote.scatters() {
            counts.scattering += 1;
            counts.messages += degree(v);
        }
    }
    counts
}

//! Chooses how the next superstep, or several, run.

use super::course::Course;
use super::session::GpuSession;
use crate::device::{Aggregated, Counts};
use crate::engine::Strategy;
use crate::engine::gpu::runtime::Device;
use crate::program::{Delivery, VertexCompute};

/// What runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Superstep 0.
    Init,
    /// One superstep.
    Single(Strategy),
    /// A batch of this many pulls.
    Batch(u32),
    /// Supersteps with small frontiers, in one launch.
    Resident,
    /// Rounds by priority, to the end of the run.
    Rounds,
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Chooses what runs next.
    pub(super) fn choose(&self, course: &mut Course<'_, P>) -> Next {
        let before = course.counts;
        if course.superstep == 0 {
            return Next::Init;
        }
        let begins = course.superstep == course.first && before.awake == 0;
        if course.by_priority && (course.rounds.is_some() || begins) {
            return Next::Rounds;
        }
        if course.small_streak >= course.streak_threshold && self.is_small(&before) {
            return Next::Resident;
        }
        let strategy = match self.strategy {
            Strategy::Auto => self.planner.hosted(before.messages),
            strategy => strategy,
        };
        if strategy != Strategy::Pull || !P::Combiner::COMBINES {
            return Next::Single(strategy);
        }
        // If every vertex scattered, every vertex is likely to scatter again, so that pulls
        // can be queued ahead. But an observer is told of each superstep before the next.
        if self.core.everyone(&before) && self.options.observer.is_none() {
            return Next::Batch(course.batch.take(self.wanted(course)));
        }
        // A batch of one adds the aggregate up in the same order as larger batches do, so
        // that the sum does not depend on the size of batches.
        if size_of::<Aggregated<P>>() > 0 { Next::Batch(1) } else { Next::Single(strategy) }
    }

    /// Whether the next superstep can be resident, and its frontier is small enough for
    /// that to pay.
    pub(super) fn is_small(&self, before: &Counts) -> bool {
        self.modes.supersteps && before.awake == 0 && before.messages <= self.planner.most_edges()
    }
}

//! Which way the next superstep goes.

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
    /// Pulls, queued one behind the other; this many.
    Batch(u32),
    /// Supersteps of small frontiers, in one launch.
    Resident,
    /// Rounds by priority, to the end.
    Rounds,
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// What runs next.
    pub(super) fn choose(&self, course: &mut Course<'_, P>) -> Next {
        let before = course.counts;
        if course.superstep == 0 {
            return Next::Init;
        }
        if course.by_priority && course.superstep == 1 && before.awake == 0 {
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
        // Supersteps are likely to be as the one before if every vertex scatters, and
        // pulls; but an observer hears of one before the next begins.
        if self.core.everyone(&before) && self.options.observer.is_none() {
            let left = self.left(course.superstep).unwrap_or(u32::MAX);
            return Next::Batch(course.batch.take(left));
        }
        // One by itself has its aggregate added up in the same order as those of a batch.
        if size_of::<Aggregated<P>>() > 0 { Next::Batch(1) } else { Next::Single(strategy) }
    }

    /// Whether the next superstep can run without the host, and is small enough
    /// to be worth it.
    pub(super) fn is_small(&self, before: &Counts) -> bool {
        self.modes.supersteps && before.awake == 0 && before.messages <= self.planner.most_edges()
    }
}

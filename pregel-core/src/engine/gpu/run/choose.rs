//! Chooses how the next superstep, or several, run.

use super::course::Course;
use super::pull::Pull;
use super::session::GpuSession;
use crate::device::{Aggregated, Counts};
use crate::engine::Strategy;
use crate::engine::gpu::policy::Hosted;
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

impl Next {
    /// What profilers and recordings call it if it begins with this superstep.
    pub(super) fn name(self, superstep: u32) -> String {
        match self {
            Self::Init => format!("superstep {superstep}"),
            Self::Single(strategy) => format!("superstep {superstep}: {}", strategy.name()),
            Self::Batch(1) => format!("superstep {superstep}: pull"),
            Self::Batch(queued) => {
                let last = superstep.saturating_add(queued - 1);
                format!("supersteps {superstep} to {last}: pull")
            }
            Self::Resident => format!("supersteps from {superstep} on: resident"),
            Self::Rounds => format!("rounds from {superstep} on"),
        }
    }
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Chooses what runs next.
    pub(super) fn choose(&self, course: &mut Course<'_, P>) -> Next {
        let before = course.counts;
        if course.superstep == 0 {
            return Next::Init;
        }
        let begins = course.patience.map_or(course.superstep == course.first, |left| left == 0);
        if course.by_priority && (course.rounds.is_some() || begins && before.awake == 0) {
            return Next::Rounds;
        }
        if self.stays(course) {
            return Next::Resident;
        }
        let strategy = match (course.hosted, self.strategy) {
            (Hosted::All { strategy, .. }, _) => strategy,
            (_, Strategy::Auto) => self.planner.hosted(course.last_pull, before.messages),
            (_, strategy) => strategy,
        };
        if strategy != Strategy::Pull || !P::Combiner::COMBINES {
            return Next::Single(strategy);
        }
        // If every vertex scattered, every vertex is likely to scatter again, so that pulls
        // can be queued ahead. But an observer is told of each superstep before the next.
        if self.core.everyone(&before) && self.options.observer.is_none() {
            let pull = self.strategies.pull.as_ref();
            let length = pull.and_then(Pull::batch_length);
            return Next::Batch(course.batch.take(self.wanted(course), length));
        }
        // A batch of one adds the aggregate up in the same order as larger batches do, so
        // that the sum does not depend on the size of batches.
        if size_of::<Aggregated<P>>() > 0 { Next::Batch(1) } else { Next::Single(strategy) }
    }

    /// Whether the next superstep is resident.
    fn stays(&self, course: &Course<'_, P>) -> bool {
        let (before, planner) = (&course.counts, &self.planner);
        // Rounds that are about to begin need the lists of resident launches.
        if !course.may_stay || before.awake > 0 || course.patience.is_some() {
            return false;
        }
        // A search of a small graph begins, rather than a program that starts everywhere.
        let begins = course.superstep == course.first;
        let is_search = 2 * before.messages <= self.core.placed.shape.edges;
        if begins && is_search && planner.small_graph() {
            return true;
        }
        self.is_small(before)
            && planner.starts_resident(before.messages, course.superstep, course.small_streak)
    }

    /// Whether the next superstep can be resident, and its frontier is small enough for
    /// that to pay.
    pub(super) fn is_small(&self, before: &Counts) -> bool {
        before.awake == 0 && before.messages <= self.planner.most_edges()
    }
}

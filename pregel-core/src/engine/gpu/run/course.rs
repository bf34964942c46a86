//! The course of a run: its state between supersteps, and the account of those that ran.

use std::ops::ControlFlow;
use std::time::Duration;

use super::batch::BatchSize;
use super::session::GpuSession;
use super::totals::Ended;
use crate::device::{Aggregated, Counts, Run};
use crate::engine::gpu::policy::{Taken, Way};
use crate::engine::gpu::runtime::Device;
use crate::engine::{Log, RunOptions, StopReason, Strategy, SuperstepReport};
use crate::program::{Monoid, VertexCompute, Zeroable};

/// A run between two supersteps.
pub(super) struct Course<'a, P: VertexCompute> {
    pub(super) program: &'a P,
    pub(super) inputs: &'a [P::Input],
    /// The arguments that all kernels take.
    pub(super) run: Run<P>,
    /// The next superstep.
    pub(super) superstep: u32,
    /// The counts of the last superstep.
    pub(super) counts: Counts,
    /// The aggregate of the last superstep.
    pub(super) aggregate: Aggregated<P>,
    /// Whether the program has priorities.
    pub(super) has_priority: bool,
    /// Whether the run may use rounds by priority.
    pub(super) by_priority: bool,
    /// Consecutive small frontiers so far.
    pub(super) small_streak: u32,
    /// Consecutive small frontiers before supersteps become resident.
    pub(super) streak_threshold: u32,
    pub(super) batch: BatchSize,
    /// The width of the near list, once it is known.
    pub(super) delta: Option<f32>,
    /// Copies between host and device.
    pub(super) copies: u64,
    pub(super) log: Log,
}

impl<'a, P: VertexCompute> Course<'a, P> {
    /// A run that has not begun.
    pub(super) fn new(
        run: Run<P>,
        program: &'a P,
        inputs: &'a [P::Input],
        options: &RunOptions,
    ) -> Self {
        Self {
            program,
            inputs,
            run,
            superstep: 0,
            counts: Counts::default(),
            aggregate: P::Aggregate::identity(),
            has_priority: program.priority(&P::State::zeroed()).is_some(),
            by_priority: false,
            small_streak: 0,
            streak_threshold: u32::MAX,
            batch: BatchSize::new(),
            delta: None,
            copies: 0,
            log: Log::new(options),
        }
    }
}

/// Supersteps that ran in the same batch or launch.
pub(super) struct Done<P: VertexCompute> {
    strategy: Strategy,
    way: Way,
    /// The result of each.
    pub(super) steps: Vec<Ended<P>>,
    /// The time of all together.
    time: Duration,
    /// Copies between host and device.
    copies: u64,
    /// Why the run ends, if that is known already.
    pub(super) stop: Option<StopReason>,
}

impl<P: VertexCompute> Done<P> {
    /// Supersteps that the host launched.
    pub(super) fn hosted(
        strategy: Strategy,
        way: Way,
        steps: Vec<Ended<P>>,
        time: Duration,
    ) -> Self {
        Self { strategy, way, steps, time, copies: 1, stop: None }
    }

    /// Supersteps or rounds of a resident launch.
    pub(super) fn resident(way: Way, trace: Vec<Counts>, time: Duration, copies: u64) -> Self {
        let aggregate = P::Aggregate::identity();
        let steps = trace.into_iter().map(|counts| Ended { counts, aggregate }).collect();
        Self { strategy: Strategy::Push, way, steps, time, copies, stop: None }
    }

    /// No superstep: the run ends.
    pub(super) fn nothing(stop: StopReason) -> Self {
        let (strategy, way, time) = (Strategy::Push, Way::Round, Duration::ZERO);
        Self { strategy, way, steps: Vec::new(), time, copies: 0, stop: Some(stop) }
    }

    /// The average time of a superstep.
    pub(super) fn each(&self) -> Duration {
        self.time / (self.steps.len() as u32).max(1)
    }
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Reports the supersteps that ran, and moves the course on to the next. Returns why
    /// the run ends, if it does.
    pub(super) fn account(&self, course: &mut Course<'_, P>, done: Done<P>) -> Option<StopReason> {
        let (time, together) = (done.each(), done.steps.len() as u32);
        let way = done.way;
        course.copies += done.copies;
        for Ended { counts, aggregate } in done.steps {
            // The counts of a round include the messages that it sent; a superstep sends
            // those that the one before counted.
            let messages = if way == Way::Round { counts.messages } else { course.counts.messages };
            let predicts = !matches!(way, Way::Init | Way::Mailbox | Way::Medusa | Way::Round);
            let predicted = predicts.then(|| self.planner.predict(messages));
            let step = SuperstepReport {
                superstep: course.superstep,
                active: counts.active,
                messages,
                strategy: done.strategy,
                time,
                taken: Some(Taken { way, together, predicted }),
            };
            (course.counts, course.aggregate) = (counts, aggregate);
            course.superstep += 1;
            if course.log.step(step) == ControlFlow::Break(()) {
                return Some(StopReason::Cancelled);
            }
        }
        if done.stop.is_some() {
            return done.stop;
        }
        let last = course.superstep - 1;
        let hosted = way != Way::Resident;
        if hosted && last > 0 && course.program.converged(&course.aggregate) {
            return Some(StopReason::Converged);
        }
        if course.counts.scattering == 0 && course.counts.awake == 0 {
            return Some(StopReason::Halted);
        }
        if self.options.max_supersteps == Some(last) {
            return Some(StopReason::Limit);
        }
        if hosted {
            course.small_streak =
                if self.is_small(&course.counts) { course.small_streak + 1 } else { 0 };
        }
        None
    }
}

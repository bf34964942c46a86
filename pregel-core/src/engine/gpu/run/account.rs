//! Accounts for the supersteps that ran, and decides whether the run ends.

use std::ops::ControlFlow;

use super::course::{Course, Done};
use super::session::GpuSession;
use super::totals::Ended;
use crate::engine::gpu::policy::{Explanation, Hosted, Resident, Rounds, Taken, Way, WhyNot};
use crate::engine::gpu::runtime::Device;
use crate::engine::run::verdict;
use crate::engine::{Report, StopReason, SuperstepReport};
use crate::program::VertexCompute;

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Reports the supersteps that ran, and moves the course on to the next. Returns why
    /// the run ends, if it does.
    pub(super) fn account(&self, course: &mut Course<'_, P>, done: Done<P>) -> Option<StopReason> {
        let (stop, way, ran) = (done.stop, done.way, done.steps.len() as u32);
        if self.record(course, done) == ControlFlow::Break(()) {
            return Some(StopReason::Cancelled);
        }
        let last = course.superstep - 1;
        // Rounds end when nothing waits to be sent, which their counts do not say.
        if stop.is_some() || way == Way::Round {
            let limit = (last >= self.options.last_superstep()).then_some(StopReason::Limit);
            return stop.or(limit);
        }
        // Only programs whose aggregate never changes have resident launches, and those that
        // converge have none.
        let halted = course.counts.scattering == 0 && course.counts.awake == 0;
        let stop = verdict(&course.program, &self.options, last, &course.aggregate, halted);
        if stop.is_some() {
            return stop;
        }
        let small = self.is_small(&course.counts);
        course.small_streak = if small { course.small_streak.saturating_add(ran) } else { 0 };
        None
    }

    /// Reports the supersteps that ran, and moves the course on to the next; `Break` if the
    /// observer cancels the run.
    pub(super) fn record(&self, course: &mut Course<'_, P>, done: Done<P>) -> ControlFlow<()> {
        let (time, together) = (done.each(), done.steps.len() as u32);
        let way = done.way;
        course.copies += done.copies;
        for Ended { counts, aggregate } in done.steps {
            // The counts of a round include the messages that it sent; a superstep sends
            // those that the one before counted.
            let messages = if way == Way::Round { counts.messages } else { course.counts.messages };
            let predicts = !matches!(way, Way::Init | Way::Mailbox | Way::Medusa | Way::Round);
            let last = course.last_pull;
            let predicted = predicts.then(|| self.planner.predict_after(last, messages));
            let step = SuperstepReport {
                superstep: course.superstep,
                active: counts.active,
                messages,
                strategy: done.strategy,
                in_place: way == Way::Round,
                time,
                taken: Some(Taken { way, together, predicted }),
            };
            if let Some(left) = &mut course.patience {
                *left = left.saturating_sub(messages);
            }
            course.seen = std::mem::replace(&mut course.aggregate, aggregate);
            course.counts = counts;
            course.superstep += 1;
            course.log.step(step)?;
        }
        let pulls_on = matches!(course.hosted, Hosted::PullOn { .. });
        course.last_pull = (pulls_on && way == Way::Pull && together == 1).then_some(time);
        ControlFlow::Continue(())
    }

    /// Ends a run: returns its report, and explains what it chose.
    pub(super) fn finish(
        &self,
        course: Course<'_, P>,
        stop: StopReason,
    ) -> (Report, Option<Explanation>) {
        let Course { rounds, has_priority, by_priority, why_steps, resident, hosted, log, .. } =
            course;
        let (delta, grown) = rounds.map_or((None, None), |rounds| (rounds.delta, rounds.grown));
        let report = log.finish("cuda", stop);
        let mut explanation = self.report.explanation.clone();
        if let Some(explanation) = &mut explanation {
            let second = report.steps.get(1).and_then(|step| step.taken);
            // A run that ends with superstep 0 leaves the rounds as planned.
            let plain = delta.is_none() && second.is_some_and(|taken| taken.way != Way::Round);
            explanation.rounds = match why_steps.map_or(explanation.rounds, Rounds::None) {
                Rounds::Taken { .. }
                | Rounds::None(WhyNot::FewEdges { .. } | WhyNot::Shallow { .. })
                    if !has_priority =>
                {
                    Rounds::None(WhyNot::NoPriority)
                }
                Rounds::None(_) if delta.is_some() => Rounds::Taken { delta, grown, given: false },
                Rounds::Taken { .. } if !by_priority => Rounds::None(WhyNot::Converges),
                Rounds::Taken { .. } if plain => Rounds::None(WhyNot::Awake),
                Rounds::Taken { given, .. } => Rounds::Taken { delta, grown, given },
                none => none,
            };
            explanation.resident = resident.unwrap_or(explanation.resident);
            explanation.hosted = hosted;
            let rounds = matches!(explanation.rounds, Rounds::Taken { .. });
            if rounds && !matches!(explanation.resident, Resident::None(_)) {
                explanation.resident = Resident::None(WhyNot::Rounds);
            }
            if let Some(pull) = &self.strategies.pull {
                explanation.bins = pull.bins.explain();
                explanation.hot = pull.hot.explain();
            }
        }
        (report, explanation)
    }
}

//! A run that is advanced, and finished.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::core::Core;
use super::course::Course;
use super::route::{close, pulls_on};
use super::session::GpuSession;
use crate::engine::gpu::Gpu;
use crate::engine::gpu::policy::{DeviceReport, Hosted, Way};
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::engine::{
    KeptOutcome, Outcome, Progress, Run, RunError, Saved, StopReason, SuperstepReport,
};
use crate::program::VertexCompute;

/// A run of the [`Gpu`](crate::engine::gpu::Gpu) engine.
pub struct GpuRun<'r, 'g, D: Device, P: VertexCompute> {
    pub(super) session: &'r mut GpuSession<'g, D, P>,
    pub(super) course: Course<'r, P>,
}

impl<D: Device, P: VertexCompute> GpuRun<'_, '_, D, P> {
    /// The last superstep that ran.
    fn last(&self) -> Option<u32> {
        self.course.superstep.checked_sub(1)
    }

    /// Runs to superstep `course.until`, or to the end.
    fn go_on(&mut self) -> Result<(), RunError> {
        let Self { session, course } = self;
        while course.stop.is_none() && course.superstep <= course.until {
            if session.options.cancelled() {
                return Err(RunError::Cancelled { superstep: course.superstep });
            }
            let (next, start) = (session.choose(course), Instant::now());
            let device = Arc::clone(session.core.tools.device());
            let part = device.part(|| next.name(course.superstep));
            let done = session.execute(next, course)?;
            drop(part);
            course.pace.learn(done.steps.len(), start.elapsed());
            course.stop = session.account(course, done);
        }
        Ok(())
    }
}

impl<D: Device, P: VertexCompute> Run<P> for GpuRun<'_, '_, D, P> {
    type Engine = Gpu<D>;

    fn advance(&mut self, at_most: u32) -> Result<Progress, RunError> {
        if let Some(more) = at_most.checked_sub(1) {
            self.course.until = self.course.superstep.saturating_add(more);
            self.course.log.start_clock();
            self.go_on()?;
            self.course.log.stop_clock();
        }
        Ok(Progress { superstep: self.last(), stop: self.course.stop })
    }

    fn save(&self) -> Result<Saved<P>, RunError> {
        let superstep = self.last().ok_or(RunError::NotStarted)?;
        self.session.save(&self.course, superstep)
    }

    fn finish(self) -> Result<Outcome<P>, RunError> {
        self.end(|core| core.states())
    }

    fn keep(self) -> Result<KeptOutcome<Gpu<D>, P>, RunError> {
        self.end(Core::keep)
    }
}

impl<D: Device, P: VertexCompute> GpuRun<'_, '_, D, P> {
    /// Ends the run. `take` takes the states.
    fn end<S>(
        self,
        take: impl FnOnce(&mut Core<D, P>) -> Result<S, DeviceError>,
    ) -> Result<Outcome<P, S>, RunError> {
        if self.last().is_none() {
            return Err(RunError::NotStarted);
        }
        let Self { session, course } = self;
        let launches = session.core.launches() - course.launched - session.preparation_launches;
        let (aggregate, copies) = (course.aggregate, course.copies);
        let stop = course.stop.unwrap_or(StopReason::Stopped);
        let (compared, is_whole) = (course.compared, stop == StopReason::Halted);
        let is_planned = course.resident.is_none();
        let chose_each = course.hosted == Hosted::AsPlanned;
        let (mut report, explanation) = session.finish(course, stop);
        if is_whole {
            session.trials.note(compared, report.messages, report.time);
        }
        let is_resident =
            |step: &SuperstepReport| step.taken.is_some_and(|taken| taken.way == Way::Resident);
        let has_stayed = report.steps.iter().any(is_resident);
        session.has_stayed |= is_planned && has_stayed;
        if chose_each {
            session.close = close(&report.steps);
            if !has_stayed {
                session.close_hosted = session.close;
            }
            session.pulls_on |= pulls_on(&session.planner, &report.steps);
        }
        if session.options.totals_only {
            report.steps = Vec::new();
        }
        let start = Instant::now();
        let device = Arc::clone(session.core.tools.device());
        let part = device.part(|| "take the result".into());
        let states = take(&mut session.core)?;
        drop(part);
        let download_time = start.elapsed();
        report.prepare_time = session.prepare_time;
        let device = session.report.clone();
        let device = DeviceReport { download_time, launches, copies, explanation, ..device };
        report.device = Some(Arc::new(device));
        session.failed = false;
        Ok(Outcome { states, aggregate, report })
    }
}

impl<D: Device, P: VertexCompute> fmt::Debug for GpuRun<'_, '_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuRun")
            .field("session", &self.session)
            .field("last", &self.last())
            .field("stop", &self.course.stop)
            .finish_non_exhaustive()
    }
}

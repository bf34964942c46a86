//! Runs the supersteps that were chosen.

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use super::choose::Next;
use super::course::{Course, Done};
use super::push::{self, Push};
use super::rounds::{self, COPIES, Rounds};
use super::session::GpuSession;
use super::strategies::missing;
use super::totals::Ended;
use super::{batch, resident, worklist};
use crate::device::kernels::Set;
use crate::device::{Batched, Counts};
use crate::engine::gpu::policy::{Way, WhyNot};
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::engine::{RunError, StopReason, Strategy};
use crate::program::VertexCompute;

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Runs what was chosen, and returns the results.
    pub(super) fn execute(
        &mut self,
        next: Next,
        course: &mut Course<'_, P>,
    ) -> Result<Done<P>, RunError> {
        // Only a single superstep leaves vertices out, and keeps account of their votes; and only
        // it needs counts that are cleared.
        if !matches!(next, Next::Single(_)) {
            (course.still, course.cleared) = ([false; 2], false);
        }
        match next {
            Next::Init => self.init(course),
            Next::Single(Strategy::Push) => self.push(course),
            Next::Single(strategy) => self.single(course, strategy),
            Next::Batch(queued) => self.batch(course, queued),
            Next::Resident => self.resident(course),
            Next::Rounds => self.rounds(course),
        }
    }

    fn init(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        let start = Instant::now();
        self.core.memory.totals.clear()?;
        self.core.init(&mut course.run)?;
        let ended = self.end(course)?;
        Ok(Done::hosted(Strategy::Pull, Way::Init, vec![ended], start.elapsed()))
    }

    fn single(
        &mut self,
        course: &mut Course<'_, P>,
        strategy: Strategy,
    ) -> Result<Done<P>, RunError> {
        let (core, start) = (&self.core, Instant::now());
        core.turn(&mut course.run, course.superstep, &course.counts);
        self.leave_out(course)?;
        self.clear(course)?;
        let everyone = course.run.step.everyone != 0;
        let way = match (&self.strategies.pull, &self.strategies.buffered) {
            (Some(pull), _) => pull.queue(core, &mut course.run, Batched::ALONE)?,
            (None, Some(buffered)) => buffered.queue(core, &mut course.run)?,
            (None, None) => return Err(missing("a strategy")),
        };
        let ended = self.end(course)?;
        let took = start.elapsed();
        if let Some(pull) = self.strategies.pull.as_mut().filter(|_| everyone) {
            pull.learn(way, 1, took);
        }
        Ok(Done::hosted(strategy, way, vec![ended], took))
    }

    fn push(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        self.lay_out(course, &[push::SET])?;
        let (core, start) = (&self.core, Instant::now());
        let push = self.strategies.push.as_ref().ok_or_else(|| missing("rows to push along"))?;
        core.turn(&mut course.run, course.superstep, &course.counts);
        let senders = self.leave_out(course)?;
        self.clear(course)?;
        push.queue(core, &mut course.run, &course.counts, senders)?;
        let ended = self.end(course)?;
        Ok(Done::hosted(Strategy::Push, Way::Push, vec![ended], start.elapsed()))
    }

    /// Queues clearing the counts, unless the end of the superstep before has.
    fn clear(&self, course: &mut Course<'_, P>) -> Result<(), DeviceError> {
        if mem::take(&mut course.cleared) { Ok(()) } else { self.core.memory.totals.clear() }
    }

    /// Waits for a superstep, and clears the counts for the next.
    fn end(&self, course: &mut Course<'_, P>) -> Result<Ended<P>, DeviceError> {
        let ended = self.core.end(&course.run)?;
        course.cleared = true;
        Ok(ended)
    }

    /// Leaves out the vertices that no message reaches, the last ones, if none of them is awake:
    /// of a power law's vertices that is often half. Returns how many places may have senders.
    fn leave_out(&self, course: &mut Course<'_, P>) -> Result<u32, DeviceError> {
        let all = self.core.placed.shape.vertices;
        let reached = self.strategies.pull.as_ref().map_or(all, |pull| pull.reached(&self.core));
        let reached = if self.planner.leaves_out(all - reached) { reached } else { all };
        let (next, now) = (course.superstep as usize % 2, (course.superstep as usize + 1) % 2);
        let senders = if course.still[now] { reached } else { all };
        let everyone = course.run.step.everyone != 0;
        if reached == all || everyone || course.counts.awake > 0 {
            course.still[next] = false;
            return Ok(senders);
        }
        if !course.still[next] {
            let rest = u64::from(reached)..u64::from(all);
            self.core.votes_of(course.superstep + 1).fill_range(rest, 0)?;
            course.still[next] = true;
        }
        course.run.step.places = reached;
        Ok(senders)
    }

    fn batch(&mut self, course: &mut Course<'_, P>, queued: u32) -> Result<Done<P>, RunError> {
        if queued > 1 {
            self.cut(course)?;
        }
        let start = Instant::now();
        let pull = self.strategies.pull.as_mut().ok_or_else(|| missing("columns to pull from"))?;
        let (superstep, before) = (course.superstep, course.counts);
        let (ended, way) =
            batch::run(&self.core, pull, &mut course.run, superstep, &before, queued)?;
        let done = Done::hosted(Strategy::Pull, way, ended, start.elapsed());
        if self.core.everyone(&before) {
            pull.learn(way, done.steps.len() as u32, done.each());
        }
        Ok(done)
    }

    fn resident(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        self.lay_out(course, &[resident::SET])?;
        let (push, lists) = self.strategies.lists()?;
        let start = Instant::now();
        self.core.turn(&mut course.run, course.superstep, &course.counts);
        let most = self.wanted(course);
        let trace = resident::run(&self.core, push, lists, &self.planner, &course.run, most)?;
        Ok(Done::resident(Way::Resident, trace, start.elapsed(), worklist::COPIES))
    }

    fn rounds(&mut self, course: &mut Course<'_, P>) -> Result<Done<P>, RunError> {
        course.why_steps = None;
        self.lay_out(course, &[rounds::set(&self.planner)])?;
        let (push, lists) = self.strategies.lists()?;
        let (start, most) = (Instant::now(), self.wanted(course));
        let mut copies = 0;
        let mut rounds = match course.rounds.take() {
            Some(rounds) => rounds,
            None => {
                self.core.turn(&mut course.run, course.superstep, &Counts::default());
                let (program, inputs, delta) =
                    (&course.program, &*course.inputs, self.options.delta);
                let everywhere = course.patience.is_some();
                let given = rounds::Given { program, graph: self.graph, inputs, delta, everywhere };
                let (core, planner, run) = (&self.core, &self.planner, &course.run);
                let (rounds, first) =
                    Rounds::begin(core, push, lists, planner, run, &given, &mut self.sampled)?;
                copies += first;
                if let Some(why) = self.why_steps().filter(|_| !course.insists_on_rounds) {
                    course.copies += copies;
                    return self.go_by_steps(course, why);
                }
                rounds
            }
        };
        let run = &course.run;
        let trace = rounds.launch(&self.core, push, lists, &self.planner, run, most)?;
        let mut done = Done::resident(Way::Round, trace, start.elapsed(), copies + COPIES);
        done.stop = rounds.done.then_some(StopReason::Halted);
        course.rounds = Some(rounds);
        Ok(done)
    }

    /// Goes on in plain supersteps although rounds have begun, before any was launched.
    fn go_by_steps(
        &mut self,
        course: &mut Course<'_, P>,
        why: WhyNot,
    ) -> Result<Done<P>, RunError> {
        course.by_steps(why);
        let mut sets = self.sets(false);
        sets.push(push::SET);
        course.log.set_aside(self.load(&[], &sets)?);
        let next = self.choose(course);
        self.execute(next, course)
    }

    /// Lays out the rows to push along, and loads the kernels for that and those of `sets`.
    /// Does nothing if the rows are laid out.
    fn lay_out(&mut self, course: &mut Course<'_, P>, sets: &[Set]) -> Result<(), RunError> {
        if self.strategies.push.as_ref().is_some_and(Push::is_laid_out) {
            return Ok(());
        }
        let device = Arc::clone(self.core.tools.device());
        let _part = device.part(|| "lay out rows to push along".into());
        course.log.set_aside(self.load(push::TOOLS, sets)?);
        let (start, launches) = (Instant::now(), self.core.tools.launches());
        if let Some(push) = &mut self.strategies.push {
            push.lay_out(&self.core)?;
        }
        device.wait()?;
        self.prepared_since(course, start, launches);
        Ok(())
    }

    /// Cuts the graph into bins, at most once, if that is expected to pay for a batch that
    /// begins with the next superstep.
    fn cut(&mut self, course: &mut Course<'_, P>) -> Result<(), RunError> {
        let (left, runs) = (self.left(course.superstep), self.options.expected_runs);
        let Some(pull) = &self.strategies.pull else { return Ok(()) };
        if !pull.bins.is_due(left, runs, self.planner.costs()) {
            return Ok(());
        }
        let device = Arc::clone(self.core.tools.device());
        let _part = device.part(|| "cut the graph into bins".into());
        let sets = pull.bins.sets();
        let tools = [sets, &[Set::Sums]].concat();
        course.log.set_aside(self.load(&tools, sets)?);
        let (start, launches) = (Instant::now(), self.core.tools.launches());
        // A later push must find the memory that was planned for it.
        let push = self.strategies.push.as_ref();
        let kept_free = push.map_or(Ok(0), |push| push.still_needed(&self.core))?;
        if let Some(pull) = &mut self.strategies.pull {
            pull.cut(&self.core, kept_free)?;
        }
        self.prepared_since(course, start, launches);
        Ok(())
    }

    /// Counts the time and the launches since this start as preparation, not as part of the
    /// run.
    fn prepared_since(&mut self, course: &mut Course<'_, P>, start: Instant, launches: u64) {
        let took = start.elapsed();
        course.log.set_aside(took);
        self.preparation_launches += self.core.tools.launches() - launches;
        self.report.preprocess_time += took;
        self.prepare_time += took;
    }

    /// How many supersteps the caller wants now, the next one included.
    pub(super) fn wanted(&self, course: &Course<'_, P>) -> u32 {
        let until = course.until.min(self.options.last_superstep());
        let left = until.saturating_sub(course.superstep).saturating_add(1);
        if self.options.cancel.is_some() { left.min(course.pace.at_most()) } else { left }
    }

    /// Supersteps before the limit, this one included.
    pub(super) fn left(&self, superstep: u32) -> Option<u32> {
        let limit = self.options.max_supersteps?;
        Some(limit.saturating_sub(superstep).saturating_add(1))
    }
}

//! Chooses the way that a run goes as a whole: in rounds by priority or in supersteps, and whether
//! these are resident.

use super::course::Course;
use super::session::GpuSession;
use crate::engine::gpu::policy::{ByPriority, Resident, WhyNot};
use crate::engine::gpu::runtime::Device;
use crate::engine::sampled::begins_everywhere;
use crate::program::VertexCompute;

/// Messages along each edge after which a program that begins everywhere goes by priority.
const PATIENCE: u64 = 4;

/// Another way to run a program than the planned one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    /// In rounds by priority.
    Rounds,
    /// In plain supersteps instead of such rounds.
    Steps,
    /// In resident launches from superstep 1 on.
    Staying,
    /// In supersteps each of which the host starts.
    Hosted,
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Decides whether the run goes by rounds, if it may, and whether it goes another way than
    /// planned.
    pub(super) fn choose_route(&mut self, course: &mut Course<'_, P>, may_have_rounds: bool) {
        if may_have_rounds {
            course.by_priority = !matches!(self.planner.by_priority(), ByPriority::Steps(_));
        }
        if course.by_priority
            && let Some(why) = self.why_steps()
        {
            (course.by_priority, course.why_steps) = (false, Some(why));
        }
        // Inputs that are on the device already are not known here.
        let knows_inputs = size_of::<P::Input>() == 0 || !course.inputs.is_empty();
        let has_choice = course.may_stay || may_have_rounds;
        let is_compared = has_choice && knows_inputs && !self.options.deterministic;
        let everywhere = (course.by_priority || is_compared)
            && begins_everywhere(&course.program, self.graph, &course.inputs);
        if everywhere && course.by_priority {
            self.be_patient(course);
        }
        let other = is_compared.then(|| self.other(course, may_have_rounds, everywhere)).flatten();
        let Some(other) = other else { return };
        let goes_other = self.trial.takes_other();
        course.goes_other = Some(goes_other);
        if goes_other {
            self.go(course, other);
        }
    }

    /// The way that is compared with what is planned for the run, if there is one.
    fn other(
        &self,
        course: &Course<'_, P>,
        may_have_rounds: bool,
        everywhere: bool,
    ) -> Option<Other> {
        if may_have_rounds && !everywhere && self.planner.rounds_are_open() {
            return Some(if course.by_priority { Other::Steps } else { Other::Rounds });
        }
        if course.patience.is_some() && !self.planner.at_once() {
            return Some(Other::Steps);
        }
        if !course.may_stay || course.by_priority {
            return None;
        }
        if !everywhere && self.planner.staying_is_open() {
            return Some(Other::Staying);
        }
        (self.has_stayed && !self.planner.always() && !self.planner.is_deep())
            .then_some(Other::Hosted)
    }

    /// Lets the run go another way than planned.
    fn go(&mut self, course: &mut Course<'_, P>, other: Other) {
        let medians = self.trial.medians().filter(|_| self.trial.kept().is_some());
        let times = medians.map(|times| times.map(|time| time.as_nanos() as u64));
        let why = times.map_or(WhyNot::Tried, |[with_ns, without_ns]| WhyNot::SlowerRuns {
            with_ns,
            without_ns,
        });
        match other {
            Other::Rounds => (course.by_priority, course.why_steps) = (true, None),
            Other::Steps => {
                (course.by_priority, course.patience) = (false, None);
                course.why_steps = Some(why);
            }
            Other::Staying => {
                self.planner = self.planned.staying();
                course.resident = Some(Resident::All);
            }
            Other::Hosted => {
                course.may_stay = false;
                course.resident = Some(Resident::None(why));
            }
        }
    }

    /// Why plain supersteps are faster than rounds, as far as an earlier run has found out.
    pub(super) fn why_steps(&self) -> Option<WhyNot> {
        self.sampled.and_then(|steps| steps.why_steps(self.planner.by_priority()))
    }

    /// Lets a program that begins everywhere take plain supersteps: to the end, or on a deep
    /// graph until most of what it sends is outdated later. None if the user asks for rounds.
    fn be_patient(&self, course: &mut Course<'_, P>) {
        if self.planner.at_once() {
            course.patience = Some(0);
            return;
        }
        course.why_steps = Some(WhyNot::Everyone);
        if self.planner.always() || !self.planner.is_deep() {
            course.by_priority = false;
        } else {
            course.patience = Some(PATIENCE * self.core.placed.shape.edges);
        }
    }
}

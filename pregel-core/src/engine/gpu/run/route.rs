//! Chooses the way that a run goes as a whole: in rounds by priority or in supersteps, whether
//! these are resident, and what else whole runs are compared for.

use super::course::Course;
use super::session::GpuSession;
use crate::engine::gpu::policy::{Advice, ByPriority, Hosted, Planner, Resident, Way, WhyNot};
use crate::engine::gpu::runtime::Device;
use crate::engine::sampled::begins_everywhere;
use crate::engine::{Strategy, SuperstepReport};
use crate::program::VertexCompute;

/// Messages along each edge after which a program that begins everywhere goes by priority.
const PATIENCE: u64 = 4;

/// A strategy for all supersteps may be the faster one if it is predicted to take at most this many
/// times as long as the choice for each.
const CLOSE: f64 = 1.25;

/// Another way to run a program than the planned one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// In rounds by priority.
    Rounds,
    /// In plain supersteps instead of such rounds.
    Steps,
    /// In resident launches from superstep 1 on.
    Staying,
    /// In such launches instead of rounds.
    StepsStaying,
    /// In supersteps each of which the host starts.
    Hosted,
    /// In such supersteps, all by one strategy.
    HostedAll(Strategy),
    /// With bins in the one superstep that can use them.
    Binned,
    /// By one strategy in all supersteps that the host starts.
    All(Strategy),
    /// With pulls after short pulls.
    PullOn,
}

/// What a run may do otherwise, in the order in which it is tried.
#[derive(Clone, Copy, Debug)]
enum Question {
    Rounds,
    Residency,
    /// The first or the second of the strategies that may be faster.
    HostedStrategy(usize),
    Bins,
    /// As for `HostedStrategy`.
    Strategy(usize),
    Pulls,
}

/// The strategies that might have been faster for all supersteps that the host started, if their
/// predictions are close: of those that would change something, first the one predicted to be
/// faster.
pub(super) fn close(steps: &[SuperstepReport]) -> [Option<Strategy>; 2] {
    let (mut pushed, mut pulled, mut best, mut pull, mut push) = (false, false, 0.0, 0.0, 0.0);
    for taken in steps.iter().filter_map(|step| step.taken) {
        let Some(predicted) = taken.predicted.filter(|_| taken.way != Way::Resident) else {
            continue;
        };
        let is_push = taken.way == Way::Push;
        (pushed, pulled) = (pushed || is_push, pulled || !is_push);
        best += predicted.pull_ns.min(predicted.push_ns);
        pull += predicted.pull_ns;
        push += predicted.push_ns;
    }
    let is_close = |changes: bool, all: f64| changes && all <= CLOSE * best;
    let all_pull = is_close(pushed, pull).then_some(Strategy::Pull);
    let all_push = is_close(pulled, push).then_some(Strategy::Push);
    if push < pull { [all_push, all_pull] } else { [all_pull, all_push] }
}

/// Whether a push came after a pull that took less time than pushing the messages is predicted to
/// take.
pub(super) fn pulls_on(planner: &Planner, steps: &[SuperstepReport]) -> bool {
    steps.windows(2).any(|pair| {
        let ways = [0, 1].map(|i| pair[i].taken.map(|taken| taken.way));
        ways == [Some(Way::Pull), Some(Way::Push)]
            && planner.hosted(Some(pair[0].time), pair[1].messages) == Strategy::Pull
    })
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
        let is_compared = knows_inputs && !self.options.deterministic;
        let has_choice = course.may_stay || may_have_rounds;
        let everywhere = (course.by_priority || is_compared && has_choice)
            && begins_everywhere(&course.program, self.graph, &course.inputs);
        if everywhere && course.by_priority {
            self.be_patient(course);
        }
        if is_compared {
            self.compare(course, may_have_rounds, everywhere);
        }
    }

    /// Lets the run go the ways that earlier runs have shown to be faster, and perhaps one that is
    /// still compared.
    fn compare(&mut self, course: &mut Course<'_, P>, may_have_rounds: bool, everywhere: bool) {
        for question in [
            Question::Rounds,
            Question::Residency,
            Question::HostedStrategy(0),
            Question::HostedStrategy(1),
            Question::Bins,
            Question::Strategy(0),
            Question::Strategy(1),
            Question::Pulls,
        ] {
            let other = match question {
                Question::Rounds => self.other_route(course, may_have_rounds, everywhere),
                Question::Residency => self.other_residency(course, everywhere),
                _ if course.by_priority => None,
                Question::HostedStrategy(which) => self.other_hosted(course, which),
                Question::Bins => self.bins_need_runs().then_some(Other::Binned),
                Question::Strategy(which) => self.other_strategy(course, which),
                Question::Pulls => self.other_pulls(course),
            };
            let Some(other) = other else { continue };
            let Advice { goes, kept, medians } = self.trials.of(other);
            let medians = medians.unwrap_or_default();
            let times_ns = kept.map(|_| medians.map(|time| time.as_nanos() as u64));
            if goes {
                self.go(course, other, times_ns);
            } else if other == Other::Binned {
                self.go_without_bins(course, times_ns);
            }
            if kept.is_none() {
                course.compared = Some((other, goes));
                return;
            }
        }
    }

    /// Rounds or supersteps, whichever are not planned, if they may be faster.
    fn other_route(
        &self,
        course: &Course<'_, P>,
        may_have_rounds: bool,
        everywhere: bool,
    ) -> Option<Other> {
        if may_have_rounds && !everywhere && self.planner.rounds_are_open() {
            return Some(if course.by_priority { Other::Steps } else { Other::Rounds });
        }
        (course.patience.is_some() && !self.planner.at_once()).then_some(Other::Steps)
    }

    /// More resident supersteps than planned, or none, if that may be faster. Rounds have been
    /// compared only with the supersteps that were planned.
    fn other_residency(&self, course: &Course<'_, P>, everywhere: bool) -> Option<Other> {
        if !course.may_stay {
            return None;
        }
        let may_stay_longer = !everywhere && self.planner.staying_is_open();
        if course.by_priority {
            let is_open = may_stay_longer && self.planner.rounds_are_open();
            return is_open.then_some(Other::StepsStaying);
        }
        if may_stay_longer {
            return Some(Other::Staying);
        }
        (self.has_stayed && !self.planner.always() && !self.planner.is_deep())
            .then_some(Other::Hosted)
    }

    /// One strategy for all supersteps, each started by the host, the first or the second that may
    /// be faster, if resident ones have won against those for which it was chosen each time.
    fn other_hosted(&self, course: &Course<'_, P>, which: usize) -> Option<Other> {
        let chooses = self.strategy == Strategy::Auto && course.may_stay;
        let stays = self.trials.kept(Other::Staying) == Some(true)
            || self.trials.kept(Other::Hosted) == Some(false);
        self.close_hosted[which].filter(|_| chooses && stays).map(Other::HostedAll)
    }

    /// Whether only a comparison of whole runs can tell if bins pay.
    fn bins_need_runs(&self) -> bool {
        let (runs, costs) = (self.options.expected_runs, self.planner.costs());
        self.strategies.pull.as_ref().is_some_and(|pull| pull.bins.need_runs(runs, costs))
    }

    /// One strategy for all supersteps, the first or the second that may be faster, if it is the
    /// engine that chooses and it has chosen none yet.
    fn other_strategy(&self, course: &Course<'_, P>, which: usize) -> Option<Other> {
        let chooses = self.strategy == Strategy::Auto && course.hosted == Hosted::AsPlanned;
        self.close[which].filter(|_| chooses).map(Other::All)
    }

    /// Pulls after short pulls, if an earlier run had a push there.
    fn other_pulls(&self, course: &Course<'_, P>) -> Option<Other> {
        let chooses = self.strategy == Strategy::Auto && course.hosted == Hosted::AsPlanned;
        (chooses && self.pulls_on).then_some(Other::PullOn)
    }

    /// Lets the run go another way than planned. `times_ns` are the times as planned and of the
    /// other way, once the trial is over.
    fn go(&mut self, course: &mut Course<'_, P>, other: Other, times_ns: Option<[u64; 2]>) {
        let why = times_ns.map_or(WhyNot::Tried, |[with_ns, without_ns]| WhyNot::SlowerRuns {
            with_ns,
            without_ns,
        });
        let swapped = times_ns.map(|[planned, other]| [other, planned]);
        match other {
            Other::Rounds => {
                (course.by_priority, course.why_steps) = (true, None);
                course.insists_on_rounds = true;
            }
            Other::Steps => course.by_steps(why),
            Other::Staying => self.stay(course),
            Other::StepsStaying => {
                course.by_steps(why);
                self.stay(course);
            }
            Other::Hosted => course.be_hosted(why),
            Other::HostedAll(strategy) => {
                self.planner = self.planned;
                course.be_hosted(why);
                course.hosted = Hosted::All { strategy, times_ns: swapped };
            }
            Other::All(strategy) => {
                course.hosted = Hosted::All { strategy, times_ns: swapped };
            }
            Other::PullOn => course.hosted = Hosted::PullOn { times_ns: swapped },
            Other::Binned => course.by_bins = Some(true),
        }
    }

    /// Keeps all supersteps from superstep 1 on resident.
    fn stay(&mut self, course: &mut Course<'_, P>) {
        self.planner = self.planned.staying();
        course.resident = Some(Resident::All);
    }

    /// Lets the run go without bins, and gives them up for good once runs with them have taken
    /// longer.
    fn go_without_bins(&mut self, course: &mut Course<'_, P>, times_ns: Option<[u64; 2]>) {
        course.by_bins = Some(false);
        if let Some([without_ns, with_ns]) = times_ns
            && let Some(pull) = &mut self.strategies.pull
        {
            pull.bins.give_up(WhyNot::SlowerRuns { with_ns, without_ns });
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::gpu::policy::{Predicted, Taken};

    /// How a superstep went, and how long a pull and a push were predicted to take.
    type Ran = (Way, f64, f64);

    fn step((way, pull_ns, push_ns): Ran) -> SuperstepReport {
        let predicted = Some(Predicted { pull_ns, push_ns, resident_ns: 0.0 });
        SuperstepReport {
            superstep: 1,
            active: 1,
            messages: 1,
            strategy: Strategy::Pull,
            in_place: false,
            time: Duration::ZERO,
            taken: Some(Taken { way, together: 1, predicted }),
        }
    }

    #[test]
    fn a_strategy_for_all_supersteps_is_tried_where_it_is_close_and_another() {
        let (pull, push) = (Way::Pull, Way::Push);
        let (all_pull, all_push) = (Some(Strategy::Pull), Some(Strategy::Push));
        let cases: [(&[Ran], [Option<Strategy>; 2]); 9] = [
            (&[], [None, None]),
            (&[(Way::Resident, 1.0, 1.0)], [None, None]),
            // The other one, if all were alike.
            (&[(pull, 8.0, 9.0), (pull, 8.0, 9.0)], [None, all_push]),
            (&[(push, 9.0, 8.0), (push, 9.0, 8.0)], [None, all_pull]),
            (&[(pull, 8.0, 11.0)], [None, None]),
            // First the one that is predicted to be faster, if both were used.
            (&[(push, 9.0, 8.0), (pull, 8.0, 11.0)], [all_pull, all_push]),
            (&[(push, 11.0, 8.0), (pull, 8.0, 9.0)], [all_push, all_pull]),
            (&[(push, 9.0, 8.0), (pull, 8.0, 30.0)], [all_pull, None]),
            (&[(push, 30.0, 8.0), (pull, 8.0, 30.0)], [None, None]),
        ];
        for (steps, expected) in cases {
            let steps: Vec<_> = steps.iter().copied().map(step).collect();
            assert_eq!(close(&steps), expected, "{steps:?}");
        }
    }
}

//! The course of a run: its state between supersteps, and the supersteps that ran last.

use std::borrow::Cow;
use std::time::Duration;

use super::batch::BatchSize;
use super::pace::Pace;
use super::rounds::Rounds;
use super::route::Other;
use super::totals::Ended;
use crate::device::{Aggregated, Counts, Run};
use crate::engine::gpu::policy::{Hosted, Resident, Way, WhyNot};
use crate::engine::{Log, RunOptions, StopReason, Strategy};
use crate::program::{Monoid, VertexCompute, Zeroable};

/// A run between two supersteps.
pub(super) struct Course<'a, P: VertexCompute> {
    pub(super) program: P,
    /// Empty if the inputs are on the device already.
    pub(super) inputs: Cow<'a, [P::Input]>,
    /// The arguments that all kernels take.
    pub(super) run: Run<P>,
    /// The next superstep.
    pub(super) superstep: u32,
    /// The counts of the last superstep.
    pub(super) counts: Counts,
    /// Of both arrays of votes, whether those of the vertices that no message reaches are known
    /// to be 0.
    pub(super) still: [bool; 2],
    /// Whether the counts are cleared for the next superstep.
    pub(super) cleared: bool,
    /// The last superstep that the caller wants now.
    pub(super) until: u32,
    /// The aggregate of the last superstep.
    pub(super) aggregate: Aggregated<P>,
    /// The aggregate of the superstep before, which vertices saw in the last one.
    pub(super) seen: Aggregated<P>,
    /// The first superstep with messages of this run.
    pub(super) first: u32,
    /// The rounds by priority, once they have begun.
    pub(super) rounds: Option<Rounds>,
    /// Why the run ended.
    pub(super) stop: Option<StopReason>,
    /// Kernels launched before the run.
    pub(super) launched: u64,
    /// Whether the program has priorities.
    pub(super) has_priority: bool,
    /// Whether the run may use rounds by priority.
    pub(super) by_priority: bool,
    /// Messages that plain supersteps may still send before rounds by priority begin; `None`
    /// if rounds begin with the first superstep, or not at all.
    pub(super) patience: Option<u64>,
    /// How long the last superstep took, if it was a pull on its own and the choice of the next
    /// depends on it.
    pub(super) last_pull: Option<Duration>,
    /// Consecutive small frontiers so far.
    pub(super) small_streak: u32,
    /// Whether supersteps may be resident.
    pub(super) may_stay: bool,
    /// Another way than planned that is compared with it, and whether the run goes that way;
    /// `None` if runs are not compared.
    pub(super) compared: Option<(Other, bool)>,
    /// Whether the run goes by rounds because they are tried, or were found faster.
    pub(super) insists_on_rounds: bool,
    /// How supersteps that the host starts run.
    pub(super) hosted: Hosted,
    /// Whether the run uses bins, if that is what is compared.
    pub(super) by_bins: Option<bool>,
    /// Which supersteps are resident, if that is not as planned.
    pub(super) resident: Option<Resident>,
    /// Why supersteps are plain although rounds by priority were planned.
    pub(super) why_steps: Option<WhyNot>,
    pub(super) batch: BatchSize,
    pub(super) pace: Pace,
    /// Copies between host and device.
    pub(super) copies: u64,
    pub(super) log: Log,
}

impl<'a, P: VertexCompute> Course<'a, P> {
    /// A run that has not begun.
    pub(super) fn new(
        run: Run<P>,
        program: P,
        inputs: Cow<'a, [P::Input]>,
        options: &RunOptions,
    ) -> Self {
        Self {
            program,
            inputs,
            run,
            superstep: 0,
            counts: Counts::default(),
            still: [false; 2],
            cleared: false,
            until: 0,
            aggregate: P::Aggregate::identity(),
            seen: P::Aggregate::identity(),
            first: 1,
            rounds: None,
            stop: None,
            launched: 0,
            has_priority: program.priority(&P::State::zeroed()).is_some(),
            by_priority: false,
            patience: None,
            last_pull: None,
            small_streak: 0,
            may_stay: false,
            compared: None,
            insists_on_rounds: false,
            hosted: Hosted::AsPlanned,
            by_bins: None,
            resident: None,
            why_steps: None,
            batch: BatchSize::new(),
            pace: Pace::default(),
            copies: 0,
            log: Log::new(options).keeping_steps(),
        }
    }

    /// Lets the host start each superstep although some were to be resident.
    pub(super) fn be_hosted(&mut self, why: WhyNot) {
        (self.may_stay, self.resident) = (false, Some(Resident::None(why)));
    }

    /// Takes plain supersteps although rounds by priority were planned.
    pub(super) fn by_steps(&mut self, why: WhyNot) {
        (self.by_priority, self.patience, self.why_steps) = (false, None, Some(why));
    }
}

/// Supersteps that ran in the same batch or launch.
pub(super) struct Done<P: VertexCompute> {
    pub(super) strategy: Strategy,
    pub(super) way: Way,
    /// The result of each.
    pub(super) steps: Vec<Ended<P>>,
    /// The time of all together.
    time: Duration,
    /// Copies between host and device.
    pub(super) copies: u64,
    /// Whether the run ends, if that is known already.
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

    /// The average time of a superstep.
    pub(super) fn each(&self) -> Duration {
        self.time / (self.steps.len() as u32).max(1)
    }
}

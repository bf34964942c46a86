//! What a session says of its choices.

use super::super::costs::Costs;
use super::super::device::Device;
use super::super::explain::{
    ByBins, Course, Explanation, HotSignals, Layout, Resident, Rounds, Taken, Way, WhyNot,
};
use super::super::options::{GpuOptions, Sort};
use super::super::planner::Planner;
use super::super::prepare::{self, Prepared};
use super::super::resident::{not_rounds, not_supersteps};
use super::GpuSession;
use crate::engine::{Report, RunOptions, StopReason, Strategy};
use crate::program::VertexCompute;

/// What is known once a graph is prepared.
pub(super) fn prepared<D: Device, P: VertexCompute>(
    prepared: &Prepared<D, P::Edge>,
    strategy: Strategy,
    (options, layout): (&RunOptions, &GpuOptions),
    (planner, hot, bins): (&Planner, HotSignals, ByBins),
) -> Explanation {
    let columns = prepared.columns.as_ref();
    let sort = match strategy {
        Strategy::Medusa => Sort::None,
        _ => prepare::sort(options, layout),
    };
    let resident = match not_supersteps::<P>(strategy, options, layout.resident) {
        Some(why) => Resident::None(why),
        None if planner.always() => Resident::All,
        None => Resident::Small { edges: planner.most_edges(), after: planner.small_before() },
    };
    let rounds = match not_rounds::<P>(strategy, options, layout.resident) {
        Some(why) => Rounds::None(why),
        None if !planner.rounds() => Rounds::None(WhyNot::FewEdges {
            edges: prepared.edges,
            needed: planner.costs().rounds_edges,
        }),
        None => Rounds::Taken { delta: None, given: options.delta.is_some() },
    };
    Explanation {
        costs: *planner.costs(),
        layout: Layout {
            sort,
            group: columns.map(|columns| 1 << columns.shift),
            split: columns.map_or(0, |columns| columns.chunks.heavy),
            chunks: columns.map_or(0, |columns| columns.chunks.count),
        },
        hot,
        bins,
        resident,
        rounds,
        steps: Vec::new(),
    }
}

/// The figures to go by.
pub(super) fn costs<D: Device>(device: &D, layout: &GpuOptions) -> Costs {
    layout.costs.unwrap_or_else(|| Costs::of(device.capability()))
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// How a superstep runs that the host begins, one of so many at a time.
    pub(super) fn taken(
        &self,
        (superstep, strategy): (u32, Strategy),
        (messages, everyone): (u64, bool),
        together: u32,
    ) -> Taken {
        let chosen = superstep > 0 && matches!(strategy, Strategy::Push | Strategy::Pull);
        let predicted = chosen.then(|| self.planner.predict(messages));
        let pulled = match everyone {
            true if self.bins.get().is_some() => Way::Bins,
            true if self.hot > 0 => Way::PullHot,
            _ => Way::Pull,
        };
        Taken { way: Way::of(superstep, strategy, pulled), together, predicted }
    }

    /// Ends a run of a program that has priorities, or not: its report, and what it
    /// chose.
    pub(super) fn explained(
        &self,
        course: Course,
        stop: StopReason,
        has_priority: bool,
    ) -> (Report, Option<Explanation>) {
        let delta = course.delta;
        let (report, steps) = course.finish(stop);
        let mut explanation = self.report.explanation.clone();
        if let Some(explanation) = &mut explanation {
            // Without a superstep after the first there is nothing to take.
            let awake = steps.len() > 1 && steps[1].way != Way::Round;
            explanation.rounds = match explanation.rounds {
                Rounds::Taken { .. } | Rounds::None(WhyNot::FewEdges { .. }) if !has_priority => {
                    Rounds::None(WhyNot::NoPriority)
                }
                Rounds::Taken { .. } if awake => Rounds::None(WhyNot::Awake),
                Rounds::Taken { given, .. } => Rounds::Taken { delta, given },
                none => none,
            };
            let rounds = matches!(explanation.rounds, Rounds::Taken { .. });
            if rounds && !matches!(explanation.resident, Resident::None(_)) {
                explanation.resident = Resident::None(WhyNot::Rounds);
            }
            explanation.bins = self.bins.explained;
            explanation.steps = steps;
        }
        (report, explanation)
    }
}

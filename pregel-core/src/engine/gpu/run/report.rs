//! Explains what a session chose.

use super::course::Course;
use super::pull::Pull;
use super::session::GpuSession;
use super::worklist::{why_no_rounds, why_no_supersteps};
use crate::engine::gpu::layout::{Groups, Parts, Shape};
use crate::engine::gpu::policy::{
    ByBins, Explanation, GpuOptions, HotSignals, Layout, Planner, Resident, Rounds, Way, WhyNot,
};
use crate::engine::gpu::runtime::Device;
use crate::engine::{Report, RunOptions, StopReason, Strategy};
use crate::program::VertexCompute;

/// Describes how a graph is laid out.
pub(super) fn layout<D: Device>(parts: &Parts, groups: Option<&Groups<D>>) -> Layout {
    let chunks = groups.map(|groups| &groups.chunks);
    Layout {
        sort: parts.sort,
        group: groups.map(|groups| 1 << groups.shift),
        split: chunks.map_or(0, |chunks| chunks.heavy),
        chunks: chunks.map_or(0, |chunks| chunks.count),
    }
}

/// What a session was asked for, and its planner.
pub(super) struct Chosen<'a> {
    pub(super) strategy: Strategy,
    pub(super) options: &'a RunOptions,
    pub(super) layout: &'a GpuOptions,
    pub(super) planner: &'a Planner,
    pub(super) shape: Shape,
}

/// Explains what is known once a graph is prepared.
pub(super) fn explain<D: Device, P: VertexCompute>(
    chosen: &Chosen<'_>,
    layout: Layout,
    pull: Option<&Pull<D, P>>,
) -> Explanation {
    let Chosen { strategy, options, planner, shape, .. } = *chosen;
    let wanted = chosen.layout.resident;
    let resident = match why_no_supersteps::<P>(strategy, options, wanted) {
        Some(why) => Resident::None(why),
        None if planner.always() => Resident::All,
        None => Resident::Small { edges: planner.most_edges(), after: planner.streak_threshold() },
    };
    let rounds = match why_no_rounds::<P>(strategy, options, wanted) {
        Some(why) => Rounds::None(why),
        None if !planner.rounds() => Rounds::None(WhyNot::FewEdges {
            edges: shape.edges,
            needed: planner.costs().rounds_edges,
        }),
        None => Rounds::Taken { delta: None, given: options.delta.is_some() },
    };
    let none = WhyNot::Strategy(strategy);
    Explanation {
        costs: *planner.costs(),
        layout,
        hot: pull.map_or(HotSignals::None(none), |pull| pull.hot),
        bins: pull.map_or(ByBins::None(none), |pull| pull.bins.explained),
        resident,
        rounds,
    }
}

impl<D: Device, P: VertexCompute> GpuSession<'_, D, P> {
    /// Ends a run: returns its report, and explains what it chose.
    pub(super) fn finish(
        &self,
        course: Course<'_, P>,
        stop: StopReason,
    ) -> (Report, Option<Explanation>) {
        let Course { delta, has_priority, by_priority, log, .. } = course;
        let report = log.finish("cuda", stop);
        let mut explanation = self.report.explanation.clone();
        if let Some(explanation) = &mut explanation {
            let second = report.steps.get(1).and_then(|step| step.taken);
            // A run that ends with superstep 0 leaves the rounds as planned.
            let plain = second.is_some_and(|taken| taken.way != Way::Round);
            explanation.rounds = match explanation.rounds {
                Rounds::Taken { .. } | Rounds::None(WhyNot::FewEdges { .. }) if !has_priority => {
                    Rounds::None(WhyNot::NoPriority)
                }
                Rounds::Taken { .. } if !by_priority => Rounds::None(WhyNot::Converges),
                Rounds::Taken { .. } if plain => Rounds::None(WhyNot::Awake),
                Rounds::Taken { given, .. } => Rounds::Taken { delta, given },
                none => none,
            };
            let rounds = matches!(explanation.rounds, Rounds::Taken { .. });
            if rounds && !matches!(explanation.resident, Resident::None(_)) {
                explanation.resident = Resident::None(WhyNot::Rounds);
            }
            if let Some(pull) = &self.strategies.pull {
                explanation.bins = pull.bins.explained;
            }
        }
        (report, explanation)
    }
}
